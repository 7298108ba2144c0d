#include "placement/volumes.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/core_v1.h"
#include "api/storage_v1.h"
#include "machinery/quantity.h"

namespace dray::placement {
namespace {

constexpr std::string_view kZoneKeys[] = {
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"};

Verdict refuse(Plugin plugin, std::string text) {
  return Verdict::no(Code::kUnresolvable, plugin, ReasonKind::kText, std::move(text));
}

bool reaches(const core::PersistentVolume& volume, const core::Node& node) {
  const auto& affinity = volume.spec.node_affinity;
  return !affinity || !affinity->required || matches(*affinity->required, node);
}

const Quantity* storage_of(const ResourceList& list) {
  const auto at = list.find("storage");
  return at == list.end() ? nullptr : &at->second;
}

bool fits(const core::PersistentVolume& volume, const core::PersistentVolumeClaim& claim) {
  const auto& wanted = claim.spec;
  if (volume.metadata.deletion_timestamp) return false;
  if (volume.spec.storage_class_name != wanted.storage_class_name.value_or("")) return false;
  if (volume.spec.volume_mode.value_or("Filesystem") != wanted.volume_mode.value_or("Filesystem")) return false;
  for (const auto& mode : wanted.access_modes) {
    if (std::ranges::count(volume.spec.access_modes, mode) == 0) return false;
  }
  if (wanted.selector && !matches(wanted.selector.get(), volume.metadata.labels)) return false;
  const Quantity* have = storage_of(volume.spec.capacity);
  const Quantity* need = storage_of(wanted.resources.requests);
  return need == nullptr || (have != nullptr && *have >= *need);
}

bool is_reserved_for(const core::PersistentVolume& volume, const core::PersistentVolumeClaim& claim) {
  const auto& ref = volume.spec.claim_ref;
  return ref && ref->name == claim.metadata.name && ref->namespace_ == claim.metadata.namespace_ &&
         (ref->uid.empty() || ref->uid == claim.metadata.uid);
}

}  // namespace

std::vector<std::string> volume_claim_names(const core::Pod& pod) {
  std::vector<std::string> names;
  for (const auto& volume : pod.spec.volumes) {
    if (const auto& claim = volume.volume_source.persistent_volume_claim) names.push_back(claim->claim_name);
    if (volume.volume_source.ephemeral) names.push_back(pod.metadata.name + "-" + volume.name);
  }
  return names;
}

VolumeCycle::VolumeCycle(State& state, const PodInfo& pod, VolumeSource source)
    : state_(state), pod_(pod), source_(std::move(source)) {}

Verdict VolumeCycle::prefilter() {
  for (const auto& name : volume_claim_names(*pod_.pod)) {
    const auto claim = source_.claim(pod_.namespace_(), name);
    if (claim == nullptr) {
      return refuse(Plugin::kVolumeRestrictions, fmt::format("persistentvolumeclaim \"{}\" not found", name));
    }
    if (claim->metadata.deletion_timestamp) {
      return refuse(Plugin::kVolumeBinding, fmt::format("persistentvolumeclaim \"{}\" is being deleted", name));
    }
    if (std::ranges::count(claim->spec.access_modes, "ReadWriteOncePod") != 0) {
      exclusive_.push_back(pod_.namespace_() + "/" + name);
    }
    if (!claim->spec.volume_name.empty()) {
      bound_.push_back({claim, source_.volume(claim->spec.volume_name)});
      continue;
    }
    const auto storage_class = source_.storage_class(claim->spec.storage_class_name.value_or(""));
    const bool waits = storage_class != nullptr &&
                       storage_class->volume_binding_mode.value_or("Immediate") == "WaitForFirstConsumer";
    if (!waits) {
      return refuse(Plugin::kVolumeBinding, "pod has unbound immediate PersistentVolumeClaims");
    }
    waiting_.push_back(claim);
  }
  if (waiting_.empty()) return {};
  candidates_ = source_.volumes();
  std::ranges::stable_sort(candidates_, [](const VolumePtr& a, const VolumePtr& b) {
    const Quantity* left = storage_of(a->spec.capacity);
    const Quantity* right = storage_of(b->spec.capacity);
    return left != nullptr && right != nullptr && *left < *right;
  });
  return {};
}

Verdict VolumeCycle::check_exclusive(const NodeInfo& node) const {
  if (exclusive_.empty()) return {};
  for (const auto& other : node.pods) {
    if (!other->has_volumes || other->uid() == pod_.uid()) continue;
    for (const auto& name : volume_claim_names(*other->pod)) {
      if (std::ranges::count(exclusive_, other->namespace_() + "/" + name) != 0) {
        return Verdict::no(Code::kUnschedulable, Plugin::kVolumeRestrictions, ReasonKind::kReadWriteOncePod);
      }
    }
  }
  return {};
}

Verdict VolumeCycle::check_bound(const NodeInfo& node) const {
  for (const auto& [claim, volume] : bound_) {
    if (volume == nullptr) {
      return Verdict::no(Code::kUnresolvable, Plugin::kVolumeBinding, ReasonKind::kVolumeLost);
    }
    if (!reaches(*volume, *node.node)) {
      return Verdict::no(Code::kUnresolvable, Plugin::kVolumeBinding, ReasonKind::kVolumeNodeAffinity);
    }
  }
  return {};
}

Verdict VolumeCycle::check_zones(const NodeInfo& node) const {
  for (const auto& [claim, volume] : bound_) {
    for (const auto key : kZoneKeys) {
      const std::string* zones = find_label(volume->metadata.labels, key);
      if (zones == nullptr) continue;
      const std::string* zone = find_label(node.labels(), key);
      const std::string among = "__" + *zones + "__";
      if (zone == nullptr || among.find("__" + *zone + "__") == std::string::npos) {
        return Verdict::no(Code::kUnresolvable, Plugin::kVolumeZone, ReasonKind::kVolumeZone);
      }
    }
  }
  return {};
}

bool VolumeCycle::match(const NodeInfo& node, std::vector<VolumeMatch>& out) const {
  for (const auto& claim : waiting_) {
    const auto usable = [&](const VolumePtr& volume) {
      const bool taken = std::ranges::any_of(out, [&](const auto& m) { return m.volume == volume; });
      const bool free = is_reserved_for(*volume, *claim) ||
                        (!volume->spec.claim_ref && !source_.promised(volume->metadata.name));
      return !taken && free && fits(*volume, *claim) && reaches(*volume, *node.node);
    };
    const auto found = std::ranges::find_if(candidates_, usable);
    if (found == candidates_.end()) return false;
    out.push_back({claim, *found});
  }
  return true;
}

Verdict VolumeCycle::check(const NodeInfo& node) {
  if (Verdict verdict = check_exclusive(node); !verdict.fits()) return verdict;
  if (Verdict verdict = check_bound(node); !verdict.fits()) return verdict;
  std::vector<VolumeMatch> matches;
  if (!match(node, matches)) {
    return Verdict::no(Code::kUnresolvable, Plugin::kVolumeBinding, ReasonKind::kVolumeBinding);
  }
  return check_zones(node);
}

std::vector<VolumeMatch> VolumeCycle::decide(const NodeInfo& node) const {
  std::vector<VolumeMatch> matches;
  (void)match(node, matches);
  return matches;
}

}  // namespace dray::placement
