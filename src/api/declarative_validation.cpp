#include "api/declarative_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "api/declarative_rules.h"
#include "api/feature_gates.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

/// Values of one type, compared and printed as a struct with that one field.
struct Holder {
  explicit Holder(const TypeDescriptor& type)
      : field{"v", 0, 0, &type, false, "", "", "", {}, {}}, owner{"", "", "", {&field, 1}, {}} {}
  [[nodiscard]] bool same(const void* a, const void* b) const { return equal(owner, a, b); }

  FieldDescriptor field;
  StructDescriptor owner;
};

bool same_value(const TypeDescriptor& type, const void* a, const void* b) {
  if (type.kind == TypeKind::kString) {
    return *static_cast<const std::string*>(a) == *static_cast<const std::string*>(b);
  }
  if (type.kind == TypeKind::kStruct) return equal(*type.structure, a, b);
  return Holder(type).same(a, b);
}

std::int64_t as_integer(const TypeDescriptor& type, const void* in) {
  return type.kind == TypeKind::kInt32 ? *static_cast<const std::int32_t*>(in)
                                       : *static_cast<const std::int64_t*>(in);
}

/// Whether a field has a value, in the sense of "required". A plain struct always has.
bool is_set(const TypeDescriptor& type, const void* in) {
  switch (type.kind) {
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kOptional: return type.ops->size(in) > 0;
    case TypeKind::kString: return !static_cast<const std::string*>(in)->empty();
    case TypeKind::kBool: return *static_cast<const bool*>(in);
    case TypeKind::kInt32:
    case TypeKind::kInt64: return as_integer(type, in) != 0;
    case TypeKind::kDouble: return *static_cast<const double*>(in) != 0;
    case TypeKind::kBytes:
    case TypeKind::kQuantity:
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kDuration:
    case TypeKind::kIntOrString:
    case TypeKind::kRaw:
    case TypeKind::kStruct: return true;
  }
  return true;
}

class Walker {
 public:
  Walker(const FeatureGates& gates, bool update, Causes& out)
      : gates_(gates), update_(update), out_(out) {}

  /// `old` is null for a create, and for what has no counterpart in the old object.
  void check(const StructRules& rules, const void* fresh, const void* old, const FieldPath& at) {
    check_union(rules, fresh, old, at);
    for (const FieldRules& field : rules.fields) {
      const void* value = field.field->in(fresh);
      const void* old_value = old ? field.field->in(old) : nullptr;
      if (field.field->is_inline()) {
        check_field(field, value, old_value, at);
      } else {
        check_field(field, value, old_value, at / field.field->name);
      }
    }
  }

 private:
  [[nodiscard]] bool applies(const Rule& rule) const {
    return rule.gate.empty() || gates_.enabled(rule.gate) == rule.gate_on;
  }

  void check_union(const StructRules& rules, const void* fresh, const void* old, const FieldPath& at) {
    if (rules.union_members.empty()) return;
    std::string set, all;
    int count = 0;
    bool changed = false;
    for (const FieldDescriptor* member : rules.union_members) {
      const bool now = is_set(*member->type, member->in(fresh));
      changed = changed || now != (old && is_set(*member->type, member->in(old)));
      all += fmt::format("{}`{}`", all.empty() ? "" : ", ", member->name);
      if (!now) continue;
      set += fmt::format("{}{}", set.empty() ? "" : ", ", member->name);
      ++count;
    }
    if (update_ && old && !changed) return;
    if (count == 0) out_.invalid(at, "", "must specify one of: " + all);
    if (count > 1) out_.invalid(at, "{" + set + "}", "must specify exactly one of: " + all);
  }

