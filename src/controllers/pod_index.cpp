#include "controllers/pod_index.h"

#include "api/core_v1.h"
#include "controllers/owners.h"

namespace dray::controllers {
namespace {

std::vector<PodPtr> values(const std::unordered_map<std::string, std::map<ObjectKey, PodPtr>>& groups,
                           const std::string& group) {
  std::vector<PodPtr> out;
  const auto found = groups.find(group);
  if (found == groups.end()) return out;
  out.reserve(found->second.size());
  for (const auto& [key, pod] : found->second) out.push_back(pod);
  return out;
}

std::uint64_t version_of(const core::Pod& pod) {
  return pod.metadata.resource_version.empty() ? 0 : std::stoull(pod.metadata.resource_version);
}

}  // namespace

PodIndex::PodIndex(client::Cluster& cluster) : cluster_(cluster) {}

void PodIndex::subscribe(std::function<void(const core::Pod* old, const core::Pod* now)> change) {
  subscribers_.push_back(std::move(change));
}

void PodIndex::start() {
  const auto tell = [this, token = alive_.token()](const ObjectPtr& old, const ObjectPtr& now) {
    if (!*token) return;
    if (now) {
      observe(now);
    } else {
      forget(static_cast<const core::Pod&>(*old));
    }
    for (const auto& change : subscribers_) {
      change(static_cast<const core::Pod*>(old.get()), static_cast<const core::Pod*>(now.get()));
    }
  };
  cluster_.informer<core::Pod>().add_handler({
      [tell](const ObjectPtr& object) { tell(nullptr, object); },
      [tell](const ObjectPtr& old, const ObjectPtr& object) { tell(old, object); },
      [tell](const ObjectPtr& last) { tell(last, nullptr); },
  });
}

std::vector<PodPtr> PodIndex::of_controller(const std::string& uid) const { return values(by_controller_, uid); }
std::vector<PodPtr> PodIndex::on_node(const std::string& node) const { return values(by_node_, node); }
std::vector<PodPtr> PodIndex::orphans(const std::string& namespace_) const { return values(orphans_, namespace_); }

void PodIndex::observe(const ObjectPtr& object) {
  const PodPtr pod = as<core::Pod>(object);
  if (!pod) return;
  const ObjectKey key = key_of(*pod);
  if (const auto known = pods_.find(key); known != pods_.end()) {
    if (known->second->metadata.uid == pod->metadata.uid && version_of(*known->second) >= version_of(*pod)) return;
    drop(key);
  }
  put(pod);
}

void PodIndex::forget(const core::Pod& pod) {
  const ObjectKey key = key_of(pod);
  const auto known = pods_.find(key);
  if (known != pods_.end() && known->second->metadata.uid == pod.metadata.uid) drop(key);
}

void PodIndex::put(const PodPtr& pod) {
  const ObjectKey key = key_of(*pod);
  pods_[key] = pod;
  if (const auto* owner = controller_of(*pod)) {
    by_controller_[owner->uid][key] = pod;
  } else {
    orphans_[pod->namespace_()][key] = pod;
  }
  if (!pod->spec.node_name.empty()) by_node_[pod->spec.node_name][key] = pod;
}

void PodIndex::drop(const ObjectKey& key) {
  const auto found = pods_.find(key);
  const PodPtr pod = found->second;
  pods_.erase(found);
  if (const auto* owner = controller_of(*pod)) {
    leave(by_controller_, owner->uid, key);
  } else {
    leave(orphans_, pod->namespace_(), key);
  }
  if (!pod->spec.node_name.empty()) leave(by_node_, pod->spec.node_name, key);
}

void PodIndex::leave(std::unordered_map<std::string, Group>& groups, const std::string& group, const ObjectKey& key) {
  const auto found = groups.find(group);
  if (found == groups.end()) return;
  found->second.erase(key);
  if (found->second.empty()) groups.erase(found);
}

}  // namespace dray::controllers
