#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "machinery/patch.h"

namespace dray {
namespace {

constexpr std::size_t kOperationsMax = 10'000;
/// What "copy" may add in all: the largest request body.
constexpr std::size_t kCopiedBytesMax = 3 * 1024 * 1024;

std::unexpected<Error> refuse(std::string text) { return fail(Code::kInvalid, std::move(text)); }

std::string_view go_type(const Value& value) {
  if (value.is_list()) return "array";
  if (value.is_map()) return "object";
  return value.is_number() ? "number" : value.is_bool() ? "bool" : value.type_name();
}

/// The parts of a pointer, ~1 and ~0 replaced. The text before the first slash does not count.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  std::size_t slash = path.find('/');
  while (slash != std::string_view::npos) {
    const std::size_t next = path.find('/', slash + 1);
    const std::string_view raw = path.substr(slash + 1, next == std::string_view::npos ? next : next - slash - 1);
    std::string part;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const bool escape = raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1');
      part += escape ? (raw[++i] == '0' ? '~' : '/') : raw[i];
    }
    out.push_back(std::move(part));
    slash = next;
  }
  return out;
}

struct Index {
  std::int64_t number = 0;
  std::string problem;  // empty: the number is one
};

/// As Go's Atoi; a negative number counts from the end of a list of `size`.
Index index_of(std::string_view text, std::int64_t size, std::int64_t last) {
  Index out;
  std::string_view digits = text;
  if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  if (parsed.ec == std::errc::result_out_of_range) {
    out.problem = fmt::format("strconv.Atoi: parsing \"{}\": value out of range", text);
  } else if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
    out.problem = fmt::format("strconv.Atoi: parsing \"{}\": invalid syntax", text);
  } else if (out.number > last || out.number < -size) {
    out.problem = fmt::format("Unable to access invalid index: {}: invalid index referenced", out.number);
  } else if (out.number < 0) {
    out.number += size;
  }
  return out;
}

std::int64_t size_of(const Value& list) { return static_cast<std::int64_t>(list.as_list().size()); }

/// A place: what holds it, and its key or index there.
struct Place {
  Value* container = nullptr;
  std::string key;
};

Place find_place(Value& doc, std::string_view path) {
  const std::vector<std::string> parts = parts_of(path);
  if (parts.empty()) return {};
  Value* at = &doc;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (at->is_map()) {
      at = at->find(parts[i]);
    } else {
      const Index index = index_of(parts[i], size_of(*at), size_of(*at) - 1);
      at = index.problem.empty() ? &at->as_list()[static_cast<std::size_t>(index.number)] : nullptr;
    }
    if (at == nullptr || (!at->is_map() && !at->is_list())) return {};
  }
  return {at, parts.back()};
}

/// What is there: null if a map has nothing there; a problem if a list cannot.
struct Got {
  Value* value = nullptr;
  std::string problem;
};

Got get(const Place& place) {
  if (place.container->is_map()) return {place.container->find(place.key), ""};
  Index index = index_of(place.key, size_of(*place.container), size_of(*place.container) - 1);
  if (!index.problem.empty()) return {nullptr, std::move(index.problem)};
  return {&place.container->as_list()[static_cast<std::size_t>(index.number)], ""};
}

/// The problem, or nothing.
std::string add(const Place& place, Value value) {
  if (place.container->is_map()) {
    place.container->set(place.key, std::move(value));
    return "";
  }
  Value::List& list = place.container->as_list();
  if (place.key == "-") {
    list.push_back(std::move(value));
    return "";
  }
  const std::int64_t size = size_of(*place.container);
  Index index = index_of(place.key, size + 1, size);
  if (index.problem.starts_with("strconv")) {
    return fmt::format("value was not a proper array index: '{}': {}", place.key, index.problem);
  }
  if (!index.problem.empty()) return index.problem;
  list.insert(list.begin() + index.number, std::move(value));
  return "";
}

std::string remove(const Place& place) {
  if (place.container->is_map()) {
    if (place.container->erase(place.key)) return "";
    return fmt::format("Unable to remove nonexistent key: {}: missing value", place.key);
  }
  Index index = index_of(place.key, size_of(*place.container), size_of(*place.container) - 1);
  if (!index.problem.empty()) return index.problem;
  Value::List& list = place.container->as_list();
  list.erase(list.begin() + index.number);
  return "";
}

