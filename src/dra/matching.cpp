#include "dra/matching.h"

namespace dray::dra {

bool Matching::possible(const std::vector<Demand>& demands, const Bits& unavailable,
                        std::size_t size) {
  owner_.assign(size, 0);
  for (std::uint32_t d = 0; d < demands.size(); ++d) {
    for (std::int64_t i = 0; i < demands[d].count; ++i) {
      seen_.assign(size);
      if (!augment(demands, unavailable, d)) return false;
    }
  }
  return true;
}

bool Matching::augment(const std::vector<Demand>& demands, const Bits& unavailable,
                       std::uint32_t demand) {
  // Free devices first, then those whose owner can move: paths stay short.
  const Bits& devices = *demands[demand].devices;
  for (const bool move : {false, true}) {
    for (std::size_t w = 0; w < devices.word_count(); ++w) {
      Word word = devices.word(w) & ~unavailable.word(w) & ~seen_.word(w);
      while (word != 0) {
        const std::size_t i = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        word &= word - 1;
        if (owner_[i] == demand + 1) continue;
        if (!move) {
          if (owner_[i] != 0) continue;
          owner_[i] = demand + 1;
          return true;
        }
        if (seen_.test(i)) continue;
        seen_.set(i);
        if (!augment(demands, unavailable, owner_[i] - 1)) continue;
        owner_[i] = demand + 1;
        return true;
      }
    }
  }
  return false;
}

}  // namespace dray::dra
