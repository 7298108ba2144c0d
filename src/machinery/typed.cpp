#include "machinery/typed.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::typed {
namespace {

bool is_empty(const Value* value) {
  if (value == nullptr || value->is_null()) return true;
  return (value->is_map() && value->as_map().empty()) || (value->is_list() && value->as_list().empty());
}

bool has_marker(std::span<const std::string_view> markers, std::string_view marker) {
  return std::ranges::find(markers, marker) != markers.end();
}

/// The default of a field, if the schema has one as JSON.
const Value* member_or_default(const Value& item, const StructDescriptor* structure, std::string_view name,
                               Value& storage) {
  if (const Value* found = item.find(name)) return found;
  const StructDescriptor::Found field = structure == nullptr ? StructDescriptor::Found{} : structure->find(name);
  if (!field) return nullptr;
  constexpr std::string_view kDefault = "default=";
  for (const std::string_view marker : field.field->markers) {
    if (!marker.starts_with(kDefault)) continue;
    auto parsed = parse_json(marker.substr(kDefault.size()));
    if (!parsed) continue;
    storage = *std::move(parsed);
    return &storage;
  }
  return nullptr;
}

std::vector<std::string> keys_of(const Value* a, const Value* b) {
  std::set<std::string> keys;
  for (const Value* map : {a, b}) {
    if (map == nullptr || !map->is_map()) continue;
    for (const auto& member : map->as_map()) keys.insert(member.first);
  }
  return {keys.begin(), keys.end()};
}

/// The elements of a list that merges, in order of first appearance; those without a key left out.
struct Items {
  std::vector<PathElement> order;
  std::map<PathElement, std::vector<const Value*>> by_element;
};

Items items_of(const Value* list, const Ref& ref) {
  Items out;
  if (list == nullptr || !list->is_list()) return out;
  for (std::size_t i = 0; i < list->as_list().size(); ++i) {
    const Value& item = list->as_list()[i];
    const auto element = ref.element_of(item, i);
    if (!element) continue;
    auto& values = out.by_element[*element];
    if (values.empty()) out.order.push_back(*element);
    values.push_back(&item);
  }
  return out;
}

class Comparer {
 public:
  Comparison out;

  /// Null: absent.
  void compare(const Value* before, const Value* after, const Ref& ref) {
    const Value& shape = after != nullptr ? *after : *before;
    const bool list = (before != nullptr && before->is_list()) || (after != nullptr && after->is_list());
    const bool map = (before != nullptr && before->is_map()) || (after != nullptr && after->is_map());
    const bool leaf = (!list && !map) || (list && map) || ref.is_atomic(shape.is_null() && before ? *before : shape) ||
                      (is_empty(before) && is_empty(after));
    if (leaf) return compare_leaf(before, after);
    list ? compare_lists(before, after, ref) : compare_maps(before, after, ref);
    if (before == nullptr) out.added.insert(path_);
    if (after == nullptr) out.removed.insert(path_);
  }

 private:
  void compare_leaf(const Value* before, const Value* after) {
    if (before == nullptr) {
      out.added.insert(path_);
    } else if (after == nullptr) {
      out.removed.insert(path_);
    } else if (*before != *after) {
      out.modified.insert(path_);
    }
  }

  void compare_maps(const Value* before, const Value* after, const Ref& ref) {
    for (const std::string& key : keys_of(before, after)) {
      descend("f:" + key, before == nullptr ? nullptr : before->find(key),
              after == nullptr ? nullptr : after->find(key), ref.member(key));
    }
  }

  void compare_lists(const Value* before, const Value* after, const Ref& ref) {
    const Items left = items_of(before, ref);
    const Items right = items_of(after, ref);
    std::set<PathElement> elements(left.order.begin(), left.order.end());
    elements.insert(right.order.begin(), right.order.end());
    for (const PathElement& element : elements) {
      const auto l = left.by_element.find(element);
      const auto r = right.by_element.find(element);
      const std::size_t l_count = l == left.by_element.end() ? 0 : l->second.size();
      const std::size_t r_count = r == right.by_element.end() ? 0 : r->second.size();
      compare_items(element, l_count == 0 ? nullptr : &l->second, r_count == 0 ? nullptr : &r->second, ref);
    }
  }

