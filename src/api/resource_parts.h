/// Validation of what the kinds of resource.k8s.io have in common. Where a declarative rule says the same
/// (declarative_validation.h), nothing is said here.
/// Source: kubernetes pkg/apis/resource/validation/validation.go (1.37).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/resource_v1.h"
#include "machinery/validate.h"

namespace dray::core {
struct NodeSelector;
}

namespace dray::api {

// Limits of lists, as far as they are checked by hand; their declarative twins are in the schema.
inline constexpr int kRequestsMax = 32;
inline constexpr int kSelectorsMax = 32;
inline constexpr int kConstraintsMax = 32;
inline constexpr int kConfigMax = 32;
inline constexpr int kSubRequestsMax = 8;
inline constexpr int kResultsMax = 32;
inline constexpr int kConditionsMax = 8;
inline constexpr std::size_t kParametersBytesMax = 10 * 1024;
inline constexpr std::size_t kExpressionBytesMax = 10 * 1024;
inline constexpr std::uint64_t kExpressionCostMax = 1'000'000;

/// A driver: a DNS subdomain in any case, at most 63.
void validate_driver_name(std::string_view name, const FieldPath& at, Causes& out);
/// DNS subdomains joined by slashes, at most 253.
void validate_pool_name(std::string_view name, const FieldPath& at, Causes& out);
void validate_device_name(std::string_view name, const FieldPath& at, Causes& out);
/// A name of an attribute or of a capacity: "[domain/]identifier".
void validate_device_key(std::string_view name, const FieldPath& at, Causes& out);

void validate_taint(const resource::DeviceTaint& taint, const FieldPath& at, Causes& out);
void validate_tolerations(const std::vector<resource::DeviceToleration>& tolerations,
                          const FieldPath& at, Causes& out);
/// Of a device or of a result.
void validate_binding_conditions(const std::vector<std::string>& conditions,
                                 const std::vector<std::string>& failure_conditions,
                                 const FieldPath& at, Causes& out);
void validate_skip_node_operations(const std::vector<std::string>& operations, const FieldPath& at,
                                   Causes& out);

/// A JSON object of limited size. `stored`: it was valid once, the size is not checked again.
void validate_json_object(const RawExtension& value, bool stored, std::size_t bytes_max,
                          const FieldPath& at, Causes& out);
void validate_device_configuration(const resource::DeviceConfiguration& config, bool stored,
                                   const FieldPath& at, Causes& out);

/// Selectors of a request or of a class. `stored`: they were valid once, and are not compiled again.
void validate_selectors(const HookContext& context,
                        const std::vector<resource::DeviceSelector>& selectors, bool stored,
                        const FieldPath& at, Causes& out);
/// What a new expression over devices costs at worst; 0 if there is something wrong with it.
std::uint64_t validate_expression(const HookContext& context, const std::string& expression,
                                  bool derived_attribute, const FieldPath& at, Causes& out);

/// "a...z": a map's key in a field path, shortened in its middle.
[[nodiscard]] std::string short_key(std::string_view key, std::size_t size_max);

}  // namespace dray::api
