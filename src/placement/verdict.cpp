#include "placement/verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace dray::placement {

const char* name_of(Plugin plugin) {
  switch (plugin) {
    case Plugin::kSchedulingGates: return "SchedulingGates";
    case Plugin::kNodeName: return "NodeName";
    case Plugin::kNodeUnschedulable: return "NodeUnschedulable";
    case Plugin::kTaintToleration: return "TaintToleration";
    case Plugin::kNodeAffinity: return "NodeAffinity";
    case Plugin::kNodePorts: return "NodePorts";
    case Plugin::kNodeResourcesFit: return "NodeResourcesFit";
    case Plugin::kVolumeRestrictions: return "VolumeRestrictions";
    case Plugin::kNodeVolumeLimits: return "NodeVolumeLimits";
    case Plugin::kVolumeBinding: return "VolumeBinding";
    case Plugin::kVolumeZone: return "VolumeZone";
    case Plugin::kPodTopologySpread: return "PodTopologySpread";
    case Plugin::kInterPodAffinity: return "InterPodAffinity";
    case Plugin::kDynamicResources: return "DynamicResources";
    case Plugin::kDefaultPreemption: return "DefaultPreemption";
    case Plugin::kNodeDeclaredFeatures: return "NodeDeclaredFeatures";
    case Plugin::kGangScheduling: return "GangScheduling";
    case Plugin::kTopologyPlacement: return "TopologyPlacementGenerator";
  }
  return "";
}

std::string text_of(const Reason& reason) {
  switch (reason.kind) {
    case ReasonKind::kUnschedulable: return "node(s) were unschedulable";
    case ReasonKind::kNodeName: return "node(s) didn't match the requested node name";
    case ReasonKind::kTaint: return "node(s) had untolerated taint(s)";
    case ReasonKind::kNodeAffinity: return "node(s) didn't match Pod's node affinity/selector";
    case ReasonKind::kPorts: return "node(s) didn't have free ports for the requested pod ports";
    case ReasonKind::kInsufficient: return "Insufficient " + reason.detail;
    case ReasonKind::kTooManyPods: return "Too many pods";
    case ReasonKind::kDiskConflict: return "node(s) had no available disk";
    case ReasonKind::kReadWriteOncePod:
      return "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
             "already in-use by another pod";
    case ReasonKind::kVolumeCount: return "node(s) exceed max volume count";
    case ReasonKind::kDriverMissing: return reason.detail + " CSI driver is not installed on the node";
    case ReasonKind::kVolumeNodeAffinity: return "node(s) didn't match PersistentVolume's node affinity";
    case ReasonKind::kVolumeBinding: return "node(s) didn't find available persistent volumes to bind";
    case ReasonKind::kNotEnoughStorage: return "node(s) did not have enough free storage";
    case ReasonKind::kVolumeLost:
      return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    case ReasonKind::kVolumeZone: return "node(s) had no available volume zone";
    case ReasonKind::kSpread: return "node(s) didn't match pod topology spread constraints";
    case ReasonKind::kSpreadLabel:
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    case ReasonKind::kPodAffinity: return "node(s) didn't match pod affinity rules";
    case ReasonKind::kPodAntiAffinity: return "node(s) didn't match pod anti-affinity rules";
    case ReasonKind::kExistingAntiAffinity:
      return "node(s) didn't satisfy existing pods anti-affinity rules";
    case ReasonKind::kDeclaredFeatures: return "node(s) didn't match Pod's required features";
    case ReasonKind::kNotAllowedByPlugins:
      return "node(s) didn't satisfy plugin(s) [" + reason.detail + "]";
    case ReasonKind::kNoDevices: return "cannot allocate all claims";
    case ReasonKind::kText: return reason.detail;
  }
  return "";
}

Verdict Verdict::no(Code code, Plugin plugin, ReasonKind kind, std::string detail) {
  Verdict verdict{code, plugin, {}};
  verdict.reasons.push_back({kind, std::move(detail)});
  return verdict;
}

std::string Verdict::text() const {
  std::vector<std::string> texts;
  for (const auto& reason : reasons) texts.push_back(text_of(reason));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void Histogram::add(const std::vector<Reason>& reasons, std::size_t times) {
  for (const auto& reason : reasons) {
    const auto at = std::find_if(counts_.begin(), counts_.end(),
                                 [&](const auto& entry) { return entry.first == reason; });
    if (at == counts_.end()) {
      counts_.emplace_back(reason, times);
    } else {
      at->second += times;
    }
  }
}

void Histogram::add(const std::string& reason, std::size_t times) {
  add(std::vector<Reason>{{ReasonKind::kText, reason}}, times);
}

std::string Histogram::text() const {
  std::vector<std::string> lines;
  for (const auto& [reason, count] : counts_) lines.push_back(fmt::format("{} {}", count, text_of(reason)));
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ", "));
}

void Diagnosis::add(NodeIndex node, Verdict verdict) {
  plugins.add(verdict.plugin);
  nodes.emplace_back(node, std::move(verdict));
}

std::string Diagnosis::text() const {
  std::string out = fmt::format("0/{} nodes are available:", node_count);
  if (!prefilter_message.empty()) {
    out += " " + prefilter_message + ".";
  } else {
    Histogram histogram;
    for (const auto& [node, verdict] : nodes) histogram.add(verdict.reasons);
    if (nodes.size() < node_count) histogram.add(absent.reasons, node_count - nodes.size());
    if (!histogram.empty()) out += " " + histogram.text() + ".";
  }
  if (!postfilter_message.empty()) out += " " + postfilter_message;
  return out;
}

}  // namespace dray::placement
