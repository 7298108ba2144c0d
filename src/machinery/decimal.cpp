#include "machinery/decimal.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dray {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int compare_digits(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b) < 0 ? -1 : a == b ? 0 : 1;
}

/// Of aligned numbers.
std::string sum(const std::string& a, const std::string& b) {
  std::string out;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
    if (i < a.size()) carry += a[a.size() - 1 - i] - '0';
    if (i < b.size()) carry += b[b.size() - 1 - i] - '0';
    out += static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

/// a >= b.
std::string difference(const std::string& a, const std::string& b) {
  std::string out = a;
  int borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    char& digit = out[a.size() - 1 - i];
    int left = digit - '0' - borrow - (i < b.size() ? b[b.size() - 1 - i] - '0' : 0);
    borrow = left < 0 ? 1 : 0;
    if (left < 0) left += 10;
    digit = static_cast<char>('0' + left);
  }
  return out;
}

std::string product(const std::string& digits, std::uint64_t by) {
  std::string out;
  unsigned __int128 carry = 0;
  for (std::size_t i = 0; i < digits.size() || carry != 0; ++i) {
    if (i < digits.size()) {
      carry += static_cast<unsigned __int128>(digits[digits.size() - 1 - i] - '0') * by;
    }
    out += static_cast<char>('0' + static_cast<int>(carry % 10));
    carry /= 10;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

Decimal Decimal::of(std::int64_t value, std::int32_t exponent) {
  Decimal out;
  out.negative = value < 0;
  const auto size = static_cast<std::uint64_t>(value);
  out.digits = std::to_string(value < 0 ? 0 - size : size);
  out.exponent = exponent;
  return out;
}

bool Decimal::parse(std::string_view text, Decimal& out) {
  out = {};
  out.negative = text.starts_with('-');
  if (out.negative || text.starts_with('+')) text.remove_prefix(1);
  out.digits.clear();
  bool fraction = false;
  for (const char c : text) {
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) return false;
    out.digits += c;
    if (fraction) --out.exponent;
  }
  if (out.digits.empty()) return false;
  out.normalize();
  return true;
}

void Decimal::normalize() {
  const auto first = digits.find_first_not_of('0');
  digits = first == std::string::npos ? "0" : digits.substr(first);
  if (digits == "0") negative = false;
}

void Decimal::pad_to(std::int32_t to) {
  const std::int64_t zeros = std::int64_t{exponent} - to;
  if (zeros <= 0 || zeros > kDigitsMax) return;
  if (digits != "0") digits.append(static_cast<std::size_t>(zeros), '0');
  exponent = to;
}

int Decimal::compare(const Decimal& a, const Decimal& b) {
  if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
  if (a.sign() == 0) return 0;
  // Where the first digits stand decides; otherwise the digits do, the shorter filled with zeros.
  const auto magnitude = [](const Decimal& d) {
    return std::int64_t{d.exponent} + static_cast<std::int64_t>(d.digits.size());
  };
  int order = 0;
  if (magnitude(a) != magnitude(b)) {
    order = magnitude(a) < magnitude(b) ? -1 : 1;
  } else {
    std::string left = a.digits;
    std::string right = b.digits;
    left.resize(std::max(left.size(), right.size()), '0');
    right.resize(left.size(), '0');
    order = compare_digits(left, right);
  }
  return a.negative ? -order : order;
}

void Decimal::add(const Decimal& other) {
  Decimal right = other;
  pad_to(right.exponent);
  right.pad_to(exponent);
  if (exponent != right.exponent) {  // Too far apart: the larger one absorbs the other.
    Decimal left = *this;
    left.negative = right.negative = false;
    if (compare(left, right) < 0) *this = other;
    return;
  }
  if (negative == right.negative) {
    digits = sum(digits, right.digits);
  } else if (compare_digits(digits, right.digits) >= 0) {
    digits = difference(digits, right.digits);
  } else {
    digits = difference(right.digits, digits);
    negative = right.negative;
  }
  normalize();
}

void Decimal::multiply(std::int64_t by) {
  if (digits.size() > static_cast<std::size_t>(kDigitsMax)) return;
  const auto size = static_cast<std::uint64_t>(by);
  digits = product(digits, by < 0 ? 0 - size : size);
  negative = negative != (by < 0);
  normalize();
}

void Decimal::shift_left(int power) { digits = product(digits, std::uint64_t{1} << power); }

bool Decimal::round_up(std::int32_t to) {
  pad_to(to);
  const std::int64_t drop = std::int64_t{to} - exponent;
  if (drop <= 0) return true;
  std::string kept = "0";
  std::string lost = digits;
  if (drop < static_cast<std::int64_t>(digits.size())) {
    kept = digits.substr(0, digits.size() - drop);
    lost = digits.substr(kept.size());
  }
  const bool exact = lost.find_first_not_of('0') == std::string::npos;
  digits = exact ? kept : sum(kept, "1");
  exponent = to;
  normalize();
  return exact;
}

void Decimal::strip_zeros() {
  if (digits == "0") return;
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  exponent += static_cast<std::int32_t>(digits.size() - kept);
  digits.resize(kept);
}

int Decimal::strip_1024() {
  int times = 0;
  while (digits != "0") {
    std::string quotient;
    int rest = 0;
    for (const char c : digits) {
      rest = rest * 10 + (c - '0');
      quotient += static_cast<char>('0' + rest / 1024);
      rest %= 1024;
    }
    if (rest != 0) break;
    digits = std::move(quotient);
    normalize();
    ++times;
  }
  return times;
}

std::int64_t Decimal::low64() const {
  std::uint64_t out = 0;
  for (const char c : digits) out = out * 10 + static_cast<std::uint64_t>(c - '0');
  return static_cast<std::int64_t>(negative ? 0 - out : out);
}

bool Decimal::digits_fit_int64() const {
  const std::string text = unscaled();
  std::int64_t parsed = 0;
  return std::from_chars(text.data(), text.data() + text.size(), parsed).ec == std::errc();
}

std::string Decimal::unscaled() const { return (negative ? "-" : "") + digits; }

std::string Decimal::plain() const {
  if (digits == "0") return "0";
  if (exponent >= 0) {
    const auto zeros = std::min<std::int64_t>(exponent, kDigitsMax);
    return unscaled() + std::string(static_cast<std::size_t>(zeros), '0');
  }
  const auto places = static_cast<std::size_t>(-std::int64_t{exponent});
  std::string all = digits;
  if (all.size() <= places) all.insert(0, places + 1 - all.size(), '0');
  std::string fraction = all.substr(all.size() - places);
  all.resize(all.size() - places);
  fraction.resize(fraction.find_last_not_of('0') + 1);
  return (negative ? "-" : "") + all + (fraction.empty() ? "" : "." + fraction);
}

}  // namespace dray
