#include "apiserver/pipeline.h"

#include "apiserver/authorization.h"
#include "apiserver/read_handlers.h"
#include "apiserver/status.h"
#include "apiserver/subresource_handlers.h"
#include "apiserver/watch_handler.h"
#include "apiserver/write_handlers.h"

namespace dray::apiserver {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view value) { return std::ranges::find(list, value) != list.end(); }

/// Methods that a path may have, by what it names.
constexpr std::string_view kOnCollection[] = {"create", "list", "watch", "deletecollection"};
constexpr std::string_view kOnItem[] = {"get", "update", "patch", "delete"};

enum class Route : std::uint8_t { kFound, kUnknown, kMethodNotAllowed };

bool any_of(const std::vector<std::string>& verbs, std::span<const std::string_view> wanted) {
  return std::ranges::any_of(wanted, [&](std::string_view verb) { return contains(verbs, verb); });
}

/// Whether the method is one of those that the path has.
Route route(const Call& call, std::string_view method) {
  const RequestInfo& info = call.info;
  const api::Kind& kind = call.kind();
  const bool is_namespace = kind.plural == "namespaces" && kind.group.empty();
  const bool in_namespace = !info.namespace_.empty() && !is_namespace;
  if (!kind.namespaced && in_namespace) return Route::kUnknown;
  const bool known_method = method == "GET" || method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE";
  const bool names_one = info.verb != "list" && info.verb != "watch" && !info.name.empty();
  if (!info.subresource.empty()) {
    const api::Subresource* const sub = call.resource.subresource(info.subresource);
    if (!sub || (kind.namespaced && !in_namespace)) return Route::kUnknown;
    if (!known_method || method == "HEAD") return Route::kMethodNotAllowed;
    return contains(sub->verbs, info.verb) ? Route::kFound : Route::kMethodNotAllowed;
  }
  if (names_one) {
    if (kind.namespaced && !in_namespace) return Route::kUnknown;
    if (!any_of(kind.verbs, kOnItem)) return Route::kUnknown;
    return known_method && info.verb != "create" && contains(kind.verbs, info.verb) ? Route::kFound : Route::kMethodNotAllowed;
  }
  if (!any_of(kind.verbs, kOnCollection)) return Route::kUnknown;
  if (!known_method || std::ranges::find(kOnCollection, info.verb) == std::end(kOnCollection) || !contains(kind.verbs, info.verb)) return Route::kMethodNotAllowed;
  const bool everywhere = kind.namespaced && !in_namespace;
  if (everywhere && info.verb != "list" && info.verb != "watch") return Route::kMethodNotAllowed;
  return Route::kFound;
}

void dispatch_subresource(const CorePtr& core, const CallPtr& call) {
  const std::string& sub = call->info.subresource;
  if (sub == "scale") return handle_scale(core, call);
  if (sub == "binding") return handle_binding(core, call);
  if (sub == "eviction") return handle_eviction(core, call);
  if (sub == "log") return handle_log(core, call);
  if (sub == "token") return handle_token(core, call);
  const std::string_view kind = call->resource.subresource(sub)->kind;
  if (kind != call->kind().name) return handle_unsupported(core, call);
  if (call->info.verb == "get") return handle_get(core, call);
  if (call->info.verb == "patch") return handle_patch(core, call);
  handle_update(core, call);
}

void dispatch(const CorePtr& core, const CallPtr& call) {
  const std::string& verb = call->info.verb;
  if (!call->info.subresource.empty()) return dispatch_subresource(core, call);
  if (verb == "create" && is_review(call->kind())) return handle_review(core, call);
  if (verb == "create" && call->kind().plural == "bindings") return handle_binding(core, call);
  if (verb == "get") return handle_get(core, call);
  if (verb == "list") return handle_list(core, call);
  if (verb == "watch") return handle_watch(core, call);
  if (verb == "create") return handle_create(core, call);
  if (verb == "update") return handle_update(core, call);
  if (verb == "patch") return handle_patch(core, call);
  if (verb == "delete") return handle_delete(core, call);
  handle_delete_collection(core, call);
}

HttpResponse too_many_requests() {
  Error error{Code::kTooManyRequests, "Too many requests, please try again later.", {}, "", "", "", "", 1};
  return error_response(error);
}

bool is_long_running(const RequestInfo& info, const Query& query) {
  return info.verb == "watch" || (info.subresource == "log" && query.boolean("follow"));
}

/// Null if `max` calls are in flight already.
std::shared_ptr<void> take_slot(const std::shared_ptr<std::atomic<int>>& count, int max) {
  if (count->fetch_add(1, std::memory_order_relaxed) >= max) {
    count->fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  return {count.get(), [count](std::atomic<int>* c) { c->fetch_sub(1, std::memory_order_relaxed); }};
}

HttpResponse denied(const Error& error, const RequestInfo& info) {
  if (info.is_resource || error.code != Code::kForbidden) return error_response(error);
  Value status = status_of(error);
  Value ordered = Value::map();
  for (auto& [key, value] : status.as_map()) {
    if (key == "code") ordered["details"] = Value::map();
    ordered[key] = std::move(value);
  }
  return json_response(403, print_json(ordered));
}

}  // namespace

void Pipeline::handle(const ExchangePtr& exchange) {
  const HttpRequest& request = exchange->request;
  Query query(request.query());
  RequestInfo info = parse_request_info(request, query);
  auto user = core_->authentication.authenticate(request);
  if (!user) return exchange->respond(error_response(user.error()));
  const Attributes asked = attributes_of(info);
  auto actor = impersonated(*core_, request, *user, asked);
  if (!actor) return exchange->respond(denied(actor.error(), info));
  if (const auto allowed = core_->authorization->check(*actor, asked); !allowed) {
    return exchange->respond(denied(allowed.error(), info));
  }
  if (!info.is_resource) {
    if (!handle_path(*core_, exchange, info, query)) exchange->respond(unknown_path_response());
    return;
  }
  handle_resource(exchange, std::move(info), std::move(query), std::move(*actor));
}

void Pipeline::handle_resource(const ExchangePtr& exchange, RequestInfo info, Query query, User user) {
  const HttpRequest& request = exchange->request;
  auto call = std::make_shared<Call>(Call{exchange, std::move(info), std::move(query), std::move(user), core_->catalog.load(), {}, {}, {}, {}});
  const Resource* const resource = call->catalog->find(call->info.group, call->info.version, call->info.resource);
  if (!resource) return exchange->respond(unknown_path_response());
  call->resource = *resource;
  switch (route(*call, request.method)) {
    case Route::kUnknown: return exchange->respond(unknown_path_response());
    case Route::kMethodNotAllowed: return exchange->respond(method_not_allowed_response());
    case Route::kFound: break;
  }
  const bool is_log = call->info.subresource == "log";
  auto representation = is_log ? Result<Representation>(Representation{}) : negotiate(request.header("Accept"), true);
  if (!representation) return exchange->respond(error_response(representation.error()));
  call->representation = *representation;
  if (request.too_large) {
    return exchange->respond(plain_status_response(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"));
  }
  if (!is_long_running(call->info, call->query)) {
    const bool write = call->info.verb != "get" && call->info.verb != "list";
    call->slot = take_slot(write ? writes_ : reads_, write ? limits_.writes_max : limits_.reads_max);
    if (!call->slot) return exchange->respond(too_many_requests());
  }
  dispatch(core_, call);
}

}  // namespace dray::apiserver
