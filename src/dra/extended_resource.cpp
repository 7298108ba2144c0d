#include "dra/extended_resource.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"

namespace dray::dra {

namespace {

using ClassPtr = std::shared_ptr<const resource::DeviceClass>;
using Mapping = core::ContainerExtendedResourceRequest;

bool is_extended(std::string_view name) {
  if (name.starts_with(kImplicitExtendedResourcePrefix)) return true;
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos &&
         !name.starts_with("requests.");
}

/// Regular containers and sidecars keep their devices as long as the pod runs.
bool is_long_lived(const core::Container& container, bool init) {
  return !init || (container.restart_policy && *container.restart_policy == "Always");
}

struct Container {
  const core::Container* object;
  bool init;
};

/// What one container asks for one resource.
struct Asked {
  std::string name;  // of the request, if devices beyond the reused ones are needed
  std::int64_t extra = 0;
  std::vector<Mapping> mappings;
};

Result<Asked> ask(std::size_t index, const core::Container& container, const std::string& resource,
                  const std::vector<const Asked*>& reusable) {
  Asked out;
  const auto& requests = container.resources.requests;
  const auto found = requests.find(resource);
  if (found == requests.end() || found->second.is_zero()) return out;
  std::int64_t count = 0;
  if (!found->second.as_int64(count))
    return fail(Code::kInvalid, fmt::format("container {}: {} of {} is no whole number of devices", container.name,
                                            found->second.str(), resource));
  for (const Asked* other : reusable) {
    if (other->extra == 0) continue;
    out.mappings.push_back({container.name, resource, other->name});
    count -= other->extra;
    if (count <= 0) return out;
  }
  const auto place = std::distance(requests.begin(), found);
  out.name = fmt::format("container-{}-request-{}", index, place);
  out.extra = count;
  out.mappings.push_back({container.name, resource, out.name});
  return out;
}

resource::DeviceRequest request_for(const Asked& asked, const std::string& device_class) {
  resource::DeviceRequest request;
  request.name = asked.name;
  auto& exactly = request.exactly.emplace();
  exactly.device_class_name = device_class;
  exactly.allocation_mode = "ExactCount";
  exactly.count = asked.extra;
  return request;
}

/// All requests and mappings of one resource.
Result<> add_resource(const std::vector<Container>& containers, const std::string& resource,
                      const std::string& device_class, ExtendedClaim& out) {
  std::vector<Asked> long_lived(containers.size());
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!is_long_lived(*containers[i].object, containers[i].init)) continue;
    TRY_ASSIGN(long_lived[i], ask(i, *containers[i].object, resource, {}));
    out.mappings.insert(out.mappings.end(), long_lived[i].mappings.begin(), long_lived[i].mappings.end());
  }
  // Plain init containers run one after the other: they share one request, the largest.
  std::vector<Mapping> mappings;
  std::set<std::string> short_lived;
  Asked largest;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (is_long_lived(*containers[i].object, containers[i].init)) continue;
    std::vector<const Asked*> reusable;
    for (std::size_t j = i; j < containers.size(); ++j) reusable.push_back(&long_lived[j]);
    TRY_ASSIGN(const Asked asked, ask(i, *containers[i].object, resource, reusable));
    mappings.insert(mappings.end(), asked.mappings.begin(), asked.mappings.end());
    if (asked.extra == 0) continue;
    short_lived.insert(asked.name);
    if (asked.extra > largest.extra) largest = asked;
  }
  for (Mapping& mapping : mappings) {
    if (short_lived.contains(mapping.request_name)) mapping.request_name = largest.name;
    out.mappings.push_back(mapping);
  }
  auto& requests = out.spec->devices.requests;
  if (largest.extra > 0) requests.push_back(request_for(largest, device_class));
  for (const Asked& asked : long_lived) {
    if (asked.extra > 0) requests.push_back(request_for(asked, device_class));
  }
  return {};
}

}  // namespace

void DeviceClasses::upsert(ClassPtr device_class) {
  remove(device_class->metadata.name);
  if (const auto& resource = device_class->spec.extended_resource_name; resource && !resource->empty()) {
    std::vector<ClassPtr>& serving = by_resource_[*resource];
    serving.push_back(device_class);
    std::ranges::sort(serving, [](const ClassPtr& a, const ClassPtr& b) {
      const Time left = a->metadata.creation_timestamp;
      const Time right = b->metadata.creation_timestamp;
      return left != right ? left > right : a->metadata.name < b->metadata.name;
    });
  }
  classes_[device_class->metadata.name] = std::move(device_class);
  ++version_;
}

void DeviceClasses::remove(std::string_view name) {
  const auto found = classes_.find(name);
  if (found == classes_.end()) return;
  if (const auto& resource = found->second->spec.extended_resource_name; resource && !resource->empty()) {
    const auto serving = by_resource_.find(*resource);
    std::erase(serving->second, found->second);
    if (serving->second.empty()) by_resource_.erase(serving);
  }
  classes_.erase(found);
  ++version_;
}

ClassPtr DeviceClasses::find(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : found->second;
}

ClassPtr DeviceClasses::for_extended_resource(std::string_view resource) const {
  if (const auto found = by_resource_.find(resource); found != by_resource_.end()) return found->second[0];
  if (!resource.starts_with(kImplicitExtendedResourcePrefix)) return nullptr;
  return find(resource.substr(kImplicitExtendedResourcePrefix.size()));
}

std::vector<std::string> mapped_extended_resources(const core::PodSpec& pod, const DeviceClasses& classes) {
  std::set<std::string> names;
  const auto look = [&](const std::vector<core::Container>& containers) {
    for (const auto& container : containers) {
      for (const auto& [name, quantity] : container.resources.requests) {
        if (!quantity.is_zero() && is_extended(name) && classes.for_extended_resource(name) != nullptr)
          names.insert(name);
      }
    }
  };
  look(pod.init_containers);
  look(pod.containers);
  return {names.begin(), names.end()};
}

std::vector<std::string> served_by_devices(const core::Node& node, const std::vector<std::string>& resources) {
  std::vector<std::string> out;
  for (const std::string& name : resources) {
    const auto found = node.status.allocatable.find(name);
    if (found == node.status.allocatable.end() || found->second.sign() <= 0) out.push_back(name);
  }
  return out;
}

Result<ExtendedClaim> extended_claim(const core::PodSpec& pod, const std::vector<std::string>& resources,
                                     const DeviceClasses& classes) {
  std::vector<Container> containers;
  for (const auto& container : pod.init_containers) containers.push_back({&container, true});
  for (const auto& container : pod.containers) containers.push_back({&container, false});
  ExtendedClaim out;
  out.spec = std::make_shared<resource::ResourceClaimSpec>();
  for (const std::string& name : resources) {
    const ClassPtr device_class = classes.for_extended_resource(name);
    if (device_class != nullptr) TRY(add_resource(containers, name, device_class->metadata.name, out));
  }
  std::ranges::sort(out.spec->devices.requests, {}, &resource::DeviceRequest::name);
  return out;
}

}  // namespace dray::dra
