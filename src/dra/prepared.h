/// The inside of Prepared: a pod's claims as flat lists, with everything looked up that does not
/// depend on a node. For this folder only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dra/allocated_state_impl.h"
#include "dra/allocator.h"
#include "dra/selector_index.h"

namespace dray::resource {
struct DeviceClass;
}

namespace dray::dra {

/// How many devices of each node a profile may take; kept by the Allocator for its state.
struct NodeCounts {
  struct Count {
    std::uint64_t epoch = 0;
    std::uint32_t usable = 0;  // not in use; some of them may not do after all if `special`
    bool special = false;      // shares, counters, per-device nodes: not decided by counting
    bool errors = false;       // some device fails
  };
  ProfilePtr profile;
  std::vector<Count> nodes;  // by NodeId
};

/// A request, or one alternative of a firstAvailable request.
struct Want {
  std::uint32_t claim = 0;
  std::uint32_t request = 0;  // of the pod
  std::uint32_t alternative = 0;
  std::string name;   // its own
  std::string label;  // "main" or "main/sub"
  std::shared_ptr<const resource::DeviceClass> device_class;
  ProfilePtr profile;
  bool all = false;
  bool admin = false;
  std::int64_t count = 0;
  const std::vector<resource::DeviceToleration>* tolerations = nullptr;
  const resource::CapacityRequirements* capacity = nullptr;
  std::vector<std::pair<std::string, SelectorRef>> derived;  // by attribute name
  std::vector<std::uint32_t> constraints;  // of the pod, those of its claim that concern it
};

struct PodRequest {
  std::uint32_t claim = 0;
  std::string name;
  std::uint32_t first_want = 0, want_count = 0;
  bool alternatives = false;  // firstAvailable
};

struct PodConstraint {
  std::uint32_t claim = 0;
  bool match = false;  // else distinct
  std::string attribute;
};

struct PodClaim {
  std::shared_ptr<const resource::ResourceClaim> object;
  std::string text;  // "namespace/name"
  std::uint32_t first_request = 0, request_count = 0;
  std::uint32_t first_constraint = 0, constraint_count = 0;
};

/// One check before the search, in the reference's order.
struct Check {
  enum class Kind : std::uint8_t { kList, kLimit, kError };
  Kind kind = Kind::kError;
  std::uint32_t index = 0;  // kList: want; kLimit: request
};

struct Prepared::Impl {
  std::vector<PodClaim> claims;
  std::vector<PodRequest> requests;
  std::vector<Want> wants;
  std::vector<PodConstraint> constraints;
  std::vector<Check> checks;
  /// What the last check of kind kError says, or a limit that is passed on every node.
  std::optional<AllocateError> error;
  bool lists = false;    // some want asks for all devices
  bool derives = false;  // some want has derived attributes
  bool admin = false;    // some want has admin access
  /// One exact request without constraints: counting decides where nothing special is about.
  bool counted = false;
  /// Per want.
  std::vector<std::shared_ptr<NodeCounts>> counts;
  /// However alternatives are chosen, no claim can pass the limit of 32 devices.
  bool limit_impossible = true;
};

/// The fewest devices of a request, given the lengths of the lists of its `all` wants.
[[nodiscard]] std::optional<AllocateError> check_limit(const Prepared::Impl& pod, std::uint32_t request,
                                                       const std::vector<std::int64_t>& counts);

/// What the picks hold.
[[nodiscard]] HoldingsPtr holdings_of(const Inventory::Impl& inventory, const Prepared::Impl& pod,
                                      const Allocation& allocation);

inline constexpr std::int64_t kResultsMax = 32;

}  // namespace dray::dra
