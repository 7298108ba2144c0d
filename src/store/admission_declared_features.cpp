// NodeDeclaredFeatureValidator, as far as slices go: devices that take from a node's own resources are
// only for nodes that say that they can do it.

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "store/admission_plugins.h"
#include "store/errors.h"

namespace dray::store::admission {
namespace {

constexpr const char* kFeature = "DRANodeAllocatableResources";

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

bool holds(const core::NodeSelectorRequirement& one, const std::string* value) {
  const bool listed = value && std::ranges::find(one.values, *value) != one.values.end();
  if (one.operator_ == "In") return listed;
  if (one.operator_ == "NotIn") return !listed;
  if (one.operator_ == "Exists") return value;
  if (one.operator_ == "DoesNotExist") return !value;
  if (!value || one.values.size() != 1) return false;
  const auto is = number(*value), bound = number(one.values[0]);
  return is && bound && (one.operator_ == "Gt" ? *is > *bound : *is < *bound);
}

bool holds(const core::NodeSelectorTerm& term, const core::Node& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  const auto label = [&](const core::NodeSelectorRequirement& one) {
    const auto it = node.metadata.labels.find(one.key);
    return holds(one, it == node.metadata.labels.end() ? nullptr : &it->second);
  };
  const auto field = [&](const core::NodeSelectorRequirement& one) {
    return holds(one, one.key == "metadata.name" ? &node.metadata.name : nullptr);
  };
  return std::ranges::all_of(term.match_expressions, label) && std::ranges::all_of(term.match_fields, field);
}

/// Where a device is: on one node, on those that a selector picks, or on all.
struct Place {
  std::string node;
  const core::NodeSelector* selector = nullptr;
  bool all = false;
};

template <class T>
Place place_of(const T& from) {
  Place out;
  if (from.node_name && !from.node_name->empty()) {
    out.node = *from.node_name;
  } else if (from.node_selector) {
    out.selector = from.node_selector.get();
  } else {
    out.all = from.all_nodes.value_or(false);
  }
  return out;
}

Result<> check_node(const AdmissionRequest& request, const core::Node& node) {
  if (std::ranges::find(node.status.declared_features, kFeature) != node.status.declared_features.end()) return {};
  return refused(request, fmt::format("node {} does not support {} feature", quoted(node.name()), kFeature));
}

Result<> check_place(Resources& resources, const AdmissionRequest& request, const Place& place, const std::string& device) {
  if (!place.node.empty()) {
    const auto node = lookup<core::Node>(resources, {}, place.node);
    if (node) return check_node(request, *node);
    return refused(request, fmt::format("node {} not found for device {}", quoted(place.node), quoted(device)));
  }
  if (!place.selector && !place.all) {
    return refused(request, fmt::format("device {} in ResourceSlice has NodeAllocatableResources but does not map to any nodes",
                                        quoted(device)));
  }
  for (const ObjectPtr& object : resources.store().list(resources.registry().of<core::Node>()).items) {
    const auto node = as<core::Node>(object);
    const auto fits = [&](const core::NodeSelectorTerm& term) { return holds(term, *node); };
    if (place.all || std::ranges::any_of(place.selector->node_selector_terms, fits)) TRY(check_node(request, *node));
  }
  return {};
}

}  // namespace

Admission declared_features(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    if (!resources.gates().enabled(kFeature)) return {};
    const auto* const slice = object_of<resource::ResourceSlice>(request);
    if (!slice) return {};
    for (const resource::Device& device : slice->spec.devices) {
      if (device.node_allocatable_resources.empty()) continue;
      const bool own = slice->spec.per_device_node_selection.value_or(false);
      TRY(check_place(resources, request, own ? place_of(device) : place_of(slice->spec), device.name));
    }
    return {};
  };
}

}  // namespace dray::store::admission
