/// Kubernetes' resource.Quantity, exactly: a decimal number with a suffix family.
/// Source: k8s.io/apimachinery/pkg/api/resource, gopkg.in/inf.v0.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace dray {

struct Decimal;

/// A value. An int64 times a power of ten is kept inline, other numbers behind one pointer, and where
/// Kubernetes does one or the other so do we: `as_int64` of "0.5Gi" fails, there and here. Precision
/// beyond 1e-9 is rounded up away from zero when parsed. Where Kubernetes answers with the text as it
/// was written ("+5", "1.500"), so does `str`.
/// One difference: a number never grows beyond 10,000 digits (Kubernetes would until memory ends).
class Quantity {
 public:
  enum class Format : std::uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  Quantity();
  Quantity(const Quantity&);
  Quantity(Quantity&&) noexcept;
  Quantity& operator=(const Quantity&);
  Quantity& operator=(Quantity&&) noexcept;
  ~Quantity();

  /// value * 10^scale.
  [[nodiscard]] static Quantity of(std::int64_t value, int scale = 0, Format format = Format::kDecimalSI);
  [[nodiscard]] static Quantity milli(std::int64_t value) { return of(value, -3); }
  [[nodiscard]] static Quantity binary(std::int64_t value) { return of(value, 0, Format::kBinarySI); }

  /// Error kBadRequest with Kubernetes' text (ErrFormatWrong, ErrNumeric, ErrSuffix).
  [[nodiscard]] static Result<Quantity> parse(std::string_view text);
  /// For literals of ours; a wrong one is a bug.
  [[nodiscard]] static Quantity must_parse(std::string_view text);

  /// Canonical form: "1500m", "2Gi", "1e3" ... The text that the API answers with. A DecimalSI or
  /// BinarySI number beyond the largest suffix loses its exponent ("1000E" prints as "1"), as there.
  [[nodiscard]] std::string str() const;

  /// By value; the format plays no part (1Gi == 1073741824).
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }
  [[nodiscard]] int sign() const;
  [[nodiscard]] bool is_zero() const { return sign() == 0; }

  /// The format of a zero left side changes to the right side's, as in Kubernetes.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  void negate();
  /// False if the digits of the product (which is exact in any case) do not fit an int64.
  bool multiply(std::int64_t by);
  /// Rounds away from zero to a multiple of 10^scale; whether nothing was lost.
  bool round_up(int scale);

  /// Rounded up to a multiple of 10^scale, in multiples of it. Beyond int64 the answer is Kubernetes'
  /// ScaledValue's, that is 0 or the low 64 bits of something: compare first.
  [[nodiscard]] std::int64_t scaled_value(int scale) const;
  [[nodiscard]] std::int64_t value() const { return scaled_value(0); }
  [[nodiscard]] std::int64_t milli_value() const { return scaled_value(-3); }
  /// The exact integer, if it is one and fits (AsInt64).
  [[nodiscard]] bool as_int64(std::int64_t& out) const;
  [[nodiscard]] double as_double() const;  // AsApproximateFloat64
  [[nodiscard]] bool is_integer() const;   // CEL's isInteger: AsInt64 succeeds
  [[nodiscard]] Format format() const { return format_; }
  /// Whether it is kept as an int64 and a scale: what the spelling of a number decides.
  [[nodiscard]] bool is_inline() const;
  /// The exact decimal number without suffix: "1.5", "-0.000000001".
  [[nodiscard]] std::string decimal() const;

 private:
  struct More;  // a number of any size in place of value_ and scale_, or a text to answer with
  [[nodiscard]] Decimal number() const;
  Decimal& make_decimal();
  void forget_text();
  bool add_inline(std::int64_t value, std::int32_t scale);
  bool multiply_inline(std::int64_t by);

  std::int64_t value_ = 0;
  std::int32_t scale_ = 0;
  Format format_ = Format::kDecimalSI;
  std::unique_ptr<More> more_;
};

}  // namespace dray
