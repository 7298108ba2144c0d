#include "controllers/resource_claim.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "controllers/owners.h"
#include "controllers/pod_claims.h"
#include "controllers/pod_index.h"
#include "controllers/work_queue.h"

namespace dray::controllers {
namespace {

using Claim = resource::ResourceClaim;
using ClaimPtr = std::shared_ptr<const Claim>;
using Template = resource::ResourceClaimTemplate;
using Names = std::set<std::string>;

constexpr const char* kPodClaimAnnotation = "resource.kubernetes.io/pod-claim-name";
constexpr const char* kFinalizer = "resource.kubernetes.io/delete-protection";
/// The API's limit on reservedFor.
constexpr std::size_t kConsumersMax = 256;

bool has_finalizer(const Claim& claim) {
  return std::ranges::find(claim.metadata.finalizers, kFinalizer) != claim.metadata.finalizers.end();
}

std::string group_of(const ObjectKey& key) { return key.namespace_ + "/" + key.name; }

class ResourceClaimController final : public Controller {
 public:
  explicit ResourceClaimController(Context context)
      : context_(context),
        cluster_(context.cluster),
        pods_(cluster_.executor(), "resourceclaim pods", [this](const ObjectKey& key) { return sync_pod(key); }),
        claims_(cluster_.executor(), "resourceclaims", [this](const ObjectKey& key) { return sync_claim(key); }) {}

  void start() override {
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (*token) on_pod(old, now);
    });
    watch<Claim>(cluster_, alive_, [this](const Claim* old, const Claim* now) { on_claim(old, now); });
    watch<Template>(cluster_, alive_, [this](const Template*, const Template* now) {
      if (now) enqueue_pods(pods_of_template_, key_of(*now));
    });
  }

 private:
  using PodsOf = std::unordered_map<std::string, std::set<ObjectKey>>;

  // ---- what changed

  void on_pod(const core::Pod* old, const core::Pod* now) {
    if (old) index(*old, false);
    if (now) index(*now, true);
    const core::Pod& pod = now ? *now : *old;
    if (!has_claims(pod)) return;
    if (!now || is_done(*now)) {
      for (const std::string& name : claim_names(pod)) claims_.add({pod.namespace_(), name});
    }
    if (now && !now->metadata.deletion_timestamp && needs_work(*now)) pods_.add(key_of(*now));
  }

  void on_claim(const Claim* old, const Claim* now) {
    const Claim& claim = now ? *now : *old;
    if (const auto* owner = controller_of(claim); owner && owner->kind == "Pod") {
      if (now) {
        claims_of_pod_[owner->uid].insert(claim.name());
      } else if (const auto known = claims_of_pod_.find(owner->uid); known != claims_of_pod_.end()) {
        known->second.erase(claim.name());
        if (known->second.empty()) claims_of_pod_.erase(known);
      }
    }
    if (now) claims_.add(key_of(claim));
    // A claim that went is made again; one that is allocated may wait for its reservation.
    if (!now || now->status.allocation) enqueue_pods(pods_of_claim_, key_of(claim));
  }

  void index(const core::Pod& pod, bool present) {
    const auto put = [&](PodsOf& groups, const std::string& name) {
      const std::string group = pod.namespace_() + "/" + name;
      if (present) {
        groups[group].insert(key_of(pod));
      } else if (const auto known = groups.find(group); known != groups.end()) {
        known->second.erase(key_of(pod));
        if (known->second.empty()) groups.erase(known);
      }
    };
    for (const std::string& name : claim_names(pod)) put(pods_of_claim_, name);
    for (const core::PodResourceClaim& entry : pod.spec.resource_claims) {
      if (entry.resource_claim_template_name) put(pods_of_template_, *entry.resource_claim_template_name);
    }
  }

  void enqueue_pods(const PodsOf& groups, const ObjectKey& key) {
    const auto known = groups.find(group_of(key));
    if (known == groups.end()) return;
    for (const ObjectKey& pod : known->second) {
      const auto object = cluster_.get<core::Pod>(pod.namespace_, pod.name);
      if (object && !object->metadata.deletion_timestamp && needs_work(*object)) pods_.add(pod);
    }
  }

  ClaimPtr claim_at(const std::string& space, const std::string& name) { return cluster_.get<Claim>(space, name); }

