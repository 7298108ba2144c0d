/// Which devices a pod's claims get on a node, or why none.
///
///   Prepared pod = allocator.prepare(claims);                 // once per pod and cycle
///   for (NodeId node : allocator.candidates(pod)) {           // or any nodes you like
///     Outcome out = allocator.allocate(pod, node);
///     if (auto* found = std::get_if<Allocation>(&out)) {
///       state.add(pod, *found);                               // devices are taken (may be rolled back)
///       results = allocator.render(pod, *found, share_ids);   // API objects, for the chosen node only
///     } else if (auto* error = std::get_if<AllocateError>(&out)) { ... error->ends_pod ... }
///     // else a Refusal; allocator.explain(pod, node) says why, if somebody asks
///   }
///
/// The result is the reference's first solution: claims in the given order, requests in spec order,
/// alternatives in order, devices by (driver, pool, slice name, position). There is one search, with
/// the reference's rules; in front of it are counts, beside it bounds and a memory of failed states,
/// which only skip what holds neither a solution nor an error. A budget of steps replaces the
/// reference's deadline, so equal inputs give equal answers on any machine.
///
/// Source: dynamic-resource-allocation/structured/internal/{incubating,experimental}.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dra/ids.h"

namespace dray::resource {
struct ResourceClaim;
struct AllocationResult;
}  // namespace dray::resource

namespace dray::dra {

class AllocatedState;
class DeviceClasses;
class Inventory;
struct Explanation;

/// One device for one request.
struct Pick {
  DeviceId device = kNoDevice;
  std::uint32_t want = 0;  // which request or alternative of Prepared
  // For this folder: where the device was published, and what a share of it takes.
  std::uint32_t slice = 0, position = 0, capacity = 0;
  bool share = false;
};

/// A solution, small and without API objects.
struct Allocation {
  NodeId node = kNoNode;
  std::vector<Pick> picks;                  // claims in order, requests in order, devices in order
  std::vector<std::uint8_t> alternatives;   // chosen firstAvailable index, one per request of the pod
};

/// There is no solution on this node.
struct Refusal {
  enum class Reason : std::uint8_t { kDoesNotFit, kStepsExhausted };
  Reason reason = Reason::kDoesNotFit;
};

/// The allocator gives up.
struct AllocateError {
  enum class Kind : std::uint8_t {
    kInvalidPools,     // no solution, and some pool that the node sees is invalid
    kCelCompile, kCelRuntime, kPoolIncomplete, kPoolInvalid, kConstraint, kClassNotFound,
    kTooManyDevices, kCapacity, kFeatureDisabled, kUnsupported, kNodeSelector
  };
  Kind kind = Kind::kUnsupported;
  /// The scheduler stops trying nodes. Otherwise this node is out and others may do.
  bool ends_pod = true;
  /// Kubernetes' text.
  std::string message;
};
/// "celCompile", ...: as `dray allocate` and the oracle call it.
[[nodiscard]] const char* name_of(AllocateError::Kind kind);

using Outcome = std::variant<Allocation, Refusal, AllocateError>;

/// The claims of one pod, looked up and checked once. Movable. Valid until a class changes or the
/// Allocator is gone; slices, nodes and what is in use may change.
class Prepared {
 public:
  Prepared(Prepared&&) noexcept;
  Prepared& operator=(Prepared&&) noexcept;
  ~Prepared();
  [[nodiscard]] std::size_t claim_count() const;
  /// An error that no node can escape (class not found, gate off, too many devices, ...), or null.
  /// `allocate` reports it, too, in the reference's order with the node's own errors.
  [[nodiscard]] const AllocateError* error() const;
  /// "main" or "main/sub" of a pick.
  [[nodiscard]] std::string request_name(const Pick& pick) const;
  /// For scoring: the index of the claim of a pick.
  [[nodiscard]] std::size_t claim_of(const Pick& pick) const;

