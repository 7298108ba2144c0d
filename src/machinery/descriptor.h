/// What the schema says about each struct, as tables: every codec, patch, diff and validation is one
/// walker over them. The tables are constants made by tools/schema/generate.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dray {

struct StructDescriptor;
struct Object;

enum class TypeKind : std::uint8_t {
  kString,       // std::string
  kBool,         // bool
  kInt32,        // std::int32_t
  kInt64,        // std::int64_t
  kDouble,       // double
  kBytes,        // Bytes
  kQuantity,     // Quantity
  kTime,         // Time
  kMicroTime,    // MicroTime
  kDuration,     // GoDuration
  kIntOrString,  // IntOrString
  kRaw,          // RawExtension: any JSON
  kStruct,       // `structure` says which
  kList,         // std::vector<element>
  kMap,          // std::map<std::string, element>
  kOptional,     // std::optional<element> or Box<element>
};

/// Operations on a list, map or optional whose address is `self`.
struct ContainerOps {
  std::size_t (*size)(const void* self);
  /// Element `index` of a list; the content of an optional (index 0).
  const void* (*at)(const void* self, std::size_t index);
  /// Appends to a list, inserts into (or finds in) a map, fills an optional; returns the element.
  void* (*add)(void* self, std::string_view key);
  void (*clear)(void* self);
  /// Visits a map in the order of its keys, until `visit` returns false.
  void (*each)(const void* self, void* context,
               bool (*visit)(void* context, const std::string& key, const void* element));
  /// The value at a key of a map, or null.
  const void* (*find)(const void* self, std::string_view key);
};

/// A named string type, with its constants.
struct AliasDescriptor {
  std::string_view name;
  std::span<const std::string_view> values;
  /// Whether its markers say that other values are refused ("enum", "k8s:enum").
  std::span<const std::string_view> markers;
};

struct TypeDescriptor {
  TypeKind kind;
  const StructDescriptor* structure = nullptr;  // kStruct
  const TypeDescriptor* element = nullptr;      // kList, kMap, kOptional
  const ContainerOps* ops = nullptr;            // kList, kMap, kOptional
  const AliasDescriptor* alias = nullptr;       // a kString with a name of its own
  /// As Go prints it in errors: "[]v1.Container", "map[string]string", "int32".
  std::string_view go_name;
};

struct FieldDescriptor {
  std::string_view name;  // in JSON; empty for an inline struct, whose fields are the owner's
  std::uint16_t tag;      // in protobuf; 0 if it has none
  std::uint32_t offset;
  const TypeDescriptor* type;
  bool omit_empty;        // left out of JSON when empty
  std::string_view patch_strategy;  // of strategic merge: "", "merge", "replace", "retainKeys", ...
  std::string_view merge_key;       // of strategic merge
  std::string_view list_type;       // of apply: "", "atomic", "set", "map"; a map's "atomic", "granular"
  std::span<const std::string_view> list_map_keys;
  std::span<const std::string_view> markers;  // everything else, as in the schema

  [[nodiscard]] bool is_inline() const { return name.empty(); }
  [[nodiscard]] const void* in(const void* owner) const {
    return static_cast<const char*>(owner) + offset;
  }
  [[nodiscard]] void* in(void* owner) const { return static_cast<char*>(owner) + offset; }
};

struct StructDescriptor {
  std::string_view name;     // "PodSpec"
  std::string_view group;    // "" for core
  std::string_view version;  // "v1"
  std::span<const FieldDescriptor> fields;
  std::span<const std::string_view> markers;
  /// Only for kinds with an ObjectMeta: a fresh, empty object, and a copy.
  std::shared_ptr<Object> (*make)() = nullptr;
  std::shared_ptr<Object> (*copy)(const Object&) = nullptr;

  [[nodiscard]] bool is_kind() const { return make != nullptr; }
  /// "v1", "apps/v1".
  [[nodiscard]] std::string api_version() const;
  /// The field, also an inline struct's; `owner_offset` is where its owner lies in this struct.
  struct Found {
    const FieldDescriptor* field = nullptr;
    std::size_t owner_offset = 0;
    explicit operator bool() const { return field != nullptr; }
  };
  [[nodiscard]] Found find(std::string_view json_name) const;
};

}  // namespace dray
