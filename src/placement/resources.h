/// Amounts of resources as the scheduler counts them: cpu in thousandths, everything else in units.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dray {
class Quantity;
}
namespace dray::core {
struct Pod;
}

namespace dray::placement {

/// An interned resource name beyond cpu, memory and ephemeral-storage.
enum class ScalarId : std::uint32_t {};

class ScalarNames {
 public:
  [[nodiscard]] ScalarId id(std::string_view name);
  [[nodiscard]] const std::string& name(ScalarId id) const {
    return names_[static_cast<std::uint32_t>(id)];
  }

 private:
  std::unordered_map<std::string, ScalarId> ids_;
  std::vector<std::string> names_;
};

/// A value. Scalars are sorted by id.
struct Resources {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::vector<std::pair<ScalarId, std::int64_t>> scalars;

  [[nodiscard]] std::int64_t scalar(ScalarId id) const;
  void set_scalar(ScalarId id, std::int64_t amount);
  void add(const Resources& other);
  void subtract(const Resources& other);
  /// The larger of both, for each resource.
  void raise_to(const Resources& other);
  [[nodiscard]] bool is_zero() const;
  bool operator==(const Resources&) const = default;
};

using ResourceList = std::map<std::string, Quantity>;

/// "pods" is left out: it is no resource of a pod.
[[nodiscard]] Resources resources_from(const ResourceList& list, ScalarNames& names);

struct PodRequests {
  Resources real;
  /// For scoring: a container that asks for no cpu counts 100m, for no memory 200 MiB.
  std::int64_t scored_milli_cpu = 0;
  std::int64_t scored_memory = 0;
};

/// What a pod takes from its node: containers, sidecars and init containers, pod-level resources,
/// overhead, resources that are being resized, and what its claims take of the node.
/// Source: component-helpers/resource/helpers.go, scheduler/framework/types.go.
[[nodiscard]] PodRequests pod_requests(const core::Pod& pod, ScalarNames& names);

}  // namespace dray::placement
