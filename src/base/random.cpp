#include "base/random.h"

#include <bit>
#include <random>

#include "base/check.h"

namespace dray {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix(seed);
}

Rng Rng::from_system() {
  std::random_device device;
  return Rng((std::uint64_t{device()} << 32) ^ device());
}

Rng Rng::fork(std::string_view name) const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return Rng(hash ^ state_[0] ^ std::rotl(state_[2], 17));
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  CHECK(bound > 0);
  const std::uint64_t threshold = -bound % bound;  // rejects the uneven rest
  for (;;) {
    if (const std::uint64_t draw = next(); draw >= threshold) return draw % bound;
  }
}

std::int64_t Rng::between(std::int64_t low, std::int64_t high) {
  CHECK(low <= high);
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t draw = span == UINT64_MAX ? next() : below(span + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw);
}

bool Rng::chance(std::uint64_t numerator, std::uint64_t denominator) {
  return below(denominator) < numerator;
}

std::string Rng::uuid() {
  std::uint64_t words[2] = {next(), next()};
  words[0] = (words[0] & ~0xf000ULL) | 0x4000;
  words[1] = (words[1] & ~(3ULL << 62)) | (2ULL << 62);
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
    text += kHex[(words[i / 16] >> (60 - 4 * (i % 16))) & 15];
  }
  return text;
}

std::string Rng::suffix(int length) {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (int i = 0; i < length; ++i) text += kAlphabet[below(kAlphabet.size())];
  return text;
}

}  // namespace dray
