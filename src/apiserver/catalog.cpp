#include "apiserver/catalog.h"

#include <algorithm>
#include <mutex>

#include "apiserver/discovery.h"
#include "apiserver/openapi.h"

namespace dray::apiserver {
namespace {

bool is_served(const api::Kind& kind, const api::ServedVersion& version, const RuntimeConfig& config) {
  const std::string name = kind.group.empty() ? version.version : kind.group + "/" + version.version;
  if (const auto exact = config.find(name + "/" + kind.plural); exact != config.end()) return exact->second;
  if (const auto whole = config.find(name); whole != config.end()) return whole->second;
  if (const auto all = config.find("api/all"); all != config.end()) return all->second;
  return version.served_by_default;
}

Group& group_named(std::vector<Group>& groups, const std::string& name) {
  const auto found = std::ranges::find(groups, name, &Group::name);
  return found != groups.end() ? *found : groups.emplace_back(Group{name, {}});
}

GroupVersion& version_named(Group& group, const std::string& name) {
  const auto found = std::ranges::find(group.versions, name, &GroupVersion::version);
  return found != group.versions.end() ? *found : group.versions.emplace_back(GroupVersion{name, {}});
}

/// v2 before v1 before v1beta2 before v1beta1 before v1alpha3: Kubernetes' order of version names.
std::tuple<int, int, int> version_rank(std::string_view version) {
  int major = 0, minor = 0;
  std::size_t at = 1;
  const auto number = [&] {
    int n = 0;
    while (at < version.size() && version[at] >= '0' && version[at] <= '9') n = n * 10 + (version[at++] - '0');
    return n;
  };
  major = number();
  const std::string_view rest = version.substr(std::min(at, version.size()));
  const int stage = rest.empty() ? 0 : rest.starts_with("beta") ? 1 : 2;
  at += stage == 1 ? 4 : stage == 2 ? 5 : 0;
  minor = number();
  return {stage, -major, -minor};
}

}  // namespace

struct Catalog::Lazy {
  std::once_flag discovery_once, open_api_once;
  std::unique_ptr<Discovery> discovery;
  std::unique_ptr<OpenApi> open_api;
};

const api::Subresource* Resource::subresource(std::string_view name) const {
  const auto found = std::ranges::find(kind->subresources, name, &api::Subresource::name);
  return found == kind->subresources.end() ? nullptr : &*found;
}

Catalog::Catalog() : lazy_(std::make_unique<Lazy>()) {}
Catalog::~Catalog() = default;

CatalogPtr Catalog::make(const api::Registry& registry, const RuntimeConfig& config) {
  std::shared_ptr<Catalog> catalog(new Catalog());
  for (const auto& kind : registry.all()) {
    for (const api::ServedVersion& version : kind->versions) {
      if (!is_served(*kind, version, config)) continue;
      version_named(group_named(catalog->groups_, kind->group), version.version).resources.push_back({kind, &version});
    }
  }
  for (Group& group : catalog->groups_) {
    std::ranges::stable_sort(group.versions, {}, [](const GroupVersion& v) { return version_rank(v.version); });
    for (GroupVersion& version : group.versions) {
      std::ranges::stable_sort(version.resources, {}, [](const Resource& r) { return std::string_view(r.kind->plural); });
      for (const Resource& resource : version.resources) {
        catalog->index_[{group.name, version.version, resource.kind->plural}] = &resource;
      }
    }
  }
  return catalog;
}

const Resource* Catalog::find(std::string_view group, std::string_view version, std::string_view plural) const {
  const auto found = index_.find(std::tuple(group, version, plural));
  return found == index_.end() ? nullptr : found->second;
}

const Group* Catalog::group(std::string_view name) const {
  const auto found = std::ranges::find(groups_, name, &Group::name);
  return found == groups_.end() ? nullptr : &*found;
}

const GroupVersion* Catalog::group_version(std::string_view group_name, std::string_view version) const {
  const Group* const in = group(group_name);
  if (!in) return nullptr;
  const auto found = std::ranges::find(in->versions, version, &GroupVersion::version);
  return found == in->versions.end() ? nullptr : &*found;
}

const Discovery& Catalog::discovery() const {
  std::call_once(lazy_->discovery_once, [&] { lazy_->discovery = std::make_unique<Discovery>(*this); });
  return *lazy_->discovery;
}

OpenApi& Catalog::open_api() const {
  std::call_once(lazy_->open_api_once, [&] { lazy_->open_api = std::make_unique<OpenApi>(*this); });
  return *lazy_->open_api;
}

}  // namespace dray::apiserver
