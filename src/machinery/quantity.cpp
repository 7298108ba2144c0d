#include "machinery/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "machinery/decimal.h"

namespace dray {

struct Quantity::More {
  bool has_number = false;
  Decimal number;
  std::string text;
};

namespace {

using Format = Quantity::Format;

constexpr std::string_view kErrFormatWrong =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kErrNumeric = "unable to parse numeric part of quantity";
constexpr std::string_view kErrSuffix = "unable to parse quantity's suffix";
constexpr int kNano = -9;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::unexpected<Error> refuse(std::string_view text) {
  return fail(Code::kBadRequest, std::string(text));
}

/// The parts of a quantity's text, as far as Kubernetes' scanner tells them apart: it lets through
/// more than its regular expression does ("+", ".", "1.").
struct Parts {
  bool negative = false;
  std::string_view number;  // with sign, as written
  std::string_view whole;   // without leading zeros; "0" if nothing is left
  std::string_view fraction;
  std::string_view suffix;
};

bool scan(std::string_view text, Parts& out) {
  std::size_t pos = 0;
  const auto skip_digits = [&] {
    const std::size_t first = pos;
    while (pos < text.size() && is_digit(text[pos])) ++pos;
    return text.substr(first, pos - first);
  };
  out.negative = text.starts_with('-');
  if (out.negative || text.starts_with('+')) ++pos;
  while (pos < text.size() && text[pos] == '0') ++pos;
  out.whole = skip_digits();
  if (out.whole.empty()) out.whole = "0";
  if (pos < text.size() && text[pos] == '.') {
    ++pos;
    out.fraction = skip_digits();
  }
  out.number = text.substr(0, pos);
  constexpr std::string_view kSuffixLetters = "eEinumkKMGTP";
  const std::size_t suffix = pos;
  while (pos < text.size() && kSuffixLetters.find(text[pos]) != std::string_view::npos) ++pos;
  if (pos < text.size() && (text[pos] == '-' || text[pos] == '+')) ++pos;
  skip_digits();
  out.suffix = text.substr(suffix, pos - suffix);
  return pos == text.size();
}

struct Suffix {
  std::string_view text;
  int base;
  int exponent;
};
constexpr Suffix kSuffixes[] = {{"", 10, 0},   {"m", 10, -3}, {"k", 10, 3},  {"M", 10, 6},  {"G", 10, 9},
                                {"Ki", 2, 10}, {"Mi", 2, 20}, {"Gi", 2, 30}, {"Ti", 2, 40}, {"Pi", 2, 50},
                                {"Ei", 2, 60}, {"n", 10, -9}, {"u", 10, -6}, {"T", 10, 12}, {"P", 10, 15},
                                {"E", 10, 18}};

bool interpret(std::string_view text, Suffix& out, Format& format) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text != text) continue;
    out = suffix;
    format = suffix.base == 2 ? Format::kBinarySI : Format::kDecimalSI;
    return true;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return false;
  text.remove_prefix(1);
  if (text[0] == '+' && text.size() > 1 && is_digit(text[1])) text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return false;
  out = {text, 10, static_cast<std::int32_t>(exponent)};  // Kubernetes cuts it to 32 bits, too.
  format = Format::kDecimalExponent;
  return true;
}

std::string suffix_of(int base, std::int64_t exponent, Format format) {
  if (format == Format::kDecimalExponent) return exponent == 0 ? "" : "e" + std::to_string(exponent);
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.base == base && suffix.exponent == exponent) return std::string(suffix.text);
  }
  return "";
}

/// Whether the text, which Kubernetes would repeat, is not what it would make of the number.
bool is_unusual(std::string_view text, const Parts& parts, Format format, std::int64_t exponent) {
  if (text[0] == '+' || parts.number.find('.') != std::string_view::npos) return true;
  if (parts.number.size() != parts.whole.size() + (parts.negative ? 1 : 0)) return true;
  return format == Format::kDecimalExponent && parts.suffix != suffix_of(10, exponent, format);
}

bool multiply64(std::int64_t a, std::int64_t b, std::int64_t& out) {
  if (a == 0 || b == 0 || a == 1 || b == 1) {
    out = a * b;
    return true;
  }
  return a != kMin && b != kMin && !__builtin_mul_overflow(a, b, &out);
}

