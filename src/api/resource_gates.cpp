#include "api/resource_gates.h"

#include <algorithm>
#include <string_view>

namespace dray::api {
namespace {

/// Whether some part of a list passes.
template <class List, class Test>
bool any(const List& list, Test test) {
  return std::any_of(list.begin(), list.end(), test);
}

/// One feature of a kind of spec: the gates that it needs, whether a spec uses it, how it is dropped.
template <class Spec>
struct Feature {
  std::string_view gate, other_gate;
  bool (*used)(const Spec&);
  void (*drop)(Spec&);
};

template <class Spec, std::size_t n>
void drop_disabled(const FeatureGates& gates, const Feature<Spec> (&features)[n], Spec& fresh,
                   const Spec* old) {
  for (const Feature<Spec>& feature : features) {
    const bool on = gates.enabled(feature.gate) &&
                    (feature.other_gate.empty() || gates.enabled(feature.other_gate));
    if (!on && !(old && feature.used(*old))) feature.drop(fresh);
  }
}

/// Visits what `exactly` and the entries of `firstAvailable` have in common.
template <class Claim, class Visit>
void each_request(Claim& spec, Visit visit) {
  for (auto& request : spec.devices.requests) {
    if (request.exactly) visit(*request.exactly);
    for (auto& sub : request.first_available) visit(sub);
  }
}

template <class Test>
bool any_request(const resource::ResourceClaimSpec& spec, Test test) {
  bool found = false;
  each_request(spec, [&](const auto& request) { found = found || test(request); });
  return found;
}

using Claim = resource::ResourceClaimSpec;

bool uses_admin_access(const Claim& spec) {
  return any(spec.devices.requests,
             [](const auto& r) { return r.exactly && r.exactly->admin_access; });
}

bool uses_consumable_capacity(const Claim& spec) {
  return any(spec.devices.constraints, [](const auto& c) { return c.distinct_attribute; }) ||
         any_request(spec, [](const auto& r) { return r.capacity.has_value(); });
}

// firstAvailable goes first, so that the later features look at what remains.
constexpr Feature<Claim> kClaimFeatures[] = {
    {"DRAPrioritizedList", "",
     [](const Claim& spec) {
       return any(spec.devices.requests, [](const auto& r) { return !r.first_available.empty(); });
     },
     [](Claim& spec) {
       for (auto& request : spec.devices.requests) request.first_available.clear();
     }},
    {"DRADeviceTaints", "",
     [](const Claim& spec) {
       return any_request(spec, [](const auto& r) { return !r.tolerations.empty(); });
     },
     [](Claim& spec) { each_request(spec, [](auto& r) { r.tolerations.clear(); }); }},
    {"DRAAdminAccess", "", uses_admin_access,
     [](Claim& spec) {
       for (auto& request : spec.devices.requests) {
         if (request.exactly) request.exactly->admin_access.reset();
       }
     }},
    {"DRAConsumableCapacity", "", uses_consumable_capacity,
     [](Claim& spec) {
       for (auto& constraint : spec.devices.constraints) constraint.distinct_attribute.reset();
       each_request(spec, [](auto& r) { r.capacity.reset(); });
     }},
    {"DRADerivedAttributes", "",
     [](const Claim& spec) {
       return any_request(spec, [](const auto& r) { return !r.derived_attributes.empty(); });
     },
     [](Claim& spec) { each_request(spec, [](auto& r) { r.derived_attributes.clear(); }); }},
};

using Slice = resource::ResourceSliceSpec;

bool has_lists(const resource::DeviceAttribute& attribute) {
  return !attribute.ints.empty() || !attribute.bools.empty() || !attribute.strings.empty() ||
         !attribute.versions.empty();
}

template <class Test>
bool any_device(const Slice& spec, Test test) {
  return any(spec.devices, test);
}

constexpr Feature<Slice> kSliceFeatures[] = {
    {"DRADeviceTaints", "",
     [](const Slice& spec) {
       return any_device(spec, [](const auto& d) { return !d.taints.empty(); });
     },
     [](Slice& spec) {
       for (auto& device : spec.devices) device.taints.clear();
     }},
    {"DRAPartitionableDevices", "",
     [](const Slice& spec) {
       return !spec.shared_counters.empty() || spec.per_device_node_selection ||
              any_device(spec, [](const auto& d) {
                return !d.consumes_counters.empty() || d.node_name || d.node_selector || d.all_nodes;
              });
     },
     [](Slice& spec) {
       spec.shared_counters.clear();
       spec.per_device_node_selection.reset();
       for (auto& device : spec.devices) {
         device.consumes_counters.clear();
         device.node_name.reset();
         device.node_selector.reset();
         device.all_nodes.reset();
       }
     }},
    {"DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus",
     [](const Slice& spec) {
       return any_device(spec, [](const auto& d) {
         return !d.binding_conditions.empty() || !d.binding_failure_conditions.empty() ||
                d.binds_to_node;
       });
     },
     [](Slice& spec) {
       for (auto& device : spec.devices) {
         device.binding_conditions.clear();
         device.binding_failure_conditions.clear();
         device.binds_to_node.reset();
       }
     }},
    {"DRAConsumableCapacity", "",
     [](const Slice& spec) {
       return any_device(spec, [](const auto& d) {
         return d.allow_multiple_allocations ||
                any(d.capacity, [](const auto& c) { return c.second.request_policy.has_value(); });
       });
     },
     [](Slice& spec) {
       for (auto& device : spec.devices) {
         device.allow_multiple_allocations.reset();
         for (auto& [name, capacity] : device.capacity) capacity.request_policy.reset();
       }
     }},
    {"DRADeviceCompatibilityGroups", "",
     [](const Slice& spec) {
       return any_device(spec, [](const auto& d) {
         return any(d.consumes_counters, [](const auto& c) { return !c.compatibility_groups.empty(); });
       });
     },
     [](Slice& spec) {
       for (auto& device : spec.devices) {
         for (auto& consumption : device.consumes_counters) consumption.compatibility_groups.clear();
       }
     }},
    {"DRANodeAllocatableResources", "",
     [](const Slice& spec) {
       return any_device(spec, [](const auto& d) { return !d.node_allocatable_resources.empty(); });
     },
     [](Slice& spec) {
       for (auto& device : spec.devices) device.node_allocatable_resources.clear();
     }},
    {"DRAListTypeAttributes", "",
     [](const Slice& spec) {
       return any_device(spec, [](const auto& d) {
         return any(d.attributes, [](const auto& a) { return has_lists(a.second); });
       });
     },
     [](Slice& spec) {
       for (auto& device : spec.devices) {
         for (auto& [name, attribute] : device.attributes) {
           attribute.ints.clear();
           attribute.bools.clear();
           attribute.strings.clear();
           attribute.versions.clear();
         }
       }
     }},
    {"DRAPartitionableDevicesType", "",
     [](const Slice& spec) { return spec.partition_type_attribute.has_value(); },
     [](Slice& spec) { spec.partition_type_attribute.reset(); }},
    {"DRAOptionalNodeOperations", "",
     [](const Slice& spec) { return !spec.skip_node_operations.empty(); },
     [](Slice& spec) { spec.skip_node_operations.clear(); }},
};

using Class = resource::DeviceClassSpec;
constexpr Feature<Class> kClassFeatures[] = {
    {"DRAExtendedResource", "",
     [](const Class& spec) { return spec.extended_resource_name.has_value(); },
     [](Class& spec) { spec.extended_resource_name.reset(); }},
};

using PoolRequest = resource_v1alpha3::ResourcePoolStatusRequestSpec;
constexpr Feature<PoolRequest> kPoolRequestFeatures[] = {
    {"DRAPartitionableDevicesType", "",
     [](const PoolRequest& spec) { return spec.default_partition_type_attribute.has_value(); },
     [](PoolRequest& spec) { spec.default_partition_type_attribute.reset(); }},
};

template <class Test>
bool any_result(const resource::ResourceClaim& claim, Test test) {
  return claim.status.allocation && any(claim.status.allocation->devices.results, test);
}

template <class Visit>
void each_result(resource::ResourceClaim& claim, Visit visit) {
  if (!claim.status.allocation) return;
  for (auto& result : claim.status.allocation->devices.results) visit(result);
}

using WholeClaim = resource::ResourceClaim;
constexpr Feature<WholeClaim> kStatusFeatures[] = {
    {"DRAResourceClaimDeviceStatus", "",
     [](const WholeClaim& claim) { return !claim.status.devices.empty(); },
     [](WholeClaim& claim) { claim.status.devices.clear(); }},
    {"DRAAdminAccess", "",
     [](const WholeClaim& claim) {
       return uses_admin_access(claim.spec) ||
              any_result(claim, [](const auto& r) { return r.admin_access.has_value(); });
     },
     [](WholeClaim& claim) { each_result(claim, [](auto& r) { r.admin_access.reset(); }); }},
    {"DRAConsumableCapacity", "",
     [](const WholeClaim& claim) {
       return uses_consumable_capacity(claim.spec) ||
              any_result(claim,
                         [](const auto& r) { return r.share_id || !r.consumed_capacity.empty(); }) ||
              any(claim.status.devices, [](const auto& d) { return d.share_id.has_value(); });
     },
     [](WholeClaim& claim) {
       each_result(claim, [](auto& r) {
         r.share_id.reset();
         r.consumed_capacity.clear();
       });
       for (auto& device : claim.status.devices) device.share_id.reset();
     }},
    {"DRADeviceBindingConditions", "",
     [](const WholeClaim& claim) {
       return any_result(claim, [](const auto& r) {
         return !r.binding_conditions.empty() || !r.binding_failure_conditions.empty();
       });
     },
     [](WholeClaim& claim) {
       each_result(claim, [](auto& r) {
         r.binding_conditions.clear();
         r.binding_failure_conditions.clear();
       });
     }},
    {"DRAOptionalNodeOperations", "",
     [](const WholeClaim& claim) {
       return any_result(claim, [](const auto& r) { return !r.skip_node_operations.empty(); });
     },
     [](WholeClaim& claim) { each_result(claim, [](auto& r) { r.skip_node_operations.clear(); }); }},
};

}  // namespace

void drop_disabled_fields(const FeatureGates& gates, Claim& fresh, const Claim* old) {
  drop_disabled(gates, kClaimFeatures, fresh, old);
}
void drop_disabled_fields(const FeatureGates& gates, Slice& fresh, const Slice* old) {
  drop_disabled(gates, kSliceFeatures, fresh, old);
}
void drop_disabled_fields(const FeatureGates& gates, Class& fresh, const Class* old) {
  drop_disabled(gates, kClassFeatures, fresh, old);
}
void drop_disabled_fields(const FeatureGates& gates, PoolRequest& fresh, const PoolRequest* old) {
  drop_disabled(gates, kPoolRequestFeatures, fresh, old);
}
void drop_disabled_status_fields(const FeatureGates& gates, WholeClaim& fresh, const WholeClaim& old) {
  drop_disabled(gates, kStatusFeatures, fresh, &old);
}

}  // namespace dray::api
