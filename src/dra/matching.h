/// Whether requests can be satisfied from a set of devices, each device for one request: an upper
/// bound that ignores everything else. For this folder only.
#pragma once

#include <cstdint>
#include <vector>

#include "dra/bits.h"

namespace dray::dra {

/// Bipartite matching by augmenting paths. Keeps its memory between uses.
class Matching {
 public:
  struct Demand {
    const Bits* devices = nullptr;
    std::int64_t count = 0;
  };
  /// Positions in `unavailable` can't be used.
  [[nodiscard]] bool possible(const std::vector<Demand>& demands, const Bits& unavailable,
                              std::size_t size);

 private:
  bool augment(const std::vector<Demand>& demands, const Bits& unavailable, std::uint32_t demand);
  std::vector<std::uint32_t> owner_;  // demand + 1 per device
  Bits seen_;
};

}  // namespace dray::dra