  void check_field(const FieldRules& rules, const void* value, const void* old, const FieldPath& at) {
    const TypeDescriptor& type = *rules.field->type;
    if (update_ && old && same_value(type, value, old)) return;
    bool go_on = true;
    for (const Rule& rule : rules.gatekeepers) {
      if (applies(rule) && !passes(rule, rules, value, old, at)) go_on = false;
    }
    if (!go_on) return;
    const bool optional = type.kind == TypeKind::kOptional;
    if (optional && type.ops->size(value) == 0) return;
    const TypeDescriptor& inner = optional ? *type.element : type;
    const void* content = optional ? type.ops->at(value, 0) : value;
    const void* old_content = old;
    if (optional && old) old_content = type.ops->size(old) > 0 ? type.ops->at(old, 0) : nullptr;
    for (const Rule& rule : rules.checks) {
      if (applies(rule)) check_part(rule, rules, inner, content, old_content, at);
    }
    check_content(rules, inner, content, old_content, at);
  }

  /// Whether the content is to be looked at.
  bool passes(const Rule& rule, const FieldRules& rules, const void* value, const void* old,
              const FieldPath& at) {
    const TypeDescriptor& type = *rules.field->type;
    const bool set = is_set(type, value);
    const bool was_set = old && is_set(type, old);
    const bool plain_struct = type.kind == TypeKind::kStruct;
    switch (rule.kind) {
      case RuleKind::kRequired:
        if (set) return true;
        out_.required(at);
        return false;
      case RuleKind::kOptional: return set;
      case RuleKind::kForbidden:
        if (!set || plain_struct) return true;
        out_.forbidden(at, "");
        return false;
      case RuleKind::kImmutable:
        if (!update_) return true;
        return refuse(at, Causes::kFieldImmutable);
      case RuleKind::kMaxItems: {
        const auto size = static_cast<std::int64_t>(type.ops->size(value));
        if (size <= rule.limit) return true;
        out_.too_many(at, size, rule.limit);
        return false;
      }
      case RuleKind::kNoSet:
        if (!update_ || was_set || !set) return true;
        return refuse(at, "field cannot be set once created");
      case RuleKind::kNoUnset:
        if (!update_ || !was_set || set) return true;
        return refuse(at, "field cannot be cleared once set");
      case RuleKind::kNoModify:
        if (!update_ || !was_set || !set) return true;
        return refuse(at, "field cannot be modified once set");
      case RuleKind::kNoAddItem: return !update_ || keeps_items(rules, value, old, at, true);
      case RuleKind::kNoRemoveItem: return !update_ || keeps_items(rules, value, old, at, false);
      case RuleKind::kMinimum:
      case RuleKind::kMaximum:
      case RuleKind::kMaxBytes:
      case RuleKind::kMaxLength:
      case RuleKind::kFormat: return true;  // no gatekeepers
    }
    return true;
  }

  bool refuse(const FieldPath& at, std::string_view why) {
    out_.invalid(at, BadValue::raw("null"), why);
    return false;
  }

  /// With `adding` every item must be an old one, else every old one must still be there.
  bool keeps_items(const FieldRules& rules, const void* value, const void* old, const FieldPath& at,
                   bool adding) {
    const TypeDescriptor& type = *rules.field->type;
    const void* from = adding ? value : old;
    const void* in = adding ? old : value;
    bool kept = true;
    for (std::size_t i = 0; from && i < type.ops->size(from); ++i) {
      if (in && find_same(rules, type, in, type.ops->at(from, i))) continue;
      kept = false;
      if (adding) {
        out_.forbidden(at / i, "item may not be added");
      } else {
        out_.forbidden(at, "item may not be removed");
      }
    }
    return kept;
  }

  [[nodiscard]] static bool same_item(const FieldRules& rules, const TypeDescriptor& type, const void* a,
                                      const void* b) {
    if (rules.items == Items::kSet) return same_value(type, a, b);
    return std::all_of(rules.keys.begin(), rules.keys.end(), [&](const StructDescriptor::Found& key) {
      const auto in = [&](const void* item) {
        return key.field->in(static_cast<const char*>(item) + key.owner_offset);
      };
      return same_value(*key.field->type, in(a), in(b));
    });
  }

