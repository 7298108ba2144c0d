// ResourceQuota: what a namespace may use is charged before it is used.

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "store/admission_plugins.h"
#include "store/quota.h"
#include "store/quota_pod.h"

namespace dray::store::admission {
namespace {

using quota::List;
using Quota = core::ResourceQuota;
using QuotaPtr = std::shared_ptr<const Quota>;

quota::Source source_of(Resources& resources) {
  return {resources.registry(), resources.gates(),
          [&resources](const StructDescriptor& kind, const std::string& space) {
            return resources.store().list(resources.registry().of(kind), space).items;
          },
          Time::of(resources.now().wall)};
}

bool ends(const core::Pod& pod) { return pod.spec.active_deadline_seconds && *pod.spec.active_deadline_seconds >= 0; }

/// Whether the write can change what is used.
bool is_charged(const AdmissionRequest& request) {
  const std::string& part = request.options.subresource;
  const bool update = request.operation == Operation::kUpdate;
  const StructDescriptor* const type = request.object->type;
  if (type == &core::Pod::kDescriptor) {
    if (part == "resize") return update;
    if (!part.empty()) return false;
    return !update || ends(static_cast<const core::Pod&>(*request.object)) != ends(static_cast<const core::Pod&>(*request.old));
  }
  if (type == &core::PersistentVolumeClaim::kDescriptor && part == "status") return update;
  if (!part.empty()) return false;
  if (type == &core::Service::kDescriptor || type == &core::PersistentVolumeClaim::kDescriptor ||
      type == &resource::ResourceClaim::kDescriptor) {
    return true;
  }
  return !update;
}

std::string printed(const List& list, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    const auto it = list.find(name);
    if (it != list.end()) parts.push_back(name + "=" + it->second.str());
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

/// What is new, never below zero; without zeros.
List growth(List fresh, const List* before) {
  if (before) {
    for (auto& [name, amount] : fresh) {
      const auto it = before->find(name);
      if (it != before->end()) amount -= it->second;
    }
  }
  std::erase_if(fresh, [](const auto& entry) { return entry.second.sign() <= 0; });
  return fresh;
}

/// Whether the quota is about this object at all: some resource of it, and all its scopes.
Result<bool> concerns(const quota::Source& source, const AdmissionRequest& request, const Quota& one) {
  const auto names = quota::matching(source, request.kind, one.status.hard);
  if (names.empty() || !quota::in_scopes(source, one, *request.object)) return false;
  if (const auto* pod = as<core::Pod>(*request.object)) {
    const std::string why = quota::unspecified(source.gates, *pod, names);
    if (!why.empty()) return refused(request, fmt::format("failed quota: {}: {}", one.name(), why));
  }
  const bool known = std::ranges::all_of(names, [&](const std::string& name) { return one.status.used.contains(name); });
  if (known) return true;
  return refused(request, fmt::format("status unknown for quota: {}, resources: {}", one.name(), fmt::join(names, ",")));
}

/// The quota with more used, or null if the write uses nothing of it.
Result<std::shared_ptr<Quota>> charged(const AdmissionRequest& request, const QuotaPtr& one, const List& more) {
  List requested;
  std::vector<std::string> over;
  auto out = mutable_copy_as(*one);
  for (const auto& [name, amount] : more) {
    const auto hard = one->status.hard.find(name);
    if (hard == one->status.hard.end()) continue;
    requested[name] = amount;
    Quantity& used = out->status.used[name];
    used += amount;
    if (used > hard->second) over.push_back(name);
  }
  if (requested.empty()) return std::shared_ptr<Quota>();
  if (over.empty() || request.options.subresource == "status") return out;
  return refused(request, fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", one->name(),
                                      printed(requested, over), printed(one->status.used, over), printed(one->status.hard, over)));
}

/// All quotas that the write changes, or the first refusal. Nothing is written yet.
Result<std::vector<std::shared_ptr<Quota>>> plan(Resources& resources, const AdmissionRequest& request,
                                                 const std::vector<ObjectPtr>& quotas) {
  const quota::Source source = source_of(resources);
  std::vector<QuotaPtr> concerned;
  for (const ObjectPtr& object : quotas) {
    auto one = as<Quota>(object);
    TRY_ASSIGN(const bool is, concerns(source, request, *one));
    if (is) concerned.push_back(std::move(one));
  }
  std::vector<std::shared_ptr<Quota>> out;
  if (concerned.empty()) return out;
  const List now = quota::usage(source, request.kind, *request.object);
  std::optional<List> before;
  if (request.old) before = quota::usage(source, request.kind, *request.old);
  for (const QuotaPtr& one : concerned) {
    const bool was_in = request.old && quota::in_scopes(source, *one, *request.old);
    TRY_ASSIGN(auto fresh, charged(request, one, growth(now, was_in ? &*before : nullptr)));
    if (fresh) out.push_back(std::move(fresh));
  }
  return out;
}

}  // namespace

Admission resource_quota(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    if (!request.object || request.object->namespace_().empty() || !quota::counts(request.kind)) return {};
    const api::Kind& kind = resources.registry().of<Quota>();
    const std::vector<ObjectPtr> quotas = resources.store().list(kind, request.object->namespace_()).items;
    if (quotas.empty() || !is_charged(request)) return {};
    TRY_ASSIGN(const auto fresh, plan(resources, request, quotas));
    const bool exists = !request.old && resources.store().get(request.kind, request.object->namespace_(), request.object->name());
    if (request.options.dry_run || exists) return {};  // nothing will be made
    for (const auto& one : fresh) TRY(resources.store().update(kind, one, 0));
    return {};
  };
}

}  // namespace dray::store::admission
