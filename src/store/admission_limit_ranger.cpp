// LimitRanger: what a namespace's LimitRanges fill in and what they allow.

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_pod.h"
#include "api/core_v1.h"
#include "store/admission_plugins.h"

namespace dray::store::admission {
namespace {

using List = std::map<std::string, Quantity>;
using Texts = std::vector<std::string>;

/// Beyond it milli-units of a number do not fit an int64.
constexpr std::int64_t kMilliSafe = std::numeric_limits<std::int64_t>::max() / 1000;

template <class Visit>
void for_limits(Resources& resources, const AdmissionRequest& request, const Visit& visit) {
  const std::string& space = request.object->namespace_();
  for (const ObjectPtr& one : resources.store().list(resources.registry().of<core::LimitRange>(), space).items) {
    visit(*as<core::LimitRange>(one));
  }
}

/// A pod, where limits can matter: when it is made or resized, and not on its way out.
core::Pod* limited_pod(const AdmissionRequest& request) {
  if (!request.object || request.object->type != &core::Pod::kDescriptor) return nullptr;
  if (request.old && request.old->metadata.deletion_timestamp) return nullptr;
  const bool resize = request.operation == Operation::kUpdate && request.options.subresource == "resize";
  const bool fresh = request.operation == Operation::kCreate && request.options.subresource.empty();
  return resize || fresh ? static_cast<core::Pod*>(request.object) : nullptr;
}

// ---- defaults

void fill(core::Container& container, const List& requests, const List& limits, std::string_view kind, Texts& notes) {
  Texts set_requests, set_limits;
  for (const auto& [name, amount] : limits) {
    if (container.resources.limits.emplace(name, amount).second) set_limits.push_back(name);
  }
  for (const auto& [name, amount] : requests) {
    if (container.resources.requests.emplace(name, amount).second) set_requests.push_back(name);
  }
  if (!set_requests.empty()) notes.push_back(fmt::format("{} request for {} {}", fmt::join(set_requests, ", "), kind, container.name));
  if (!set_limits.empty()) notes.push_back(fmt::format("{} limit for {} {}", fmt::join(set_limits, ", "), kind, container.name));
}

void fill(core::Pod& pod, const core::LimitRange& range) {
  List requests, limits;
  for (const core::LimitRangeItem& item : range.spec.limits) {
    if (item.type != "Container") continue;
    for (const auto& [name, amount] : item.default_request) requests[name] = amount;
    for (const auto& [name, amount] : item.default_) limits[name] = amount;
  }
  Texts notes;
  for (core::Container& one : pod.spec.containers) fill(one, requests, limits, "container", notes);
  for (core::Container& one : pod.spec.init_containers) fill(one, requests, limits, "init container", notes);
  if (notes.empty()) return;
  pod.metadata.annotations["kubernetes.io/limit-ranger"] = fmt::format("LimitRanger plugin set: {}", fmt::join(notes, "; "));
}

// ---- bounds

const Quantity* find(const List& list, const std::string& name) {
  const auto it = list.find(name);
  return it == list.end() ? nullptr : &it->second;
}

/// What the pod asks for of one resource, beside what is enforced: in milli-units where that fits.
struct Numbers {
  std::int64_t request, limit, enforced;
};
Numbers numbers(const Quantity* request, const Quantity* limit, const Quantity& enforced) {
  const Quantity zero;
  const Quantity &r = request ? *request : zero, &l = limit ? *limit : zero;
  if (r.value() <= kMilliSafe && l.value() <= kMilliSafe && enforced.value() <= kMilliSafe) {
    return {r.milli_value(), l.milli_value(), enforced.milli_value()};
  }
  return {r.value(), l.value(), enforced.value()};
}

/// What is measured, and under which name of the API.
struct Measured {
  const std::string& type;  // "Container", "Pod", "PersistentVolumeClaim"
  const List& requests;
  const List& limits;
};

void check_min(const Measured& m, const std::string& name, const Quantity& least, Texts& out) {
  const Quantity *request = find(m.requests, name), *limit = find(m.limits, name);
  const Numbers n = numbers(request, limit, least);
  const std::string start = fmt::format("minimum {} usage per {} is {}", name, m.type, least.str());
  if (!request) return out.push_back(start + ".  No request is specified");
  if (n.request < n.enforced) return out.push_back(fmt::format("{}, but request is {}", start, request->str()));
  if (limit && n.limit < n.enforced) out.push_back(fmt::format("{}, but limit is {}", start, limit->str()));
}

void check_max(const Measured& m, const std::string& name, const Quantity& most, Texts& out) {
  const Quantity *request = find(m.requests, name), *limit = find(m.limits, name);
  const Numbers n = numbers(request, limit, most);
  const std::string start = fmt::format("maximum {} usage per {} is {}", name, m.type, most.str());
  if (!limit) return out.push_back(start + ".  No limit is specified");
  if (n.limit > n.enforced) return out.push_back(fmt::format("{}, but limit is {}", start, limit->str()));
  if (request && n.request > n.enforced) out.push_back(fmt::format("{}, but request is {}", start, request->str()));
}

/// For what has no limits.
void check_max_request(const Measured& m, const std::string& name, const Quantity& most, Texts& out) {
  const Quantity* const request = find(m.requests, name);
  const Numbers n = numbers(request, nullptr, most);
  const std::string start = fmt::format("maximum {} usage per {} is {}", name, m.type, most.str());
  if (!request) return out.push_back(start + ".  No request is specified");
  if (n.request > n.enforced) out.push_back(fmt::format("{}, but request is {}", start, request->str()));
}

void check_ratio(const Measured& m, const std::string& name, const Quantity& most, Texts& out) {
  const Quantity *request = find(m.requests, name), *limit = find(m.limits, name);
  const Numbers n = numbers(request, limit, most);
  const std::string start = fmt::format("{} max limit to request ratio per {} is {}", name, m.type, most.str());
  if (!request || n.request == 0) return out.push_back(start + ", but no request is specified or request is 0");
  if (!limit || n.limit == 0) return out.push_back(start + ", but no limit is specified or limit is 0");
  const double shown = static_cast<double>(n.limit) / static_cast<double>(n.request);
  const bool milli = most.value() <= kMilliSafe;
  const double ratio = milli ? shown * 1000 : shown;
  const double bound = static_cast<double>(milli ? most.milli_value() : most.value());
  if (ratio > bound) out.push_back(fmt::format("{}, but provided ratio is {:.6f}", start, shown));
}

void check_all(const core::LimitRangeItem& item, const Measured& m, Texts& out) {
  for (const auto& [name, amount] : item.min) check_min(m, name, amount, out);
  for (const auto& [name, amount] : item.max) check_max(m, name, amount, out);
  for (const auto& [name, amount] : item.max_limit_request_ratio) check_ratio(m, name, amount, out);
}

/// Pod-level amounts of cpu and memory win over those of the containers.
List with_pod_level(List total, const List* of_pod) {
  if (!of_pod) return total;
  for (const auto& [name, amount] : *of_pod) {
    if (name == "cpu" || name == "memory") total[name] = amount;
  }
  return total;
}

Texts check_pod(const api::FeatureGates& gates, const core::LimitRange& range, const core::Pod& pod) {
  Texts out;
  for (const core::LimitRangeItem& item : range.spec.limits) {
    if (item.type == "Container") {
      for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
        for (const core::Container& one : *containers) check_all(item, {item.type, one.resources.requests, one.resources.limits}, out);
      }
    } else if (item.type == "Pod") {
      const auto* own = gates.enabled("PodLevelResources") ? pod.spec.resources.get() : nullptr;
      const List requests = with_pod_level(api::aggregate_requests(pod.spec), own ? &own->requests : nullptr);
      const List limits = with_pod_level(api::aggregate_limits(pod.spec), own ? &own->limits : nullptr);
      check_all(item, {item.type, requests, limits}, out);
    }
  }
  return out;
}

Texts check_claim(const core::LimitRange& range, const core::PersistentVolumeClaim& claim) {
  Texts out;
  const List none;
  for (const core::LimitRangeItem& item : range.spec.limits) {
    if (item.type != "PersistentVolumeClaim") continue;
    const Measured measured{item.type, claim.spec.resources.requests, none};
    for (const auto& [name, amount] : item.min) check_min(measured, name, amount, out);
    for (const auto& [name, amount] : item.max) check_max_request(measured, name, amount, out);
  }
  return out;
}

/// Several texts as Kubernetes prints a list of errors: each once.
std::string joined(const Texts& texts) {
  Texts once;
  for (const std::string& text : texts) {
    if (std::ranges::find(once, text) == once.end()) once.push_back(text);
  }
  return once.size() == 1 ? once[0] : fmt::format("[{}]", fmt::join(once, ", "));
}

}  // namespace

Admission limit_ranger_defaults(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    if (auto* const pod = limited_pod(request)) {
      for_limits(resources, request, [&](const core::LimitRange& range) { fill(*pod, range); });
    }
    return {};
  };
}

Admission limit_ranger_bounds(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    const auto* const pod = limited_pod(request);
    const auto* claim = object_of<core::PersistentVolumeClaim>(request);
    if (request.old && request.old->metadata.deletion_timestamp) claim = nullptr;
    if (!pod && !claim) return {};
    Texts why;
    for_limits(resources, request, [&](const core::LimitRange& range) {
      if (why.empty()) why = pod ? check_pod(resources.gates(), range, *pod) : check_claim(range, *claim);
    });
    if (why.empty()) return {};
    return refused(request, joined(why));
  };
}

}  // namespace dray::store::admission
