#include "controllers/namespaces.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "controllers/work_queue.h"
#include "machinery/codec.h"

namespace dray::controllers {
namespace {

using Conditions = std::vector<core::NamespaceCondition>;
using namespace std::chrono_literals;

/// Where nothing tells that content went (a finalizer of somebody else), it is looked for again.
constexpr Duration kLookAgain = 15s;

void set_condition(Conditions& conditions, std::string type, bool on, std::string reason, std::string message, Time now) {
  auto found = std::ranges::find(conditions, type, &core::NamespaceCondition::type);
  if (found == conditions.end()) {
    found = conditions.insert(conditions.end(), core::NamespaceCondition{});
    found->type = std::move(type);
  }
  const std::string status = on ? "True" : "False";
  if (found->status != status) found->last_transition_time = now;
  found->status = status;
  found->reason = std::move(reason);
  found->message = std::move(message);
}

std::string join(const std::map<std::string, int>& counts, std::string_view verb) {
  std::string out;
  for (const auto& [name, count] : counts) {
    out += fmt::format("{}{} {} {} resource instances", out.empty() ? "" : ", ", name, verb, count);
  }
  return out;
}

class Namespaces final : public NamespaceController {
 public:
  explicit Namespaces(Context context)
      : context_(context),
        cluster_(context.cluster),
        queue_(cluster_.executor(), "namespace", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<core::Namespace>(cluster_, alive_, [this](const core::Namespace*, const core::Namespace* now) {
      if (now && now->metadata.deletion_timestamp) queue_.add(key_of(*now));
    });
  }

  void on_removed(const std::string& namespace_) override {
    if (namespace_.empty()) return;
    const auto space = cluster_.get<core::Namespace>("", namespace_);
    if (space && space->metadata.deletion_timestamp) queue_.add({"", namespace_});
  }

 private:
  Result<> sync(const ObjectKey& key) {
    const auto space = cluster_.get<core::Namespace>("", key.name);
    if (!space || !space->metadata.deletion_timestamp) return {};
    if (std::ranges::find(space->spec.finalizers, "kubernetes") == space->spec.finalizers.end()) return {};
    const Remainder left = empty(key.name);
    TRY(write_conditions(*space, left));
    if (left.resources.empty()) return finalize(key.name);
    queue_.add_after(key, kLookAgain);
    return {};
  }

  /// Deletes what is there, and says what is left of it.
  Remainder empty(const std::string& space) {
    Remainder left;
    for (const auto& kind : cluster_.registry().all()) {
      const bool mine = kind->namespaced && kind->stored && kind->shares_storage_of.empty();
      if (!mine || std::ranges::find(kind->verbs, "delete") == kind->verbs.end()) continue;
      client::Informer& informer = cluster_.informer(*kind->stored);
      for (const ObjectPtr& object : informer.list(space)) {
        if (!object->metadata.deletion_timestamp) remove_one(*object);
      }
      for (const ObjectPtr& object : informer.list(space)) {
        ++left.resources[kind->plural + "." + kind->group];
        for (const std::string& finalizer : object->metadata.finalizers) ++left.finalizers[finalizer];
      }
    }
    return left;
  }

  void remove_one(const Object& object) {
    meta::DeleteOptions how;
    how.propagation_policy = "Background";
    cluster_.remove(*object.type, object.namespace_(), object.name(), how);
  }

  Result<> write_conditions(const core::Namespace& space, const Remainder& left) {
    auto fresh = mutable_copy_as(space);
    fresh->status.conditions = namespace_conditions(space.status.conditions, left, context_.now());
    if (equal(fresh->status, space.status)) return {};
    const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  Result<> finalize(const std::string& name) {
    const auto space = cluster_.get<core::Namespace>("", name);
    if (!space) return {};
    auto fresh = mutable_copy_as(*space);
    std::erase(fresh->spec.finalizers, "kubernetes");
    Answer answer;
    cluster_.finalize(std::move(fresh), answer.done());
    return answer.unless_gone();
  }

  Context context_;
  client::Cluster& cluster_;
  WorkQueue queue_;
  Alive alive_;
};

}  // namespace

Conditions namespace_conditions(const Conditions& old, const Remainder& left, Time now) {
  Conditions out = old;
  set_condition(out, "NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered",
                "All resources successfully discovered", now);
  set_condition(out, "NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
                "All legacy kube types successfully parsed", now);
  set_condition(out, "NamespaceDeletionContentFailure", false, "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization", now);
  if (left.resources.empty()) {
    set_condition(out, "NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed", now);
  } else {
    set_condition(out, "NamespaceContentRemaining", true, "SomeResourcesRemain",
                  "Some resources are remaining: " + join(left.resources, "has"), now);
  }
  if (left.finalizers.empty()) {
    set_condition(out, "NamespaceFinalizersRemaining", false, "ContentHasNoFinalizers",
                  "All content-preserving finalizers finished", now);
  } else {
    set_condition(out, "NamespaceFinalizersRemaining", true, "SomeFinalizersRemain",
                  "Some content in the namespace has finalizers remaining: " + join(left.finalizers, "in"), now);
  }
  return out;
}

std::unique_ptr<NamespaceController> make_namespace_controller(Context context) {
  return std::make_unique<Namespaces>(context);
}

}  // namespace dray::controllers