  [[nodiscard]] static const void* find_same(const FieldRules& rules, const TypeDescriptor& list,
                                             const void* in, const void* item) {
    if (rules.items == Items::kAtomic || !in) return nullptr;
    for (std::size_t i = 0; i < list.ops->size(in); ++i) {
      const void* candidate = list.ops->at(in, i);
      if (same_item(rules, *list.element, candidate, item)) return candidate;
    }
    return nullptr;
  }

  void check_part(const Rule& rule, const FieldRules& rules, const TypeDescriptor& type,
                  const void* value, const void* old, const FieldPath& at) {
    if (!rule.member.empty()) {
      check_member(rule, type, value, old, at);
    } else if (rule.part == Rule::Part::kKeys) {
      check_keys(rule, type, value, old, at);
    } else if (rule.part == Rule::Part::kValues) {
      for (std::size_t i = 0; i < type.ops->size(value); ++i) {
        const void* item = type.ops->at(value, i);
        if (update_ && find_same(rules, type, old, item)) continue;
        check_scalar(rule, *type.element, item, at / i);
      }
    } else {
      check_scalar(rule, type, value, at);
    }
  }

  void check_member(const Rule& rule, const TypeDescriptor& type, const void* value, const void* old,
                    const FieldPath& at) {
    const StructDescriptor::Found found = type.structure->find(rule.member);
    const auto in = [&](const void* owner) {
      return found.field->in(static_cast<const char*>(owner) + found.owner_offset);
    };
    if (!is_set(*found.field->type, in(value))) return;
    if (update_ && old && same_value(*found.field->type, in(value), in(old))) return;
    check_scalar(rule, *found.field->type, in(value), at / rule.member);
  }

  void check_keys(const Rule& rule, const TypeDescriptor& type, const void* value, const void* old,
                  const FieldPath& at) {
    struct State {
      const Rule& rule;
      const TypeDescriptor& type;
      const void* old;
      const FieldPath& at;
      Causes& out;
    } state{rule, type, update_ ? old : nullptr, at, out_};
    type.ops->each(value, &state, [](void* context, const std::string& key, const void*) {
      const State& s = *static_cast<State*>(context);
      const bool is_old = s.old && s.type.ops->find(s.old, key);
      if (!is_old && s.rule.format) s.rule.format(key, s.at, s.out);
      return true;
    });
  }

  void check_scalar(const Rule& rule, const TypeDescriptor& type, const void* value, const FieldPath& at) {
    switch (rule.kind) {
      case RuleKind::kFormat: rule.format(*static_cast<const std::string*>(value), at, out_); return;
      case RuleKind::kMaxBytes:
        if (std::cmp_greater(static_cast<const std::string*>(value)->size(), rule.limit)) {
          out_.too_long(at, static_cast<int>(rule.limit));
        }
        return;
      case RuleKind::kMaxLength:
        if (std::cmp_greater(count_characters(*static_cast<const std::string*>(value)), rule.limit)) {
          out_.too_long_characters(at, static_cast<int>(rule.limit));
        }
        return;
      case RuleKind::kMinimum:
        if (const std::int64_t number = as_integer(type, value); number < rule.limit) {
          out_.invalid(at, number, fmt::format("must be greater than or equal to {}", rule.limit));
        }
        return;
      case RuleKind::kMaximum:
        if (const std::int64_t number = as_integer(type, value); number > rule.limit) {
          out_.invalid(at, number, fmt::format("must be less than or equal to {}", rule.limit));
        }
        return;
      case RuleKind::kRequired:
      case RuleKind::kOptional:
      case RuleKind::kForbidden:
      case RuleKind::kImmutable:
      case RuleKind::kMaxItems:
      case RuleKind::kNoSet:
      case RuleKind::kNoUnset:
      case RuleKind::kNoModify:
      case RuleKind::kNoAddItem:
      case RuleKind::kNoRemoveItem: return;  // of whole fields only
    }
  }

