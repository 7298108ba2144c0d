/// What a selector sees of a device: the variable `device`, made once per device of a slice and
/// read by every evaluation. Nothing is copied: texts, lists and quantities are borrowed.
/// Source: kubernetes resource.k8s.io/v1 Device, dynamic-resource-allocation/cel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machinery/quantity.h"

namespace dray::cel {

struct Semver;
struct Reads;

/// A qualified name's two halves. A name without a domain belongs to the domain of the driver.
struct QualifiedName {
  std::string domain;
  std::string name;
  auto operator<=>(const QualifiedName&) const = default;
};

/// The device of one evaluation. Confined to one thread while it is filled, immutable afterwards
/// and then free to be shared.
///
///   DeviceInput input(slice.driver);
///   for (auto& [name, a] : device.attributes) input.add_string(name, *a.string);   // by kind
///   for (auto& [name, c] : device.capacity) input.add_capacity(name, c.value);
///   input.finish();
///
/// The driver, names, texts, lists and quantities that are handed in must outlive the input.
class DeviceInput {
 public:
  enum class Kind : std::uint8_t {
    kInt, kBool, kString, kVersion, kInts, kBools, kStrings, kVersions, kQuantity
  };
  /// One attribute or capacity.
  struct Entry {
    std::string_view domain;
    std::string_view name;
    std::uint64_t hash = 0;  // of domain and name, see `hash_of`
    Kind kind = Kind::kInt;
    std::int64_t integer = 0;                            // kInt, kBool
    std::string_view text;                               // kString, kVersion
    const std::vector<std::int64_t>* ints = nullptr;     // kInts
    const std::vector<bool>* bools = nullptr;            // kBools
    const std::vector<std::string>* strings = nullptr;   // kStrings, kVersions
    const Quantity* quantity = nullptr;                  // kQuantity
    const Semver* versions = nullptr;                    // kVersion: one, kVersions: all, parsed
  };

  explicit DeviceInput(std::string_view driver, bool allow_multiple_allocations = false);
  DeviceInput(DeviceInput&&) noexcept;
  DeviceInput& operator=(DeviceInput&&) noexcept;
  ~DeviceInput();

  void add_int(std::string_view qualified_name, std::int64_t value);
  void add_bool(std::string_view qualified_name, bool value);
  void add_string(std::string_view qualified_name, std::string_view value);
  void add_version(std::string_view qualified_name, std::string_view value);
  void add_ints(std::string_view qualified_name, const std::vector<std::int64_t>& values);
  void add_bools(std::string_view qualified_name, const std::vector<bool>& values);
  void add_strings(std::string_view qualified_name, const std::vector<std::string>& values);
  void add_versions(std::string_view qualified_name, const std::vector<std::string>& values);
  /// An attribute without any value: every evaluation fails, as in Kubernetes.
  void add_unsupported(std::string_view qualified_name);
  void add_capacity(std::string_view qualified_name, const Quantity& value);
  /// Sorts; before the first evaluation. A later name wins over an equal earlier one.
  void finish();

  [[nodiscard]] std::string_view driver() const { return driver_; }
  [[nodiscard]] bool allow_multiple_allocations() const { return allow_multiple_allocations_; }
  /// Sorted by domain, then name.
  [[nodiscard]] std::span<const Entry> attributes() const { return attributes_; }
  [[nodiscard]] std::span<const Entry> capacity() const { return capacity_; }
  /// Why the device can't be evaluated at all (a version that is none), or empty.
  [[nodiscard]] const std::string& error() const { return error_; }

  [[nodiscard]] static std::uint64_t hash_of(std::string_view domain, std::string_view name);
  /// The entries of one domain.
  [[nodiscard]] static std::span<const Entry> domain_of(std::span<const Entry> all,
                                                        std::string_view domain);
  /// Null if there is none. `hash` is hash_of(domain, name).
  [[nodiscard]] static const Entry* find(std::span<const Entry> all, std::string_view domain,
                                         std::string_view name, std::uint64_t hash);

 private:
  Entry& add(std::vector<Entry>& to, std::string_view qualified_name, Kind kind);
  const Semver* parse_versions(std::string_view qualified_name,
                               std::span<const std::string_view> texts);
  void fail(std::string_view qualified_name, const std::string& why);

  std::string_view driver_;
  bool allow_multiple_allocations_ = false;
  std::vector<Entry> attributes_, capacity_;
  std::vector<std::unique_ptr<Semver[]>> versions_;
  std::string error_;
};

/// Appends everything that a program with these reads can see of the device. Equal keys: equal
/// results, so one evaluation serves all devices of one key.
void append_read_key(const Reads& reads, const DeviceInput& device, std::string& key);

}  // namespace dray::cel
