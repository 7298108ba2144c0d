#include <algorithm>

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

/// What cannot be decoded after a patch is the patch's fault: 422 with the whole result, where a body
/// would get 400. A strategic merge has no such text of its own.
Error as_patch_error(Error error, const Value& after, PatchType type) {
  constexpr std::string_view kMark = "\" cannot be handled as a ";
  const auto at = error.message.find(kMark);
  if (at == std::string::npos || type == PatchType::kStrategic || type == PatchType::kApply) return error;
  const auto start = error.message.find(": ", at);
  Causes causes;
  // Kubernetes shows the text that the patch left: the object's own members sorted, what is in them not.
  Value shown = after;
  std::ranges::sort(shown.as_map(), {}, &Value::Member::first);
  causes.invalid(FieldPath("patch"), print_json(shown), error.message.substr(start + 2));
  return invalid_error("", "", "", std::move(causes));
}

/// managedFields of `[]` or `[{}]`: the writer asks to forget who manages what.
bool forgets_managers(const Value& after) {
  const Value* const metadata = after.find("metadata");
  const Value* const fields = metadata ? metadata->find("managedFields") : nullptr;
  if (!fields || !fields->is_list()) return false;
  const Value::List& list = fields->as_list();
  return list.empty() || (list.size() == 1 && list.front().is_map() && list.front().as_map().empty());
}

/// Apply knows no fields but those of the schema, whatever fieldValidation says.
Result<> check_declared(const Value& config, const Resource& resource, const Call& call) {
  std::vector<StrictProblem> problems;
  if (!decode_object(config, *resource.version->type, &problems)) return {};
  for (const StrictProblem& problem : problems) {
    constexpr std::string_view kUnknown = "unknown field \"";
    if (!problem.text.starts_with(kUnknown)) continue;
    if (field_validation(call.query) == FieldValidation::kStrict) return fail(Code::kBadRequest, "error strict decoding patch: " + problem.text);
    const std::string path = problem.text.substr(kUnknown.size(), problem.text.size() - kUnknown.size() - 1);
    const bool grouped = !resource.kind->group.empty();
    return fail(Code::kInternal, "failed to create typed patch object (/" + call.info.name + "; " +
                                     (grouped ? resource.group_version() : "/" + resource.version->version) + ", Kind=" + resource.kind->name + "): ." + path +
                                     ": field not declared in schema");
  }
  return {};
}

struct Patched {
  std::shared_ptr<Object> object;  // of the stored version
  bool forgets = false;
};

/// What the object becomes, of the stored version. Executor.
Result<Patched> patched(const CorePtr& core, const CallPtr& call, const PatchBody& patch, const ObjectPtr& live) {
  const Resource& resource = call->resource;
  const Value before = live ? to_value(*served(resource, live)) : Value();
  Value after;
  if (patch.type == PatchType::kApply) {
    TRY_ASSIGN(after, server_side_apply(before, patch.tree, *resource.version->type, field_writer(*core, *call), call->query.boolean("force")));
  } else {
    TRY_ASSIGN(after, apply_patch(before, patch, *resource.version->type, *call));
  }
  if (patch.type == PatchType::kApply) TRY(check_declared(patch.tree, resource, *call));
  if (const auto same = check_type(after, expected_of(resource)); !same) return fail(as_patch_error(same.error(), after, patch.type));
  auto object = decode_tree(after, expected_of(resource), field_validation(call->query), call->warnings, patch.type == PatchType::kApply);
  if (!object) return fail(as_patch_error(std::move(object).error(), after, patch.type));
  TRY(agree_with_url(*call, (*object)->metadata));
  return Patched{to_stored(resource, std::move(*object)), call->info.subresource.empty() && forgets_managers(after)};
}

void patch_now(const CorePtr& core, const CallPtr& call, const PatchBody& patch) {
  const api::Kind& kind = call->kind();
  const ObjectPtr live = core->resources.store().get(kind, call->space(), call->info.name);
  const bool creates = patch.type == PatchType::kApply && call->info.subresource.empty();
  if (!live && !creates) return reply_error(call, store::not_found(kind, call->info.name));
  auto result = patched(core, call, patch, live);
  if (!result) return reply_error(call, std::move(result).error());
  std::shared_ptr<Object>& object = result->object;
  if (kind.hooks.set_defaults) kind.hooks.set_defaults(*object);
  if (const auto good = check_claim_rights(*core, *call, live.get(), *object); !good) return reply_error(call, good.error());
  if (result->forgets) {
    object->metadata.managed_fields.clear();
  } else if (patch.type != PatchType::kApply) {
    track_fields(*core, *call, live, *object);
  }
  store::WriteOptions options = write_options(*call);
  options.create_if_missing = creates;
  auto written = core->resources.update(kind, std::move(object), options);
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