  /// A pod that is done needs no claims: made again, they would be deleted again, for ever.
  bool needs_work(const core::Pod& pod) {
    if (is_done(pod)) return false;
    for (const core::PodResourceClaim& entry : pod.spec.resource_claims) {
      const ClaimName name = claim_name(pod, entry);
      if (name.state == ClaimName::State::kNotNeeded) continue;
      if (name.state == ClaimName::State::kUnknown) return true;
      const ClaimPtr claim = claim_at(pod.namespace_(), name.name);
      if (!claim) {
        if (entry.resource_claim_template_name) return true;
      } else if (needs_reservation(pod, *claim, name)) {
        return true;
      }
    }
    return false;
  }

  static bool needs_reservation(const core::Pod& pod, const Claim& claim, const ClaimName& name) {
    if (pod.spec.node_name.empty() || is_done(pod) || !claim.status.allocation) return false;
    if (name.generated && !is_owned_by(claim, pod)) return false;
    return !is_reserved_for(claim, pod) && claim.status.reserved_for.size() < kConsumersMax;
  }

  // ---- pods: claims from templates, reservations of pods that nobody scheduled

  Result<> sync_pod(const ObjectKey& key) {
    auto pod = cluster_.get<core::Pod>(key.namespace_, key.name);
    if (!pod || pod->metadata.deletion_timestamp || is_done(*pod)) return {};
    std::map<std::string, std::string> made;
    for (const core::PodResourceClaim& entry : pod->spec.resource_claims) {
      if (const Result<> done = ensure_claim(*pod, entry, made); !done) {
        cluster_.record(*pod, {"Warning", "FailedResourceClaimCreation",
                               fmt::format("PodResourceClaim {}: {}", entry.name, done.error().message),
                               "resource_claim", ""});
        return done;
      }
    }
    if (!made.empty()) TRY(write_statuses(*pod, std::move(made)));
    pod = cluster_.get<core::Pod>(key.namespace_, key.name);
    return pod ? reserve_all(*pod) : Result<>{};
  }

  Result<> ensure_claim(const core::Pod& pod, const core::PodResourceClaim& entry, std::map<std::string, std::string>& made) {
    const ClaimName name = claim_name(pod, entry);
    if (name.state == ClaimName::State::kNotNeeded || !entry.resource_claim_template_name) return {};
    if (name.state == ClaimName::State::kKnown) {
      const ClaimPtr claim = claim_at(pod.namespace_(), name.name);
      if (claim && is_owned_by(*claim, pod)) return {};
    }
    if (const ClaimPtr orphaned = find_made(pod, entry.name)) {
      made[entry.name] = orphaned->name();
      return {};
    }
    const std::string& from = *entry.resource_claim_template_name;
    const auto claim_template = cluster_.get<Template>(pod.namespace_(), from);
    if (!claim_template) {
      return fail(Code::kNotFound,
                  fmt::format("resource claim template \"{0}\": resourceclaimtemplate.resource.k8s.io \"{0}\" not found", from));
    }
    Result<ObjectPtr> created = create(cluster_, claim_from(*claim_template, pod, entry.name));
    if (!created) return fail(created.error().code, fmt::format("create ResourceClaim : {}", created.error().message));
    if (!*created) return {};
    claims_of_pod_[pod.metadata.uid].insert((*created)->name());
    made[entry.name] = (*created)->name();
    return {};
  }

  /// One that was made before, but not written down in the pod.
  ClaimPtr find_made(const core::Pod& pod, const std::string& entry) {
    const auto known = claims_of_pod_.find(pod.metadata.uid);
    if (known == claims_of_pod_.end()) return nullptr;
    for (const std::string& name : known->second) {
      const ClaimPtr claim = claim_at(pod.namespace_(), name);
      if (!claim || !is_owned_by(*claim, pod)) continue;
      const auto annotation = claim->metadata.annotations.find(kPodClaimAnnotation);
      if (annotation != claim->metadata.annotations.end() && annotation->second == entry) return claim;
    }
    return nullptr;
  }

  static std::shared_ptr<Claim> claim_from(const Template& from, const core::Pod& pod, const std::string& entry) {
    auto claim = std::make_shared<Claim>();
    claim->metadata.namespace_ = pod.namespace_();
    claim->metadata.generate_name = generate_claim_name(pod.name(), entry);
    claim->metadata.labels = from.spec.metadata.labels;
    claim->metadata.annotations = from.spec.metadata.annotations;
    claim->metadata.annotations[kPodClaimAnnotation] = entry;
    meta::OwnerReference owner = controller_reference(pod);
    owner.block_owner_deletion.reset();
    claim->metadata.owner_references.push_back(std::move(owner));
    claim->spec = from.spec.spec;
    return claim;
  }

