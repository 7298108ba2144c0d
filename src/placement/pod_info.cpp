#include "placement/pod_info.h"

#include <algorithm>

#include "api/core_v1.h"
#include "machinery/quantity.h"

namespace dray::placement {
namespace {

bool is_sidecar(const core::Container& container) {
  return container.restart_policy && *container.restart_policy == "Always";
}

AffinityTerm term_from(const core::Pod& pod, const core::PodAffinityTerm& term, std::int32_t weight) {
  AffinityTerm out;
  out.namespaces = term.namespaces;
  if (out.namespaces.empty() && !term.namespace_selector) {
    out.namespaces.push_back(pod.metadata.namespace_);
  }
  out.namespace_selector = term.namespace_selector;
  out.selector = term.label_selector;
  out.topology_key = term.topology_key;
  out.weight = weight;
  return out;
}

template <class Affinity>
void add_terms(const core::Pod& pod, const Affinity& affinity, std::vector<AffinityTerm>& required,
               std::vector<AffinityTerm>& preferred) {
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution) {
    required.push_back(term_from(pod, term, 0));
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution) {
    preferred.push_back(term_from(pod, term.pod_affinity_term, term.weight));
  }
}

/// The pod's own values of matchLabelKeys become requirements; a null selector stays one that
/// matches nothing.
Box<meta::LabelSelector> merged_selector(const core::Pod& pod, const core::TopologySpreadConstraint& c) {
  Box<meta::LabelSelector> selector = c.label_selector;
  if (!selector) return selector;
  for (const auto& key : c.match_label_keys) {
    if (const auto* value = find_label(pod.metadata.labels, key)) {
      selector->match_expressions.push_back({key, "In", {*value}});
    }
  }
  return selector;
}

SpreadConstraint spread_from(const core::Pod& pod, const core::TopologySpreadConstraint& c) {
  SpreadConstraint out;
  out.max_skew = c.max_skew;
  out.min_domains = c.min_domains.value_or(1);
  out.topology_key = c.topology_key;
  out.selector = merged_selector(pod, c);
  out.honor_affinity = c.node_affinity_policy.value_or("Honor") == "Honor";
  out.honor_taints = c.node_taints_policy.value_or("Ignore") == "Honor";
  return out;
}

void add_ports(const core::Container& container, std::vector<HostPort>& ports) {
  for (const auto& port : container.ports) {
    if (port.host_port <= 0) continue;
    ports.push_back({port.host_ip.empty() ? "0.0.0.0" : port.host_ip,
                     port.protocol.empty() ? "TCP" : port.protocol, port.host_port});
  }
}

bool concerns_filters(const core::Volume& volume) {
  const auto& source = volume.volume_source;
  return source.persistent_volume_claim || source.ephemeral || source.gce_persistent_disk ||
         source.aws_elastic_block_store || source.rbd || source.iscsi || source.csi;
}

/// Writes what filters and scores read, each piece with its length, so that no two pods meet by chance.
class Signature {
 public:
  void text(std::string_view piece) {
    number(static_cast<std::int64_t>(piece.size()));
    out_ += piece;
  }
  void number(std::int64_t value) {
    out_ += std::to_string(value);
    out_ += ';';
  }
  void requirement(const core::NodeSelectorRequirement& r) {
    text(r.key);
    text(r.operator_);
    number(static_cast<std::int64_t>(r.values.size()));
    for (const auto& value : r.values) text(value);
  }
  void term(const core::NodeSelectorTerm& t) {
    number(static_cast<std::int64_t>(t.match_expressions.size()));
    for (const auto& r : t.match_expressions) requirement(r);
    number(static_cast<std::int64_t>(t.match_fields.size()));
    for (const auto& r : t.match_fields) requirement(r);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void sign_node_affinity(const core::NodeAffinity& affinity, Signature& sign) {
  const auto& required = affinity.required_during_scheduling_ignored_during_execution;
  sign.number(required ? static_cast<std::int64_t>(required->node_selector_terms.size()) : -1);
  if (required) {
    for (const auto& term : required->node_selector_terms) sign.term(term);
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution) {
    sign.number(term.weight);
    sign.term(term.preference);
  }
}

void sign_requests(const PodRequests& requests, Signature& sign) {
  sign.number(requests.real.milli_cpu);
  sign.number(requests.real.memory);
  sign.number(requests.real.ephemeral_storage);
  for (const auto& [id, amount] : requests.real.scalars) {
    sign.number(static_cast<std::int64_t>(id));
    sign.number(amount);
  }
  sign.number(-1);
  sign.number(requests.scored_milli_cpu);
  sign.number(requests.scored_memory);
}

std::string signature_of(const PodInfo& info) {
  const core::Pod& pod = *info.pod;
  if (info.has_affinity() || info.has_volumes || !info.hard_spread.empty() ||
      !info.soft_spread.empty() || pod.spec.scheduling_group || !pod.spec.node_name.empty()) {
    return {};
  }
  Signature sign;
  sign.text(pod.metadata.namespace_);  // claims and default spreading look at it
  sign_requests(info.requests, sign);
  for (const auto& [key, value] : pod.spec.node_selector) {
    sign.text(key);
    sign.text(value);
  }
  sign.number(-1);
  if (pod.spec.affinity && pod.spec.affinity->node_affinity) {
    sign_node_affinity(*pod.spec.affinity->node_affinity, sign);
  }
  sign.number(-2);
  for (const auto& toleration : pod.spec.tolerations) {
    sign.text(toleration.key);
    sign.text(toleration.operator_);
    sign.text(toleration.value);
    sign.text(toleration.effect);
  }
  sign.number(-3);
  for (const auto& port : info.ports) {
    sign.text(port.ip);
    sign.text(port.protocol);
    sign.number(port.port);
  }
  sign.number(-4);
  for (const auto& image : info.images) sign.text(image);
  return sign.take();
}

}  // namespace

bool conflict(const HostPort& a, const HostPort& b) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  return a.ip == b.ip || a.ip == "0.0.0.0" || b.ip == "0.0.0.0";
}

bool AffinityTerm::matches(std::string_view pod_namespace, const Labels& pod_labels,
                           const Labels& namespace_labels) const {
  const bool in_namespace =
      std::find(namespaces.begin(), namespaces.end(), pod_namespace) != namespaces.end() ||
      (namespace_selector && placement::matches(namespace_selector.get(), namespace_labels));
  return in_namespace && placement::matches(selector ? selector.get() : nullptr, pod_labels);
}

const std::string& PodInfo::uid() const { return pod->metadata.uid; }
const std::string& PodInfo::name() const { return pod->metadata.name; }
const std::string& PodInfo::namespace_() const { return pod->metadata.namespace_; }
const Labels& PodInfo::labels() const { return pod->metadata.labels; }
bool PodInfo::is_terminating() const { return pod->metadata.deletion_timestamp.has_value(); }

std::int32_t priority_of(const core::Pod& pod) { return pod.spec.priority.value_or(0); }

std::string normalised_image(std::string_view image) {
  const auto colon = image.rfind(':');
  const auto slash = image.rfind('/');
  const bool tagged = colon != std::string_view::npos &&
                      (slash == std::string_view::npos || colon > slash);
  std::string out(image);
  return tagged ? out : out + ":latest";
}

PodInfoPtr make_pod_info(std::shared_ptr<const core::Pod> pod, ScalarNames& names) {
  auto info = std::make_shared<PodInfo>();
  info->pod = std::move(pod);
  const core::Pod& p = *info->pod;
  info->requests = pod_requests(p, names);
  info->priority = priority_of(p);
  for (const auto& c : p.spec.containers) {
    add_ports(c, info->ports);
    info->images.push_back(normalised_image(c.image));
  }
  for (const auto& c : p.spec.init_containers) {
    if (is_sidecar(c)) add_ports(c, info->ports);
    info->images.push_back(normalised_image(c.image));
  }
  for (const auto& volume : p.spec.volumes) {
    info->has_volumes = info->has_volumes || concerns_filters(volume);
    if (const auto& image = volume.volume_source.image) {
      info->images.push_back(normalised_image(image->reference));
    }
  }
  if (p.spec.affinity) {
    if (const auto& affinity = p.spec.affinity->pod_affinity) {
      add_terms(p, *affinity, info->required_affinity, info->preferred_affinity);
    }
    if (const auto& anti = p.spec.affinity->pod_anti_affinity) {
      add_terms(p, *anti, info->required_anti_affinity, info->preferred_anti_affinity);
    }
  }
  for (const auto& c : p.spec.topology_spread_constraints) {
    auto& kind = c.when_unsatisfiable == "ScheduleAnyway" ? info->soft_spread : info->hard_spread;
    kind.push_back(spread_from(p, c));
  }
  info->signature = signature_of(*info);
  return info;
}

}  // namespace dray::placement
