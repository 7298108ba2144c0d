#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "machinery/patch.h"

namespace dray {
namespace {

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList";
constexpr std::string_view kElementOrder = "$setElementOrder";

std::unexpected<Error> malformed(std::string_view what) {
  return fail(Code::kBadRequest, fmt::format("invalid patch format of {}", what));
}
std::unexpected<Error> broken(std::string text) { return fail(Code::kInternal, std::move(text)); }

/// Go's %v.
std::string go_text(const Value& value) {
  std::vector<std::string> parts;
  switch (value.type()) {
    case Value::Type::kNull: return "<nil>";
    case Value::Type::kString: return value.as_string();
    case Value::Type::kBool:
    case Value::Type::kInt:
    case Value::Type::kDouble: return print_json(value);
    case Value::Type::kList:
      for (const Value& element : value.as_list()) parts.push_back(go_text(element));
      return fmt::format("[{}]", fmt::join(parts, " "));
    case Value::Type::kMap:
      for (const auto& [key, member] : value.as_map()) parts.push_back(key + ":" + go_text(member));
      std::ranges::sort(parts);
      return fmt::format("map[{}]", fmt::join(parts, " "));
  }
  return "";
}

std::string_view go_type(const Value& value) {
  switch (value.type()) {
    case Value::Type::kNull: return "%!s(<nil>)";
    case Value::Type::kString: return "string";
    case Value::Type::kBool: return "bool";
    case Value::Type::kInt: return "int64";
    case Value::Type::kDouble: return "float64";
    case Value::Type::kList: return "[]interface {}";
    case Value::Type::kMap: return "map[string]interface {}";
  }
  return "";
}

std::unexpected<Error> no_merge_key(const Value& map, std::string_view key) {
  return broken(fmt::format("map: {} does not contain declared merge key: {}", go_text(map), key));
}
std::unexpected<Error> bad_type(std::string_view expected, const Value& actual) {
  return broken(fmt::format("expected a {}, but received a {}", expected, go_type(actual)));
}

/// How a member merges, as the schema has it.
struct Meta {
  const StructDescriptor* schema = nullptr;  // of the member, or of its elements
  std::string_view strategy;                 // "", "merge", "replace"
  std::string_view merge_key;
};

Meta meta_of(const StructDescriptor* owner, std::string_view name) {
  const StructDescriptor::Found found = owner == nullptr ? StructDescriptor::Found{} : owner->find(name);
  if (!found) return {};
  const TypeDescriptor* type = found.field->type;
  while (type != nullptr && type->kind != TypeKind::kStruct) type = type->element;
  Meta out{type == nullptr ? nullptr : type->structure, "", found.field->merge_key};
  for (const std::string_view each : {std::string_view("merge"), std::string_view("replace")}) {
    if (found.field->patch_strategy.find(each) != std::string_view::npos) out.strategy = each;
  }
  return out;
}

void discard_nulls(Value& value) {
  if (value.is_map()) {
    std::erase_if(value.as_map(), [](const Value::Member& member) { return member.second.is_null(); });
    for (auto& member : value.as_map()) discard_nulls(member.second);
  } else if (value.is_list()) {
    for (Value& element : value.as_list()) discard_nulls(element);
  }
}

/// A patch as a value of its own, without directives; nothing if it is one itself.
std::optional<Value> without_directives(Value value) {
  if (value.is_map()) {
    if (value.find(kPatch) != nullptr) return std::nullopt;
    Value out = Value::map();
    for (auto& [key, member] : value.as_map()) {
      if (auto kept = without_directives(std::move(member))) out.set(key, *std::move(kept));
    }
    return out;
  }
  if (value.is_list()) {
    Value out = Value::list();
    for (Value& element : value.as_list()) {
      if (auto kept = without_directives(std::move(element))) out.as_list().push_back(*std::move(kept));
    }
    return out;
  }
  return value;
}

/// Elements of one list: maps that share a merge key, or scalars.
class Elements {
 public:
  explicit Elements(std::string_view merge_key) : merge_key_(merge_key) {}

  /// Where `order` has an element with the same key (or value); -1 if nowhere.
  [[nodiscard]] std::ptrdiff_t position(const Value::List& order, const Value& element) const {
    const auto found = std::ranges::find_if(order, [&](const Value& each) { return same(each, element); });
    return found == order.end() ? -1 : found - order.begin();
  }

