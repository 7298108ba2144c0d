/// Sets of positions as words, for slices (at most 128 devices in a valid one) and for searches.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dray::dra {

using Word = std::uint64_t;

[[nodiscard]] constexpr std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

/// A set of positions below a fixed size.
class Bits {
 public:
  Bits() = default;
  explicit Bits(std::size_t size) : words_(words_for(size)) {}

  void set(std::size_t i) { words_[i / 64] |= Word{1} << (i % 64); }
  void reset(std::size_t i) { words_[i / 64] &= ~(Word{1} << (i % 64)); }
  [[nodiscard]] bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  [[nodiscard]] bool any() const {
    for (const Word word : words_) {
      if (word != 0) return true;
    }
    return false;
  }
  [[nodiscard]] int count() const {
    int sum = 0;
    for (const Word word : words_) sum += std::popcount(word);
    return sum;
  }
  [[nodiscard]] std::size_t word_count() const { return words_.size(); }
  [[nodiscard]] Word word(std::size_t i) const { return words_[i]; }
  [[nodiscard]] Word& word(std::size_t i) { return words_[i]; }
  /// Empties it and makes it fit `size` positions.
  void assign(std::size_t size) { words_.assign(words_for(size), 0); }
  bool operator==(const Bits&) const = default;

 private:
  std::vector<Word> words_;
};

/// The positions of a word, from the lowest.
template <class Each>
void for_each_bit(Word word, std::size_t base, Each&& each) {
  while (word != 0) {
    each(base + static_cast<std::size_t>(std::countr_zero(word)));
    word &= word - 1;
  }
}

}  // namespace dray::dra