  /// Duplicates count as one thing.
  void compare_items(const PathElement& element, const std::vector<const Value*>* l,
                     const std::vector<const Value*>* r, const Ref& ref) {
    const bool many_l = l != nullptr && l->size() > 1;
    const bool many_r = r != nullptr && r->size() > 1;
    if (!many_l && !many_r) {
      return descend(element, l == nullptr ? nullptr : l->front(), r == nullptr ? nullptr : r->front(), ref.element());
    }
    path_.push_back(element);
    const auto same = [](const Value* a, const Value* b) { return *a == *b; };
    if (many_l && many_r) {
      if (!std::equal(l->begin(), l->end(), r->begin(), r->end(), same)) out.modified.insert(path_);
    } else if (many_l) {
      if (r != nullptr) compare(nullptr, r->front(), ref.element());
      out.removed.insert(path_);
    } else {
      if (l != nullptr) compare(l->front(), nullptr, ref.element());
      out.added.insert(path_);
    }
    path_.pop_back();
  }

  void descend(const PathElement& element, const Value* before, const Value* after, const Ref& ref) {
    path_.push_back(element);
    compare(before, after, ref);
    path_.pop_back();
  }

  ElementPath path_;
};

void collect(const Value& value, const Ref& ref, ElementPath& path, FieldSet& out);

void collect_items(const Value& list, const Ref& ref, ElementPath& path, FieldSet& out) {
  const Items items = items_of(&list, ref);
  for (const auto& [element, values] : items.by_element) {
    path.push_back(element);
    if (values.size() == 1) collect(*values.front(), ref.element(), path, out);
    out.insert(path);
    path.pop_back();
  }
}

void collect(const Value& value, const Ref& ref, ElementPath& path, FieldSet& out) {
  if ((!value.is_map() && !value.is_list()) || ref.is_atomic(value)) return out.insert(path);
  if (value.is_list()) return collect_items(value, ref, path, out);
  for (const auto& [key, member] : value.as_map()) {
    path.push_back("f:" + key);
    collect(member, ref.member(key), path, out);
    const bool empty_map = member.is_map() && member.as_map().empty();
    if (member.is_null() || empty_map || !ref.has_field(key)) out.insert(path);
    path.pop_back();
  }
}

Value merge_lists(const Value& live, const Value& config, const Ref& ref) {
  const Items left = items_of(&live, ref);
  const Items right = items_of(&config, ref);
  std::vector<PathElement> l_order, shared;
  for (const Value& item : live.as_list()) {
    if (const auto element = ref.element_of(item, 0)) l_order.push_back(*element);
  }
  for (const PathElement& element : right.order) {
    if (left.by_element.contains(element)) shared.push_back(element);
  }
  Value out = Value::list();
  std::set<PathElement> merged;
  std::map<PathElement, std::size_t> taken;  // of duplicates on the left
  std::size_t l = 0, r = 0, next_shared = 0;
  const auto merge_right = [&](const PathElement& element) {
    const auto found = left.by_element.find(element);
    const Value& item = *right.by_element.at(element).front();
    out.as_list().push_back(found == left.by_element.end() ? item
                                                           : merge(*found->second.front(), item, ref.element()));
    merged.insert(element);
    if (next_shared < shared.size() && shared[next_shared] == element) ++next_shared;
    ++r;
  };
  while (l < l_order.size() || r < right.order.size()) {
    if (l < l_order.size()) {
      const PathElement& element = l_order[l];
      if (r < right.order.size() && element == right.order[r]) {
        ++l;
        merge_right(element);
        continue;
      }
      const bool on_right = right.by_element.contains(element);
      const bool awaited = next_shared < shared.size() && shared[next_shared] == element;
      if (!on_right) {
        out.as_list().push_back(*left.by_element.at(element)[taken[element]++]);
        ++l;
        continue;
      }
      if (merged.contains(element) || (next_shared < shared.size() && !awaited)) {
        ++l;
        continue;
      }
    }
    if (r < right.order.size()) merge_right(right.order[r]);
  }
  return out;
}

}  // namespace

Ref Ref::member(const std::string& name) const {
  if (structure != nullptr) {
    const StructDescriptor::Found found = structure->find(name);
    if (!found) return {};
    const TypeDescriptor* type = found.field->type;
    while (type->kind == TypeKind::kOptional) type = type->element;
    return {type, found.field, type->kind == TypeKind::kStruct ? type->structure : nullptr};
  }
  return type != nullptr && type->kind == TypeKind::kMap ? element() : Ref{};
}

Ref Ref::element() const {
  if (type == nullptr || type->element == nullptr) return {};
  const TypeDescriptor* inner = type->element;
  while (inner->kind == TypeKind::kOptional) inner = inner->element;
  return {inner, nullptr, inner->kind == TypeKind::kStruct ? inner->structure : nullptr};
}

bool Ref::has_field(const std::string& name) const {
  return structure != nullptr && static_cast<bool>(structure->find(name));
}

