/// Trees with the schema's idea of how they merge: the walkers of server-side apply. Private to
/// machinery.
/// Source: sigs.k8s.io/structured-merge-diff/v6/typed.
#pragma once

#include "base/error.h"
#include "machinery/descriptor.h"
#include "machinery/field_set.h"
#include "machinery/value.h"

namespace dray::typed {

/// What the schema says of a value: its type, and as which field it hangs in its owner. Null: unknown,
/// maps merge and lists are atomic.
struct Ref {
  const TypeDescriptor* type = nullptr;
  const FieldDescriptor* field = nullptr;
  const StructDescriptor* structure = nullptr;  // of the root, or of a struct

  [[nodiscard]] static Ref root(const StructDescriptor& descriptor) { return {nullptr, nullptr, &descriptor}; }
  [[nodiscard]] Ref member(const std::string& name) const;
  [[nodiscard]] Ref element() const;
  /// Whether `name` is a field of the schema here, not a key of a map.
  [[nodiscard]] bool has_field(const std::string& name) const;
  [[nodiscard]] bool is_atomic(const Value& value) const;
  /// The element of a list that merges: `k:{...}` or `v:...`. Error: a key is missing.
  [[nodiscard]] Result<PathElement> element_of(const Value& item, std::size_t index) const;
};

struct Comparison {
  FieldSet added, modified, removed;
};
[[nodiscard]] Comparison compare(const Value& before, const Value& after, const Ref& ref);

/// The fields that a configuration names.
[[nodiscard]] FieldSet field_set_of(const Value& value, const Ref& ref);
/// `config` over `live`.
[[nodiscard]] Value merge(const Value& live, const Value& config, const Ref& ref);
[[nodiscard]] Value remove_items(const Value& value, const FieldSet& items, const Ref& ref);
/// With the schema's fields that have members below them as members, too.
[[nodiscard]] FieldSet with_named_fields(const FieldSet& set, const Ref& ref);
/// Error: a list that merges has an element without its key, or two with the same.
[[nodiscard]] Result<> check_lists(const Value& value, const Ref& ref);

}  // namespace dray::typed
