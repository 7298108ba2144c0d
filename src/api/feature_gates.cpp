#include "api/feature_gates.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "api/feature_gate_table.h"
#include "base/check.h"

namespace dray::api {
namespace {

using Switches = std::map<std::string, bool, std::less<>>;

const Gate* find_gate(std::string_view name) {
  const auto gates = gate_table();
  const auto at = std::ranges::lower_bound(gates, name, {}, &Gate::name);
  return at != gates.end() && at->name == name ? &*at : nullptr;
}

std::string_view trim(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1);
}

/// What Go's strconv.ParseBool takes.
std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return true;
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return false;
  return std::nullopt;
}

Result<Switches> parse_switches(std::string_view text) {
  Switches out;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (item.empty()) continue;
    const auto equals = item.find('=');
    const std::string_view name = trim(item.substr(0, equals));
    if (equals == std::string_view::npos)
      return fail(Code::kBadRequest, fmt::format("missing bool value for {}", name));
    const std::string_view value = trim(item.substr(equals + 1));
    const auto on = parse_bool(value);
    if (!on)
      return fail(Code::kBadRequest,
                  fmt::format("invalid value of {}={}, err: strconv.ParseBool: parsing \"{}\": invalid syntax",
                              name, value, value));
    out.insert_or_assign(std::string(name), *on);
  }
  return out;
}

void switch_stage(FeatureGates& gates, Stage stage, const Switches& asked, std::string_view group) {
  const auto all = asked.find(group);
  if (all == asked.end()) return;
  for (const Gate& gate : gate_table())
    if (gate.stage == stage) gates.set(gate.name, all->second);
}

Result<> check_needs(const FeatureGates& gates) {
  for (const Gate& gate : gate_table()) {
    if (!gates.enabled(gate.name)) continue;
    std::vector<std::string_view> off;
    for (const std::string_view need : gate.requires_)
      if (!gates.enabled(need)) off.push_back(need);
    if (!off.empty())
      return fail(Code::kBadRequest,
                  fmt::format("{} is enabled, but depends on features that are disabled: [{}]", gate.name,
                              fmt::join(off, " ")));
  }
  return {};
}

}  // namespace

std::span<const Gate> known_gates() { return gate_table(); }

FeatureGates::FeatureGates() {
  for (const Gate& gate : gate_table()) on_.emplace_hint(on_.end(), gate.name, gate.enabled_by_default);
}

Result<FeatureGates> FeatureGates::parse(std::string_view text) {
  TRY_ASSIGN(const Switches asked, parse_switches(text));
  FeatureGates gates;
  switch_stage(gates, Stage::kAlpha, asked, "AllAlpha");
  switch_stage(gates, Stage::kBeta, asked, "AllBeta");
  for (const auto& [name, on] : asked) {
    if (name == "AllAlpha" || name == "AllBeta") continue;
    const Gate* gate = find_gate(name);
    if (gate == nullptr)
      return fail(Code::kBadRequest, fmt::format("unrecognized feature gate: {}", name));
    if (gate->locked && gate->enabled_by_default != on)
      return fail(Code::kBadRequest, fmt::format("cannot set feature gate {} to {}, feature is locked to {}",
                                                 name, on, gate->enabled_by_default));
    gates.set(name, on);
  }
  TRY(check_needs(gates));
  return gates;
}

bool FeatureGates::enabled(std::string_view name) const {
  const auto found = on_.find(name);
  CHECK(found != on_.end());
  return found->second;
}

void FeatureGates::set(std::string_view name, bool on) {
  const auto found = on_.find(name);
  CHECK(found != on_.end());
  found->second = on;
}

}  // namespace dray::api
