/// Ingress, IngressClass, NetworkPolicy, ServiceCIDR, IPAddress.
#include "api/core_defaults.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/networking_v1.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

void default_ports(std::vector<networking::NetworkPolicyPort>& ports) {
  for (auto& port : ports) default_to(port.protocol, std::string("TCP"));
}

void default_policy(Object& object) {
  auto& spec = cast<networking::NetworkPolicy>(object).spec;
  if (spec.policy_types.empty()) {
    spec.policy_types = {"Ingress"};
    if (!spec.egress.empty()) spec.policy_types.emplace_back("Egress");
  }
  for (auto& rule : spec.ingress) default_ports(rule.ports);
  for (auto& rule : spec.egress) default_ports(rule.ports);
}

void default_ingress_class(Object& object) {
  auto& parameters = cast<networking::IngressClass>(object).spec.parameters;
  if (parameters) default_to(parameters->scope, std::string("Cluster"));
}

}  // namespace

std::span<const KindHooks> networking_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &networking::Ingress::kDescriptor,
       .hooks = {.prepare_create = reset_status<networking::Ingress>,
                 .prepare_update = keep_status<networking::Ingress>,
                 .prepare_status = keep_spec<networking::Ingress>,
                 .validate_create = validate_ingress_create,
                 .validate_update = validate_ingress_update,
                 .validate_status = validate_ingress_status,
                 .row = ingress_row},
       .columns = kIngressColumns,
       .has_generation = true},
      {.stored = &networking::IngressClass::kDescriptor,
       .hooks = {.set_defaults = default_ingress_class, .validate_create = validate_ingress_class_create,
                 .validate_update = validate_ingress_class_update,
                 .row = ingress_class_row},
       .columns = kIngressClassColumns,
       .has_generation = true},
      {.stored = &networking::NetworkPolicy::kDescriptor,
       .hooks = {.set_defaults = default_policy, .validate_create = validate_network_policy_create,
                 .validate_update = validate_network_policy_update,
                 .row = network_policy_row},
       .columns = kNetworkPolicyColumns,
       .has_generation = true},
      {.stored = &networking::ServiceCIDR::kDescriptor,
       .hooks = {.prepare_create = reset_status<networking::ServiceCIDR>,
                 .prepare_update = keep_status<networking::ServiceCIDR>,
                 .prepare_status = keep_spec<networking::ServiceCIDR>,
                 .row = service_cidr_row},
       .columns = kServiceCidrColumns},
      {.stored = &networking::IPAddress::kDescriptor,
       .hooks = {.row = ip_address_row},
       .columns = kIpAddressColumns},
  };
  return kHooks;
}

}  // namespace dray::api
