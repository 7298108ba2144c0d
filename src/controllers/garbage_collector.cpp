#include "controllers/garbage_collector.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "api/core_v1.h"
#include "controllers/owners.h"
#include "controllers/work_queue.h"

namespace dray::controllers {
namespace {

constexpr const char* kOrphan = "orphan";
constexpr const char* kForeground = "foregroundDeletion";

bool holds(const Object& object, std::string_view finalizer) {
  const auto& all = object.metadata.finalizers;
  return std::ranges::find(all, finalizer) != all.end();
}

bool in_foreground(const Object& object) { return object.metadata.deletion_timestamp && holds(object, kForeground); }

std::string group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : std::string(api_version.substr(0, slash));
}

/// What becomes of an object, from the states of its owners.
struct Verdict {
  bool keep = true;                     // some owner is there and stays
  std::vector<std::string> drop;        // uids of owners to forget
  bool owner_waits = false;             // an owner goes once this one has
};

class GarbageCollector final : public Controller {
 public:
  GarbageCollector(Context context, std::function<void(const Object&)> removed)
      : cluster_(context.cluster),
        removed_(std::move(removed)),
        queue_(cluster_.executor(), "garbage collector", [this](const ObjectKey& key) { return sync(key.name); }) {}

  void start() override {
    for (const auto& kind : cluster_.registry().all()) follow(*kind);
  }

 private:
  /// What is known of an object, or of an owner that only others name.
  struct Node {
    const StructDescriptor* type = nullptr;  // null: not seen
    ObjectKey key;
    std::set<std::string> owners, dependents;  // uids
  };

  void follow(const api::Kind& kind) {
    const bool own = kind.shares_storage_of.empty() && kind.stored && kind.stored != &core::Event::kDescriptor;
    if (!own || std::ranges::find(kind.verbs, "delete") == kind.verbs.end()) return;
    const auto seen = [this, token = alive_.token()](const ObjectPtr& object) {
      if (*token) on_object(*object);
    };
    cluster_.informer(*kind.stored).add_handler({
        seen,
        [seen](const ObjectPtr&, const ObjectPtr& object) { seen(object); },
        [this, token = alive_.token()](const ObjectPtr& last) {
          if (*token) on_removed(*last);
        },
    });
  }

  // ---- the graph

  void on_object(const Object& object) {
    const std::string& uid = object.metadata.uid;
    const bool bare = object.metadata.owner_references.empty() && !object.metadata.deletion_timestamp;
    const auto known = nodes_.find(uid);
    if (bare && known != nodes_.end() && known->second.type && known->second.owners.empty()) return;
    Node& node = nodes_[uid];
    node.type = object.type;
    node.key = key_of(object);
    std::set<std::string> owners;
    for (const meta::OwnerReference& owner : object.metadata.owner_references) owners.insert(owner.uid);
    for (const std::string& gone : node.owners) {
      if (!owners.contains(gone)) unlink(gone, uid);
    }
    for (const std::string& owner : owners) nodes_[owner].dependents.insert(uid);
    const bool changed = owners != nodes_[uid].owners;
    nodes_[uid].owners = std::move(owners);
    if (changed || object.metadata.deletion_timestamp) enqueue(uid);
  }

  void on_removed(const Object& object) {
    removed_(object);
    const auto found = nodes_.find(object.metadata.uid);
    if (found == nodes_.end()) return;
    const Node node = found->second;
    found->second.type = nullptr;
    found->second.owners.clear();
    if (node.dependents.empty()) nodes_.erase(found);
    for (const std::string& dependent : node.dependents) enqueue(dependent);
    for (const std::string& owner : node.owners) {
      unlink(owner, object.metadata.uid);
      enqueue(owner);  // may wait for its last dependent
    }
  }

  void unlink(const std::string& owner, const std::string& dependent) {
    const auto found = nodes_.find(owner);
    if (found == nodes_.end()) return;
    found->second.dependents.erase(dependent);
    if (found->second.dependents.empty() && !found->second.type) nodes_.erase(found);
  }

  void enqueue(const std::string& uid) { queue_.add({"", uid}); }

  ObjectPtr object_of(const std::string& uid) {
    const auto found = nodes_.find(uid);
    if (found == nodes_.end() || !found->second.type) return nullptr;
    ObjectPtr object = cluster_.informer(*found->second.type).get(found->second.key.namespace_, found->second.key.name);
    return object && object->metadata.uid == uid ? object : nullptr;
  }

