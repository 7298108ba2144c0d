/// Services.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/feature_gates.h"
#include "api/kind_validate.h"

namespace dray::api {
namespace {

constexpr std::int32_t kAffinitySecondsMax = 86400;
constexpr std::string_view kOnlyBalanced = "may only be used when `type` is 'LoadBalancer'";

bool is_headless(const core::Service& service) {
  const auto& ips = service.spec.cluster_ips;
  return !ips.empty() && ips.front() == "None";
}

void validate_choice(std::string_view value, std::initializer_list<std::string_view> known, const FieldPath& at,
                     Causes& out) {
  if (value.empty()) return out.required(at);
  if (std::ranges::find(known, value) == known.end()) out.not_supported(at, value, known);
}

void validate_external_name(const core::Service& service, const FieldPath& at, Causes& out) {
  static constexpr std::string_view kText = "may not be set for ExternalName services";
  if (!service.spec.cluster_ips.empty()) out.forbidden(at / "clusterIPs", kText);
  if (!service.spec.ip_families.empty()) out.forbidden(at / "ipFamilies", kText);
  if (service.spec.ip_family_policy) out.forbidden(at / "ipFamilyPolicy", kText);
  std::string_view name = service.spec.external_name;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) return out.required(at / "externalName");
  validate_dns1123_subdomain(name, at / "externalName", out);
}

void validate_ports(const core::Service& service, const FieldPath& at, Causes& out) {
  Names names;
  const auto& ports = service.spec.ports;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const core::ServicePort& port = ports[i];
    const FieldPath here = at / i;
    if (port.name.empty()) {
      if (ports.size() > 1) out.required(here / "name");
    } else {
      validate_dns1123_label(port.name, here / "name", out);
      if (!names.insert(port.name).second) out.duplicate(here / "name", port.name);
    }
    validate_port_number(port.port, here / "port", out);
    validate_choice(port.protocol, {"SCTP", "TCP", "UDP"}, here / "protocol", out);
    validate_port(port.target_port, here / "targetPort", out);
    if (port.app_protocol) validate_qualified_name(*port.app_protocol, here / "appProtocol", out);
  }
}

void validate_affinity(const core::ServiceSpec& spec, const FieldPath& at, Causes& out) {
  validate_choice(spec.session_affinity, {"ClientIP", "None"}, at / "sessionAffinity", out);
  const FieldPath config = at / "sessionAffinityConfig";
  if (spec.session_affinity == "None" && spec.session_affinity_config)
    return out.forbidden(config, "must not be set when session affinity is None");
  if (spec.session_affinity != "ClientIP") return;
  if (!spec.session_affinity_config)
    return out.required(config, "when session affinity type is ClientIP");
  const auto& client = spec.session_affinity_config->client_ip;
  if (!client) return out.required(config / "clientIP", "when session affinity type is ClientIP");
  if (!client->timeout_seconds)
    return out.required(config / "clientIP" / "timeoutSeconds", "when session affinity type is ClientIP");
  if (*client->timeout_seconds <= 0 || *client->timeout_seconds > kAffinitySecondsMax)
    out.invalid(config / "clientIP" / "timeoutSeconds", *client->timeout_seconds,
                fmt::format("must be greater than 0 and less than {}", kAffinitySecondsMax));
}

bool is_v6(std::string_view address) { return address.find(':') != std::string_view::npos; }

