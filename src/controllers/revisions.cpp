#include "controllers/revisions.h"

#include <algorithm>

#include "api/apps_v1.h"
#include "controllers/deployment_plan.h"
#include "controllers/owners.h"
#include "machinery/codec.h"

namespace dray::controllers {
namespace {

constexpr const char* kHashLabel = "controller-revision-hash";

/// What a rollback would put back: the template alone.
Value patch_of(const core::PodTemplateSpec& pod_template) {
  Value with_directive = to_value_of(pod_template);
  with_directive.set("$patch", "replace");
  Value spec = Value::map(), out = Value::map();
  spec.set("template", std::move(with_directive));
  out.set("spec", std::move(spec));
  return out;
}

}  // namespace

Result<Revision> ensure_revision(client::Cluster& cluster, const Object& owner, const core::PodTemplateSpec& pod_template) {
  Revision out;
  out.hash = template_hash(pod_template, 0);
  out.name = owner.name() + "-" + out.hash;
  if (cluster.get<apps::ControllerRevision>(owner.namespace_(), out.name)) return out;
  std::int64_t last = 0;
  for (const ObjectPtr& object : cluster.informer<apps::ControllerRevision>().list(owner.namespace_())) {
    if (is_controlled_by(*object, owner)) last = std::max(last, as<apps::ControllerRevision>(object)->revision);
  }
  auto fresh = std::make_shared<apps::ControllerRevision>();
  fresh->metadata.namespace_ = owner.namespace_();
  fresh->metadata.name = out.name;
  fresh->metadata.labels = pod_template.metadata.labels;
  fresh->metadata.labels[kHashLabel] = out.hash;
  fresh->metadata.owner_references.push_back(controller_reference(owner));
  fresh->revision = last + 1;
  fresh->data.value = patch_of(pod_template);
  const Result<ObjectPtr> made = create(cluster, std::move(fresh));
  if (!made && made.error().code != Code::kAlreadyExists) return fail(made.error());
  return out;
}

}  // namespace dray::controllers
