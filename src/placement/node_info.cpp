#include "placement/node_info.h"

#include <algorithm>

#include "api/core_v1.h"
#include "machinery/quantity.h"

namespace dray::placement {

void NodeInfo::set_node(std::shared_ptr<const core::Node> fresh, ScalarNames& names) {
  node = std::move(fresh);
  image_bytes.clear();
  allocatable = {};
  pods_max = 0;
  if (!node) return;
  const auto& status = node->status;
  allocatable = resources_from(status.allocatable, names);
  const auto pods_at = status.allocatable.find("pods");
  if (pods_at != status.allocatable.end()) pods_max = pods_at->second.value();
  for (const auto& image : status.images) {
    for (const auto& image_name : image.names) image_bytes[image_name] = image.size_bytes;
  }
}

void NodeInfo::add(PodInfoPtr pod) {
  requested.add(pod->requests.real);
  scored_milli_cpu += pod->requests.scored_milli_cpu;
  scored_memory += pod->requests.scored_memory;
  ports.insert(ports.end(), pod->ports.begin(), pod->ports.end());
  affinity_pods += pod->has_affinity();
  required_anti_pods += !pod->required_anti_affinity.empty();
  volume_pods += pod->has_volumes;
  pods.push_back(std::move(pod));
}

bool NodeInfo::remove(std::string_view uid) {
  const auto at = std::find_if(pods.begin(), pods.end(),
                               [&](const PodInfoPtr& pod) { return pod->uid() == uid; });
  if (at == pods.end()) return false;
  const PodInfoPtr pod = *at;
  *at = pods.back();
  pods.pop_back();
  requested.subtract(pod->requests.real);
  scored_milli_cpu -= pod->requests.scored_milli_cpu;
  scored_memory -= pod->requests.scored_memory;
  for (const auto& port : pod->ports) {
    const auto used = std::find(ports.begin(), ports.end(), port);
    if (used != ports.end()) ports.erase(used);
  }
  affinity_pods -= pod->has_affinity();
  required_anti_pods -= !pod->required_anti_affinity.empty();
  volume_pods -= pod->has_volumes;
  return true;
}

const Labels& NodeInfo::labels() const { return node->metadata.labels; }

}  // namespace dray::placement
