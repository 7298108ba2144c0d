/// The `+k8s:` markers of the schema as rules, for the walker in declarative_validation.cpp. Compiled once
/// per struct. Rules that 1.37 does not enforce (`+k8s:alpha`) are left out, and so are structs below
/// which there is no rule.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/declarative_formats.h"
#include "machinery/descriptor.h"

namespace dray::api {

enum class RuleKind : std::uint8_t {
  // These decide whether the content of the field is looked at.
  kRequired,
  kOptional,   // absent: nothing more to check
  kForbidden,
  kImmutable,
  kMaxItems,
  kNoSet,
  kNoUnset,
  kNoModify,
  kNoAddItem,
  kNoRemoveItem,
  // These are about the content.
  kMinimum,
  kMaximum,
  kMaxBytes,
  kMaxLength,
  kFormat,
};

struct Rule {
  RuleKind kind;
  std::int64_t limit = 0;
  FormatCheck format = nullptr;
  /// Applies only while this feature gate is as `gate_on` says; empty: always.
  std::string_view gate;
  bool gate_on = true;
  /// Of a part of the field: its keys, its values, or a member of the struct ("metadata.name").
  enum class Part : std::uint8_t { kWhole, kKeys, kValues } part = Part::kWhole;
  std::string_view member;
};

enum class Items : std::uint8_t { kAtomic, kSet, kMap };  // which items are the same

struct StructRules;

struct FieldRules {
  const FieldDescriptor* field = nullptr;
  std::vector<Rule> gatekeepers;  // in the schema's order
  std::vector<Rule> checks;
  Items items = Items::kAtomic;
  bool unique = false;  // items may not repeat
  std::vector<StructDescriptor::Found> keys;  // of Items::kMap, in the item's struct
  /// The innermost type, behind list, map and optional: its own rules, or its allowed values.
  const StructRules* content = nullptr;
  const AliasDescriptor* allowed = nullptr;
};

struct StructRules {
  std::vector<const FieldDescriptor*> union_members;
  std::vector<FieldRules> fields;
};

/// Whether a marker of the schema is understood, or is none that validation enforces.
[[nodiscard]] bool is_known_marker(std::string_view marker);

/// Thread-safe; lives until the process ends. Null: nothing to check.
[[nodiscard]] const StructRules* rules_of(const StructDescriptor& descriptor);

}  // namespace dray::api
