/// Rows of the smaller groups.
#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "api/admissionregistration_v1.h"
#include "api/coordination_v1.h"
#include "api/flowcontrol_v1.h"
#include "api/hooks.h"
#include "api/networking_v1.h"
#include "api/node_v1.h"
#include "api/policy_v1.h"
#include "api/rbac_v1.h"
#include "api/storage_v1.h"
#include "api/tables.h"
#include "api/tables_text.h"

namespace dray::api {
namespace {

constexpr std::size_t kHostsMax = 3;

std::string hosts_text(const std::vector<networking::IngressRule>& rules) {
  std::vector<std::string> shown;
  bool more = false;
  for (const auto& rule : rules) {
    if (shown.size() == kHostsMax) more = true;
    if (!more && !rule.host.empty()) shown.push_back(rule.host);
  }
  if (shown.empty()) return "*";
  return with_more(shown, more ? rules.size() : shown.size());
}

std::string ingress_address(const networking::IngressLoadBalancerStatus& status) {
  std::set<std::string_view> addresses;
  for (const auto& ingress : status.ingress)
    if (const auto& text = ingress.ip.empty() ? ingress.hostname : ingress.ip; !text.empty()) addresses.insert(text);
  return fmt::format("{}", fmt::join(addresses, ","));
}

std::string parameters_text(const Box<networking::IngressClassParametersReference>& parameters) {
  if (!parameters) return kNone;
  std::string kind = parameters->kind;
  if (parameters->api_group) kind += "." + *parameters->api_group;
  return kind + "/" + parameters->name;
}

template <class Binding>
Value::List binding_row(const Binding& binding, Now now) {
  std::vector<std::string> users, groups, accounts;
  for (const rbac::Subject& subject : binding.subjects) {
    if (subject.kind == "ServiceAccount") accounts.push_back(subject.namespace_ + "/" + subject.name);
    if (subject.kind == "User") users.push_back(subject.name);
    if (subject.kind == "Group") groups.push_back(subject.name);
  }
  const auto joined = [](const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); };
  return {binding.metadata.name, binding.role_ref.kind + "/" + binding.role_ref.name, age_of(binding, now),
          joined(users), joined(groups), joined(accounts)};
}

std::string parameter_kind(const Box<admissionregistration::ParamKind>& kind) {
  return kind ? kind->api_version + "/" + kind->kind : kUnset;
}

std::string parameter_reference(const Box<admissionregistration::ParamRef>& reference) {
  if (!reference || reference->name.empty()) return kUnset;
  return or_text(reference->namespace_, "*") + "/" + reference->name;
}

std::string count_or_na(const std::optional<IntOrString>& value) { return value ? value->str() : "N/A"; }

}  // namespace

Value::List lease_row(const Object& object, Now now) {
  return {object.metadata.name, cast<coordination::Lease>(object).spec.holder_identity.value_or(""),
          age_of(object, now)};
}

Value::List disruption_budget_row(const Object& object, Now now) {
  const auto& budget = cast<policy::PodDisruptionBudget>(object);
  return {budget.metadata.name, count_or_na(budget.spec.min_available), count_or_na(budget.spec.max_unavailable),
          budget.status.disruptions_allowed, age_of(object, now)};
}

Value::List runtime_class_row(const Object& object, Now now) {
  return {object.metadata.name, cast<node::RuntimeClass>(object).handler, age_of(object, now)};
}

Value::List flow_schema_row(const Object& object, Now now) {
  const auto& schema = cast<flowcontrol::FlowSchema>(object);
  const auto& conditions = schema.status.conditions;
  const auto dangling = std::ranges::find(conditions, "Dangling", &flowcontrol::FlowSchemaCondition::type);
  return {schema.metadata.name,
          schema.spec.priority_level_configuration.name,
          schema.spec.matching_precedence,
          schema.spec.distinguisher_method ? schema.spec.distinguisher_method->type : kNone,
          age_of(object, now),
          dangling == conditions.end() ? "?" : dangling->status};
}

Value::List priority_level_row(const Object& object, Now now) {
  const auto& level = cast<flowcontrol::PriorityLevelConfiguration>(object);
  Value shares(kNone), queues(kNone), hand(kNone), length(kNone);
  if (level.spec.limited) {
    shares = level.spec.limited->nominal_concurrency_shares.value_or(0);
    if (const auto& queuing = level.spec.limited->limit_response.queuing) {
      queues = queuing->queues;
      hand = queuing->hand_size;
      length = queuing->queue_length_limit;
    }
  }
  return {level.metadata.name, level.spec.type, shares, queues, hand, length, age_of(object, now)};
}

Value::List ingress_row(const Object& object, Now now) {
  const auto& ingress = cast<networking::Ingress>(object);
  return {ingress.metadata.name,
          ingress.spec.ingress_class_name.value_or(kNone),
          hosts_text(ingress.spec.rules),
          ingress_address(ingress.status.load_balancer),
          ingress.spec.tls.empty() ? "80" : "80, 443",
          age_of(object, now)};
}

Value::List ingress_class_row(const Object& object, Now now) {
  const auto& ingress_class = cast<networking::IngressClass>(object);
  const auto& annotations = ingress_class.metadata.annotations;
  const auto mark = annotations.find("ingressclass.kubernetes.io/is-default-class");
  const bool is_default = mark != annotations.end() && mark->second == "true";
  return {ingress_class.metadata.name + (is_default ? " (default)" : ""), ingress_class.spec.controller,
          parameters_text(ingress_class.spec.parameters), age_of(object, now)};
}