  struct Impl;
  explicit Prepared(std::unique_ptr<Impl> impl);
  [[nodiscard]] Impl& impl() { return *impl_; }
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

struct Limits {
  /// Steps of the search per node: about one per device that is tried. A step takes well under a
  /// microsecond; the reference makes a few hundred thousand before its deadline of 10 s.
  std::uint64_t steps_max = 4'000'000;
  /// Check after every undo that the state is what it was. For tests: slow.
  bool verify_undo = false;
};

/// What was done, for tests, metrics and benchmarks.
struct Work {
  std::uint64_t evaluations = 0;  // expressions run by the CEL engine
  std::uint64_t views = 0;        // views of nodes built
  std::uint64_t counted = 0;      // nodes decided by counting
  std::uint64_t searches = 0;     // nodes searched
  std::uint64_t steps = 0;        // of these searches
  std::uint64_t devices = 0;      // devices tried
};

/// New share ids: random UUIDs in production, "share-0", ... in tests.
using ShareIds = std::function<std::string()>;

/// Confined to the thread of its inventory and state, which must outlive it.
class Allocator {
 public:
  Allocator(Inventory& inventory, AllocatedState& state, const DeviceClasses& classes,
            Limits limits = {});
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// The claims to allocate together, in the order of the pod's spec.resourceClaims, the extended
  /// resource claim last. Claims that have an allocation are not passed. Shared claims stay alive
  /// with the result.
  [[nodiscard]] Prepared prepare(std::vector<std::shared_ptr<const resource::ResourceClaim>> claims);

  [[nodiscard]] Outcome allocate(const Prepared& pod, NodeId node);

  /// Nodes of the cluster that counting doesn't rule out, by id. A node that is not among them would
  /// be refused. Nodes with errors are among them.
  [[nodiscard]] std::vector<NodeId> candidates(const Prepared& pod);
  /// The same for one node.
  [[nodiscard]] bool may_fit(const Prepared& pod, NodeId node);

  /// One AllocationResult per claim, in order. `allocationTimestamp` is the caller's.
  [[nodiscard]] std::vector<resource::AllocationResult> render(const Prepared& pod,
                                                               const Allocation& allocation,
                                                               const ShareIds& share_ids) const;

  /// Why `allocate` refuses: counts per request. Costs a walk over the node's devices.
  [[nodiscard]] Explanation explain(const Prepared& pod, NodeId node);

  [[nodiscard]] const Work& work() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// A refusal as a value. Counts are of devices that the node can see.
struct RequestExplanation {
  std::size_t claim = 0;       // index
  std::string claim_name;      // namespace/name
  std::string request;         // "main" or "main/sub"
  std::int64_t wanted = 0;     // devices; for All what the list has
  bool all = false;
  // Every device is counted once, in the order of the tests.
  int seen = 0;                // devices of the node's usable pools
  int in_use = 0;              // by other claims
  int class_selector = 0;      // not of the class
  int request_selector = 0;
  int node_selection = 0;      // of this slice, but not on this node; or the node lacks a feature
  int capacity = 0;            // asked for more than is left
  int counters = 0;            // shared counters or compatibility groups leave no room
  int taints = 0;              // not tolerated
  int constraint = 0;          // lack an attribute that a constraint needs
  int unsupported = 0;         // need a feature gate that is off
  int usable = 0;
  /// The largest number of usable devices that agree on the request's matchAttribute constraints,
  /// `usable` without such constraints.
  int usable_together = 0;
  /// One device that fails a single test, and which: "gpu.example.com/node-1/gpu-0: taint
  /// example.com/broken=a:NoSchedule". Empty if there is none.
  std::string nearest_miss;
  std::string error;           // a selector's run-time error, with the device
};
struct Explanation {
  std::vector<RequestExplanation> requests;
  /// "gpu.example.com/node-1 is incomplete (1 of 2 slices)", "... is invalid: duplicate device name x".
  std::vector<std::string> pools;
  /// Each request alone could be satisfied, but not all together.
  bool only_together = false;
  bool steps_exhausted = false;
  /// One line, for conditions and events.
  [[nodiscard]] std::string summary() const;
  /// Some lines, for people.
  [[nodiscard]] std::string text() const;
};

}  // namespace dray::dra
