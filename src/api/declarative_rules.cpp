#include "api/declarative_rules.h"

#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

namespace dray::api {
namespace {

constexpr std::string_view kTag = "k8s:";

bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

/// "(X)=+rest" -> X, and `text` becomes "k8s:rest"'s body.
std::optional<std::string_view> consume_argument(std::string_view& text) {
  if (!text.starts_with('(')) return std::nullopt;
  const std::size_t close = text.find(")=+k8s:");
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view argument = text.substr(1, close - 1);
  text.remove_prefix(close + std::string_view(")=+k8s:").size());
  return unquoted(argument);
}

/// One marker, taken apart. `name` is empty for what is not a rule of 1.37.
struct Marker {
  std::string_view name, value;
  std::string_view gate;
  bool gate_on = true;
  Rule::Part part = Rule::Part::kWhole;
  std::string_view member;
};

Marker parse(std::string_view text) {
  Marker out;
  if (!consume(text, kTag)) return out;
  for (;;) {
    if (text.starts_with("alpha(")) return {};
    if (consume(text, "beta")) {
      if (!consume_argument(text)) return {};
    } else if (consume(text, "ifEnabled") || text.starts_with("ifDisabled")) {
      out.gate_on = !consume(text, "ifDisabled");
      const auto gate = consume_argument(text);
      if (!gate) return {};
      out.gate = *gate;
    } else if (consume(text, "subfield")) {
      const auto member = consume_argument(text);
      if (!member) return {};
      out.member = *member;
    } else if (consume(text, "eachVal=+k8s:")) {
      out.part = Rule::Part::kValues;
    } else if (consume(text, "eachKey=+k8s:")) {
      out.part = Rule::Part::kKeys;
    } else {
      break;
    }
  }
  const std::size_t equals = text.find('=');
  out.name = text.substr(0, equals);
  if (equals != std::string_view::npos) {
    out.value = text.substr(equals + 1);
    out.value = unquoted(out.value.substr(0, out.value.find(" #")));
  }
  return out;
}

struct KindName {
  std::string_view name, value;
  RuleKind kind;
};
constexpr KindName kKindNames[] = {
    {"required", "", RuleKind::kRequired},
    {"optional", "", RuleKind::kOptional},
    {"forbidden", "", RuleKind::kForbidden},
    {"immutable", "", RuleKind::kImmutable},
    {"maxItems", "", RuleKind::kMaxItems},
    {"update", "NoSet", RuleKind::kNoSet},
    {"update", "NoUnset", RuleKind::kNoUnset},
    {"update", "NoModify", RuleKind::kNoModify},
    {"update", "NoAddItem", RuleKind::kNoAddItem},
    {"update", "NoRemoveItem", RuleKind::kNoRemoveItem},
    {"minimum", "", RuleKind::kMinimum},
    {"maximum", "", RuleKind::kMaximum},
    {"maxBytes", "", RuleKind::kMaxBytes},
    {"maxLength", "", RuleKind::kMaxLength},
    {"format", "", RuleKind::kFormat},
};

std::optional<Rule> rule_of(const Marker& marker) {
  for (const KindName& known : kKindNames) {
    if (known.name != marker.name || (!known.value.empty() && known.value != marker.value)) continue;
    Rule rule{known.kind, 0, nullptr, marker.gate, marker.gate_on, marker.part, marker.member};
    std::from_chars(marker.value.data(), marker.value.data() + marker.value.size(), rule.limit);
    if (known.kind == RuleKind::kFormat) {
      rule.format = find_format(marker.value);
      if (!rule.format) return std::nullopt;
    }
    return rule;
  }
  return std::nullopt;
}

bool is_gatekeeper(const Rule& rule) {
  return rule.kind <= RuleKind::kNoRemoveItem && rule.part == Rule::Part::kWhole && rule.member.empty();
}

const TypeDescriptor& innermost(const TypeDescriptor& type) {
  const TypeDescriptor* inner = &type;
  while (inner->element) inner = inner->element;
  return *inner;
}

bool is_enforced_enum(const AliasDescriptor* alias) {
  if (!alias) return false;
  for (const std::string_view marker : alias->markers) {
    if (parse(marker).name == "enum") return true;
  }
  return false;
}

bool is_opaque(const FieldDescriptor& field) {
  for (const std::string_view marker : field.markers) {
    if (parse(marker).name == "opaqueType") return true;
  }
  return false;
}

/// The rules of one field but for those of its content.
FieldRules own_rules(const FieldDescriptor& field, bool* union_member) {
  FieldRules out;
  out.field = &field;
  bool has_default = false;
  std::vector<std::string_view> keys;
  for (const std::string_view text : field.markers) {
    if (text.starts_with("default=")) has_default = true;
    const Marker marker = parse(text);
    if (marker.name == "unionMember") *union_member = true;
    if (marker.name == "listMapKey") keys.push_back(marker.value);
    if ((marker.name == "listType" || marker.name == "unique") && marker.value != "atomic") {
      out.items = marker.value == "map" ? Items::kMap : Items::kSet;
      out.unique = true;
    }
    if (const auto rule = rule_of(marker)) {
      (is_gatekeeper(*rule) ? out.gatekeepers : out.checks).push_back(*rule);
    }
  }
  // What has a default is never absent.
  for (Rule& rule : out.gatekeepers) {
    if (has_default && rule.kind == RuleKind::kOptional) rule.kind = RuleKind::kRequired;
  }
  const TypeDescriptor& inner = innermost(*field.type);
  if (out.items == Items::kMap && inner.structure) {
    for (const std::string_view key : keys) out.keys.push_back(inner.structure->find(key));
  }
  if (is_enforced_enum(inner.alias)) out.allowed = inner.alias;
  return out;
}

bool is_idle(const FieldRules& rules) {
  return rules.gatekeepers.empty() && rules.checks.empty() && !rules.unique && !rules.allowed;
}

/// Whether the struct or anything in it has a rule.
bool has_rules(const StructDescriptor& descriptor, std::set<const StructDescriptor*>& seen) {
  if (!seen.insert(&descriptor).second) return false;
  for (const FieldDescriptor& field : descriptor.fields) {
    bool union_member = false;
    if (!is_idle(own_rules(field, &union_member)) || union_member) return true;
    const StructDescriptor* inner = innermost(*field.type).structure;
    if (inner && !is_opaque(field) && has_rules(*inner, seen)) return true;
  }
  return false;
}

class Compiler {
 public:
  const StructRules* compile(const StructDescriptor& descriptor) {
    const auto [found, is_new] = done_.try_emplace(&descriptor);
    if (!is_new) return found->second.get();
    std::set<const StructDescriptor*> seen;
    if (!has_rules(descriptor, seen)) return nullptr;
    found->second = std::make_unique<StructRules>();  // a struct can contain itself
    StructRules& out = *found->second;
    for (const FieldDescriptor& field : descriptor.fields) add(field, out);
    return &out;
  }

 private:
  void add(const FieldDescriptor& field, StructRules& out) {
    bool union_member = false;
    FieldRules rules = own_rules(field, &union_member);
    if (union_member) out.union_members.push_back(&field);
    const StructDescriptor* inner = innermost(*field.type).structure;
    if (inner && !is_opaque(field)) rules.content = compile(*inner);
    if (rules.content || !is_idle(rules)) out.fields.push_back(std::move(rules));
  }

  std::map<const StructDescriptor*, std::unique_ptr<StructRules>> done_;
};

}  // namespace

bool is_known_marker(std::string_view text) {
  constexpr std::string_view kNotRules[] = {"",           "unionMember", "listType", "listMapKey",
                                            "unique",     "enum",        "opaqueType",
                                            "supportsSubresource"};
  const Marker marker = parse(text);
  for (const std::string_view name : kNotRules) {
    if (marker.name == name) return true;
  }
  return rule_of(marker).has_value();
}

const StructRules* rules_of(const StructDescriptor& descriptor) {
  static std::mutex mutex;
  static Compiler compiler;
  const std::lock_guard lock(mutex);
  return compiler.compile(descriptor);
}

}  // namespace dray::api
