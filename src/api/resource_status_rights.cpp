#include "api/resource_status_rights.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/core_v1.h"
#include "api/resource_device_id.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

using Status = resource::ResourceClaimStatus;

bool same_allocation(const Status& a, const Status& b) {
  if (a.allocation.has_value() != b.allocation.has_value()) return false;
  return !a.allocation || equal(*a.allocation, *b.allocation);
}

bool same_consumers(const Status& a, const Status& b) {
  return std::equal(a.reserved_for.begin(), a.reserved_for.end(), b.reserved_for.begin(),
                    b.reserved_for.end(), [](const auto& x, const auto& y) { return equal(x, y); });
}

/// Of the entries that were added, removed or changed.
std::set<std::string> changed_drivers(const Status& fresh, const Status& old) {
  std::map<DeviceKey, const resource::AllocatedDeviceStatus*> before;
  for (const auto& device : old.devices) before[device_key(device)] = &device;
  std::set<std::string> drivers;
  for (const auto& device : fresh.devices) {
    const auto found = before.find(device_key(device));
    if (found == before.end() || !equal(device, *found->second)) drivers.insert(device.driver);
    if (found != before.end()) before.erase(found);
  }
  for (const auto& [key, device] : before) drivers.insert(device->driver);
  return drivers;
}

/// The one node that the allocation names, or nothing.
std::string node_of(const resource::AllocationResult& allocation) {
  if (!allocation.node_selector || allocation.node_selector->node_selector_terms.size() != 1) return "";
  const core::NodeSelectorTerm& term = allocation.node_selector->node_selector_terms[0];
  if (!term.match_expressions.empty() || term.match_fields.size() != 1) return "";
  const core::NodeSelectorRequirement& field = term.match_fields[0];
  const bool names_one = field.key == "metadata.name" && field.operator_ == "In" && field.values.size() == 1;
  return names_one ? field.values[0] : "";
}

/// A driver on the node of the allocation needs less than one elsewhere.
std::vector<std::string> driver_verbs(const WriterRights& writer, const resource::AllocationResult& allocation) {
  const std::string node = node_of(allocation);
  std::vector<std::string> verbs;
  if (!node.empty() && node == writer.node()) verbs.push_back(fmt::format("associated-node:{}", writer.verb()));
  verbs.push_back(fmt::format("arbitrary-node:{}", writer.verb()));
  return verbs;
}

/// Empty if one of the verbs will do, else why the first will not.
std::string driver_refusal(const WriterRights& writer, const std::vector<std::string>& verbs,
                           const std::string& namespace_, const std::string& driver) {
  std::string first;
  for (const std::string& verb : verbs) {
    const std::string refusal = writer.refusal({verb, "driver", namespace_, driver});
    if (refusal.empty()) return "";
    if (first.empty()) first = refusal;
  }
  return first;
}

}  // namespace

void validate_status_rights(const FeatureGates& gates, const WriterRights& writer,
                            const resource::ResourceClaim& fresh, const resource::ResourceClaim& old,
                            Causes& out) {
  if (!gates.enabled("DRAResourceClaimGranularStatusAuthorization")) return;
  const FieldPath status("status");
  if (!same_allocation(fresh.status, old.status) || !same_consumers(fresh.status, old.status)) {
    const std::string refusal = writer.refusal({std::string(writer.verb()), "binding", "", ""});
    if (!refusal.empty()) {
      out.forbidden(status / "allocation",
                    fmt::format(R"(changing status.allocation or status.reservedFor requires )"
                                R"(resource="resourceclaims/binding", verb="{}" permission: {})",
                                writer.verb(), refusal));
    }
  }
  // Without an allocation the entries go away by themselves.
  if (!fresh.status.allocation || !gates.enabled("DRAResourceClaimDeviceStatus")) return;
  const std::vector<std::string> verbs = driver_verbs(writer, *fresh.status.allocation);
  for (const std::string& driver : changed_drivers(fresh.status, old.status)) {
    const std::string refusal = driver_refusal(writer, verbs, fresh.metadata.namespace_, driver);
    if (refusal.empty()) continue;
    out.forbidden(status / "devices",
                  fmt::format(R"(changing status.devices requires resource="resourceclaims/driver", )"
                              R"(verb="[{}]" permission: {})",
                              fmt::join(verbs, " "), refusal));
  }
}

}  // namespace dray::api
