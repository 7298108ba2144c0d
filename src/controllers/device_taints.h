/// The NoExecute taints of devices: from the newest generation of each pool, and from rules.
/// Source: k8s.io/kubernetes pkg/controller/devicetainteviction.
/// Thread: confined to the control plane's executor.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/resource_v1.h"
#include "machinery/time.h"

namespace dray::controllers {

struct DevicePath {
  std::string driver, pool, device;
  auto operator<=>(const DevicePath&) const = default;
};
using Rule = resource::DeviceTaintRule;
using RulePtr = std::shared_ptr<const Rule>;

[[nodiscard]] bool selects(const Rule& rule, const DevicePath& device);

/// When an allocated device must be given up, and for which rules (uids).
struct Expulsion {
  Time when;
  std::set<std::string> rules;
  /// The earlier of both, for all of their reasons.
  void merge(const Expulsion& other);
};

class DeviceTaints {
 public:
  /// A slice's change; null where there is none. Returns the pool, if its taints may differ.
  std::optional<std::pair<std::string, std::string>> change(const resource::ResourceSlice* old,
                                                            const resource::ResourceSlice* now);
  void set_rule(const RulePtr& rule);
  void remove_rule(const std::string& name);

  /// Nothing if all taints are tolerated for good. `also` is taken for a NoExecute rule.
  [[nodiscard]] std::optional<Expulsion> expulsion(const resource::DeviceRequestAllocationResult& allocated,
                                                   const Rule* also = nullptr) const;
  /// How many published devices a rule selects.
  [[nodiscard]] std::size_t published(const Rule& rule) const;

 private:
  struct Pool {
    std::map<std::string, std::shared_ptr<const resource::ResourceSlice>> slices;
    std::int64_t generation = 0;  // the newest
  };
  void put(const resource::ResourceSlice& slice);
  void drop(const resource::ResourceSlice& slice);
  [[nodiscard]] const resource::Device* device_of(const resource::DeviceRequestAllocationResult& allocated) const;

  std::map<std::pair<std::string, std::string>, Pool> pools_;
  std::map<std::string, RulePtr> rules_;  // those with NoExecute
};

}  // namespace dray::controllers
