#include "apiserver/body.h"
#include "apiserver/list_options.h"
#include "apiserver/read_handlers.h"
#include "apiserver/status.h"
#include "apiserver/write_handlers.h"
#include "machinery/validate.h"

namespace dray::apiserver {
namespace {

/// Kinds whose DELETE answers with the object; for others it is a Status once the object is gone.
/// Source: ReturnDeletedObject of the registries.
constexpr std::string_view kAnswerWithObject[] = {
    "pods", "namespaces", "services", "serviceaccounts", "persistentvolumes", "persistentvolumeclaims", "resourcequotas",
    "podtemplates", "storageclasses.storage.k8s.io", "csidrivers.storage.k8s.io", "csinodes.storage.k8s.io",
    "volumeattachments.storage.k8s.io", "volumeattributesclasses.storage.k8s.io", "resourceclaims.resource.k8s.io",
    "resourceclaimtemplates.resource.k8s.io", "resourceslices.resource.k8s.io", "deviceclasses.resource.k8s.io",
    "resourcepoolstatusrequests.resource.k8s.io"};

bool answers_with_object(const Resource& resource) {
  const std::string name = resource.kind->resource();
  if (name == "devicetaintrules.resource.k8s.io") return resource.version->version != "v1";
  return std::ranges::find(kAnswerWithObject, name) != std::end(kAnswerWithObject);
}

Result<> check_delete_options(const meta::DeleteOptions& options) {
  Causes causes;
  if (options.propagation_policy && options.orphan_dependents) {
    causes.invalid(FieldPath("propagationPolicy"), *options.propagation_policy, "orphanDependents and deletionPropagation cannot be both set");
  }
  const std::string policy = options.propagation_policy.value_or("Background");
  if (policy != "Foreground" && policy != "Background" && policy != "Orphan") {
    causes.not_supported(FieldPath("propagationPolicy"), policy, {"Foreground", "Background", "Orphan", "nil"});
  }
  for (const std::string& value : options.dry_run) {
    if (value != "All") causes.not_supported(FieldPath("dryRun"), BadValue(options.dry_run), {"All"});
  }
  if (causes.empty()) return {};
  return fail(invalid_error("meta.k8s.io", "DeleteOptions", "", std::move(causes)));
}

Result<meta::DeleteOptions> delete_options(const Call& call) {
  TRY_ASSIGN(auto options, decode_delete_options(call.request(), call.query, call.resource.group_version()));
  TRY(check_delete_options(options));
  return options;
}

store::WriteOptions options_of(const Call& call, const meta::DeleteOptions& how) {
  store::WriteOptions options = write_options(call);
  options.dry_run = options.dry_run || !how.dry_run.empty();
  return options;
}

void reply_deleted(const CorePtr& core, const CallPtr& call, store::Written written, int status) {
  if (!written.gone || answers_with_object(call->resource)) return reply_written(core, call, status, std::move(written));
  const api::Kind& kind = call->kind();
  std::string text = success_status(written.object->name(), kind.group, kind.plural, written.object->metadata.uid);
  auto finish = [call, status, text = std::move(text), warnings = std::move(written.warnings)] {
    reply(call, [call, status, text, warnings] {
      call->warnings.insert(call->warnings.end(), warnings.begin(), warnings.end());
      return value_response(call, status, text);
    });
  };
  if (written.revision == 0) return finish();
  core->resources.store().when_durable(written.revision, std::move(finish));
}

}  // namespace

void handle_delete(const CorePtr& core, const CallPtr& call) {
  auto how = delete_options(*call);
  if (!how) return respond(call, error_response(how.error()));
  core->executor.post([core, call, how = std::move(*how)] {
    auto written = core->resources.remove(call->kind(), call->space(), call->info.name, how, options_of(*call, how));
    if (!written) return reply_error(call, std::move(written).error());
    // The old way to ask for background deletion of dependents is answered as "accepted".
    const bool accepted = !written->gone && how.orphan_dependents == false;
    reply_deleted(core, call, std::move(*written), accepted ? 202 : 200);
  });
}

void handle_delete_collection(const CorePtr& core, const CallPtr& call) {
  auto how = delete_options(*call);
  if (!how) return respond(call, error_response(how.error()));
  auto options = parse_list_options(call->query, call->resource, false);
  if (!options) return respond(call, error_response(options.error()));
  core->executor.post([core, call, how = std::move(*how), options = std::move(*options)] {
    ListAnswer answer;
    const auto listing = core->resources.store().list(call->kind(), call->space());
    answer.revision = listing.revision;
    for (const ObjectPtr& object : listing.items) {
      if (!options.selection.matches(*object)) continue;
      const auto written = core->resources.remove(call->kind(), object->namespace_(), object->name(), how, options_of(*call, how));
      if (!written && written.error().code != Code::kNotFound) return reply_error(call, written.error());
      answer.items.push_back(object);
    }
    core->resources.store().when_durable(core->resources.store().revision(), [core, call, answer = std::move(answer)] {
      reply(call, [core, call, answer] { return list_response(core, call, answer); });
    });
  });
}

}  // namespace dray::apiserver