bool Ref::is_atomic(const Value& value) const {
  if (structure != nullptr) {
    const bool by_field = field != nullptr && has_marker(field->markers, "structType=atomic");
    return by_field || has_marker(structure->markers, "structType=atomic");
  }
  if (type == nullptr) return value.is_list();
  switch (type->kind) {
    case TypeKind::kList:
      return field == nullptr || (field->list_type != "set" && field->list_type != "map");
    case TypeKind::kMap: return field != nullptr && field->list_type == "atomic";
    default: return true;
  }
}

Result<PathElement> Ref::element_of(const Value& item, std::size_t index) const {
  if (field == nullptr || field->list_type != "map") return "v:" + print_json(item, true);
  Value key = Value::map();
  const StructDescriptor* structure = element().structure;
  for (const std::string_view name : field->list_map_keys) {
    Value storage;
    const Value* found = member_or_default(item, structure, name, storage);
    if (found == nullptr) {
      // An optional key that is absent does not take part.
      if (field->list_map_keys.size() > 1 && item.is_map()) continue;
      return fail(Code::kInternal,
                  fmt::format("element {}: associative list with keys has an element that omits key field \"{}\" "
                              "(and doesn't have default value)",
                              index, name));
    }
    key.set(name, *found);
  }
  return "k:" + print_json(key, true);
}

Comparison compare(const Value& before, const Value& after, const Ref& ref) {
  Comparer comparer;
  comparer.compare(&before, &after, ref);
  return std::move(comparer.out);
}

FieldSet field_set_of(const Value& value, const Ref& ref) {
  FieldSet out;
  ElementPath path;
  collect(value, ref, path, out);
  return out;
}

Value merge(const Value& live, const Value& config, const Ref& ref) {
  if (config.is_map() && live.is_map() && !ref.is_atomic(config)) {
    Value out = live;
    for (const auto& [key, value] : config.as_map()) {
      const Value* before = live.find(key);
      out.set(key, before == nullptr ? value : merge(*before, value, ref.member(key)));
    }
    return out;
  }
  if (config.is_list() && live.is_list() && !ref.is_atomic(config)) return merge_lists(live, config, ref);
  return config;
}

Value remove_items(const Value& value, const FieldSet& items, const Ref& ref) {
  if (value.is_list() && !ref.is_atomic(value)) {
    Value out = Value::list();
    for (std::size_t i = 0; i < value.as_list().size(); ++i) {
      const Value& item = value.as_list()[i];
      const auto element = ref.element_of(item, i);
      if (element && items.has(*element)) continue;
      const FieldSet* below = element ? items.below(*element) : nullptr;
      out.as_list().push_back(below == nullptr ? item : remove_items(item, *below, ref.element()));
    }
    return out.as_list().empty() ? Value() : out;
  }
  if (value.is_map() && !ref.is_atomic(value)) {
    Value out = Value::map();
    for (const auto& [key, member] : value.as_map()) {
      const PathElement element = "f:" + key;
      if (items.has(element)) continue;
      const FieldSet* below = items.below(element);
      out.as_map().emplace_back(key, below == nullptr ? member : remove_items(member, *below, ref.member(key)));
    }
    return out.as_map().empty() ? Value() : out;
  }
  return value;
}

FieldSet with_named_fields(const FieldSet& set, const Ref& ref) {
  FieldSet out;
  out.members = set.members;
  for (const auto& [element, child] : set.children) {
    const bool named = element.starts_with("f:");
    const std::string name = element.substr(2);
    if (named && ref.has_field(name)) out.members.insert(element);
    out.children[element] = with_named_fields(child, named ? ref.member(name) : ref.element());
  }
  return out;
}

Result<> check_lists(const Value& value, const Ref& ref) {
  if (value.is_map() && !ref.is_atomic(value)) {
    for (const auto& [key, member] : value.as_map()) {
      auto checked = check_lists(member, ref.member(key));
      if (!checked) {
        Error error = std::move(checked).error();
        error.message = "." + key + error.message;
        return fail(std::move(error));
      }
    }
  }
  if (value.is_list() && !ref.is_atomic(value)) {
    std::set<PathElement> seen;
    for (std::size_t i = 0; i < value.as_list().size(); ++i) {
      auto element = ref.element_of(value.as_list()[i], i);
      if (!element) return fail(Code::kInternal, ": " + element.error().message);
      if (!seen.insert(*element).second) {
        return fail(Code::kInternal, ": duplicate entries for key " + field_path_text({*element}));
      }
      TRY(check_lists(value.as_list()[i], ref.element()));
    }
  }
  return {};
}

}  // namespace dray::typed
