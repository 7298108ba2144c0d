/// Compiled CEL expressions over devices: selectors and derived attributes.
///
/// Source: kubernetes dynamic-resource-allocation/cel, apiserver/pkg/cel (1.37), cel-go 0.29.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cel/device.h"

namespace dray::cel {

/// resource.k8s.io's limits.
inline constexpr std::size_t kSelectorLengthMax = 10 * 1024;
inline constexpr std::uint64_t kSelectorCostMax = 1'000'000;
/// Estimates: the cost has no bound.
inline constexpr std::uint64_t kCostUnbounded = UINT64_MAX;

/// Which declarations an expression is compiled with. The API server compiles an expression that is
/// new or changed as kNew, everybody compiles what is stored as kStored.
enum class Vintage : std::uint8_t { kStored, kNew };

/// The feature gates that change the declarations of new expressions.
struct Features {
  bool consumable_capacity = true;
  bool list_type_attributes = false;
  bool operator==(const Features&) const = default;
};

struct SelectorOptions {
  Vintage vintage = Vintage::kStored;
  Features features{};
  /// The value may be any scalar or list that an attribute can have, instead of a bool.
  bool derived_attribute = false;
  /// Off where only evaluation is wanted: `estimated_cost` is then kCostUnbounded.
  bool estimate_cost = true;
};

/// What an expression can read of a device, whatever its values. Sorted, without duplicates.
struct Reads {
  std::vector<QualifiedName> attributes;
  std::vector<QualifiedName> capacity;
  /// Domains of which any name can be read, or the names themselves (`in`, macros, size).
  std::vector<std::string> attribute_domains;
  std::vector<std::string> capacity_domains;
  bool driver = false;
  bool allow_multiple_allocations = false;
  /// Domains that are computed, or the device as a whole.
  bool all_attributes = false;
  bool all_capacity = false;
};

/// A compiled expression. Immutable, free to be shared between threads.
class Program {
 public:
  struct Impl;
  explicit Program(std::unique_ptr<const Impl> impl);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] const std::string& expression() const;
  /// As cel-go prints it: "bool", "dyn", "list(int)".
  [[nodiscard]] const std::string& output_type() const;
  /// The worst case.
  [[nodiscard]] std::uint64_t estimated_cost() const;
  [[nodiscard]] const Reads& reads() const;
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<const Impl> impl_;
};
using ProgramPtr = std::shared_ptr<const Program>;

/// Compiles, without limits of length and cost.
/// Errors: kInvalid (the API answers Invalid with this detail) or kInternal (InternalError); the
/// message is Kubernetes' text ("compilation failed: ERROR: <input>:1:7: ...").
/// The scheduler's message is "class NAME: selector #N: CEL compile error: " + message.
[[nodiscard]] Result<ProgramPtr> compile_selector(std::string_view expression,
                                                  const SelectorOptions& options = {});

/// As the API server does for a new expression: also kRequestEntityTooLarge (reason TooLong) and
/// kForbidden (the estimate exceeds kSelectorCostMax; message "too complex, exceeds cost limit").
[[nodiscard]] Result<ProgramPtr> admit_selector(std::string_view expression,
                                                const SelectorOptions& options = {});

/// Whether the device matches. Does not allocate for lookups and comparisons of attributes.
/// Errors kBadRequest: what follows "CEL runtime error: " in the scheduler's message, with the hint
/// that it adds for missing keys.
///   cost   if given, what the evaluation cost until its end or error.
/// Thread-safe.
[[nodiscard]] Result<bool> evaluate_selector(const Program& program, const DeviceInput& device,
                                             std::uint64_t* cost = nullptr,
                                             std::uint64_t cost_max = kSelectorCostMax);

/// The value of a derived attribute: what a DeviceAttribute can hold.
struct Version {
  std::string text;
  auto operator<=>(const Version&) const = default;
};
using DerivedValue =
    std::variant<std::int64_t, bool, std::string, Version, std::vector<std::int64_t>,
                 std::vector<bool>, std::vector<std::string>, std::vector<Version>>;

/// Errors kBadRequest: what follows "evaluate derived attribute NAME on device DEVICE failed: ".
/// An empty list is a std::vector<std::string>.
[[nodiscard]] Result<DerivedValue> evaluate_derived(const Program& program,
                                                    const DeviceInput& device,
                                                    std::uint64_t* cost = nullptr,
                                                    std::uint64_t cost_max = kSelectorCostMax);

}  // namespace dray::cel
