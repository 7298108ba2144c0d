#include "controllers/pod_gc.h"

#include "api/core_v1.h"
#include "controllers/pod_index.h"
#include "controllers/pods.h"
#include "controllers/work_queue.h"
#include "store/pod_conditions.h"

namespace dray::controllers {
namespace {

using namespace std::chrono_literals;
/// A node may be on its way: as long as Kubernetes waits.
constexpr Duration kQuarantine = 40s;

class PodGc final : public Controller {
 public:
  explicit PodGc(Context context)
      : context_(context),
        cluster_(context.cluster),
        nodes_(cluster_.executor(), "pod gc", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<core::Node>(cluster_, alive_, [this](const core::Node*, const core::Node* now) {
      if (!now) return;
      missing_.erase(now->name());
    });
    watch<core::Node>(cluster_, alive_, [this](const core::Node* old, const core::Node* now) {
      if (!now && !context_.pods.on_node(old->name()).empty()) miss(old->name());
    });
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (!*token || !now || now->spec.node_name.empty()) return;
      const bool bound = !old || old->spec.node_name.empty();
      if (bound && !cluster_.get<core::Node>("", now->spec.node_name)) miss(now->spec.node_name);
    });
  }

 private:
  void miss(const std::string& node) {
    missing_.try_emplace(node, cluster_.executor().clock().mono());
    nodes_.add_after({"", node}, kQuarantine);
  }

  Result<> sync(const ObjectKey& key) {
    if (cluster_.get<core::Node>("", key.name)) {
      missing_.erase(key.name);
      return {};
    }
    const auto since = missing_.find(key.name);
    if (since == missing_.end()) return {};
    for (const PodPtr& pod : context_.pods.on_node(key.name)) TRY(remove_pod(*pod));
    missing_.erase(key.name);
    return {};
  }

  Result<> remove_pod(const core::Pod& pod) {
    if (!is_terminal(pod)) {
      auto fresh = mutable_copy_as(pod);
      fresh->status.phase = "Failed";
      store::set_pod_condition(*fresh, {"DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists"},
                               context_.now());
      const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
      if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    }
    meta::DeleteOptions how;
    how.grace_period_seconds = 0;
    how.preconditions.ensure().uid = pod.metadata.uid;
    Answer answer;
    cluster_.remove(core::Pod::kDescriptor, pod.namespace_(), pod.name(), how, answer.done());
    return answer.unless_gone();
  }

  Context context_;
  client::Cluster& cluster_;
  WorkQueue nodes_;
  std::map<std::string, MonoTime> missing_;
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_pod_gc_controller(Context context) { return std::make_unique<PodGc>(context); }

}  // namespace dray::controllers