  std::vector<ObjectPtr> dependents_of(const std::string& uid) {
    std::vector<ObjectPtr> out;
    const auto found = nodes_.find(uid);
    if (found == nodes_.end()) return out;
    for (const std::string& dependent : found->second.dependents) {
      if (ObjectPtr object = object_of(dependent)) out.push_back(std::move(object));
    }
    return out;
  }

  // ---- one object

  Result<> sync(const std::string& uid) {
    const ObjectPtr object = object_of(uid);
    if (!object) return {};
    if (object->metadata.deletion_timestamp) {
      if (holds(*object, kOrphan)) return orphan_dependents(*object);
      if (holds(*object, kForeground)) return wait_for_dependents(*object);
      return {};
    }
    if (object->metadata.owner_references.empty()) return {};
    const Verdict verdict = judge(*object);
    if (!verdict.keep) return collect(*object, verdict.owner_waits);
    return verdict.drop.empty() ? Result<>{} : forget_owners(*object, verdict.drop);
  }

  Verdict judge(const Object& object) {
    Verdict out;
    std::size_t solid = 0;
    for (const meta::OwnerReference& reference : object.metadata.owner_references) {
      bool unknown = false;
      const ObjectPtr owner = owner_of(object, reference, unknown);
      if (unknown) {
        ++solid;
      } else if (!owner) {
        out.drop.push_back(reference.uid);
      } else if (in_foreground(*owner) && reference.block_owner_deletion.value_or(false)) {
        out.drop.push_back(reference.uid);
        out.owner_waits = true;
      } else {
        ++solid;
      }
    }
    out.keep = solid > 0;
    return out;
  }

  /// Null if it is gone; `unknown` if nobody can tell, and then it counts as there.
  ObjectPtr owner_of(const Object& object, const meta::OwnerReference& reference, bool& unknown) {
    const auto kind = cluster_.registry().find_kind(group_of(reference.api_version), reference.kind);
    unknown = !kind || (kind->namespaced && object.namespace_().empty());
    if (unknown) return nullptr;
    ObjectPtr owner = cluster_.informer(*kind->stored).get(kind->namespaced ? object.namespace_() : "", reference.name);
    return owner && owner->metadata.uid == reference.uid ? owner : nullptr;
  }

  Result<> collect(const Object& object, bool owner_waits) {
    meta::DeleteOptions how;
    how.preconditions.ensure().uid = object.metadata.uid;
    how.propagation_policy = "Background";
    if (holds(object, kOrphan)) how.propagation_policy = "Orphan";
    const bool has_dependents = !dependents_of(object.metadata.uid).empty();
    if (holds(object, kForeground) || (owner_waits && has_dependents)) how.propagation_policy = "Foreground";
    Answer answer;
    cluster_.remove(*object.type, object.namespace_(), object.name(), how, answer.done());
    return answer.unless_gone();
  }

  Result<> forget_owners(const Object& object, const std::vector<std::string>& uids) {
    auto fresh = mutable_copy(object);
    std::erase_if(fresh->metadata.owner_references,
                  [&](const meta::OwnerReference& one) { return std::ranges::find(uids, one.uid) != uids.end(); });
    return write(std::move(fresh));
  }

  /// The owner goes when nothing that blocks it is left; each dependent decides for itself meanwhile.
  Result<> wait_for_dependents(const Object& owner) {
    bool blocked = false;
    for (const ObjectPtr& dependent : dependents_of(owner.metadata.uid)) {
      for (const meta::OwnerReference& reference : dependent->metadata.owner_references) {
        if (reference.uid == owner.metadata.uid && reference.block_owner_deletion.value_or(false)) blocked = true;
      }
      enqueue(dependent->metadata.uid);
    }
    return blocked ? Result<>{} : drop_finalizer(owner, kForeground);
  }

  Result<> orphan_dependents(const Object& owner) {
    for (const ObjectPtr& dependent : dependents_of(owner.metadata.uid)) {
      TRY(forget_owners(*dependent, {owner.metadata.uid}));
    }
    return drop_finalizer(owner, kOrphan);
  }

  Result<> drop_finalizer(const Object& object, const char* finalizer) {
    auto fresh = mutable_copy(object);
    std::erase(fresh->metadata.finalizers, finalizer);
    return write(std::move(fresh));
  }

  Result<> write(std::shared_ptr<Object> fresh) {
    const Result<ObjectPtr> done = update(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  client::Cluster& cluster_;
  std::function<void(const Object&)> removed_;
  WorkQueue queue_;
  std::unordered_map<std::string, Node> nodes_;  // by uid
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_garbage_collector(Context context, std::function<void(const Object&)> removed) {
  return std::make_unique<GarbageCollector>(context, std::move(removed));
}

}  // namespace dray::controllers
