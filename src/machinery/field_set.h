/// Sets of fields as managedFields writes them (FieldsV1). Private to machinery.
/// Source: sigs.k8s.io/structured-merge-diff/v6/fieldpath.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "machinery/value.h"

namespace dray {

/// One step of a path, as FieldsV1 spells it: `f:name`, `k:{"name":"c"}`, `v:"x"`, `i:3`.
using PathElement = std::string;
using ElementPath = std::vector<PathElement>;

/// A set of paths, as a trie. A value.
class FieldSet {
 public:
  void insert(const ElementPath& path);
  [[nodiscard]] bool empty() const { return members.empty() && children.empty(); }
  [[nodiscard]] bool has(const PathElement& element) const { return members.contains(element); }
  /// The set below an element, or null.
  [[nodiscard]] const FieldSet* below(const PathElement& element) const;

  void add(const FieldSet& other);
  void remove(const FieldSet& other);
  /// Also everything below the removed paths.
  void remove_recursively(const FieldSet& other);
  [[nodiscard]] FieldSet intersection(const FieldSet& other) const;
  /// All paths, in order.
  [[nodiscard]] std::vector<ElementPath> paths() const;

  [[nodiscard]] Value to_fields_v1() const;
  /// Whatever is no FieldsV1 is left out.
  [[nodiscard]] static FieldSet from_fields_v1(const Value& value);
  bool operator==(const FieldSet&) const = default;

  std::set<PathElement> members;
  std::map<PathElement, FieldSet> children;  // never an empty one
};

/// `.spec.containers[name="c"].image`
[[nodiscard]] std::string field_path_text(const ElementPath& path);

}  // namespace dray
