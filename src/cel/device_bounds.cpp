#include "cel/device_bounds.h"

namespace dray::cel {
namespace {

constexpr std::uint64_t kEntries = 32, kDomain = 63, kName = 32, kDriver = 63, kValue = 64;

}  // namespace

std::optional<Range> device_bounds(const ValuePath& path) {
  enum class At { kDevice, kLeaf, kAttributes, kCapacity, kAttributeNames, kCapacityNames };
  if (path.empty() || path[0] != "device") return std::nullopt;
  At at = At::kDevice;
  std::uint64_t size = 0;
  const auto leaf = [&](std::uint64_t s) {
    at = At::kLeaf;
    size = s;
  };
  for (std::size_t i = 1; i < path.size(); ++i) {
    const std::string& step = path[i];
    const bool values = step == "@values" || step == "@items", keys = step == "@keys";
    switch (at) {
      case At::kDevice:
        if (step == "driver") {
          leaf(kDriver);
        } else if (step == "allowMultipleAllocations") {
          leaf(1);
        } else if (step == "attributes" || step == "capacity") {
          at = step == "attributes" ? At::kAttributes : At::kCapacity;
          size = kEntries;
        } else {
          return std::nullopt;
        }
        break;
      case At::kAttributes:
      case At::kCapacity:
        if (keys) {
          leaf(kDomain);
        } else if (values) {
          at = at == At::kAttributes ? At::kAttributeNames : At::kCapacityNames;
        } else {
          return std::nullopt;
        }
        break;
      case At::kAttributeNames:
        // Every name leads to a value of the same bound.
        leaf(keys ? kName : kValue);
        break;
      case At::kCapacityNames:
        if (!keys && !values) return std::nullopt;
        leaf(keys ? kName : 0);
        break;
      case At::kLeaf: return std::nullopt;
    }
  }
  return Range{0, size};
}

}  // namespace dray::cel
