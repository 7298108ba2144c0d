/// Zone and region of a node, as labels of what runs there.
/// Source: k8s.io/kubernetes plugin/pkg/admission/podtopologylabels; KEP-4742.
#pragma once

#include <map>
#include <string>

namespace dray::store {

class Resources;

/// Overwrites; an unknown node has none.
void copy_topology_labels(Resources& resources, const std::string& node, std::map<std::string, std::string>& labels);

}  // namespace dray::store