  [[nodiscard]] bool same(const Value& a, const Value& b) const {
    if (!a.is_map() || !b.is_map()) return a == b;
    const Value* x = a.find(merge_key_);
    const Value* y = b.find(merge_key_);
    return x != nullptr && y != nullptr && *x == *y;
  }

  [[nodiscard]] Result<> all_have_key(const Value::List& list) const {
    for (const Value& element : list) {
      if (merge_key_.empty()) continue;
      if (!element.is_map()) return bad_type("map[string]interface {}", element);
      if (element.find(merge_key_) == nullptr) return no_merge_key(element, merge_key_);
    }
    return {};
  }

  /// The elements that `patch_order` has, in its order, and the others in theirs: each of the others
  /// stands before the first of the patch's that followed it in `server_order`.
  [[nodiscard]] Result<Value::List> ordered(Value::List merged, const Value::List& patch_order,
                                            const Value::List& server_order) const {
    TRY(all_have_key(merged));
    TRY(all_have_key(patch_order));
    std::vector<Placed> patch, server;
    for (Value& element : merged) {
      const std::ptrdiff_t in_patch = position(patch_order, element);
      const std::ptrdiff_t in_server = position(server_order, element);
      (in_patch >= 0 ? patch : server).push_back({in_patch >= 0 ? in_patch : in_server, in_server, std::move(element)});
    }
    std::ranges::stable_sort(patch, {}, &Placed::rank);
    std::ranges::stable_sort(server, {}, &Placed::rank);
    Value::List out;
    std::size_t i = 0, j = 0;
    while (i < server.size() || j < patch.size()) {
      const bool from_server =
          j == patch.size() || (i < server.size() && server[i].in_server >= 0 && patch[j].in_server >= 0 &&
                                server[i].in_server < patch[j].in_server);
      out.push_back(std::move(from_server ? server[i++].value : patch[j++].value));
    }
    return out;
  }

 private:
  struct Placed {
    std::ptrdiff_t rank;
    std::ptrdiff_t in_server;
    Value value;
  };

  std::string_view merge_key_;
};

/// All elements must be of one type, and none a list.
Result<Value::Type> element_type(const Value::List& a, const Value::List& b) {
  std::optional<Value::Type> type;
  for (const Value::List* list : {&a, &b}) {
    for (const Value& element : *list) {
      if (!type && element.is_list()) return fail(Code::kInvalid, "lists of lists are not supported");
      if (type && *type != element.type()) {
        return broken(fmt::format("list element types are not identical: [{} {}]", go_text(Value(a)),
                                  go_text(Value(b))));
      }
      type = element.type();
    }
  }
  if (!type) return broken("no elements in any of the given slices");
  return *type;
}

Result<Value> merge_map(Value original, Value patch, const StructDescriptor* schema);

/// Kubernetes merges a list in place, so the list that it then takes for the server's order has shifted
/// elements and, in the room of deleted ones, appended elements. That decides where appended elements
/// go, so it is followed: `order` has the length of the list before the merge.
class ServerOrder {
 public:
  explicit ServerOrder(Value::List list) : order_(std::move(list)) {}

  void erased(std::size_t at, std::size_t size_before) {
    for (std::size_t i = at; i + 1 < std::min(size_before, order_.size()); ++i) order_[i] = order_[i + 1];
  }
  void appended(std::size_t at, const Value& element) {
    if (at < order_.size()) order_[at] = element;
  }
  [[nodiscard]] const Value::List& list() const { return order_; }