void validate_cluster_ips(const core::Service& service, const core::Service* old, const FieldPath& at, Causes& out) {
  const auto& spec = service.spec;
  const auto& ips = spec.cluster_ips;
  const FieldPath here = at / "clusterIPs", families = at / "ipFamilies";
  if (spec.type == "ExternalName") return;
  if (!spec.cluster_ip.empty() && ips.empty()) {
    out.required(here);
  } else if (!spec.cluster_ip.empty() && ips.front() != spec.cluster_ip) {
    out.invalid(here, ips, "first value must match `clusterIP`");
  } else if (spec.cluster_ip.empty() && !ips.empty()) {
    out.invalid(here, ips, "must be empty when `clusterIP` is not specified");
  }
  Names seen;
  for (std::size_t i = 0; i < spec.ip_families.size(); ++i) {
    if (spec.ip_families[i] != "IPv4" && spec.ip_families[i] != "IPv6")
      out.not_supported(families / i, spec.ip_families[i], {"IPv4", "IPv6"});
    if (!seen.insert(spec.ip_families[i]).second) out.duplicate(families / i, spec.ip_families[i]);
  }
  if (spec.ip_family_policy)
    validate_choice(*spec.ip_family_policy, {"PreferDualStack", "RequireDualStack", "SingleStack"},
                    at / "ipFamilyPolicy", out);
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < ips.size(); ++i) {
    if (i == 0 && ips[i] == "None") {
      if (ips.size() > 1) out.invalid(here, ips, "'None' must be the first and only value");
      continue;
    }
    const bool kept = old != nullptr && std::ranges::find(old->spec.cluster_ips, ips[i]) != old->spec.cluster_ips.end();
    if (!kept) out.invalid_each(here / i, ips[i], check_legacy_ip(ips[i]));
  }
  if (ips.size() > 2) out.invalid(here, ips, "may only hold up to 2 values");
  if (out.size() != before) return;
  if (ips.size() == 2 && is_v6(ips[0]) == is_v6(ips[1]))
    out.invalid(here, ips, "may specify no more than one IP for each IP family");
  if (is_headless(service)) return;
  for (std::size_t i = 0; i < ips.size() && i < spec.ip_families.size(); ++i)
    if ((spec.ip_families[i] == "IPv6") != is_v6(ips[i]))
      out.invalid(here / i, ips[i],
                  fmt::format("expected an {} value as indicated by `ipFamilies[{}]`", spec.ip_families[i], i));
}

void validate_port_uses(const core::Service& service, const FieldPath& at, Causes& out) {
  const auto& ports = service.spec.ports;
  if (service.spec.type == "ClusterIP")
    for (std::size_t i = 0; i < ports.size(); ++i)
      if (ports[i].node_port != 0) out.forbidden(at / i / "nodePort", "may not be used when `type` is 'ClusterIP'");
  std::set<std::pair<std::string, std::int32_t>> node_ports, numbers;
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (ports[i].node_port != 0 && !node_ports.emplace(ports[i].protocol, ports[i].node_port).second)
      out.duplicate(at / i / "nodePort", ports[i].node_port);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (numbers.emplace(ports[i].protocol, ports[i].port).second) continue;
    core::ServicePort key;
    key.protocol = ports[i].protocol;
    key.port = ports[i].port;
    out.duplicate(at / i, bad_struct(key));
  }
}

void validate_balancer(const core::Service& service, const FieldPath& at, Causes& out) {
  const auto& spec = service.spec;
  const bool balanced = spec.type == "LoadBalancer";
  if (!spec.load_balancer_source_ranges.empty()) {
    const FieldPath here = at / "LoadBalancerSourceRanges";
    if (!balanced) out.forbidden(here, kOnlyBalanced);
    for (std::size_t i = 0; i < spec.load_balancer_source_ranges.size(); ++i)
      out.invalid_each(here / i, spec.load_balancer_source_ranges[i], check_cidr(spec.load_balancer_source_ranges[i]));
  }
  if (spec.allocate_load_balancer_node_ports && !balanced)
    out.forbidden(at / "allocateLoadBalancerNodePorts", kOnlyBalanced);
  if (!spec.load_balancer_class) return;
  if (balanced) {
    validate_qualified_name(*spec.load_balancer_class, at / "loadBalancerClass", out);
  } else {
    out.forbidden(at / "loadBalancerClass", kOnlyBalanced);
  }
}

