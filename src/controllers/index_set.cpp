#include "controllers/index_set.h"

#include <charconv>

#include <fmt/format.h>

namespace dray::controllers {
namespace {

bool read(std::string_view text, std::int32_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && out >= 0;
}

}  // namespace

IndexSet IndexSet::parse(std::string_view text, std::int32_t completions) {
  IndexSet out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    const std::size_t dash = part.find('-');
    std::int32_t first = 0, last = 0;
    if (!read(part.substr(0, dash), first)) continue;
    last = first;
    if (dash != std::string_view::npos && !read(part.substr(dash + 1), last)) continue;
    for (std::int32_t i = first; i <= last && i < completions; ++i) out.add(i);
  }
  return out;
}

std::string IndexSet::str() const {
  std::string out;
  for (auto it = indexes_.begin(); it != indexes_.end();) {
    const std::int32_t first = *it;
    std::int32_t last = first;
    for (++it; it != indexes_.end() && *it == last + 1; ++it) last = *it;
    if (!out.empty()) out += ',';
    // Two neighbours are a range, too.
    out += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return out;
}

}  // namespace dray::controllers
