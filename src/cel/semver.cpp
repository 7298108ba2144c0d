#include "cel/semver.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cel/text.h"

namespace dray::cel {
namespace {

bool only(std::string_view text, bool letters) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    const bool digit = c >= '0' && c <= '9';
    return digit || (letters && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'));
  });
}

bool leading_zero(std::string_view text) { return text.size() > 1 && text[0] == '0'; }

std::vector<std::string_view> split(std::string_view text, char separator, std::size_t most = 0) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto at = text.find(separator);
    if (at == std::string_view::npos || (most > 0 && out.size() + 1 == most)) break;
    out.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  out.push_back(text);
  return out;
}

bool natural(std::string_view text, std::uint64_t& out, std::string& error) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (code == std::errc{} && end == text.data() + text.size()) return true;
  error = fmt::format("strconv.ParseUint: parsing {}: {}", go_quote(text),
                      code == std::errc::result_out_of_range ? "value out of range"
                                                             : "invalid syntax");
  return false;
}

bool number(std::string_view text, const char* name, const char* title, std::uint64_t& out,
            std::string& error) {
  if (!only(text, false)) {
    error = fmt::format("Invalid character(s) found in {} number {}", name, go_quote(text));
    return false;
  }
  if (leading_zero(text)) {
    error = fmt::format("{} number must not contain leading zeroes {}", title, go_quote(text));
    return false;
  }
  return natural(text, out, error);
}

bool prerelease(std::string_view text, Semver::Part& out, std::string& error) {
  if (text.empty()) return error = "Prerelease is empty", false;
  if (only(text, false)) {
    out.numeric = true;
    if (!leading_zero(text)) return natural(text, out.number, error);
    error = "Numeric PreRelease version must not contain leading zeroes " + go_quote(text);
    return false;
  }
  out.text = text;
  if (only(text, true)) return true;
  error = "Invalid character(s) found in prerelease " + go_quote(text);
  return false;
}

int order(const auto& a, const auto& b) { return a < b ? -1 : b < a ? 1 : 0; }

int order_parts(const Semver::Part& a, const Semver::Part& b) {
  if (a.numeric != b.numeric) return a.numeric ? -1 : 1;
  return a.numeric ? order(a.number, b.number) : order(a.text, b.text);
}

}  // namespace

std::string Semver::text() const {
  std::string out = fmt::format("{}.{}.{}", major, minor, patch);
  for (std::size_t i = 0; i < pre.size(); ++i)
    out += (i == 0 ? "-" : ".") + (pre[i].numeric ? std::to_string(pre[i].number) : pre[i].text);
  for (std::size_t i = 0; i < build.size(); ++i) out += (i == 0 ? "+" : ".") + build[i];
  return out;
}

int Semver::compare(const Semver& other) const {
  if (const int o = order(major, other.major)) return o;
  if (const int o = order(minor, other.minor)) return o;
  if (const int o = order(patch, other.patch)) return o;
  if (pre.empty() || other.pre.empty()) return order(pre.empty(), other.pre.empty());
  for (std::size_t i = 0; i < std::min(pre.size(), other.pre.size()); ++i)
    if (const int o = order_parts(pre[i], other.pre[i])) return o;
  return order(pre.size(), other.pre.size());
}

bool parse_semver(std::string_view text, Semver& out, std::string& error) {
  if (text.empty()) return error = "Version string empty", false;
  const auto parts = split(text, '.', 3);
  if (parts.size() != 3) return error = "No Major.Minor.Patch elements found", false;
  out = {};
  if (!number(parts[0], "major", "Major", out.major, error)) return false;
  if (!number(parts[1], "minor", "Minor", out.minor, error)) return false;
  std::string_view patch = parts[2];
  std::vector<std::string_view> build, pre;
  if (const auto plus = patch.find('+'); plus != std::string_view::npos) {
    build = split(patch.substr(plus + 1), '.');
    patch = patch.substr(0, plus);
  }
  if (const auto dash = patch.find('-'); dash != std::string_view::npos) {
    pre = split(patch.substr(dash + 1), '.');
    patch = patch.substr(0, dash);
  }
  if (!number(patch, "patch", "Patch", out.patch, error)) return false;
  for (const std::string_view p : pre)
    if (!prerelease(p, out.pre.emplace_back(), error)) return false;
  for (const std::string_view b : build) {
    if (b.empty()) return error = "Build meta data is empty", false;
    if (!only(b, true)) {
      error = "Invalid character(s) found in build meta data " + go_quote(b);
      return false;
    }
    out.build.emplace_back(b);
  }
  return true;
}

bool parse_semver_tolerant(std::string_view text, Semver& out, std::string& error) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string joined;
  const auto parts = split(text, '.', 3);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string_view p = parts[i];
    if (i > 0) joined += '.';
    if (p.size() > 1) {
      while (p.starts_with('0')) p.remove_prefix(1);
      if (p.empty() || p[0] < '0' || p[0] > '9') joined += '0';
    }
    joined += p;
  }
  if (parts.size() < 3) {
    if (parts.back().find_first_of("+-") != std::string_view::npos) {
      error = "short version cannot contain PreRelease/Build meta data";
      return false;
    }
    for (std::size_t i = parts.size(); i < 3; ++i) joined += ".0";
  }
  return parse_semver(joined, out, error);
}

}  // namespace dray::cel
