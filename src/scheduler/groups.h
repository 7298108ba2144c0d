/// PodGroups: which pods belong together, which of them wait and which have a node. A group waits in the
/// queue as one entity, and its members are tried together.
///
/// Absent: composite groups (their members are tried group by group).
///
/// Source: scheduler/backend/queue, plugins/gangscheduling. Confined to the executor's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/queue.h"

namespace dray::scheduling_v1beta1 {
struct PodGroup;
}

namespace dray::scheduler {

using GroupPtr = std::shared_ptr<const scheduling_v1beta1::PodGroup>;

struct Group {
  GroupPtr object;                               // null: not seen yet
  std::map<std::string, QueuedPodPtr> waiting;   // by uid
  std::set<std::string> placed;                  // uids of members with a node, also assumed ones
};

/// "namespace/name" of the pod's group; empty if it has none.
[[nodiscard]] std::string group_key(const core::Pod& pod);
/// 1 for basic groups.
[[nodiscard]] int min_count(const scheduling_v1beta1::PodGroup& group);
[[nodiscard]] std::int32_t priority_of(const scheduling_v1beta1::PodGroup& group);
[[nodiscard]] bool disrupts_all(const scheduling_v1beta1::PodGroup& group);

class Groups {
 public:
  Groups(const Clock& clock, Queue& queue, placement::ScalarNames& scalars)
      : clock_(clock), queue_(queue), scalars_(scalars) {}

  void changed(GroupPtr group);
  void removed(const GroupPtr& group);
  void member_waits(placement::PodInfoPtr pod);
  void member_placed(const core::Pod& pod);
  void member_gone(const core::Pod& pod);
  /// Claims changed: what holds a member back may be over.
  void recheck_gates();

  [[nodiscard]] const Group* find(const std::string& key) const;
  [[nodiscard]] Group* find(const std::string& key);
  /// Of an entity in the queue.
  [[nodiscard]] Group* of(const QueuedPod& entity) { return find(entity.group); }
  [[nodiscard]] GroupPtr object_of(const core::Pod& pod) const;
  /// The group's priority for its members, their own for other pods.
  [[nodiscard]] std::int32_t priority_of_unit(const placement::PodInfo& pod) const;
  /// Members in the order in which they are tried.
  [[nodiscard]] static std::vector<QueuedPodPtr> in_order(const Group& group);

 private:
  void refresh(const std::string& key);

  const Clock& clock_;
  Queue& queue_;
  placement::ScalarNames& scalars_;
  std::unordered_map<std::string, Group> groups_;
  std::uint64_t next_order_ = 0;
};

}  // namespace dray::scheduler
