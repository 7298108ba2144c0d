#include "apiserver/write_handlers.h"

#include "apiserver/body.h"
#include "apiserver/claim_rights.h"
#include "apiserver/managed_fields.h"
#include "apiserver/status.h"
#include "store/errors.h"

namespace dray::apiserver {
namespace {

Result<> agree_on_namespace(const Call& call, meta::ObjectMeta& metadata) {
  if (!call.kind().namespaced) {
    if (!metadata.namespace_.empty() && call.info.verb == "create") {
      return fail(Code::kBadRequest, "the namespace of the provided object does not match the namespace sent on the request");
    }
    return {};
  }
  if (metadata.namespace_.empty()) metadata.namespace_ = call.info.namespace_;
  if (metadata.namespace_ == call.info.namespace_) return {};
  return fail(Code::kBadRequest, "the namespace of the provided object does not match the namespace sent on the request");
}

/// The object of a POST or PUT, of the stored version and with its defaults.
Result<std::shared_ptr<Object>> decoded(const CallPtr& call) {
  TRY(check_write_options(call->query, call->info.verb == "create" ? "CreateOptions" : "UpdateOptions", false));
  TRY_ASSIGN(auto object, decode_body(call->request(), expected_of(call->resource), field_validation(call->query), call->warnings));
  TRY(agree_with_url(*call, object->metadata));
  object = to_stored(call->resource, std::move(object));
  if (call->kind().hooks.set_defaults) call->kind().hooks.set_defaults(*object);
  return object;
}

}  // namespace

Result<> agree_with_url(const Call& call, meta::ObjectMeta& metadata) {
  if (call.info.verb != "create") {
    if (metadata.name.empty()) {
      return fail(Code::kBadRequest, "the name of the object (" + call.info.name + " based on URL) was undeterminable: name must be provided");
    }
    if (metadata.name != call.info.name) {
      return fail(Code::kBadRequest, "the name of the object (" + metadata.name + ") does not match the name on the URL (" + call.info.name + ")");
    }
  }
  return agree_on_namespace(call, metadata);
}

void handle_create(const CorePtr& core, const CallPtr& call) {
  auto object = decoded(call);
  if (!object) return respond(call, error_response(object.error()));
  track_fields(*core, *call, nullptr, **object);
  core->executor.post([core, call, object = std::move(*object)]() mutable {
    reply_written(core, call, 201, core->resources.create(call->kind(), std::move(object), write_options(*call)));
  });
}

void handle_update(const CorePtr& core, const CallPtr& call) {
  auto object = decoded(call);
  if (!object) return respond(call, error_response(object.error()));
  core->executor.post([core, call, object = std::move(*object)]() mutable {
    const ObjectPtr live = core->resources.store().get(call->kind(), call->space(), call->info.name);
    if (const auto good = check_claim_rights(*core, *call, live.get(), *object); !good) return reply_error(call, good.error());
    track_fields(*core, *call, live, *object);
    auto written = core->resources.update(call->kind(), std::move(object), write_options(*call));
    const int status = written && written->created ? 201 : 200;
    reply_written(core, call, status, std::move(written));
  });
}

}  // namespace dray::apiserver