class JsonPatch {
 public:
  explicit JsonPatch(Value doc) : doc_(std::move(doc)) {}

  Result<> apply(const Value& operation) {
    const Value* kind = operation.find("op");
    const std::string name = kind != nullptr && kind->is_string() ? kind->as_string() : "unknown";
    if (name == "add") return apply_add(operation);
    if (name == "remove") return apply_remove(operation);
    if (name == "replace") return apply_replace(operation);
    if (name == "move") return apply_move(operation);
    if (name == "test") return apply_test(operation);
    if (name == "copy") return apply_copy(operation);
    return refuse("Unexpected kind: " + name);
  }

  Value take() { return std::move(doc_); }

 private:
  static std::optional<std::string> text_of(const Value& operation, std::string_view member) {
    const Value* found = operation.find(member);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return found->as_string();
  }
  static Value value_of(const Value& operation) {
    const Value* found = operation.find("value");
    return found == nullptr ? Value() : *found;
  }
  static std::unexpected<Error> no_path(std::string_view kind) {
    const bool plain = kind == "add" || kind == "remove" || kind == "copy";
    return refuse(fmt::format("{} operation failed to decode path: {}missing value", kind,
                              plain ? "" : "operation missing path field: "));
  }

  Result<> apply_add(const Value& operation) {
    const auto path = text_of(operation, "path");
    if (!path) return no_path("add");
    const Place place = find_place(doc_, *path);
    if (place.container == nullptr) {
      return refuse(fmt::format("add operation does not apply: doc is missing path: \"{}\": missing value", *path));
    }
    const std::string problem = add(place, value_of(operation));
    if (!problem.empty()) return refuse(fmt::format("error in add for path: '{}': {}", *path, problem));
    return {};
  }

  Result<> apply_remove(const Value& operation) {
    const auto path = text_of(operation, "path");
    if (!path) return no_path("remove");
    const Place place = find_place(doc_, *path);
    if (place.container == nullptr) {
      return refuse(
          fmt::format("remove operation does not apply: doc is missing path: \"{}\": missing value", *path));
    }
    const std::string problem = remove(place);
    if (!problem.empty()) return refuse(fmt::format("error in remove for path: '{}': {}", *path, problem));
    return {};
  }

  /// Of a map's absent member, too: json-patch does not mind.
  Result<> apply_replace(const Value& operation) {
    const auto path = text_of(operation, "path");
    if (!path) return no_path("replace");
    Value value = value_of(operation);
    if (path->empty()) {
      if (!value.is_map() && !value.is_list()) {
        return refuse("replace operation value must be object or array: %!w(<nil>)");
      }
      doc_ = std::move(value);
      return {};
    }
    const Place place = find_place(doc_, *path);
    if (place.container == nullptr) {
      return refuse(fmt::format("replace operation does not apply: doc is missing path: {}: missing value", *path));
    }
    const Got got = get(place);
    if (!got.problem.empty()) {
      return refuse(fmt::format("replace operation does not apply: doc is missing key: {}: missing value", *path));
    }
    if (got.value != nullptr) {
      *got.value = std::move(value);
    } else {
      place.container->set(place.key, std::move(value));
    }
    return {};
  }

  Result<> apply_move(const Value& operation) {
    const auto from = text_of(operation, "from");
    if (!from) return refuse("move operation failed to decode from: operation, missing from field: missing value");
    const Place source = find_place(doc_, *from);
    if (source.container == nullptr) {
      return refuse(fmt::format("move operation does not apply: doc is missing from path: {}: missing value", *from));
    }
    const Got got = get(source);
    Value value = got.value == nullptr ? Value() : *got.value;
    std::string problem = got.problem.empty() ? remove(source) : got.problem;
    if (!problem.empty()) return refuse(fmt::format("error in move for path: '{}': {}", source.key, problem));
    const auto path = text_of(operation, "path");
    if (!path) return no_path("move");
    const Place target = find_place(doc_, *path);
    if (target.container == nullptr) {
      return refuse(
          fmt::format("move operation does not apply: doc is missing destination path: {}: missing value", *path));
    }
    problem = add(target, std::move(value));
    if (!problem.empty()) return refuse(fmt::format("error in move for path: '{}': {}", *path, problem));
    return {};
  }

