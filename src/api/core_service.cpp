/// Service, Endpoints and EndpointSlice.
#include <algorithm>

#include "api/core_defaults.h"
#include "api/discovery_v1.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/service_address.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr std::int32_t kAffinitySeconds = 10800;

bool needs_cluster_ip(const core::Service& s) { return s.spec.type != "ExternalName"; }
bool needs_node_port(const core::Service& s) {
  return s.spec.type == "NodePort" || s.spec.type == "LoadBalancer";
}
bool needs_health_port(const core::Service& s) {
  return s.spec.type == "LoadBalancer" && s.spec.external_traffic_policy == "Local";
}
bool externally_accessible(const core::Service& s) {
  return needs_node_port(s) || (s.spec.type == "ClusterIP" && !s.spec.external_ips.empty());
}

void default_affinity(core::ServiceSpec& spec) {
  default_to(spec.session_affinity, "None");
  if (spec.session_affinity == "None") spec.session_affinity_config.reset();
  if (spec.session_affinity != "ClientIP") return;
  auto& client = spec.session_affinity_config.ensure().client_ip.ensure();
  default_to(client.timeout_seconds, kAffinitySeconds);
}

void default_service(Object& object) {
  auto& service = cast<core::Service>(object);
  auto& spec = service.spec;
  default_affinity(spec);
  default_to(spec.type, "ClusterIP");
  for (core::ServicePort& port : spec.ports) {
    default_to(port.protocol, "TCP");
    const auto& target = port.target_port;
    if (target.is_string ? target.text.empty() : target.number == 0) port.target_port = port.port;
  }
  if (externally_accessible(service)) default_to(spec.external_traffic_policy, "Cluster");
  if (needs_node_port(service) || spec.type == "ClusterIP")
    default_to(spec.internal_traffic_policy, std::string("Cluster"));
  if (spec.type != "LoadBalancer") return;
  default_to(spec.allocate_load_balancer_node_ports, true);
  for (auto& ingress : service.status.load_balancer.ingress)
    if (!ingress.ip.empty()) default_to(ingress.ip_mode, std::string("VIP"));
}

/// clusterIP and clusterIPs[0] say the same. Of an update, the one that was changed wins.
void normalize_ips(core::ServiceSpec& spec, const core::ServiceSpec* old) {
  if (old == nullptr) {
    if (!spec.cluster_ip.empty() && spec.cluster_ips.empty()) spec.cluster_ips = {spec.cluster_ip};
    return;
  }
  const bool single_cleared = spec.cluster_ip.empty() && !old->cluster_ip.empty();
  const bool list_same = spec.cluster_ips == old->cluster_ips;
  if (!old->cluster_ip.empty() && spec.cluster_ip != old->cluster_ip && list_same) {
    spec.cluster_ips.clear();
    if (!single_cleared) spec.cluster_ips = {spec.cluster_ip};
  } else if (!spec.cluster_ip.empty() && spec.cluster_ips.empty()) {
    spec.cluster_ips = {spec.cluster_ip};
  }
}

/// What a write leaves out stays as it was allocated.
void patch_allocated(core::ServiceSpec& spec, const core::ServiceSpec& old, const core::Service& fresh,
                     const core::Service& stored) {
  if (needs_cluster_ip(fresh) && needs_cluster_ip(stored)) {
    if (spec.cluster_ip.empty() && spec.cluster_ips.empty()) {
      spec.cluster_ip = old.cluster_ip;
      spec.cluster_ips = old.cluster_ips;
    }
  }
  if (needs_node_port(fresh) && needs_node_port(stored)) {
    for (core::ServicePort& port : spec.ports) {
      if (port.node_port != 0) continue;
      for (const core::ServicePort& before : old.ports)
        if (before.port == port.port && before.protocol == port.protocol) port.node_port = before.node_port;
    }
  }
  if (needs_health_port(fresh) && needs_health_port(stored))
    default_to(spec.health_check_node_port, old.health_check_node_port);
}

