/// Decimal numbers of any size, for the quantities that no int64 holds. Private to machinery.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray {

/// (-)digits * 10^exponent. A value. `digits` has no leading zeros, zero is "0" and never negative.
struct Decimal {
  /// Aligning two numbers never makes more digits than this.
  static constexpr std::int64_t kDigitsMax = 10000;

  bool negative = false;
  std::string digits = "0";
  std::int32_t exponent = 0;

  [[nodiscard]] static Decimal of(std::int64_t value, std::int32_t exponent);
  /// "[+-]digits[.digits]", at least one digit. False if it is not.
  [[nodiscard]] static bool parse(std::string_view text, Decimal& out);

  [[nodiscard]] int sign() const { return digits == "0" ? 0 : negative ? -1 : 1; }
  [[nodiscard]] static int compare(const Decimal& a, const Decimal& b);
  void add(const Decimal& other);
  void multiply(std::int64_t by);
  /// *= 2^power.
  void shift_left(int power);
  /// Away from zero, to a multiple of 10^to with that exponent. Whether nothing was lost.
  bool round_up(std::int32_t to);
  /// Moves factors of ten from the digits to the exponent.
  void strip_zeros();
  /// Divides the digits by 1024 as often as that is exact; how often.
  int strip_1024();

  /// The digits with sign, without the exponent, modulo 2^64.
  [[nodiscard]] std::int64_t low64() const;
  [[nodiscard]] bool digits_fit_int64() const;
  /// The digits with sign: "-15" of -1.5.
  [[nodiscard]] std::string unscaled() const;
  [[nodiscard]] std::string plain() const;

 private:
  void normalize();
  void pad_to(std::int32_t to);
};

}  // namespace dray