 private:
  Value::List order_;
};

/// Follows the `$patch` elements: they delete by key, or replace the whole list.
Result<> apply_directives(Value::List& original, Value::List& patch, const Meta& meta, ServerOrder& order) {
  const Elements elements(meta.merge_key);
  Value::List ordinary;
  bool replace = false;
  for (Value& element : patch) {
    const Value* directive = element.find(kPatch);
    if (directive == nullptr) {
      ordinary.push_back(std::move(element));
    } else if (*directive == Value("delete")) {
      if (element.find(meta.merge_key) == nullptr) return no_merge_key(element, meta.merge_key);
      for (std::ptrdiff_t at = 0; (at = elements.position(original, element)) >= 0;) {
        order.erased(static_cast<std::size_t>(at), original.size());
        original.erase(original.begin() + at);
      }
    } else if (*directive == Value("replace")) {
      replace = true;
    } else if (*directive == Value("merge")) {
      return broken("merging lists cannot yet be specified in the patch");
    } else {
      return broken(fmt::format("unknown patch type: {} in map: {}", go_text(*directive), go_text(element)));
    }
  }
  if (replace) {
    original = std::move(ordinary);
    patch.clear();
    return {};
  }
  patch = std::move(ordinary);
  return {};
}

Result<Value> merge_list(Value::List original, Value::List patch, const Meta& meta, ServerOrder& order) {
  if (original.empty() && patch.empty()) return Value(std::move(original));
  TRY_ASSIGN(const Value::Type type, element_type(original, patch));
  const bool maps = type == Value::Type::kMap;
  const Elements elements(maps ? meta.merge_key : "");
  if (maps && meta.merge_key.empty()) {
    return broken(fmt::format("cannot merge lists without merge key for {}",
                              meta.schema == nullptr ? "" : meta.schema->name));
  }
  if (maps) TRY(apply_directives(original, patch, meta, order));
  Value::List merged;
  for (const Value& element : original) {
    if (maps || elements.position(merged, element) < 0) merged.push_back(element);
  }
  for (const Value& element : patch) {
    if (maps && element.find(meta.merge_key) == nullptr) return no_merge_key(element, meta.merge_key);
    const std::ptrdiff_t at = elements.position(merged, element);
    if (at < 0) {
      order.appended(merged.size(), element);
      merged.push_back(element);
    } else if (maps) {
      Value& place = merged[static_cast<std::size_t>(at)];
      TRY_ASSIGN(Value both, merge_map(std::move(place), element, meta.schema));
      place = std::move(both);
    }
  }
  TRY_ASSIGN(Value::List out, elements.ordered(std::move(merged), patch, original));
  return Value(std::move(out));
}

Result<Value> merge_list_by_strategy(const Value& original, const Value& patch, const Meta& meta,
                                     ServerOrder& order) {
  if (meta.strategy != "merge") return patch;
  return merge_list(original.as_list(), patch.as_list(), meta, order);
}

Result<> retain_keys(Value& original, Value& patch) {
  const Value* found = patch.find(kRetainKeys);
  if (found == nullptr) return {};
  if (!found->is_list()) return malformed("retainKeys");
  const Value::List keys = found->as_list();
  patch.erase(kRetainKeys);
  const auto retained = [&](const std::string& key) { return std::ranges::find(keys, Value(key)) != keys.end(); };
  for (const auto& [key, value] : patch.as_map()) {
    const bool directive = key.starts_with(kDeleteFrom) || key.starts_with(kElementOrder);
    if (!value.is_null() && !directive && !retained(key)) return malformed("retainKeys");
  }
  std::erase_if(original.as_map(), [&](const Value::Member& member) { return !retained(member.first); });
  return {};
}

/// The patch's elements must be among those of the order, in that order.
Result<> fits_order(const Value::List& patch, const Value::List& order, std::string_view merge_key) {
  if (order.empty() || patch.empty()) return {};
  const Elements elements(merge_key);
  std::size_t at = 0;
  for (const Value& element : patch) {
    if (element.find(kPatch) != nullptr) continue;
    TRY(elements.all_have_key({element}));
    for (; at < order.size() && !elements.same(order[at], element); ++at) {
      TRY(elements.all_have_key({order[at]}));
    }
    if (at++ < order.size()) continue;
    return broken(fmt::format("The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                              go_text(Value(patch)), go_text(Value(order))));
  }
  return {};
}

Result<Value::List> list_of(const Value* value) {
  if (value == nullptr) return Value::List{};
  if (!value->is_list()) return bad_type("[]interface {}", *value);
  return value->as_list();
}

/// One "$setElementOrder/name": merges that list and brings it into the order.
Result<> set_order(Value& original, Value& patch, const std::string& directive, const Value& order_value,
                   const StructDescriptor* schema) {
  const std::size_t slash = directive.find('/');
  if (slash != kElementOrder.size()) return malformed("setElementOrder list");
  TRY_ASSIGN(const Value::List order, list_of(&order_value));
  const std::string name = directive.substr(slash + 1);
  const Meta meta = meta_of(schema, name);
  const Value* original_value = original.find(name);
  const Value* patch_value = patch.find(name);
  TRY_ASSIGN(const Value::List original_list, list_of(original_value));
  TRY_ASSIGN(const Value::List patch_list, list_of(patch_value));
  TRY(fits_order(patch_list, order, meta.merge_key));
  if (original_value == nullptr && patch_value == nullptr) return {};
  Value merged(original_list);
  ServerOrder server_order(original_list);
  if (original_value == nullptr) {
    merged = *without_directives(Value(patch_list));
  } else if (patch_value != nullptr) {
    TRY_ASSIGN(merged, merge_list_by_strategy(*original_value, *patch_value, meta, server_order));
  }
  TRY(element_type(original_list, patch_list));
  const Elements elements(meta.merge_key);
  TRY_ASSIGN(Value::List ordered, elements.ordered(std::move(merged.as_list()), order, server_order.list()));
  original.set(name, Value(std::move(ordered)));
  patch.erase(name);
  return {};
}

Result<> set_orders(Value& original, Value& patch, const StructDescriptor* schema) {
  std::vector<Value::Member> directives;
  std::erase_if(patch.as_map(), [&](Value::Member& member) {
    const bool directive = member.first.starts_with(kElementOrder);
    if (directive) directives.push_back(std::move(member));
    return directive;
  });
  for (const auto& [directive, order] : directives) TRY(set_order(original, patch, directive, order, schema));
  return {};
}

/// "$deleteFromPrimitiveList/name".
Result<> delete_from_list(Value& original, const std::string& directive, const Value& values) {
  const std::size_t slash = directive.find('/');
  if (slash != kDeleteFrom.size()) return malformed("primitive list");
  Value* list = original.find(directive.substr(slash + 1));
  if (list == nullptr || !list->is_list() || !values.is_list()) return {};
  if (list->as_list().empty() && values.as_list().empty()) return {};
  TRY(element_type(list->as_list(), values.as_list()));
  std::erase_if(list->as_list(), [&](const Value& each) {
    return std::ranges::find(values.as_list(), each) != values.as_list().end();
  });
  return {};
}

/// Takes the patch's value for a member that the original has not, or has with another type.
void take(Value& original, const std::string& key, Value value) {
  discard_nulls(value);
  if (auto kept = without_directives(std::move(value))) {
    original.set(key, *std::move(kept));
  } else {
    original.erase(key);
  }
}

Result<> merge_member(Value& original, const std::string& key, Value value, const StructDescriptor* schema) {
  Value* before = original.find(key);
  if (value.is_null()) {
    original.erase(key);
    return {};
  }
  if (before == nullptr || before->type() != value.type() || (!value.is_map() && !value.is_list())) {
    take(original, key, std::move(value));
    return {};
  }
  const Meta meta = meta_of(schema, key);
  if (value.is_list()) {
    ServerOrder order({});
    TRY_ASSIGN(Value merged, merge_list_by_strategy(*before, value, meta, order));
    *before = std::move(merged);
    return {};
  }
  if (meta.strategy == "replace") {
    *before = std::move(value);
    return {};
  }
  TRY_ASSIGN(Value merged, merge_map(std::move(*before), std::move(value), meta.schema));
  *original.find(key) = std::move(merged);
  return {};
}

Result<Value> merge_map(Value original, Value patch, const StructDescriptor* schema) {
  if (const Value* directive = patch.find(kPatch)) {
    if (*directive == Value("replace")) {
      patch.erase(kPatch);
      return patch;
    }
    if (*directive == Value("delete")) return Value::map();
    return broken(fmt::format("unknown patch type: {} in map: {}", go_text(*directive), go_text(patch)));
  }
  if (!original.is_map()) original = Value::map();
  TRY(retain_keys(original, patch));
  TRY(set_orders(original, patch, schema));
  for (auto& [key, value] : patch.as_map()) {
    if (key.starts_with(kDeleteFrom)) {
      TRY(delete_from_list(original, key, value));
    } else {
      TRY(merge_member(original, key, std::move(value), schema));
    }
  }
  return original;
}

}  // namespace

Result<Value> apply_strategic_patch(Value doc, const Value& patch, const StructDescriptor& descriptor) {
  if (!patch.is_map()) {
    return fail(Code::kBadRequest,
                fmt::format("json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                            patch.type_name()));
  }
  return merge_map(std::move(doc), patch, &descriptor);
}

}  // namespace dray
