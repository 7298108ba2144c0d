/// A pod as the placement core reads it: everything that filters and scores need, computed once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machinery/box.h"
#include "machinery/meta_v1.h"
#include "placement/resources.h"
#include "placement/selector.h"

namespace dray::core {
struct Pod;
}

namespace dray::placement {

struct HostPort {
  std::string ip;  // "0.0.0.0" where the pod says nothing
  std::string protocol;
  std::int32_t port = 0;
  bool operator==(const HostPort&) const = default;
};
/// 0.0.0.0 overlaps every address.
[[nodiscard]] bool conflict(const HostPort& a, const HostPort& b);

/// One term of pod (anti-)affinity, with the namespace defaults filled in.
struct AffinityTerm {
  std::vector<std::string> namespaces;
  Box<meta::LabelSelector> namespace_selector;
  Box<meta::LabelSelector> selector;
  std::string topology_key;
  std::int32_t weight = 0;  // of preferred terms

  [[nodiscard]] bool matches(std::string_view pod_namespace, const Labels& pod_labels,
                             const Labels& namespace_labels) const;
};

struct SpreadConstraint {
  std::int32_t max_skew = 1;
  std::int32_t min_domains = 1;
  std::string topology_key;
  Box<meta::LabelSelector> selector;
  bool honor_affinity = true;
  bool honor_taints = false;
};

/// Immutable once made; shared by queue, state and cycle.
struct PodInfo {
  std::shared_ptr<const core::Pod> pod;
  PodRequests requests;
  std::int32_t priority = 0;
  std::vector<HostPort> ports;
  std::vector<AffinityTerm> required_affinity, required_anti_affinity;
  std::vector<AffinityTerm> preferred_affinity, preferred_anti_affinity;
  std::vector<SpreadConstraint> hard_spread, soft_spread;
  std::vector<std::string> images;  // normalised names of images to run
  bool has_volumes = false;         // that concern a filter
  /// Equal signatures: filters and scores treat both pods alike on any state without (anti-)affinity,
  /// volumes and nominated pods. Empty: the pod is like no other.
  std::string signature;

  [[nodiscard]] const std::string& uid() const;
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& namespace_() const;
  [[nodiscard]] const Labels& labels() const;
  [[nodiscard]] bool has_affinity() const {
    return !required_affinity.empty() || !preferred_affinity.empty() || has_anti_affinity();
  }
  [[nodiscard]] bool has_anti_affinity() const {
    return !required_anti_affinity.empty() || !preferred_anti_affinity.empty();
  }
  [[nodiscard]] bool is_terminating() const;
};
using PodInfoPtr = std::shared_ptr<const PodInfo>;

[[nodiscard]] PodInfoPtr make_pod_info(std::shared_ptr<const core::Pod> pod, ScalarNames& names);

/// "x" is "x:latest".
[[nodiscard]] std::string normalised_image(std::string_view image);
/// spec.priority, 0 without.
[[nodiscard]] std::int32_t priority_of(const core::Pod& pod);

}  // namespace dray::placement