/// base * 10^scale.
bool scale_up(std::int64_t base, std::int64_t scale, std::int64_t& out) {
  out = base;
  for (; scale > 0 && out != 0; --scale) {
    if (!multiply64(out, 10, out)) return false;
  }
  return true;
}

/// base / 10^scale away from zero; whether that is exact.
bool scale_down(std::int64_t base, std::int64_t scale, std::int64_t& out) {
  bool lost = false;
  out = base;
  for (; scale > 0 && out != 0; --scale) {
    lost = lost || out % 10 != 0;
    out /= 10;
  }
  if (lost) out += base > 0 ? 1 : -1;
  return !lost;
}

/// 10^n as Go computes it.
double pow10(int n) {
  if (n < -323) return 0;
  if (n > 308) return std::numeric_limits<double>::infinity();
  const auto literal = [](int power) { return std::strtod(fmt::format("1e{}", power).c_str(), nullptr); };
  if (n >= 0) return literal(n / 32 * 32) * literal(n % 32);
  return literal(-(-n / 32 * 32)) / literal(-n % 32);
}

std::string canonical_decimal(Decimal number, Format format) {
  number.strip_zeros();
  std::int64_t exponent = number.exponent;
  for (; exponent % 3 != 0; --exponent) number.digits += '0';
  return number.unscaled() + suffix_of(10, exponent, format);
}

std::string canonical_decimal(std::int64_t value, std::int64_t exponent, Format format) {
  for (; value % 10 == 0; value /= 10) ++exponent;
  const int extra = static_cast<int>((exponent % 3 + 3) % 3);
  std::int64_t amount = 0;
  if (!scale_up(value, extra, amount)) {
    return canonical_decimal(Decimal::of(value, static_cast<std::int32_t>(exponent)), format);
  }
  return std::to_string(amount) + suffix_of(10, exponent - extra, format);
}

std::string canonical_binary(Decimal number) {
  number.round_up(0);
  const int times = number.strip_1024();
  return number.unscaled() + suffix_of(2, times * 10, Format::kBinarySI);
}

std::string canonical_binary(std::int64_t value) {
  int times = 0;
  for (; value % 1024 == 0; value /= 1024) ++times;
  return std::to_string(value) + suffix_of(2, times * 10, Format::kBinarySI);
}

/// What Kubernetes' scaledValue answers, with its ways to overflow.
std::int64_t scaled_value_of(const Decimal& number, int scale) {
  const std::int64_t down = std::int64_t{scale} - number.exponent;
  const auto wrapped = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  };
  std::int64_t power = kMin;  // What Go's conversion makes of a power that does not fit.
  if (std::abs(down) < 19) scale_up(1, std::abs(down), power);
  if (down == 0) return number.low64();
  if (down < 0) return wrapped(number.low64(), power);
  // Any negative number counts as one that fits, and wraps.
  if (down < 19 && (number.negative || (number.digits_fit_int64() && number.low64() != kMax))) {
    const std::int64_t value = number.low64();
    return value / power + (value % power != 0 ? 1 : 0);
  }
  // Towards the larger number, not away from zero.
  Decimal rounded = number;
  const bool exact = rounded.round_up(scale);
  if (!exact && number.negative) rounded.add(Decimal::of(1, scale));
  return rounded.low64();
}

}  // namespace

Quantity::Quantity() = default;
Quantity::~Quantity() = default;
Quantity::Quantity(Quantity&&) noexcept = default;
Quantity& Quantity::operator=(Quantity&&) noexcept = default;

Quantity::Quantity(const Quantity& other)
    : value_(other.value_), scale_(other.scale_), format_(other.format_),
      more_(other.more_ ? std::make_unique<More>(*other.more_) : nullptr) {}

Quantity& Quantity::operator=(const Quantity& other) {
  if (this != &other) *this = Quantity(other);
  return *this;
}

Quantity Quantity::of(std::int64_t value, int scale, Format format) {
  Quantity out;
  out.value_ = value;
  out.scale_ = scale;
  out.format_ = format;
  return out;
}

bool Quantity::is_inline() const { return !more_ || !more_->has_number; }

Decimal Quantity::number() const { return is_inline() ? Decimal::of(value_, scale_) : more_->number; }

