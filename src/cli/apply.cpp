#include "cli/apply.h"

#include "api/core_v1.h"
#include "machinery/codec.h"
#include "machinery/patch.h"
#include "store/bootstrap_objects.h"
#include "store/device_expressions.h"
#include "store/open.h"

namespace dray::cli {
namespace {

Result<> apply_one(const Manifest& manifest, store::Resources& resources) {
  const api::Kind& kind = *manifest.kind;
  auto object = mutable_copy(*manifest.object);
  if (kind.namespaced && object->metadata.namespace_.empty()) object->metadata.namespace_ = "default";
  store::WriteOptions options;
  options.field_manager = "dray-up";
  const ObjectPtr known = resources.store().get(kind, object->metadata.namespace_, object->metadata.name);
  if (!known) {
    TRY(resources.create(kind, std::move(object), options));
    return {};
  }
  TRY_ASSIGN(const Value merged, apply_merge_patch(to_value(*known), to_value(*object)));
  TRY_ASSIGN(auto fresh, decode_object(merged, *kind.stored));
  fresh->metadata.resource_version = known->metadata.resource_version;
  TRY(resources.update(kind, std::move(fresh), options));
  return {};
}

/// Says where the object of an error was written, and what a guide should have said.
void locate(const Manifest& manifest, Error error, std::vector<Cause>& causes) {
  const std::string before = place(manifest.file, manifest.at);
  if (error.causes.empty()) error.causes.push_back({"", "", error.message, {}});
  for (Cause& cause : error.causes) {
    cause.field = before + cause.field;
    causes.push_back(std::move(cause));
  }
  if (!manifest.hint.empty()) causes.push_back({before, "", "hint: " + manifest.hint, {}});
}

}  // namespace

Result<> apply_manifests(std::span<const Manifest> manifests, store::Resources& resources) {
  for (const Manifest& manifest : manifests) {
    if (auto done = apply_one(manifest, resources); !done) {
      std::vector<Cause> causes;
      locate(manifest, done.error(), causes);
      done.error().causes = std::move(causes);
      return done;
    }
  }
  return {};
}

Result<> rehearse(std::span<const Manifest> manifests, const store::Store& real, const api::Registry& registry,
                  const api::FeatureGates& gates, Executor& executor) {
  if (manifests.empty()) return {};
  const auto scratch = store::open_ephemeral(executor);
  const store::DeviceExpressions expressions;
  store::Resources resources(*scratch, registry, gates, executor.clock(), Rng(0));
  resources.set_expressions(&expressions);
  const api::Kind& namespaces = registry.of<core::Namespace>();
  for (const ObjectPtr& known : real.list(namespaces).items) {
    TRY(scratch->create(namespaces, mutable_copy(*known)));
  }
  TRY(store::make_bootstrap_objects(resources));
  Error error{.code = Code::kInvalid, .message = "the manifests are invalid"};
  for (const Manifest& manifest : manifests) {
    if (auto done = apply_one(manifest, resources); !done) locate(manifest, std::move(done.error()), error.causes);
  }
  if (error.causes.empty()) return {};
  return std::unexpected(std::move(error));
}

}  // namespace dray::cli
