#include "controllers/default_objects.h"

#include "api/core_v1.h"
#include "api/scheduling_v1.h"
#include "controllers/work_queue.h"

namespace dray::controllers {
namespace {

constexpr const char* kRootCa = "kube-root-ca.crt";
constexpr const char* kRootCaNote =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters.";

struct SystemPriority {
  const char* name;
  std::int32_t value;
  const char* description;
};
constexpr SystemPriority kPriorities[] = {
    {"system-cluster-critical", 2'000'000'000,
     "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."},
    {"system-node-critical", 2'000'001'000,
     "Used for system critical pods that must not be moved from their current node."},
};

class DefaultObjects final : public Controller {
 public:
  DefaultObjects(Context context, std::string root_ca)
      : cluster_(context.cluster),
        root_ca_(std::move(root_ca)),
        queue_(cluster_.executor(), "default objects", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) make_namespace(name);
    for (const SystemPriority& priority : kPriorities) make_priority(priority);
    watch<core::Namespace>(cluster_, alive_, [this](const core::Namespace*, const core::Namespace* now) {
      if (now && now->status.phase != "Terminating") queue_.add(key_of(*now));
    });
    watch<core::ServiceAccount>(cluster_, alive_, [this](const core::ServiceAccount* old, const core::ServiceAccount* now) {
      if (!now && old->name() == "default") queue_.add({"", old->namespace_()});
    });
    watch<core::ConfigMap>(cluster_, alive_, [this](const core::ConfigMap* old, const core::ConfigMap* now) {
      const core::ConfigMap& map = now ? *now : *old;
      if (map.name() == kRootCa && (old || !now)) queue_.add({"", map.namespace_()});
    });
  }

 private:
  void make_namespace(const std::string& name) {
    if (cluster_.get<core::Namespace>("", name)) return;
    auto space = std::make_shared<core::Namespace>();
    space->metadata.name = name;
    cluster_.create(std::move(space));
  }

  void make_priority(const SystemPriority& priority) {
    if (cluster_.get<scheduling::PriorityClass>("", priority.name)) return;
    auto object = std::make_shared<scheduling::PriorityClass>();
    object->metadata.name = priority.name;
    object->value = priority.value;
    object->description = priority.description;
    cluster_.create(std::move(object));
  }

  Result<> sync(const ObjectKey& key) {
    const auto space = cluster_.get<core::Namespace>("", key.name);
    if (!space || space->status.phase == "Terminating") return {};
    if (!cluster_.get<core::ServiceAccount>(key.name, "default")) {
      auto account = std::make_shared<core::ServiceAccount>();
      account->metadata.namespace_ = key.name;
      account->metadata.name = "default";
      const Result<ObjectPtr> made = create(cluster_, std::move(account));
      if (!made && made.error().code != Code::kAlreadyExists) return fail(made.error());
    }
    return root_ca_.empty() ? Result<>{} : publish(key.name);
  }

  Result<> publish(const std::string& space) {
    const auto there = cluster_.get<core::ConfigMap>(space, kRootCa);
    auto fresh = there ? mutable_copy_as(*there) : std::make_shared<core::ConfigMap>();
    fresh->metadata.namespace_ = space;
    fresh->metadata.name = kRootCa;
    fresh->metadata.annotations["kubernetes.io/description"] = kRootCaNote;
    fresh->data = {{"ca.crt", root_ca_}};
    const Result<ObjectPtr> done = there ? update(cluster_, std::move(fresh)) : create(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kAlreadyExists) return fail(done.error());
    return {};
  }

  client::Cluster& cluster_;
  const std::string root_ca_;
  WorkQueue queue_;
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_default_objects_controller(Context context, std::string root_ca) {
  return std::make_unique<DefaultObjects>(context, std::move(root_ca));
}

}  // namespace dray::controllers