Decimal& Quantity::make_decimal() {
  if (is_inline()) {
    more_ = std::make_unique<More>(More{true, Decimal::of(value_, scale_), ""});
    value_ = 0;
    scale_ = 0;
  }
  return more_->number;
}

void Quantity::forget_text() {
  if (is_inline()) {
    more_.reset();
  } else {
    more_->text.clear();
  }
}

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return refuse(kErrFormatWrong);
  Parts parts;
  if (!scan(text, parts)) return refuse(kErrFormatWrong);
  Suffix suffix{};
  Format format{};
  if (!interpret(parts.suffix, suffix, format)) return refuse(kErrSuffix);

  // How many digits are to spare before an int64 is full, as Kubernetes estimates it.
  const auto digits = static_cast<std::int64_t>(parts.whole.size() + parts.fraction.size());
  std::int64_t spare = 18 - digits;
  std::int64_t scale = suffix.exponent;
  std::int64_t mantissa = 1;
  if (format == Format::kBinarySI) {
    scale = 0;
    mantissa = std::int64_t{1} << suffix.exponent;
    spare = parts.fraction.empty() ? 15 - digits - suffix.exponent * 3 / 10 - 1 : -1;
  }
  scale = static_cast<std::int32_t>(scale - static_cast<std::int64_t>(parts.fraction.size()));
  if (spare >= 0 && scale >= kNano) {
    const std::string all = std::string(parts.whole) + std::string(parts.fraction);
    std::int64_t value = 0;
    std::from_chars(all.data(), all.data() + all.size(), value);
    std::int64_t result = 0;
    if (multiply64(value, mantissa, result)) {
      Quantity out = of(parts.negative ? -result : result, static_cast<int>(scale), format);
      const bool repeated = format == Format::kBinarySI
                                ? (value & 7) != 0
                                : scale % 3 == 0 && !all.ends_with("000") && all[0] != '0';
      if (repeated && is_unusual(text, parts, format, scale)) {
        out.more_ = std::make_unique<More>(More{false, {}, std::string(text)});
      }
      return out;
    }
  }

  Decimal number;
  if (!Decimal::parse(parts.number, number)) return refuse(kErrNumeric);
  if (suffix.base == 10) {
    number.exponent = static_cast<std::int32_t>(std::int64_t{number.exponent} + suffix.exponent);
  } else {
    number.shift_left(suffix.exponent);
  }
  const bool negative = std::exchange(number.negative, false);
  if (number.sign() != 0) number.round_up(kNano);
  if (format == Format::kBinarySI && Decimal::compare(number, Decimal::of(kMax, 0)) > 0) {
    number = Decimal::of(kMax, 0);
  }
  if (format == Format::kBinarySI && number.sign() > 0 && Decimal::compare(number, Decimal::of(1, 0)) < 0) {
    format = Format::kDecimalSI;
  }
  number.negative = negative && number.sign() != 0;
  Quantity out;
  out.format_ = format;
  out.more_ = std::make_unique<More>(More{true, std::move(number), ""});
  return out;
}

Quantity Quantity::must_parse(std::string_view text) {
  Result<Quantity> parsed = parse(text);
  CHECK(parsed.has_value());
  return *std::move(parsed);
}

std::string Quantity::str() const {
  if (more_ && !more_->text.empty()) return more_->text;
  if (is_zero()) return "0";
  Format format = format_;
  if (format == Format::kBinarySI) {
    const bool small = *this > of(-1024) && *this < of(1024);
    Quantity rounded = *this;
    if (small || !rounded.round_up(0)) format = Format::kDecimalSI;
  }
  if (format != Format::kBinarySI) {
    return is_inline() ? canonical_decimal(value_, scale_, format) : canonical_decimal(number(), format);
  }
  std::int64_t whole = 0;
  if (is_inline() && (scale_ >= 0 ? scale_up(value_, scale_, whole) : scale_down(value_, -scale_, whole))) {
    return canonical_binary(whole);
  }
  return canonical_binary(number());
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
  if (a.is_inline() && b.is_inline()) {
    if (a.scale_ == b.scale_) return a.value_ <=> b.value_;
    const auto difference = std::int64_t{a.scale_} - b.scale_;
    std::int64_t power = 0;
    if (std::abs(difference) <= 18 && scale_up(1, std::abs(difference), power)) {
      __int128 left = a.value_;
      __int128 right = b.value_;
      (difference > 0 ? left : right) *= power;
      return left < right   ? std::strong_ordering::less
             : left > right ? std::strong_ordering::greater
                            : std::strong_ordering::equal;
    }
  }
  return Decimal::compare(a.number(), b.number()) <=> 0;
}

