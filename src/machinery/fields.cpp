#include "machinery/fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "machinery/utf8.h"

namespace dray {
namespace {

std::unexpected<Error> refuse(std::string text) { return fail(Code::kBadRequest, std::move(text)); }

/// The terms between commas; an escaped comma belongs to its term.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t first = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      out.push_back(text.substr(first, i - first));
      first = i + 1;
    }
  }
  if (!text.empty()) out.push_back(text.substr(first));
  return out;
}

Result<std::string> unescape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == ',' || c == '=') {
      return refuse(fmt::format("invalid field selector: unescaped character in value: {}", int{c}));
    }
    if (c != '\\') {
      out += c;
      continue;
    }
    const std::string_view next = text.empty() ? text : text.substr(0, utf8::decode(text).size);
    if (next != "\\" && next != "," && next != "=") {
      return refuse(fmt::format("invalid field selector: invalid escape sequence: \\{}", next));
    }
    out += next;
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace

std::string escape_field_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
  return out;
}

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  std::vector<std::string_view> terms = split(text);
  std::ranges::sort(terms);
  std::vector<FieldRequirement> requirements;
  for (const std::string_view term : terms) {
    if (term.empty()) continue;
    std::size_t at = 0;
    while (at < term.size() && term[at] != '=' && !term.substr(at).starts_with("!=")) ++at;
    if (at == term.size()) {
      return refuse(fmt::format("invalid selector: '{}'; can't understand '{}'", text, term));
    }
    const std::string_view rest = term.substr(at);
    const std::size_t op_size = rest.starts_with("!=") || rest.starts_with("==") ? 2 : 1;
    TRY_ASSIGN(std::string value, unescape(rest.substr(op_size)));
    requirements.push_back({std::string(term.substr(0, at)), !rest.starts_with('!'), std::move(value)});
  }
  return FieldSelector(std::move(requirements));
}

bool FieldSelector::matches(const std::function<std::string(const std::string&)>& value_of) const {
  return std::ranges::all_of(requirements_, [&](const FieldRequirement& each) {
    return (value_of(each.field) == each.value) == each.equal;
  });
}

bool FieldSelector::matches(const std::map<std::string, std::string>& fields) const {
  return matches([&](const std::string& field) {
    const auto found = fields.find(field);
    return found == fields.end() ? std::string() : found->second;
  });
}

const std::string* FieldSelector::exact_match(std::string_view field) const {
  for (const FieldRequirement& each : requirements_) {
    if (each.equal && each.field == field) return &each.value;
  }
  return nullptr;
}

std::string FieldSelector::str() const {
  std::string out;
  for (const FieldRequirement& each : requirements_) {
    if (!out.empty()) out += ',';
    out += each.field + (each.equal ? "=" : "!=") + escape_field_value(each.value);
  }
  return out;
}

}  // namespace dray