  Result<> write_statuses(const core::Pod& pod, std::map<std::string, std::string> names) {
    for (const auto& status : pod.status.resource_claim_statuses) {
      if (status.resource_claim_name) names.try_emplace(status.name, *status.resource_claim_name);
    }
    auto fresh = mutable_copy_as(pod);
    fresh->status.resource_claim_statuses.clear();
    for (const auto& [entry, name] : names) {
      core::PodResourceClaimStatus& status = fresh->status.resource_claim_statuses.emplace_back();
      status.name = entry;
      status.resource_claim_name = name;
    }
    TRY(update_status(cluster_, std::move(fresh)));
    return {};
  }

  Result<> reserve_all(const core::Pod& pod) {
    for (const core::PodResourceClaim& entry : pod.spec.resource_claims) {
      const ClaimName name = claim_name(pod, entry);
      if (name.state != ClaimName::State::kKnown) continue;
      const ClaimPtr claim = claim_at(pod.namespace_(), name.name);
      if (!claim || !needs_reservation(pod, *claim, name)) continue;
      auto fresh = mutable_copy_as(*claim);
      auto& consumer = fresh->status.reserved_for.emplace_back();
      consumer.resource = "pods";
      consumer.name = pod.name();
      consumer.uid = pod.metadata.uid;
      TRY(update_status(cluster_, std::move(fresh)));
    }
    return {};
  }

  // ---- claims: who still uses them

  bool is_consumer_left(const std::string& space, const resource::ResourceClaimConsumerReference& consumer) {
    if (!consumer.api_group.empty() || consumer.resource != "pods") return true;
    const auto pod = cluster_.get<core::Pod>(space, consumer.name);
    return pod && pod->metadata.uid == consumer.uid && !is_done(*pod);
  }

  /// Whether the claim was made for a pod that was replaced or will not run.
  bool is_owner_done(const Claim& claim) {
    const meta::OwnerReference* const owner = controller_of(claim);
    if (!owner || owner->kind != "Pod" || owner->api_version != "v1") return false;
    const auto pod = cluster_.get<core::Pod>(claim.namespace_(), owner->name);
    return pod && (pod->metadata.uid != owner->uid || is_done(*pod));
  }

  Result<> sync_claim(const ObjectKey& key) {
    ClaimPtr claim = claim_at(key.namespace_, key.name);
    if (!claim) return {};
    std::vector<resource::ResourceClaimConsumerReference> remaining = claim->status.reserved_for;
    std::erase_if(remaining, [&](const auto& consumer) { return !is_consumer_left(key.namespace_, consumer); });
    const ClaimPlan plan = plan_claim(*claim, remaining.size(), is_owner_done(*claim));
    if (plan.release || plan.deallocate) {
      auto fresh = mutable_copy_as(*claim);
      fresh->status.reserved_for = std::move(remaining);
      if (plan.deallocate) fresh->status.allocation.reset();
      TRY(update_status(cluster_, std::move(fresh)));
      claim = claim_at(key.namespace_, key.name);
    }
    if (plan.drop_finalizer && claim && has_finalizer(*claim)) {
      auto fresh = mutable_copy_as(*claim);
      std::erase(fresh->metadata.finalizers, kFinalizer);
      TRY(update(cluster_, std::move(fresh)));
      claim = claim_at(key.namespace_, key.name);
    }
    if (plan.remove && claim && !claim->metadata.deletion_timestamp) TRY(remove(cluster_, *claim));
    return {};
  }

  Context context_;
  client::Cluster& cluster_;
  WorkQueue pods_, claims_;
  PodsOf pods_of_claim_, pods_of_template_;               // by "namespace/name"
  std::unordered_map<std::string, Names> claims_of_pod_;  // generated ones, by the pod's uid
  Alive alive_;
};

}  // namespace

ClaimPlan plan_claim(const Claim& claim, std::size_t remaining, bool owner_done) {
  ClaimPlan plan;
  plan.release = remaining < claim.status.reserved_for.size();
  const bool ours = has_finalizer(claim);
  const bool unused = remaining == 0;
  // A claim that is allocated but was never reserved stays: only the end of its use frees it.
  if (ours && unused && (plan.release || claim.metadata.deletion_timestamp)) {
    plan.deallocate = static_cast<bool>(claim.status.allocation);
    plan.drop_finalizer = true;
  }
  plan.remove = unused && owner_done;
  return plan;
}

std::unique_ptr<Controller> make_resource_claim_controller(Context context) {
  return std::make_unique<ResourceClaimController>(context);
}

}  // namespace dray::controllers