int Quantity::sign() const {
  if (!is_inline()) return more_->number.sign();
  return value_ == 0 ? 0 : value_ < 0 ? -1 : 1;
}

bool Quantity::add_inline(std::int64_t value, std::int32_t scale) {
  if (value == 0) return true;
  if (value_ == 0) {
    value_ = value;
    scale_ = scale;
    return true;
  }
  std::int64_t left = value_;
  const auto difference = std::int64_t{scale_} - scale;
  if (!scale_up(difference > 0 ? left : value, std::abs(difference), difference > 0 ? left : value)) {
    return false;
  }
  if (__builtin_add_overflow(left, value, &left)) return false;
  value_ = left;
  if (difference > 0) scale_ = scale;
  return true;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  forget_text();
  if (is_zero()) format_ = other.format_;
  if (is_inline() && other.is_inline() && add_inline(other.value_, other.scale_)) return *this;
  const Decimal right = other.number();
  make_decimal().add(right);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  Quantity right = other;
  right.negate();
  // The negation of the smallest int64 is itself, so that one goes the long way round.
  if (other.is_inline() && other.value_ == kMin) right.make_decimal().negative = false;
  return *this += right;
}

void Quantity::negate() {
  forget_text();
  if (is_inline()) {
    value_ = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value_));
  } else if (more_->number.sign() != 0) {
    more_->number.negative = !more_->number.negative;
  }
}

bool Quantity::multiply_inline(std::int64_t by) {
  if (value_ == 0) return true;
  if (by == 0) {
    value_ = 0;
    scale_ = 0;
    return true;
  }
  std::int64_t result = 0;
  std::int64_t unused = 0;
  if (!multiply64(value_, by, result)) return false;
  if (scale_ > 0 && !scale_up(result, scale_, unused)) return false;
  if (scale_ < 0 && !scale_down(result, -std::int64_t{scale_}, unused)) return false;
  value_ = result;
  return true;
}

bool Quantity::multiply(std::int64_t by) {
  forget_text();
  if (is_inline() && multiply_inline(by)) return true;
  Decimal& number = make_decimal();
  number.multiply(by);
  return number.digits_fit_int64();
}

bool Quantity::round_up(int scale) {
  if (is_inline()) {
    if (scale_ >= scale) return true;
    forget_text();
    const bool exact = scale_down(value_, std::int64_t{scale} - scale_, value_);
    scale_ = scale;
    return exact;
  }
  forget_text();
  return more_->number.round_up(scale);
}

std::int64_t Quantity::scaled_value(int scale) const {
  if (!is_inline()) return scaled_value_of(more_->number, scale);
  std::int64_t out = 0;
  if (scale_ < scale) {
    scale_down(value_, std::int64_t{scale} - scale_, out);
    return out;
  }
  const std::int64_t up = std::int64_t{scale_} - scale;
  if (scale_up(value_, up, out)) return out;
  // Go multiplies by these powers at once and returns what wrapped; for the others it gives up.
  const bool at_once = (up >= 1 && up <= 3) || up == 6 || up == 9;
  std::int64_t power = 0;
  if (!at_once || value_ == kMin || !scale_up(1, up, power)) return 0;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value_) * static_cast<std::uint64_t>(power));
}

bool Quantity::as_int64(std::int64_t& out) const {
  return is_inline() && scale_ >= 0 && scale_up(value_, scale_, out);
}

double Quantity::as_double() const {
  const double base =
      is_inline() ? static_cast<double>(value_) : std::strtod(more_->number.unscaled().c_str(), nullptr);
  const int exponent = is_inline() ? scale_ : more_->number.exponent;
  return exponent == 0 ? base : base * pow10(exponent);
}

bool Quantity::is_integer() const {
  std::int64_t unused = 0;
  return as_int64(unused);
}

std::string Quantity::decimal() const { return number().plain(); }

}  // namespace dray
