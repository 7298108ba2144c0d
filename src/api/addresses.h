/// IP addresses in API objects, beyond their form (machinery/formats.h). Pure.
/// Source: ValidateEndpointIP in pkg/apis/core/validation of Kubernetes 1.37.
#pragma once

#include <optional>
#include <string_view>

#include "machinery/validate.h"

namespace dray::api {

[[nodiscard]] bool is_ipv4(std::string_view address);
[[nodiscard]] bool is_ipv6(std::string_view address);

/// What an endpoint cannot have: unspecified, loopback and link-local addresses.
void validate_endpoint_ip(std::string_view address, const FieldPath& at, Causes& out);

/// Whether `inner` has a longer prefix than `outer` and lies in it; nothing if one is no subnet.
[[nodiscard]] std::optional<bool> is_strict_subnet(std::string_view inner, std::string_view outer);

}  // namespace dray::api
