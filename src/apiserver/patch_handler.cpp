#include "apiserver/body.h"
#include "apiserver/claim_rights.h"
#include "apiserver/managed_fields.h"
#include "apiserver/patch_body.h"
#include "apiserver/status.h"
#include "apiserver/write_handlers.h"
#include "machinery/codec.h"
#include "machinery/validate.h"
#include "store/errors.h"

namespace dray::apiserver {
namespace {

/// Unknown fields after a patch are the patch's: 422, where a body would get 400.
Error as_patch_error(Error error, const Call& call) {
  constexpr std::string_view kStrict = "strict decoding error: ";
  const auto at = error.message.find(kStrict);
  if (at == std::string::npos) return error;
  Causes causes;
  causes.invalid(FieldPath("patch"), BadValue::raw(call.request().body), error.message.substr(at));
  return invalid_error(call.kind().group, call.kind().name, call.info.name, std::move(causes));
}

/// What the object becomes, of the stored version. Executor.
Result<std::shared_ptr<Object>> patched(const CorePtr& core, const CallPtr& call, const PatchBody& patch, const ObjectPtr& live) {
  const Resource& resource = call->resource;
  const Value before = live ? to_value(*served(resource, live)) : Value();
  Value after;
  if (patch.type == PatchType::kApply) {
    TRY_ASSIGN(after, server_side_apply(before, patch.tree, *resource.version->type, field_writer(*core, *call), call->query.boolean("force")));
  } else {
    TRY_ASSIGN(after, apply_patch(before, patch, *resource.version->type, *call));
  }
  auto object = decode_tree(after, expected_of(resource), field_validation(call->query), call->warnings);
  if (!object) return fail(as_patch_error(std::move(object).error(), *call));
  TRY(agree_with_url(*call, (*object)->metadata));
  return to_stored(resource, std::move(*object));
}

void patch_now(const CorePtr& core, const CallPtr& call, const PatchBody& patch) {
  const api::Kind& kind = call->kind();
  const ObjectPtr live = core->resources.store().get(kind, call->space(), call->info.name);
  const bool creates = patch.type == PatchType::kApply && call->info.subresource.empty();
  if (!live && !creates) return reply_error(call, store::not_found(kind, call->info.name));
  auto object = patched(core, call, patch, live);
  if (!object) return reply_error(call, std::move(object).error());
  if (kind.hooks.set_defaults) kind.hooks.set_defaults(**object);
  if (const auto good = check_claim_rights(*core, *call, live.get(), **object); !good) return reply_error(call, good.error());
  if (patch.type != PatchType::kApply) track_fields(*core, *call, live, **object);
  store::WriteOptions options = write_options(*call);
  options.create_if_missing = creates;
  auto written = core->resources.update(kind, std::move(*object), options);
  const int status = written && written->created ? 201 : 200;
  reply_written(core, call, status, std::move(written));
}

}  // namespace

void handle_patch(const CorePtr& core, const CallPtr& call) {
  auto patch = parse_patch(*call);
  if (!patch) return respond(call, error_response(patch.error()));
  if (const auto good = check_write_options(call->query, "PatchOptions", patch->type == PatchType::kApply); !good) {
    return respond(call, error_response(good.error()));
  }
  core->executor.post([core, call, patch = std::move(*patch)] { patch_now(core, call, patch); });
}

}  // namespace dray::apiserver