  Result<> apply_test(const Value& operation) {
    const auto path = text_of(operation, "path");
    if (!path) return no_path("test");
    const Value value = value_of(operation);
    const auto failed = [&] { return refuse(fmt::format("testing value {} failed: test failed", *path)); };
    if (path->empty()) {
      if (doc_ == value) return {};
      return failed();
    }
    const Place place = find_place(doc_, *path);
    if (place.container == nullptr) {
      return refuse(fmt::format("test operation does not apply: is missing path: {}: missing value", *path));
    }
    const Got got = get(place);
    if (!got.problem.empty()) return refuse(fmt::format("error in test for path: '{}': {}", *path, got.problem));
    if (got.value == nullptr ? value.is_null() : *got.value == value) return {};
    return failed();
  }

  Result<> apply_copy(const Value& operation) {
    const auto from = text_of(operation, "from");
    if (!from) return refuse("copy operation failed to decode from: operation, missing from field: missing value");
    const Place source = find_place(doc_, *from);
    if (source.container == nullptr) {
      return refuse(fmt::format("copy operation does not apply: doc is missing from path: {}: missing value", *from));
    }
    const Got got = get(source);
    if (!got.problem.empty()) return refuse(fmt::format("error in copy for from: '{}': {}", *from, got.problem));
    const auto path = text_of(operation, "path");
    if (!path) return no_path("copy");
    Value value = got.value == nullptr ? Value() : *got.value;
    const Place target = find_place(doc_, *path);
    if (target.container == nullptr) {
      return refuse(
          fmt::format("copy operation does not apply: doc is missing destination path: {}: missing value", *path));
    }
    copied_bytes_ += print_json(value).size();
    if (copied_bytes_ > kCopiedBytesMax) {
      return refuse(fmt::format(
          "Unable to complete the copy, the accumulated size increase of copy is {}, exceeding the limit {}",
          copied_bytes_, kCopiedBytesMax));
    }
    const std::string problem = add(target, std::move(value));
    if (!problem.empty()) return refuse("error while adding value during copy: " + problem);
    return {};
  }

  Value doc_;
  std::size_t copied_bytes_ = 0;
};

/// What a merge patch leaves of a value that has no counterpart: no nulls in maps.
void prune_nulls(Value& value) {
  if (value.is_map()) {
    std::erase_if(value.as_map(), [](const Value::Member& member) { return member.second.is_null(); });
    for (auto& member : value.as_map()) prune_nulls(member.second);
  } else if (value.is_list()) {
    for (Value& element : value.as_list()) prune_nulls(element);
  }
}

void merge(Value& doc, const Value& patch) {
  if (!doc.is_map() || !patch.is_map()) {
    doc = patch;
    prune_nulls(doc);
    return;
  }
  for (const auto& [key, value] : patch.as_map()) {
    if (value.is_null()) {
      doc.erase(key);
    } else {
      merge(doc[key], value);
    }
  }
}

}  // namespace

Result<Value> apply_json_patch(Value doc, const Value& patch) {
  const auto not_a = [](const Value& value, std::string_view type) {
    return fail(Code::kBadRequest,
                fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type {}",
                            go_type(value), type));
  };
  if (!patch.is_list()) return not_a(patch, "[]handlers.jsonPatchOp");
  if (patch.as_list().size() > kOperationsMax) {
    return fail(Code::kRequestEntityTooLarge,
                fmt::format("The allowed maximum operations in a JSON patch is {}, got {}", kOperationsMax,
                            patch.as_list().size()));
  }
  for (const Value& operation : patch.as_list()) {
    if (!operation.is_map()) return not_a(operation, "handlers.jsonPatchOp");
  }
  JsonPatch run(std::move(doc));
  for (const Value& operation : patch.as_list()) TRY(run.apply(operation));
  return run.take();
}

Result<Value> apply_merge_patch(Value doc, const Value& patch) {
  if (patch.is_null()) return fail(Code::kBadRequest, "Invalid JSON Patch");
  if (!patch.is_map()) {
    return fail(Code::kBadRequest,
                fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type "
                            "map[string]interface {{}}",
                            go_type(patch)));
  }
  merge(doc, patch);
  return doc;
}

}  // namespace dray