Value::List network_policy_row(const Object& object, Now now) {
  Box<meta::LabelSelector> selector;
  selector = cast<networking::NetworkPolicy>(object).spec.pod_selector;
  return {object.metadata.name, selector_text(selector), age_of(object, now)};
}

Value::List service_cidr_row(const Object& object, Now now) {
  const auto& cidrs = cast<networking::ServiceCIDR>(object).spec.cidrs;
  return {object.metadata.name, fmt::format("{}", fmt::join(cidrs, ",")), age_of(object, now)};
}

Value::List ip_address_row(const Object& object, Now now) {
  const auto& parent = cast<networking::IPAddress>(object).spec.parent_ref;
  std::string text = kNone;
  if (parent) {
    text = parent->resource;
    if (!parent->group.empty()) text += "." + parent->group;
    if (!parent->namespace_.empty()) text += "/" + parent->namespace_;
    text += "/" + parent->name;
  }
  return {object.metadata.name, text, age_of(object, now)};
}

Value::List role_binding_row(const Object& object, Now now) {
  return binding_row(cast<rbac::RoleBinding>(object), now);
}

Value::List cluster_role_binding_row(const Object& object, Now now) {
  return binding_row(cast<rbac::ClusterRoleBinding>(object), now);
}

Value::List storage_class_row(const Object& object, Now now) {
  const auto& storage_class = cast<storage::StorageClass>(object);
  const auto& annotations = storage_class.metadata.annotations;
  const auto mark = annotations.find("storageclass.kubernetes.io/is-default-class");
  const bool is_default = mark != annotations.end() && mark->second == "true";
  return {storage_class.metadata.name + (is_default ? " (default)" : ""),
          storage_class.provisioner,
          storage_class.reclaim_policy.value_or("Delete"),
          storage_class.volume_binding_mode.value_or("Immediate"),
          storage_class.allow_volume_expansion.value_or(false),
          age_of(object, now)};
}

Value::List attributes_class_row(const Object& object, Now now) {
  return {object.metadata.name, cast<storage::VolumeAttributesClass>(object).driver_name, age_of(object, now)};
}

Value::List attachment_row(const Object& object, Now now) {
  const auto& attachment = cast<storage::VolumeAttachment>(object);
  return {attachment.metadata.name,        attachment.spec.attacher,
          attachment.spec.source.persistent_volume_name.value_or(""),
          attachment.spec.node_name,       attachment.status.attached,
          age_of(object, now)};
}

Value::List csi_node_row(const Object& object, Now now) {
  return {object.metadata.name, static_cast<std::int64_t>(cast<storage::CSINode>(object).spec.drivers.size()),
          age_of(object, now)};
}

Value::List csi_driver_row(const Object& object, Now now) {
  const auto& spec = cast<storage::CSIDriver>(object).spec;
  std::vector<std::string_view> audiences;
  for (const auto& request : spec.token_requests) audiences.push_back(request.audience);
  return {object.metadata.name,
          spec.attach_required.value_or(true),
          spec.pod_info_on_mount.value_or(false),
          spec.storage_capacity.value_or(false),
          spec.token_requests.empty() ? kUnset : fmt::format("{}", fmt::join(audiences, ",")),
          spec.requires_republish.value_or(false),
          or_text(fmt::format("{}", fmt::join(spec.volume_lifecycle_modes, ",")), kNone),
          age_of(object, now)};
}

Value::List storage_capacity_row(const Object& object, Now) {
  const auto& capacity = cast<storage::CSIStorageCapacity>(object);
  return {capacity.metadata.name, capacity.storage_class_name,
          capacity.capacity ? capacity.capacity->str() : kUnset};
}

Value::List validating_webhooks_row(const Object& object, Now now) {
  const auto& webhooks = cast<admissionregistration::ValidatingWebhookConfiguration>(object).webhooks;
  return {object.metadata.name, static_cast<std::int64_t>(webhooks.size()), age_of(object, now)};
}

Value::List mutating_webhooks_row(const Object& object, Now now) {
  const auto& webhooks = cast<admissionregistration::MutatingWebhookConfiguration>(object).webhooks;
  return {object.metadata.name, static_cast<std::int64_t>(webhooks.size()), age_of(object, now)};
}

Value::List validating_policy_row(const Object& object, Now now) {
  const auto& spec = cast<admissionregistration::ValidatingAdmissionPolicy>(object).spec;
  return {object.metadata.name, static_cast<std::int64_t>(spec.validations.size()),
          parameter_kind(spec.param_kind), age_of(object, now)};
}

Value::List mutating_policy_row(const Object& object, Now now) {
  const auto& spec = cast<admissionregistration::MutatingAdmissionPolicy>(object).spec;
  return {object.metadata.name, static_cast<std::int64_t>(spec.mutations.size()),
          parameter_kind(spec.param_kind), age_of(object, now)};
}

Value::List validating_policy_binding_row(const Object& object, Now now) {
  const auto& spec = cast<admissionregistration::ValidatingAdmissionPolicyBinding>(object).spec;
  return {object.metadata.name, spec.policy_name, parameter_reference(spec.param_ref), age_of(object, now)};
}

Value::List mutating_policy_binding_row(const Object& object, Now now) {
  const auto& spec = cast<admissionregistration::MutatingAdmissionPolicyBinding>(object).spec;
  return {object.metadata.name, spec.policy_name, parameter_reference(spec.param_ref), age_of(object, now)};
}

}  // namespace dray::api