  static std::size_t count_characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  }

  void check_content(const FieldRules& rules, const TypeDescriptor& type, const void* value,
                     const void* old, const FieldPath& at) {
    if (type.kind == TypeKind::kList) {
      if (rules.unique) check_unique(rules, type, value, at);
      if (rules.content || rules.allowed) check_items(rules, type, value, old, at);
    } else if (type.kind == TypeKind::kMap) {
      if (rules.content) check_entries(rules, type, value, old, at);
    } else {
      check_one(rules, value, old, at);
    }
  }

  /// A struct, or a string with known values.
  void check_one(const FieldRules& rules, const void* value, const void* old, const FieldPath& at) {
    if (rules.content) check(*rules.content, value, old, at);
    if (!rules.allowed) return;
    const auto& text = *static_cast<const std::string*>(value);
    std::vector<std::string_view> supported(rules.allowed->values.begin(), rules.allowed->values.end());
    std::sort(supported.begin(), supported.end());
    if (!std::binary_search(supported.begin(), supported.end(), text)) {
      out_.not_supported(at, text, supported);
    }
  }

  void check_unique(const FieldRules& rules, const TypeDescriptor& type, const void* value,
                    const FieldPath& at) {
    for (std::size_t i = 1; i < type.ops->size(value); ++i) {
      const void* item = type.ops->at(value, i);
      for (std::size_t j = 0; j < i; ++j) {
        if (!same_item(rules, *type.element, type.ops->at(value, j), item)) continue;
        out_.duplicate(at / i, shown(*type.element, item));
        break;
      }
    }
  }

  static BadValue shown(const TypeDescriptor& type, const void* item) {
    if (type.kind == TypeKind::kString) return {*static_cast<const std::string*>(item)};
    std::string text;
    encode_json(*type.structure, item, text);
    return BadValue::raw(std::move(text));
  }

  void check_items(const FieldRules& rules, const TypeDescriptor& type, const void* value,
                   const void* old, const FieldPath& at) {
    for (std::size_t i = 0; i < type.ops->size(value); ++i) {
      const void* item = type.ops->at(value, i);
      const void* old_item = update_ ? find_same(rules, type, old, item) : nullptr;
      if (old_item && same_value(*type.element, item, old_item)) continue;
      check_one(rules, item, old_item, at / i);
    }
  }

  void check_entries(const FieldRules& rules, const TypeDescriptor& type, const void* value,
                     const void* old, const FieldPath& at) {
    struct State {
      Walker& walker;
      const FieldRules& rules;
      const TypeDescriptor& type;
      const void* old;
      const FieldPath& at;
    } state{*this, rules, type, update_ ? old : nullptr, at};
    type.ops->each(value, &state, [](void* context, const std::string& key, const void* entry) {
      const State& s = *static_cast<State*>(context);
      const void* old_entry = s.old ? s.type.ops->find(s.old, key) : nullptr;
      if (!old_entry || !same_value(*s.type.element, entry, old_entry)) {
        s.walker.check_one(s.rules, entry, old_entry, s.at[key]);
      }
      return true;
    });
  }

  const FeatureGates& gates_;
  bool update_;
  Causes& out_;
};

/// Where the fields of a kind's struct begin: `Object` is a base without virtuals.
const void* fields_of(const Object& object) { return &object; }

}  // namespace

void validate_declaratively(const Object& fresh, const Object* old, const HookContext& context,
                            Causes& out) {
  const bool converts = context.version && context.version->from_stored;
  const StructRules* rules = rules_of(converts ? *context.version->type : *fresh.type);
  if (!rules) return;
  Walker walker(context.gates, old != nullptr, out);
  if (!converts) {
    walker.check(*rules, fields_of(fresh), old ? fields_of(*old) : nullptr, FieldPath());
    return;
  }
  const auto served = context.version->from_stored(fresh);
  const auto served_old = old ? context.version->from_stored(*old) : nullptr;
  walker.check(*rules, fields_of(*served), served_old ? fields_of(*served_old) : nullptr, FieldPath());
}

}  // namespace dray::api
