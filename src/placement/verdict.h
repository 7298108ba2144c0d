/// Why a node, or every node, can't have a pod: values first, Kubernetes' text made from them at the edge.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "placement/node_info.h"

namespace dray::placement {

/// The parts of the default profile that refuse pods. Queueing hints go by these.
enum class Plugin : std::uint8_t {
  kSchedulingGates, kNodeName, kNodeUnschedulable, kTaintToleration, kNodeAffinity, kNodePorts,
  kNodeResourcesFit, kVolumeRestrictions, kNodeVolumeLimits, kVolumeBinding, kVolumeZone,
  kPodTopologySpread, kInterPodAffinity, kDynamicResources, kDefaultPreemption,
  kNodeDeclaredFeatures, kGangScheduling, kTopologyPlacement
};
inline constexpr std::size_t kPluginCount = 18;
/// "NodeResourcesFit", ...
[[nodiscard]] const char* name_of(Plugin plugin);

class PluginSet {
 public:
  void add(Plugin plugin) { bits_ |= bit(plugin); }
  void add(PluginSet other) { bits_ |= other.bits_; }
  [[nodiscard]] bool has(Plugin plugin) const { return (bits_ & bit(plugin)) != 0; }
  [[nodiscard]] bool overlaps(PluginSet other) const { return (bits_ & other.bits_) != 0; }
  [[nodiscard]] bool empty() const { return bits_ == 0; }
  [[nodiscard]] std::uint32_t bits() const { return bits_; }
  bool operator==(const PluginSet&) const = default;

 private:
  static std::uint32_t bit(Plugin plugin) { return 1U << static_cast<unsigned>(plugin); }
  std::uint32_t bits_ = 0;
};

enum class ReasonKind : std::uint8_t {
  kUnschedulable, kNodeName, kTaint, kNodeAffinity, kPorts, kInsufficient, kTooManyPods,
  kDiskConflict, kReadWriteOncePod, kVolumeCount, kDriverMissing, kVolumeNodeAffinity,
  kVolumeBinding, kNotEnoughStorage, kVolumeLost, kVolumeZone, kSpread, kSpreadLabel, kPodAffinity,
  kPodAntiAffinity, kExistingAntiAffinity, kDeclaredFeatures, kNotAllowedByPlugins, kNoDevices, kText
};

struct Reason {
  ReasonKind kind;
  std::string detail;  // the resource, the driver, the plugins; of kText the whole text
  bool operator==(const Reason&) const = default;
};
/// As in events: "Insufficient cpu", "node(s) had untolerated taint(s)".
[[nodiscard]] std::string text_of(const Reason& reason);

enum class Code : std::uint8_t {
  kFits,
  kUnschedulable,  // preemption may help
  kUnresolvable,   // it can't
  kError           // the attempt fails as a whole
};

struct Verdict {
  Code code = Code::kFits;
  Plugin plugin = Plugin::kNodeName;
  std::vector<Reason> reasons;

  [[nodiscard]] bool fits() const { return code == Code::kFits; }
  [[nodiscard]] static Verdict no(Code code, Plugin plugin, ReasonKind kind, std::string detail = {});
  /// "a, b"
  [[nodiscard]] std::string text() const;
};

/// Why a pod went nowhere.
struct Diagnosis {
  std::size_t node_count = 0;
  std::vector<std::pair<NodeIndex, Verdict>> nodes;
  /// Of nodes that were not looked at; fits if there are none such.
  Verdict absent;
  /// All nodes are out for one reason, found before looking at any.
  std::string prefilter_message;
  std::string postfilter_message;
  PluginSet plugins;

  void add(NodeIndex node, Verdict verdict);
  /// "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s). preemption: ..."
  [[nodiscard]] std::string text() const;
};

/// "2 Insufficient cpu, 3 node(s) ...": distinct reasons with their counts, sorted as strings.
class Histogram {
 public:
  void add(const std::vector<Reason>& reasons, std::size_t times = 1);
  void add(const std::string& reason, std::size_t times = 1);
  [[nodiscard]] bool empty() const { return counts_.empty(); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::pair<Reason, std::size_t>> counts_;
};

}  // namespace dray::placement