void validate_traffic(const core::Service& service, const FieldPath& at, Causes& out) {
  const auto& spec = service.spec;
  const bool external = spec.type == "LoadBalancer" || spec.type == "NodePort" ||
                        (spec.type == "ClusterIP" && !spec.external_ips.empty());
  if (!external) {
    if (!spec.external_traffic_policy.empty())
      out.invalid(at / "externalTrafficPolicy", spec.external_traffic_policy,
                  "may only be set for externally-accessible services");
  } else {
    validate_choice(spec.external_traffic_policy, {"Cluster", "Local"}, at / "externalTrafficPolicy", out);
  }
  const FieldPath health = at / "healthCheckNodePort";
  if (spec.type != "LoadBalancer" || spec.external_traffic_policy != "Local") {
    if (spec.health_check_node_port != 0)
      out.invalid(health, spec.health_check_node_port,
                  "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  } else if (spec.health_check_node_port != 0) {
    validate_port_number(spec.health_check_node_port, health, out);
  }
  const bool internal = spec.type == "LoadBalancer" || spec.type == "NodePort" || spec.type == "ClusterIP";
  if (!spec.internal_traffic_policy) {
    if (internal) out.required(at / "internalTrafficPolicy");
  } else {
    validate_choice(*spec.internal_traffic_policy, {"Cluster", "Local"}, at / "internalTrafficPolicy", out);
  }
  if (spec.traffic_distribution)
    validate_choice(*spec.traffic_distribution, {"PreferClose", "PreferSameNode", "PreferSameZone"},
                    at / "trafficDistribution", out);
}

void validate_service(const core::Service& service, const core::Service* old, Causes& out) {
  const FieldPath at("spec");
  const auto& spec = service.spec;
  if (spec.ports.empty() && !is_headless(service) && spec.type != "ExternalName") out.required(at / "ports");
  if (is_headless(service) && (spec.type == "LoadBalancer" || spec.type == "NodePort"))
    out.invalid(at / "clusterIPs" / 0, "None", fmt::format("may not be set to 'None' for {} services", spec.type));
  if (spec.type == "ExternalName") validate_external_name(service, at, out);
  validate_ports(service, at / "ports", out);
  validate_labels(spec.selector, at / "selector", out);
  validate_affinity(spec, at, out);
  validate_cluster_ips(service, old, at, out);
  for (std::size_t i = 0; i < spec.external_ips.size(); ++i)
    out.invalid_each(at / "externalIPs" / i, spec.external_ips[i], check_legacy_ip(spec.external_ips[i]));
  validate_choice(spec.type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, at / "type", out);
  validate_port_uses(service, at / "ports", out);
  validate_balancer(service, at, out);
  validate_traffic(service, at, out);
}

/// The first address stays; a second may come and go.
void validate_kept_ips(const core::Service& fresh, const core::Service& old, const FieldPath& at, Causes& out) {
  static constexpr std::string_view kFixed = "may not change once set";
  if (fresh.spec.type == "ExternalName" || old.spec.type == "ExternalName") return;
  if (is_headless(fresh) && is_headless(old)) return;
  const auto& now = fresh.spec.cluster_ips;
  const auto& before = old.spec.cluster_ips;
  if (now.size() == before.size()) {
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] != before[i]) out.invalid(at / i, now, kFixed);
  } else if (now.empty()) {
    out.invalid(at / 0, now, "primary clusterIP can not be unset");
  } else if (!before.empty() && now.front() != before.front()) {
    out.invalid(at / 0, now, kFixed);
  }
}

}  // namespace

void validate_service_create(const HookContext& context, const Object& object, Causes& out) {
  const bool relaxed = context.gates.enabled("RelaxedServiceNameValidation");
  validate_object_metadata(object.metadata, true, relaxed ? check_name_is_label : check_name_is_dns1035_label,
                    FieldPath("metadata"), out);
  validate_service(cast<core::Service>(object), nullptr, out);
}

void validate_service_update(const HookContext&, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::Service>(object);
  const auto& old = cast<core::Service>(stored);
  const FieldPath at("spec");
  validate_kept_ips(fresh, old, at / "clusterIPs", out);
  if (fresh.spec.type == "LoadBalancer" && old.spec.type == "LoadBalancer" &&
      fresh.spec.load_balancer_class != old.spec.load_balancer_class)
    out.invalid(at / "loadBalancerClass", fresh.spec.load_balancer_class, "may not change once set");
  validate_service(fresh, &old, out);
}

}  // namespace dray::api
