/// The feature gates that the allocator knows, and which flavour of the reference they select.
/// Source: dynamic-resource-allocation/structured/allocator.go; reference: Kubernetes 1.37 defaults.
#pragma once

#include <map>
#include <string>

#include "base/error.h"

namespace dray::dra {

struct Features {
  bool admin_access = true;
  bool compatibility_groups = false;
  bool consumable_capacity = true;
  bool derived_attributes = false;
  bool device_binding_and_status = true;
  bool device_taints = true;
  bool fractional_capacity_range = false;
  bool list_type_attributes = false;
  bool optional_node_operations = false;
  bool partitionable_devices = true;
  bool prioritized_list = true;

  bool operator==(const Features&) const = default;

  /// One of the four alpha features is on: `skipNodeOperations` is looked at and copied.
  [[nodiscard]] bool experimental() const {
    return compatibility_groups || derived_attributes || list_type_attributes ||
           optional_node_operations;
  }
  /// "experimental", "incubating" or "stable": the flavour of the reference with these features.
  [[nodiscard]] const char* variant() const;
};

/// Sets what the gates say, by gate name ("DRAListTypeAttributes"), on top of `defaults`. Gates of
/// dynamic resource allocation that don't concern the allocator are taken and ignored.
/// Error kBadRequest `gates: unknown gate "X"`.
[[nodiscard]] Result<Features> features_from(const std::map<std::string, bool>& gates,
                                             const Features& defaults = {});

}  // namespace dray::dra
