/// pods/x/binding and pods/x/eviction.
#include "api/core_v1.h"
#include "api/policy_v1.h"
#include "apiserver/body.h"
#include "apiserver/status.h"
#include "apiserver/subresource_handlers.h"
#include "store/errors.h"
#include "store/subresources.h"

namespace dray::apiserver {

void reply_success(const CorePtr& core, const CallPtr& call, int status, store::Revision revision) {
  auto finish = [call, status] {
    reply(call, [call, status] {
      return value_response(call, status, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":)" + std::to_string(status) + "}");
    });
  };
  if (revision == 0) return finish();
  core->resources.store().when_durable(revision, std::move(finish));
}

void handle_binding(const CorePtr& core, const CallPtr& call) {
  auto body = decode_body(call->request(), {"", "v1", "Binding", &core::Binding::kDescriptor}, field_validation(call->query), call->warnings);
  if (!body) return respond(call, error_response(body.error()));
  auto binding = std::static_pointer_cast<core::Binding>(*body);
  if (call->info.name.empty()) call->info.name = binding->name();  // POST bindings
  if (!binding->name().empty() && binding->name() != call->info.name) {
    return respond(call, plain_status_response(400, "BadRequest", "name in URL does not match name in Binding object"));
  }
  binding->metadata.name = call->info.name;
  binding->metadata.namespace_ = call->info.namespace_;
  core->executor.post([core, call, binding] {
    store::WriteOptions options = write_options(*call);
    options.subresource = "binding";
    options.version = nullptr;
    const auto written = store::bind_pod(core->resources, *binding, Time::of(core->clock.wall()), options);
    if (!written) return reply_error(call, written.error());
    reply_success(core, call, 201, written->revision);
  });
}

void handle_eviction(const CorePtr& core, const CallPtr& call) {
  ExpectedKind expected{"policy", "v1", "Eviction", &policy::Eviction::kDescriptor};
  // The old version has the same fields and is still taken.
  if (call->request().body.find("policy/v1beta1") != std::string::npos) expected.version = "v1beta1";
  auto body = decode_body(call->request(), expected, field_validation(call->query), call->warnings);
  if (!body) return respond(call, error_response(body.error()));
  const auto eviction = std::static_pointer_cast<const policy::Eviction>(*body);
  if (!eviction->name().empty() && eviction->name() != call->info.name) {
    return respond(call, plain_status_response(400, "BadRequest", "name in URL does not match name in Eviction object"));
  }
  core->executor.post([core, call, eviction] {
    const meta::DeleteOptions how = eviction->delete_options ? *eviction->delete_options : meta::DeleteOptions{};
    store::WriteOptions options = write_options(*call);
    options.dry_run = options.dry_run || !how.dry_run.empty();
    options.subresource.clear();
    const auto written = store::evict_pod(core->resources, call->info.namespace_, call->info.name, how, Time::of(core->clock.wall()), options);
    if (!written) return reply_error(call, written.error());
    reply_success(core, call, 201, written->revision);
  });
}

void handle_unsupported(const CorePtr& core, const CallPtr& call) {
  core->executor.post([core, call] {
    const ObjectPtr object = core->resources.store().get(call->kind(), call->space(), call->info.name);
    if (!object) return reply_error(call, store::not_found(call->kind(), call->info.name));
    const auto* const pod = as<core::Pod>(*object);
    if (pod && pod->spec.node_name.empty()) {
      return reply_error(call, {Code::kBadRequest, "pod " + pod->name() + " does not have a host assigned", {}, "", "", "", "", 0});
    }
    reply(call, [what = call->info.subresource] {
      return plain_status_response(501, "NotImplemented",
                                   what + " is not supported: the nodes of this control plane run no processes that one could connect to");
    });
  });
}

}  // namespace dray::apiserver
