#include "dra/device_variable.h"

#include "api/resource_v1.h"

namespace dray::dra {

DeviceVariable::DeviceVariable(std::string_view driver, const resource::Device& device)
    : input_(driver, device.allow_multiple_allocations.value_or(false)) {
  for (const auto& [name, a] : device.attributes) {
    // In the reference's order of types: lists first.
    if (!a.ints.empty()) {
      input_.add_ints(name, a.ints);
    } else if (!a.bools.empty()) {
      input_.add_bools(name, bools_.emplace_back(a.bools.begin(), a.bools.end()));
    } else if (!a.strings.empty()) {
      input_.add_strings(name, a.strings);
    } else if (!a.versions.empty()) {
      input_.add_versions(name, a.versions);
    } else if (a.int_) {
      input_.add_int(name, *a.int_);
    } else if (a.bool_) {
      input_.add_bool(name, *a.bool_);
    } else if (a.string) {
      input_.add_string(name, *a.string);
    } else if (a.version) {
      input_.add_version(name, *a.version);
    } else {
      input_.add_unsupported(name);
    }
  }
  for (const auto& [name, capacity] : device.capacity) input_.add_capacity(name, capacity.value);
  input_.finish();
}

}  // namespace dray::dra
