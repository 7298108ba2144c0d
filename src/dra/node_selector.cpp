#include "dra/node_selector.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "api/core_v1.h"

namespace dray::dra {

namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// A label's name or non-empty value.
bool is_label_word(std::string_view text) {
  if (text.empty() || text.size() > 63) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::ranges::all_of(
      text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_dns_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  const auto edge = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  char before = '.';
  for (const char c : text) {
    if (c == '.' || c == '-') {
      if (c == '.' ? !edge(before) : before == '.') return false;
    } else if (!edge(c)) {
      return false;
    }
    before = c;
  }
  return edge(before);
}

bool is_label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return is_label_word(key);
  return is_dns_subdomain(key.substr(0, slash)) && is_label_word(key.substr(slash + 1));
}

bool parse_int(std::string_view text, std::int64_t& out) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

}  // namespace

Result<NodeSelectorMatcher> NodeSelectorMatcher::parse(const core::NodeSelector& selector) {
  NodeSelectorMatcher out;
  const auto invalid = [](std::size_t term, const char* part, std::size_t index, std::string why) {
    return fail(Code::kInvalid,
                fmt::format("nodeSelectorTerms[{}].{}[{}]: {}", term, part, index, why));
  };
  for (std::size_t t = 0; t < selector.node_selector_terms.size(); ++t) {
    const auto& term = selector.node_selector_terms[t];
    if (term.match_expressions.empty() && term.match_fields.empty()) continue;
    Term& parsed = out.terms_.emplace_back();
    for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
      const auto& from = term.match_expressions[i];
      const auto bad = [&](std::string why) { return invalid(t, "matchExpressions", i, std::move(why)); };
      Requirement to{from.key, Operator::kIn, from.values, 0};
      if (!is_label_key(from.key)) return bad(fmt::format("key: invalid value \"{}\"", from.key));
      const std::size_t count = from.values.size();
      if (from.operator_ == "In" || from.operator_ == "NotIn") {
        to.op = from.operator_ == "In" ? Operator::kIn : Operator::kNotIn;
        if (count == 0) return bad("for 'in', 'notin' operators, values set can't be empty");
      } else if (from.operator_ == "Exists" || from.operator_ == "DoesNotExist") {
        to.op = from.operator_ == "Exists" ? Operator::kExists : Operator::kDoesNotExist;
        if (count != 0) return bad("values set must be empty for exists and does not exist");
      } else if (from.operator_ == "Gt" || from.operator_ == "Lt") {
        to.op = from.operator_ == "Gt" ? Operator::kGt : Operator::kLt;
        if (count != 1) return bad("for 'Gt', 'Lt' operators, exactly one value is required");
        if (!parse_int(from.values[0], to.number))
          return bad("for 'Gt', 'Lt' operators, the value must be an integer");
      } else {
        return bad(fmt::format("operator: unsupported value \"{}\"", from.operator_));
      }
      for (const std::string& value : from.values) {
        if (!value.empty() && !is_label_word(value))
          return bad(fmt::format("values: invalid value \"{}\"", value));
      }
      parsed.labels.push_back(std::move(to));
    }
    for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
      const auto& from = term.match_fields[i];
      if (from.operator_ != "In" && from.operator_ != "NotIn")
        return invalid(t, "matchFields", i, fmt::format("operator: unsupported value \"{}\"", from.operator_));
      if (from.values.size() != 1) return invalid(t, "matchFields", i, "must have one element");
      parsed.fields.push_back({from.key, from.operator_ == "In" ? Operator::kIn : Operator::kNotIn,
                               from.values, 0});
    }
  }
  return out;
}

bool NodeSelectorMatcher::matches(const Requirement& requirement, const std::string* value) {
  const auto among = [&] { return std::ranges::find(requirement.values, *value) != requirement.values.end(); };
  std::int64_t number = 0;
  switch (requirement.op) {
    case Operator::kIn: return value != nullptr && among();
    case Operator::kNotIn: return value == nullptr || !among();
    case Operator::kExists: return value != nullptr;
    case Operator::kDoesNotExist: return value == nullptr;
    case Operator::kGt: return value != nullptr && parse_int(*value, number) && number > requirement.number;
    case Operator::kLt: return value != nullptr && parse_int(*value, number) && number < requirement.number;
  }
  return false;
}

bool NodeSelectorMatcher::matches(const NodeFacts& node) const {
  static const std::string kEmpty;
  return std::ranges::any_of(terms_, [&node](const Term& term) {
    for (const Requirement& requirement : term.labels) {
      const auto found = node.labels.find(requirement.key);
      if (!matches(requirement, found == node.labels.end() ? nullptr : &found->second)) return false;
    }
    for (const Requirement& requirement : term.fields) {
      const std::string& field = requirement.key == "metadata.name" ? node.name : kEmpty;
      if (!matches(requirement, &field)) return false;
    }
    return true;
  });
}

}  // namespace dray::dra
