/// What is served: every (group, version, resource) with its kind, in discovery's order. An immutable
/// snapshot: the control plane publishes a new one when custom resources come and go.
/// Thread: any.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/kind.h"

namespace dray::apiserver {

class Discovery;
class OpenApi;

/// "resource.k8s.io/v1beta1=true" of --runtime-config: versions switched on or off.
using RuntimeConfig = std::map<std::string, bool, std::less<>>;

/// A kind in one version.
struct Resource {
  std::shared_ptr<const api::Kind> kind;
  const api::ServedVersion* version = nullptr;

  [[nodiscard]] std::string group_version() const {
    return kind->group.empty() ? version->version : kind->group + "/" + version->version;
  }
  [[nodiscard]] bool is_stored_version() const { return version->from_stored == nullptr; }
  [[nodiscard]] const api::Subresource* subresource(std::string_view name) const;
};

struct GroupVersion {
  std::string version;
  std::vector<Resource> resources;  // by plural
};

struct Group {
  std::string name;
  std::vector<GroupVersion> versions;  // in order of preference
};

class Catalog {
 public:
  [[nodiscard]] static std::shared_ptr<const Catalog> make(const api::Registry& registry, const RuntimeConfig& config);
  ~Catalog();

  /// Null if nothing is served there.
  [[nodiscard]] const Resource* find(std::string_view group, std::string_view version, std::string_view plural) const;
  [[nodiscard]] const Group* group(std::string_view name) const;
  [[nodiscard]] const GroupVersion* group_version(std::string_view group, std::string_view version) const;
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  /// Made on first use.
  [[nodiscard]] const Discovery& discovery() const;
  [[nodiscard]] OpenApi& open_api() const;

 private:
  Catalog();
  std::vector<Group> groups_;
  std::map<std::tuple<std::string, std::string, std::string>, const Resource*, std::less<>> index_;
  struct Lazy;
  std::unique_ptr<Lazy> lazy_;
};
using CatalogPtr = std::shared_ptr<const Catalog>;

}  // namespace dray::apiserver
