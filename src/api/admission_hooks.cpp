/// admissionregistration.k8s.io: webhooks and policies, as objects.
#include "api/admissionregistration_v1.h"
#include "api/core_defaults.h"
#include "api/group_hooks.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr std::int32_t kTimeoutSeconds = 10;
constexpr std::int32_t kServicePort = 443;

template <class Webhook>
void default_webhook(Webhook& webhook) {
  default_to(webhook.failure_policy, std::string("Fail"));
  default_to(webhook.match_policy, std::string("Equivalent"));
  webhook.namespace_selector.ensure();
  webhook.object_selector.ensure();
  default_to(webhook.timeout_seconds, kTimeoutSeconds);
  if (auto& service = webhook.client_config.service) default_to(service->port, kServicePort);
  for (auto& rule : webhook.rules) default_to(rule.rule.scope, std::string("*"));
}

void default_validating(Object& object) {
  for (auto& webhook : cast<admissionregistration::ValidatingWebhookConfiguration>(object).webhooks)
    default_webhook(webhook);
}

void default_mutating(Object& object) {
  for (auto& webhook : cast<admissionregistration::MutatingWebhookConfiguration>(object).webhooks) {
    default_webhook(webhook);
    default_to(webhook.reinvocation_policy, std::string("Never"));
  }
}

void default_match(Box<admissionregistration::MatchResources>& match) {
  if (!match) return;
  default_to(match->match_policy, std::string("Equivalent"));
  match->namespace_selector.ensure();
  match->object_selector.ensure();
  for (auto* rules : {&match->resource_rules, &match->exclude_resource_rules})
    for (auto& named : *rules) default_to(named.rule_with_operations.rule.scope, std::string("*"));
}

template <class T>
void default_policy(Object& object) {
  auto& spec = cast<T>(object).spec;
  default_to(spec.failure_policy, std::string("Fail"));
  default_match(spec.match_constraints);
}

template <class T>
void default_policy_binding(Object& object) {
  default_match(cast<T>(object).spec.match_resources);
}

}  // namespace

std::span<const KindHooks> admission_hooks() {
  using namespace admissionregistration;
  static const KindHooks kHooks[] = {
      {.stored = &ValidatingWebhookConfiguration::kDescriptor,
       .hooks = {.set_defaults = default_validating, .row = validating_webhooks_row},
       .columns = kWebhooksColumns,
       .has_generation = true,
       .unconditional_update = false},
      {.stored = &MutatingWebhookConfiguration::kDescriptor,
       .hooks = {.set_defaults = default_mutating, .row = mutating_webhooks_row},
       .columns = kWebhooksColumns,
       .has_generation = true,
       .unconditional_update = false},
      {.stored = &ValidatingAdmissionPolicy::kDescriptor,
       .hooks = {.set_defaults = default_policy<ValidatingAdmissionPolicy>,
                 .prepare_create = reset_status<ValidatingAdmissionPolicy>,
                 .prepare_update = keep_status<ValidatingAdmissionPolicy>,
                 .prepare_status = keep_spec<ValidatingAdmissionPolicy>,
                 .row = validating_policy_row},
       .columns = kPolicyColumns,
       .has_generation = true,
       .unconditional_update = false},
      {.stored = &ValidatingAdmissionPolicyBinding::kDescriptor,
       .hooks = {.set_defaults = default_policy_binding<ValidatingAdmissionPolicyBinding>, .row = validating_policy_binding_row},
       .columns = kPolicyBindingColumns,
       .has_generation = true,
       .unconditional_update = false},
      {.stored = &MutatingAdmissionPolicy::kDescriptor,
       .hooks = {.set_defaults = default_policy<MutatingAdmissionPolicy>, .row = mutating_policy_row},
       .columns = kMutatingPolicyColumns,
       .has_generation = true,
       .unconditional_update = false},
      {.stored = &MutatingAdmissionPolicyBinding::kDescriptor,
       .hooks = {.set_defaults = default_policy_binding<MutatingAdmissionPolicyBinding>, .row = mutating_policy_binding_row},
       .columns = kPolicyBindingColumns,
       .has_generation = true,
       .unconditional_update = false},
  };
  return kHooks;
}

}  // namespace dray::api
