#include "apiserver/managed_fields.h"

#include "machinery/codec.h"

namespace dray::apiserver {
namespace {

Value tree_of(const Resource& resource, const Object& stored) {
  if (!resource.version->from_stored) return to_value(stored);
  return to_value(*resource.version->from_stored(stored));
}

}  // namespace

FieldWriter field_writer(const Core& core, const Call& call) {
  FieldWriter writer;
  writer.manager = write_options(call).field_manager;
  writer.api_version = call.resource.group_version();
  writer.subresource = call.info.subresource;
  // Kubernetes leaves out the time of what was written through a scale.
  if (call.info.subresource != "scale") writer.now = Time::of(core.clock.wall());
  if (call.info.subresource == "status") {
    writer.reset_fields = {"spec"};
  } else if (call.kind().has_status) {
    writer.reset_fields = {"status"};
  }
  return writer;
}

void track_fields(const Core& core, const Call& call, const ObjectPtr& live, Object& fresh) {
  const Value before = live ? tree_of(call.resource, *live) : Value();
  const Value tracked = track_update(before, tree_of(call.resource, fresh), *call.resource.version->type, field_writer(core, call));
  fresh.metadata.managed_fields.clear();
  const Value* const metadata = tracked.find("metadata");
  const Value* const fields = metadata ? metadata->find("managedFields") : nullptr;
  if (!fields || !fields->is_list()) return;
  for (const Value& entry : fields->as_list()) {
    auto decoded = decode_as<meta::ManagedFieldsEntry>(entry);
    if (decoded) fresh.metadata.managed_fields.push_back(std::move(*decoded));
  }
}

}  // namespace dray::apiserver