/// A change of type gives back what only the old type has, unless the write changes it, too.
void drop_by_type(core::Service& fresh, const core::Service& old) {
  auto& spec = fresh.spec;
  if (needs_cluster_ip(old) && !needs_cluster_ip(fresh)) {
    if (spec.cluster_ip == old.spec.cluster_ip && spec.cluster_ips == old.spec.cluster_ips) {
      spec.cluster_ip.clear();
      spec.cluster_ips.clear();
    }
    if (spec.ip_families == old.spec.ip_families) spec.ip_families.clear();
    if (spec.ip_family_policy == old.spec.ip_family_policy) spec.ip_family_policy.reset();
  }
  if (needs_node_port(old) && !needs_node_port(fresh))
    for (core::ServicePort& port : spec.ports)
      if (std::ranges::find(old.spec.ports, port.node_port, &core::ServicePort::node_port) != old.spec.ports.end())
        port.node_port = 0;
  if (needs_health_port(old) && !needs_health_port(fresh) &&
      spec.health_check_node_port == old.spec.health_check_node_port)
    spec.health_check_node_port = 0;
  const bool was_balanced = old.spec.type == "LoadBalancer" && spec.type != "LoadBalancer";
  if (was_balanced && spec.allocate_load_balancer_node_ports == old.spec.allocate_load_balancer_node_ports)
    spec.allocate_load_balancer_node_ports.reset();
  if (was_balanced && spec.load_balancer_class == old.spec.load_balancer_class) spec.load_balancer_class.reset();
  if (externally_accessible(old) && !externally_accessible(fresh) &&
      spec.external_traffic_policy == old.spec.external_traffic_policy)
    spec.external_traffic_policy.clear();
  if (spec.type != "LoadBalancer") fresh.status.load_balancer = {};
}

void prepare_service(const HookContext&, Object& object) {
  auto& service = cast<core::Service>(object);
  service.status = {};
  normalize_ips(service.spec, nullptr);
  allocate_service_addresses(service);
}

void prepare_service_update(const HookContext&, Object& object, const Object& stored) {
  auto& service = cast<core::Service>(object);
  const auto& old = cast<core::Service>(stored);
  service.status = old.status;
  patch_allocated(service.spec, old.spec, service, old);
  normalize_ips(service.spec, &old.spec);
  drop_by_type(service, old);
  allocate_service_addresses(service);
}

constexpr std::string_view kServiceFields[] = {"spec.clusterIP", "spec.type"};

std::optional<std::string> service_field(const Object& object, std::string_view path) {
  const auto& spec = cast<core::Service>(object).spec;
  if (path == "spec.clusterIP") return spec.cluster_ip;
  if (path == "spec.type") return spec.type;
  return std::nullopt;
}

void default_endpoints(Object& object) {
  for (auto& subset : cast<core::Endpoints>(object).subsets)
    for (auto& port : subset.ports) default_to(port.protocol, "TCP");
}

void default_slice(Object& object) {
  for (auto& port : cast<discovery::EndpointSlice>(object).ports) {
    default_to(port.name, std::string());
    default_to(port.protocol, std::string("TCP"));
  }
}

}  // namespace

std::span<const KindHooks> service_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &core::Service::kDescriptor,
       .hooks = {.set_defaults = default_service,
                 .prepare_create = prepare_service,
                 .prepare_update = prepare_service_update,
                 .prepare_status = keep_spec<core::Service>,
                 .validate_create = validate_service_create,
                 .validate_update = validate_service_update,
                 .field = service_field,
                 .row = service_row},
       .columns = kServiceColumns,
       .selectable_fields = kServiceFields,
       .create_on_update = true},
      {.stored = &core::Endpoints::kDescriptor,
       .hooks = {.set_defaults = default_endpoints, .validate_create = validate_endpoints_create,
                 .validate_update = validate_endpoints_update,
                 .row = endpoints_row},
       .columns = kEndpointsColumns,
       .create_on_update = true},
      {.stored = &discovery::EndpointSlice::kDescriptor,
       .hooks = {.set_defaults = default_slice, .validate_create = validate_endpoint_slice_create,
                 .validate_update = validate_endpoint_slice_update,
                 .row = endpoint_slice_row},
       .columns = kEndpointSliceColumns,
       .has_generation = true},
  };
  return kHooks;
}

}  // namespace dray::api
