/// serviceaccounts/x/token.
#include <chrono>

#include "api/authentication_v1.h"
#include "api/core_v1.h"
#include "apiserver/body.h"
#include "apiserver/status.h"
#include "apiserver/subresource_handlers.h"
#include "base/random.h"
#include "machinery/codec.h"
#include "machinery/validate.h"
#include "store/errors.h"

namespace dray::apiserver {
namespace {

constexpr std::int64_t kDefaultSeconds = 3600;
constexpr std::int64_t kSecondsMin = 600;
constexpr std::int64_t kSecondsMax = std::int64_t{1} << 32;

Result<> check(const authentication::TokenRequest& request) {
  Causes causes;
  const std::int64_t seconds = request.spec.expiration_seconds.value_or(kDefaultSeconds);
  if (seconds < kSecondsMin) causes.invalid(FieldPath("spec") / "expirationSeconds", seconds, "may not specify a duration less than 10 minutes");
  if (seconds > kSecondsMax) causes.invalid(FieldPath("spec") / "expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds");
  if (causes.empty()) return {};
  return fail(invalid_error("authentication.k8s.io", "TokenRequest", request.name(), std::move(causes)));
}

/// The object that the token dies with.
Result<> bind_token(const CorePtr& core, const CallPtr& call, const authentication::BoundObjectReference& reference, ServiceAccountClaims& claims) {
  const api::Registry& registry = core->resources.registry();
  const bool pod = reference.kind == "Pod", secret = reference.kind == "Secret", node = reference.kind == "Node";
  if (!pod && !secret && !node) return fail(Code::kBadRequest, "cannot bind token for serviceaccount " + go_quoted(call->info.name) + " to object type /, Kind=" + reference.kind);
  const api::Kind& kind = pod ? registry.of<core::Pod>() : secret ? registry.of<core::Secret>() : registry.of<core::Node>();
  const ObjectPtr object = core->resources.store().get(kind, node ? "" : call->info.namespace_, reference.name);
  if (!object) return fail(store::not_found(kind, reference.name));
  if (!reference.uid.empty() && reference.uid != object->metadata.uid) {
    return fail(store::conflict(kind, reference.name, "the UID in the bound object reference (" + reference.uid + ") does not match the UID in record. The object might have been deleted and then recreated"));
  }
  (pod ? claims.pod_name : secret ? claims.secret_name : claims.node_name) = reference.name;
  (pod ? claims.pod_uid : secret ? claims.secret_uid : claims.node_uid) = object->metadata.uid;
  return {};
}

Result<std::shared_ptr<authentication::TokenRequest>> issue(const CorePtr& core, const CallPtr& call, const authentication::TokenRequest& asked) {
  const ObjectPtr account = core->resources.store().get(call->kind(), call->space(), call->info.name);
  if (!account) return fail(store::not_found(call->kind(), call->info.name));
  ServiceAccountClaims claims;
  claims.namespace_ = call->info.namespace_;
  claims.name = call->info.name;
  claims.uid = account->metadata.uid;
  claims.audiences = asked.spec.audiences;
  if (claims.audiences.empty()) claims.audiences.emplace_back(Authentication::kIssuer);
  if (asked.spec.bound_object_ref) TRY(bind_token(core, call, *asked.spec.bound_object_ref, claims));
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(core->clock.wall().time_since_epoch()).count();
  claims.issued = now;
  claims.expires = now + asked.spec.expiration_seconds.value_or(kDefaultSeconds);
  claims.id = core->token_ids.uuid();
  auto answer = mutable_copy_as(asked);
  answer->metadata.name = call->info.name;
  answer->metadata.namespace_ = call->info.namespace_;
  answer->metadata.creation_timestamp = Time{now};
  answer->spec.audiences = claims.audiences;
  answer->spec.expiration_seconds = claims.expires - claims.issued;
  answer->status.token = core->authentication.issue(claims);
  answer->status.expiration_timestamp = Time{claims.expires};
  return answer;
}

}  // namespace

void handle_token(const CorePtr& core, const CallPtr& call) {
  auto body = decode_body(call->request(), {"authentication.k8s.io", "v1", "TokenRequest", &authentication::TokenRequest::kDescriptor},
                          field_validation(call->query), call->warnings);
  if (!body) return respond(call, error_response(body.error()));
  if (const auto good = check(*as<authentication::TokenRequest>(**body)); !good) return respond(call, error_response(good.error()));
  core->executor.post([core, call, body = std::shared_ptr<const Object>(*body)] {
    auto answer = issue(core, call, *as<authentication::TokenRequest>(*body));
    if (!answer) return reply_error(call, answer.error());
    reply(call, [call, answer = std::move(*answer)] { return value_response(call, 201, encode_json(*answer)); });
  });
}

}  // namespace dray::apiserver
