/// Reviews: questions about identity and rights, asked by POST and answered in the status.
#include "api/authentication_v1.h"
#include "api/authorization_v1.h"
#include "apiserver/authorization.h"
#include "apiserver/body.h"
#include "apiserver/rbac_rules.h"
#include "apiserver/status.h"
#include "apiserver/subresource_handlers.h"
#include "machinery/codec.h"
#include "machinery/validate.h"

namespace dray::apiserver {
namespace {

using namespace authorization;  // the kinds of authorization.k8s.io

Attributes attributes_of(const ResourceAttributes& asked) {
  return {asked.verb, asked.group, asked.version, asked.resource, asked.subresource, asked.namespace_, asked.name, "", true};
}

Attributes attributes_of(const NonResourceAttributes& asked) { return {asked.verb, "", "", "", "", "", "", asked.path, false}; }

template <class Spec>
Result<Attributes> asked_of(const Spec& spec, std::string_view kind) {
  if (spec.resource_attributes && spec.non_resource_attributes) {
    Causes causes;
    causes.invalid(FieldPath("spec") / "nonResourceAttributes", BadValue::raw("{...}"), "cannot be specified in combination with resourceAttributes");
    return fail(invalid_error("authorization.k8s.io", kind, "", std::move(causes)));
  }
  if (spec.resource_attributes) return attributes_of(*spec.resource_attributes);
  if (spec.non_resource_attributes) return attributes_of(*spec.non_resource_attributes);
  Causes causes;
  causes.invalid(FieldPath("spec") / "resourceAttributes", BadValue::raw("null"), "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  return fail(invalid_error("authorization.k8s.io", kind, "", std::move(causes)));
}

SubjectAccessReviewStatus decide(const Core& core, const User& user, const Attributes& asked) {
  const Decision decision = core.authorization->decide(user, asked);
  SubjectAccessReviewStatus status;
  status.allowed = decision.allowed;
  status.reason = decision.reason;
  return status;
}

Result<std::shared_ptr<Object>> answer(const Core& core, const Call& call, const SelfSubjectAccessReview& review) {
  TRY_ASSIGN(const Attributes asked, asked_of(review.spec, "SelfSubjectAccessReview"));
  auto out = mutable_copy_as(review);
  out->status = decide(core, call.user, asked);
  return out;
}

template <class Review>
Result<std::shared_ptr<Object>> answer_for_other(const Core& core, const Review& review, std::string_view kind) {
  TRY_ASSIGN(const Attributes asked, asked_of(review.spec, kind));
  if (review.spec.user.empty() && review.spec.groups.empty()) {
    Causes causes;
    causes.invalid(FieldPath("spec") / "user", review.spec.user, "at least one of user or group must be specified");
    return fail(invalid_error("authorization.k8s.io", kind, "", std::move(causes)));
  }
  auto out = mutable_copy_as(review);
  out->status = decide(core, {review.spec.user, review.spec.uid, review.spec.groups, review.spec.extra}, asked);
  return out;
}

Result<std::shared_ptr<Object>> answer(const Core& core, const Call&, const SubjectAccessReview& review) {
  return answer_for_other(core, review, "SubjectAccessReview");
}
Result<std::shared_ptr<Object>> answer(const Core& core, const Call&, const LocalSubjectAccessReview& review) {
  return answer_for_other(core, review, "LocalSubjectAccessReview");
}

Result<std::shared_ptr<Object>> answer(const Core& core, const Call& call, const SelfSubjectRulesReview& review) {
  if (review.spec.namespace_.empty()) return fail(Code::kBadRequest, "no namespace on request");
  auto out = mutable_copy_as(review);
  core.authorization->each_rule(call.user, review.spec.namespace_, [&](const rbac::PolicyRule& rule) {
    if (rule.non_resource_urls.empty()) {
      out->status.resource_rules.push_back({rule.verbs, rule.api_groups, rule.resources, rule.resource_names});
    } else {
      out->status.non_resource_rules.push_back({rule.verbs, rule.non_resource_urls});
    }
  });
  return out;
}

authentication::UserInfo info_of(const User& user) { return {user.name, user.uid, user.groups, user.extra}; }

Result<std::shared_ptr<Object>> answer(const Core& core, const Call& call, const authentication::SelfSubjectReview& review) {
  auto out = mutable_copy_as(review);
  out->metadata.creation_timestamp = Time::of(core.clock.wall());
  out->status.user_info = info_of(call.user);
  return out;
}

Result<std::shared_ptr<Object>> answer(const Core& core, const Call&, const authentication::TokenReview& review) {
  if (review.spec.token.empty()) return fail(Code::kBadRequest, "token is required for TokenReview in authentication");
  auto out = mutable_copy_as(review);
  const auto user = core.authentication.authenticate_token(review.spec.token);
  if (!user) {
    out->status.error = "[invalid bearer token, unknown]";
    return out;
  }
  out->status.authenticated = true;
  out->status.user = info_of(*user);
  out->status.audiences = review.spec.audiences.empty() ? std::vector<std::string>{std::string(Authentication::kIssuer)} : review.spec.audiences;
  return out;
}

template <class Review>
Result<std::shared_ptr<Object>> answer_as(const Core& core, const Call& call, const Object& object) {
  return answer(core, call, *as<Review>(object));
}

struct Row {
  const StructDescriptor* type;
  Result<std::shared_ptr<Object>> (*answer)(const Core&, const Call&, const Object&);
};
const Row kReviews[] = {
    {&SelfSubjectAccessReview::kDescriptor, answer_as<SelfSubjectAccessReview>},
    {&SubjectAccessReview::kDescriptor, answer_as<SubjectAccessReview>},
    {&LocalSubjectAccessReview::kDescriptor, answer_as<LocalSubjectAccessReview>},
    {&SelfSubjectRulesReview::kDescriptor, answer_as<SelfSubjectRulesReview>},
    {&authentication::SelfSubjectReview::kDescriptor, answer_as<authentication::SelfSubjectReview>},
    {&authentication::TokenReview::kDescriptor, answer_as<authentication::TokenReview>},
};

}  // namespace

bool is_review(const api::Kind& kind) { return std::ranges::find(kReviews, kind.stored, &Row::type) != std::end(kReviews); }

void handle_review(const CorePtr& core, const CallPtr& call) {
  auto body = decode_body(call->request(), expected_of(call->resource), field_validation(call->query), call->warnings);
  if (!body) return respond(call, error_response(body.error()));
  const auto row = std::ranges::find(kReviews, call->kind().stored, &Row::type);
  auto answered = row->answer(*core, *call, **body);
  if (!answered) return respond(call, error_response(answered.error()));
  if (call->representation.format == Format::kProtobuf) {
    return respond(call, {.status = 201, .content_type = std::string(content_type_of(Format::kProtobuf)), .headers = {},
                          .body = shared(encode_object(**answered, Format::kProtobuf))});
  }
  respond(call, value_response(call, 201, encode_json(**answered)));
}

}  // namespace dray::apiserver
