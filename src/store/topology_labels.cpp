#include "store/topology_labels.h"

#include "api/core_v1.h"
#include "store/resources.h"

namespace dray::store {

void copy_topology_labels(Resources& resources, const std::string& node, std::map<std::string, std::string>& labels) {
  const auto found = as<core::Node>(resources.store().get(resources.registry().of<core::Node>(), {}, node));
  if (!found) return;
  for (const char* key : {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"}) {
    const auto it = found->metadata.labels.find(key);
    if (it != found->metadata.labels.end()) labels[key] = it->second;
  }
}

}  // namespace dray::store
