#include "api/autoscaling_v1.h"
#include "apiserver/body.h"
#include "apiserver/managed_fields.h"
#include "apiserver/patch_body.h"
#include "apiserver/status.h"
#include "apiserver/subresource_handlers.h"
#include "apiserver/write_handlers.h"
#include "machinery/codec.h"
#include "machinery/labels.h"
#include "machinery/patch.h"
#include "machinery/validate.h"
#include "store/errors.h"

namespace dray::apiserver {
namespace {

const Value* at(const Value& tree, std::initializer_list<std::string_view> path) {
  const Value* found = &tree;
  for (const std::string_view name : path) {
    found = found->find(name);
    if (!found) return nullptr;
  }
  return found;
}

std::int32_t number_at(const Value& tree, std::initializer_list<std::string_view> path) {
  const Value* const found = at(tree, path);
  return found && found->is_int() ? static_cast<std::int32_t>(found->as_int()) : 0;
}

/// A LabelSelector, or the plain map that a ReplicationController has, as text.
std::string selector_text(const Value& object) {
  const Value* const selector = at(object, {"spec", "selector"});
  if (!selector || !selector->is_map()) return "";
  if (!selector->find("matchLabels") && !selector->find("matchExpressions")) {
    Labels labels;
    for (const auto& [key, value] : selector->as_map()) {
      if (value.is_string()) labels[key] = value.as_string();
    }
    return LabelSelector::exactly(labels).str();
  }
  const auto decoded = decode_as<meta::LabelSelector>(*selector);
  if (!decoded) return "";
  const auto made = LabelSelector::from(*decoded);
  return made ? made->str() : "";
}

std::shared_ptr<autoscaling::Scale> scale_of(const Object& object) {
  const Value tree = to_value(object);
  auto scale = std::make_shared<autoscaling::Scale>();
  scale->metadata.name = object.name();
  scale->metadata.namespace_ = object.namespace_();
  scale->metadata.uid = object.metadata.uid;
  scale->metadata.resource_version = object.metadata.resource_version;
  scale->metadata.creation_timestamp = object.metadata.creation_timestamp;
  scale->spec.replicas = number_at(tree, {"spec", "replicas"});
  scale->status.replicas = number_at(tree, {"status", "replicas"});
  scale->status.selector = selector_text(tree);
  return scale;
}

HttpResponse scale_response(const CallPtr& call, const Object& object) {
  const auto scale = scale_of(object);
  const Representation& wanted = call->representation;
  if (wanted.format == Format::kProtobuf) {
    return {.status = 200, .content_type = std::string(content_type_of(wanted.format)), .headers = {}, .body = shared(encode_object(*scale, wanted.format))};
  }
  return value_response(call, 200, encode_json(*scale));
}

ExpectedKind expected_scale() { return {"autoscaling", "v1", "Scale", &autoscaling::Scale::kDescriptor}; }

Result<> check(const autoscaling::Scale& scale, const Call& call) {
  if (scale.spec.replicas >= 0) return {};
  Causes causes;
  causes.invalid(FieldPath("spec") / "replicas", scale.spec.replicas, "must be greater than or equal to 0");
  return fail(invalid_error("autoscaling", "Scale", call.info.name, std::move(causes)));
}

void write_scale(const CorePtr& core, const CallPtr& call, const ObjectPtr& live, const autoscaling::Scale& scale) {
  if (const auto good = check(scale, *call); !good) return reply_error(call, good.error());
  Value tree = to_value(*live);
  tree["spec"]["replicas"] = std::int64_t{scale.spec.replicas};
  auto fresh = decode_object(tree, *live->type);
  if (!fresh) return reply_error(call, std::move(fresh).error());
  (*fresh)->metadata.resource_version = scale.metadata.resource_version;
  track_fields(*core, *call, live, **fresh);
  store::WriteOptions options = write_options(*call);
  options.subresource.clear();  // the main resource's rules decide about the spec
  auto written = core->resources.update(call->kind(), std::move(*fresh), options);
  if (!written) return reply_error(call, std::move(written).error());
  auto finish = [call, object = written->object] { reply(call, [call, object] { return scale_response(call, *object); }); };
  if (written->revision == 0) return finish();
  core->resources.store().when_durable(written->revision, std::move(finish));
}

Result<autoscaling::Scale> patched_scale(const CallPtr& call, const PatchBody& patch, const Object& live) {
  const Value before = to_value(*scale_of(live));
  Value after;
  if (patch.type == PatchType::kApply) {
    TRY_ASSIGN(after, apply_merge_patch(before, patch.tree));
  } else {
    TRY_ASSIGN(after, apply_patch(before, patch, autoscaling::Scale::kDescriptor, *call));
  }
  TRY_ASSIGN(const auto object, decode_tree(after, expected_scale(), field_validation(call->query), call->warnings));
  TRY(agree_with_url(*call, object->metadata));
  return *as<autoscaling::Scale>(*object);
}

void with_live(const CorePtr& core, const CallPtr& call, std::function<void(const ObjectPtr&)> then) {
  core->executor.post([core, call, then = std::move(then)] {
    const ObjectPtr live = core->resources.store().get(call->kind(), call->space(), call->info.name);
    if (!live) return reply_error(call, store::not_found(call->kind(), call->info.name));
    then(live);
  });
}

}  // namespace

void handle_scale(const CorePtr& core, const CallPtr& call) {
  if (call->info.verb == "get") {
    return with_live(core, call, [call](const ObjectPtr& live) {
      reply(call, [call, live] { return scale_response(call, *live); });
    });
  }
  if (call->info.verb == "patch") {
    auto patch = parse_patch(*call);
    if (!patch) return respond(call, error_response(patch.error()));
    return with_live(core, call, [core, call, patch = std::move(*patch)](const ObjectPtr& live) {
      const auto scale = patched_scale(call, patch, *live);
      if (!scale) return reply_error(call, scale.error());
      write_scale(core, call, live, *scale);
    });
  }
  auto object = decode_body(call->request(), expected_scale(), field_validation(call->query), call->warnings);
  if (object) {
    if (const auto agreed = agree_with_url(*call, (*object)->metadata); !agreed) return respond(call, error_response(agreed.error()));
  }
  if (!object) return respond(call, error_response(object.error()));
  with_live(core, call, [core, call, scale = std::shared_ptr<const Object>(*object)](const ObjectPtr& live) {
    write_scale(core, call, live, *as<autoscaling::Scale>(*scale));
  });
}

}  // namespace dray::apiserver
