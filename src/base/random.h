/// Chance, handed in: our own generator, since standard distributions differ between libraries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray {

/// xoshiro256**. A value; equal seeds give equal streams on every platform. Not for secrets.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);
  /// Seeded by the operating system.
  [[nodiscard]] static Rng from_system();

  /// An independent stream named after its user, so that one more draw here changes nothing there.
  [[nodiscard]] Rng fork(std::string_view name) const;

  std::uint64_t next();
  /// Uniform in [0, bound). bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  /// True with probability numerator/denominator.
  bool chance(std::uint64_t numerator, std::uint64_t denominator);

  /// A random (version 4) UUID in the usual form.
  std::string uuid();
  /// `length` characters of Kubernetes' alphabet for generated names (no vowels, no 0 1 3).
  std::string suffix(int length = 5);

 private:
  std::uint64_t state_[4];
};

}  // namespace dray
