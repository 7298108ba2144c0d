#include "controllers/stateful_set.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "api/apps_v1.h"
#include "api/core_v1.h"
#include "controllers/owners.h"
#include "controllers/pod_writer.h"
#include "controllers/pods.h"
#include "controllers/revisions.h"
#include "controllers/work_queue.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::controllers {
namespace {

constexpr const char* kHashLabel = "controller-revision-hash";  // here its value is the revision's name
constexpr const char* kPodName = "statefulset.kubernetes.io/pod-name";
constexpr const char* kPodIndex = "apps.kubernetes.io/pod-index";
constexpr const char* kComponent = "statefulset-controller";

/// -1 if the pod is not one of the set's.
std::int32_t ordinal_of(const core::Pod& pod, const apps::StatefulSet& set) {
  const std::string& name = pod.name();
  const std::size_t base = set.name().size() + 1;
  if (name.size() <= base || !name.starts_with(set.name() + "-")) return -1;
  std::int32_t out = -1;
  const auto [end, error] = std::from_chars(name.data() + base, name.data() + name.size(), out);
  return error == std::errc{} && end == name.data() + name.size() ? out : -1;
}

std::string revision_of(const core::Pod& pod) {
  const auto found = pod.metadata.labels.find(kHashLabel);
  return found == pod.metadata.labels.end() ? "" : found->second;
}

std::int32_t first_ordinal(const apps::StatefulSet& set) { return set.spec.ordinals ? set.spec.ordinals->start : 0; }

class StatefulSetController final : public Controller {
 public:
  explicit StatefulSetController(Context context)
      : context_(context),
        cluster_(context.cluster),
        writer_(context, kComponent),
        queue_(cluster_.executor(), "statefulset", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<apps::StatefulSet>(cluster_, alive_, [this](const apps::StatefulSet*, const apps::StatefulSet* now) {
      if (now) queue_.add(key_of(*now));
    });
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (!*token) return;
      const core::Pod& pod = now ? *now : *old;
      const auto* owner = controller_of(pod);
      if (owner && owner->kind == "StatefulSet") queue_.add({pod.namespace_(), owner->name});
    });
  }

 private:
  using ByOrdinal = std::map<std::int32_t, PodPtr>;

  Result<> sync(const ObjectKey& key) {
    const auto set = cluster_.get<apps::StatefulSet>(key.namespace_, key.name);
    if (!set || !set->spec.selector) return {};
    const auto selector = LabelSelector::from(*set->spec.selector);
    if (!selector) return {};
    TRY_ASSIGN(const Revision update, ensure_revision(cluster_, *set, set->spec.template_));
    const std::string current = set->status.current_revision.empty() ? update.name : set->status.current_revision;
    TRY_ASSIGN(const std::vector<PodPtr> pods, writer_.claim(*set, *selector));
    std::optional<Error> failure;
    if (!set->metadata.deletion_timestamp) {
      if (const Result<> done = act(*set, pods, update.name, current); !done) failure = done.error();
    }
    TRY(write_status(*set, update.name, current));
    if (failure && !is_terminating(*failure)) return fail(*failure);
    return {};
  }

  /// One step: whatever has to wait for another pod is done when that pod changes.
  Result<> act(const apps::StatefulSet& set, const std::vector<PodPtr>& pods, const std::string& update, const std::string& current) {
    const std::int32_t first = first_ordinal(set), end = first + set.spec.replicas.value_or(1);
    const bool parallel = set.spec.pod_management_policy == "Parallel";
    ByOrdinal wanted, surplus;
    for (const PodPtr& pod : pods) {
      const std::int32_t ordinal = ordinal_of(*pod, set);
      if (ordinal < 0) continue;
      (ordinal >= first && ordinal < end ? wanted : surplus)[ordinal] = pod;
    }
    for (std::int32_t ordinal = first; ordinal < end; ++ordinal) {
      TRY_ASSIGN(const bool settled, tend(set, ordinal, wanted[ordinal], update, current));
      if (!settled && !parallel) return {};
    }
    for (auto it = surplus.rbegin(); it != surplus.rend(); ++it) {
      const bool going = it->second->metadata.deletion_timestamp.has_value();
      if (!going) TRY(writer_.remove(*it->second, set));
      if (!parallel) return {};
    }
    return roll(set, wanted, update);
  }

  /// Whether the pod of that ordinal is there and available.
  Result<bool> tend(const apps::StatefulSet& set, std::int32_t ordinal, const PodPtr& pod, const std::string& update,
                    const std::string& current) {
    if (!pod) {
      const bool fresh = ordinal >= partition_of(set) || update == current;
      TRY(make(set, ordinal, fresh ? update : current));
      return false;
    }
    if (is_terminal(*pod) && !pod->metadata.deletion_timestamp) {
      cluster_.record(set, {"Warning", "RecreatingTerminatedPod",
                            fmt::format("StatefulSet {}/{} is recreating terminated Pod {}", set.namespace_(), set.name(), pod->name()),
                            kComponent, ""});
      TRY(writer_.remove(*pod, set));
      return false;
    }
    if (pod->metadata.deletion_timestamp) return false;
    Time next;
    const bool available = is_available(*pod, set.spec.min_ready_seconds, context_.now(), &next);
    if (!next.is_zero()) queue_.add_after(key_of(set), next.wall() - context_.wall());
    return available;
  }

  static std::int32_t partition_of(const apps::StatefulSet& set) {
    const auto* const rolling = set.spec.update_strategy.rolling_update.get();
    return rolling ? rolling->partition.value_or(0) : 0;
  }

  Result<> make(const apps::StatefulSet& set, std::int32_t ordinal, const std::string& revision) {
    TRY_ASSIGN(core::PodTemplateSpec pod_template, template_of(set, revision));
    auto pod = pod_from(pod_template, set);
    const std::string number = std::to_string(ordinal);
    pod->metadata.generate_name = set.name() + "-";
    pod->metadata.name = set.name() + "-" + number;
    pod->metadata.labels[kPodName] = pod->metadata.name;
    pod->metadata.labels[kPodIndex] = number;
    pod->metadata.labels[kHashLabel] = revision;
    pod->spec.hostname = pod->metadata.name;
    pod->spec.subdomain = set.spec.service_name;
    TRY(make_volumes(set, *pod));
    const std::string name = pod->metadata.name;
    Result<ObjectPtr> made = create(cluster_, std::move(pod));
    if (!made) {
      record(set, false, fmt::format("create Pod {} in StatefulSet {} failed error: {}", name, set.name(), made.error().message));
      return fail(made.error());
    }
    context_.pods.observe(*made);
    record(set, true, fmt::format("create Pod {} in StatefulSet {} successful", name, set.name()));
    return {};
  }

  void record(const apps::StatefulSet& set, bool worked, std::string message) {
    cluster_.record(set, {worked ? "Normal" : "Warning", worked ? "SuccessfulCreate" : "FailedCreate", std::move(message), kComponent, ""});
  }

  /// The template of an earlier revision is in its ControllerRevision.
  Result<core::PodTemplateSpec> template_of(const apps::StatefulSet& set, const std::string& revision) {
    const auto stored = cluster_.get<apps::ControllerRevision>(set.namespace_(), revision);
    const Value* const spec = stored ? stored->data.value.find("spec") : nullptr;
    const Value* const found = spec ? spec->find("template") : nullptr;
    if (!found) return set.spec.template_;
    return decode_as<core::PodTemplateSpec>(*found);
  }

  Result<> make_volumes(const apps::StatefulSet& set, core::Pod& pod) {
    for (const core::PersistentVolumeClaim& from : set.spec.volume_claim_templates) {
      const std::string name = from.name() + "-" + pod.name();
      std::erase_if(pod.spec.volumes, [&](const core::Volume& volume) { return volume.name == from.name(); });
      core::Volume& volume = pod.spec.volumes.emplace_back();
      volume.name = from.name();
      volume.volume_source.persistent_volume_claim.ensure().claim_name = name;
      if (cluster_.get<core::PersistentVolumeClaim>(set.namespace_(), name)) continue;
      auto claim = std::make_shared<core::PersistentVolumeClaim>(from);
      claim->metadata.namespace_ = set.namespace_();
      claim->metadata.name = name;
      claim->status = {};
      if (set.spec.selector) {
        for (const auto& [key, value] : set.spec.selector->match_labels) claim->metadata.labels[key] = value;
      }
      const Result<ObjectPtr> made = create(cluster_, std::move(claim));
      if (!made && made.error().code != Code::kAlreadyExists) return fail(made.error());
    }
    return {};
  }

  /// All pods are there and available: the highest one that is old is replaced.
  Result<> roll(const apps::StatefulSet& set, const ByOrdinal& pods, const std::string& update) {
    if (set.spec.update_strategy.type == "OnDelete") return {};
    for (auto it = pods.rbegin(); it != pods.rend(); ++it) {
      const auto& [ordinal, pod] = *it;
      if (ordinal < partition_of(set)) break;
      if (!pod || pod->metadata.deletion_timestamp) return {};
      if (revision_of(*pod) != update) return writer_.remove(*pod, set);
      if (!is_available(*pod, set.spec.min_ready_seconds, context_.now())) return {};
    }
    return {};
  }

  Result<> write_status(const apps::StatefulSet& set, const std::string& update, const std::string& current) {
    apps::StatefulSetStatus status;
    status.observed_generation = set.metadata.generation;
    status.collision_count = set.status.collision_count.value_or(0);
    status.conditions = set.status.conditions;
    status.update_revision = update;
    status.current_revision = current;
    for (const PodPtr& pod : context_.pods.of_controller(set.metadata.uid)) {
      if (ordinal_of(*pod, set) < 0) continue;
      ++status.replicas;
      if (is_ready(*pod)) ++status.ready_replicas;
      if (is_available(*pod, set.spec.min_ready_seconds, context_.now())) ++status.available_replicas;
      if (pod->metadata.deletion_timestamp) continue;
      if (revision_of(*pod) == update) ++status.updated_replicas;
      if (revision_of(*pod) == current) ++status.current_replicas;
    }
    const std::int32_t want = set.spec.replicas.value_or(1);
    if (status.updated_replicas == want && status.ready_replicas == want && status.replicas == want) {
      status.current_revision = update;
      status.current_replicas = status.updated_replicas;
    }
    if (equal(status, set.status)) return {};
    auto fresh = mutable_copy_as(set);
    fresh->status = std::move(status);
    const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  Context context_;
  client::Cluster& cluster_;
  PodWriter writer_;
  WorkQueue queue_;
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_stateful_set_controller(Context context) {
  return std::make_unique<StatefulSetController>(context);
}

}  // namespace dray::controllers
