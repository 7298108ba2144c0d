#include "cel/hints.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cel/selector_environment.h"

namespace dray::cel {
namespace {

/// Letters to insert, remove, replace or swap.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

/// The text after `prefix` up to the line's end or a quote.
std::string_view after(std::string_view text, std::string_view prefix, char end) {
  const auto at = text.find(prefix);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + prefix.size());
  return text.substr(0, text.find(end));
}

std::string missing_in(std::span<const DeviceInput::Entry> all, const char* what,
                       const QualifiedName& name) {
  const auto domain = DeviceInput::domain_of(all, name.domain);
  if (domain.empty()) {
    std::vector<std::string> domains;
    for (const auto& e : all)
      if (domains.empty() || domains.back() != e.domain) domains.emplace_back(e.domain);
    if (domains.empty()) return fmt::format("the device has no {}", what);
    const auto near = near_names(name.domain, domains);
    return fmt::format("no {} in domain {}; {}: {}", what, name.domain,
                       near.empty() ? "there is" : "near", fmt::join(near.empty() ? domains : near, ", "));
  }
  std::vector<std::string> names;
  for (const auto& e : domain) names.emplace_back(e.name);
  const auto near = near_names(name.name, names);
  return fmt::format("no such {} '{}' in domain {}; {}: {}", what, name.name, name.domain,
                     near.empty() ? "there is" : "near", fmt::join(near.empty() ? names : near, ", "));
}

}  // namespace

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string> out;
  std::size_t best = std::max<std::size_t>(1, name.size() / 3);
  if (name.size() > 64) return out;
  for (const std::string& k : known) {
    if (k.size() > 64 || k == name) continue;
    const std::size_t d = distance(name, k);
    if (d > best) continue;
    if (d < best) out.clear();
    best = d;
    out.push_back(k);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.size() > 3) out.resize(3);
  return out;
}

std::string hint_for_missing(const Program& program, const DeviceInput& device,
                             std::string_view error) {
  std::string_view key = after(error, "no such key: ", '\n');
  if (const auto hint = key.find(". consider using"); hint != std::string_view::npos)
    key = key.substr(0, hint);
  if (key.empty()) return {};
  const auto missing = [&](std::span<const DeviceInput::Entry> all, const QualifiedName& n) {
    return n.name == key &&
           DeviceInput::find(all, n.domain, n.name, DeviceInput::hash_of(n.domain, n.name)) == nullptr;
  };
  for (const QualifiedName& n : program.reads().attributes)
    if (missing(device.attributes(), n)) return missing_in(device.attributes(), "attribute", n);
  for (const QualifiedName& n : program.reads().capacity)
    if (missing(device.capacity(), n)) return missing_in(device.capacity(), "capacity", n);
  return {};
}

std::string hint_for_undeclared(std::string_view error, const SelectorOptions& options) {
  const Environment& env = selector_environment(options.vintage, options.features).env;
  std::string_view name = after(error, "undeclared reference to '", '\'');
  std::vector<std::string> known = env.names();
  for (const Macro& macro : env.parser.macros) known.emplace_back(macro.name);
  if (name.empty()) {
    name = after(error, "undefined field '", '\'');
    known.clear();
    for (const auto& [field, type] : env.find_struct("kubernetes.DRADevice")->fields)
      known.push_back(field);
  }
  if (name.empty()) return {};
  const auto near = near_names(name, known);
  return near.empty() ? std::string{}
                      : fmt::format("'{}' is not known here; near: {}", name, fmt::join(near, ", "));
}

}  // namespace dray::cel
