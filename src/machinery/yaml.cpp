#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "machinery/base64.h"
#include "machinery/value.h"
#include "machinery/yaml_scalar.h"

namespace dray {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";
/// Nodes that anchors and aliases may copy, in all: what go-yaml allows for documents of any size.
constexpr std::int64_t kCopiesMax = 400'000;

/// Thrown through yaml-cpp's parser, caught in parse_yaml.
struct Refused {
  Position at;
  std::string text;
};

Position position_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

std::unexpected<Error> refuse(const Position& at, std::string text) {
  Error error;
  error.code = Code::kBadRequest;
  error.message = fmt::format("line {}, column {}: {}", at.line, at.column, text);
  error.causes = {Cause{"", "", std::move(text), at}};
  return fail(std::move(error));
}

std::int64_t nodes_of(const Value& value) {
  std::int64_t count = 1;
  if (value.is_list()) {
    for (const Value& element : value.as_list()) count += nodes_of(element);
  } else if (value.is_map()) {
    for (const auto& member : value.as_map()) count += nodes_of(member.second);
  }
  return count;
}

/// A float as its way through JSON leaves it: an int if Go prints it like one.
Value through_json(double number, const Position& at) {
  if (!std::isfinite(number)) {
    throw Refused{at, "json: unsupported value: " + yaml::shortest(number)};
  }
  std::string text;
  append_json_double(text, number);
  std::int64_t integer = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), integer);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole ? Value(integer) : Value(number);
}

/// A scalar with a tag of its own: "!!str 5", "!!binary aGk=".
yaml::Scalar tagged(std::string_view tag, const std::string& text, const Position& at) {
  using yaml::ScalarKind;
  const yaml::Scalar as_string{ScalarKind::kString, Value(text)};
  if (!tag.starts_with(kTagPrefix)) return as_string;
  tag.remove_prefix(kTagPrefix.size());
  if (tag == "binary") {
    auto bytes = base64_decode(text);
    if (!bytes) throw Refused{at, "!!binary value contains invalid base64 data"};
    return {ScalarKind::kString, Value(*std::move(bytes))};
  }
  static const std::map<std::string_view, ScalarKind> kKinds = {{"bool", ScalarKind::kBool},
                                                                {"int", ScalarKind::kInt},
                                                                {"float", ScalarKind::kFloat},
                                                                {"null", ScalarKind::kNull},
                                                                {"timestamp", ScalarKind::kTimestamp}};
  const auto kind = kKinds.find(tag);
  if (kind == kKinds.end()) return as_string;
  yaml::Scalar resolved = yaml::resolve(text);
  const bool widened = kind->second == ScalarKind::kFloat && resolved.kind == ScalarKind::kInt;
  if (resolved.kind != kind->second && !widened) {
    throw Refused{at, fmt::format("cannot decode `{}` as a !!{}", text, tag)};
  }
  return resolved;
}

/// Builds trees from the parser's events.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(ParseLimits limits) : limits_(limits) {}

  std::vector<Value> take_documents() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark&) override { anchors_.clear(); }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark&, const std::string&) override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({yaml::ScalarKind::kNull, Value()}, position_of(mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    const Position at = position_of(mark);
    if (found == anchors_.end()) throw Refused{at, "anchor value contains itself"};
    charge(found->second, at);
    Value copy = found->second;
    copy.at = at;
    accept(std::move(copy));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const Position at = position_of(mark);
    const bool plain = tag == "?" || tag.empty();
    if (plain && text == "<<" && expects_key()) {
      open_.back().merge = true;
      return;
    }
    if (plain) return add(yaml::resolve(text), at, anchor);
    if (tag == "!") return add({yaml::ScalarKind::kString, Value(text)}, at, anchor);
    add(tagged(tag, text, at), at, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value::list(), mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value::map(), mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor;
    std::optional<std::string> key;  // read, its value still to come
    bool merge = false;              // "<<" read, what to merge still to come
    std::vector<std::string> merged; // keys that a merge brought; others may replace them
  };

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().value.is_map() && !open_.back().key && !open_.back().merge;
  }

  void open(Value value, const YAML::Mark& mark, YAML::anchor_t anchor) {
    value.at = position_of(mark);
    if (expects_key()) throw Refused{value.at, "invalid map key: only scalars are supported"};
    if (static_cast<int>(open_.size()) >= limits_.depth_max) {
      throw Refused{value.at, "exceeded max depth"};
    }
    open_.push_back({std::move(value), anchor, {}, false, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    remember(done.anchor, done.value);
    accept(std::move(done.value));
  }

  void add(yaml::Scalar scalar, const Position& at, YAML::anchor_t anchor) {
    if (expects_key()) {
      open_.back().key = key_text(scalar, at);
      remember(anchor, Value(*open_.back().key));
      return;
    }
    if (scalar.value.is_double()) scalar.value = through_json(scalar.value.as_double(), at);
    scalar.value.at = at;
    remember(anchor, scalar.value);
    accept(std::move(scalar.value));
  }

  static std::string key_text(const yaml::Scalar& scalar, const Position& at) {
    const Value& value = scalar.value;
    switch (value.type()) {
      case Value::Type::kString: return value.as_string();
      case Value::Type::kBool: return value.as_bool() ? "true" : "false";
      case Value::Type::kInt: return std::to_string(value.as_int());
      case Value::Type::kDouble: return yaml::shortest(value.as_double());
      case Value::Type::kNull:
      case Value::Type::kList:
      case Value::Type::kMap: break;
    }
    throw Refused{at, "unsupported map key: only strings, numbers and booleans are"};
  }

  void remember(YAML::anchor_t anchor, const Value& value) {
    if (anchor == YAML::NullAnchor) return;
    charge(value, value.at);
    anchors_[anchor] = value;
  }

  void charge(const Value& value, const Position& at) {
    copies_ += nodes_of(value);
    if (copies_ > kCopiesMax) throw Refused{at, "document contains excessive aliasing"};
  }

  /// A complete value goes to where it belongs.
  void accept(Value value) {
    if (open_.empty()) {
      if (!value.is_null()) documents_.push_back(std::move(value));
      return;
    }
    Open& owner = open_.back();
    if (owner.value.is_list()) {
      owner.value.as_list().push_back(std::move(value));
    } else if (owner.merge) {
      owner.merge = false;
      merge(owner, value);
    } else if (owner.key) {
      const std::string key = *std::exchange(owner.key, std::nullopt);
      if (std::erase(owner.merged, key) > 0) {
        owner.value.set(key, std::move(value));
      } else {
        owner.value.as_map().emplace_back(key, std::move(value));
      }
    } else {  // An alias as key.
      owner.key = key_text({yaml::ScalarKind::kString, std::move(value)}, value.at);
    }
  }

  /// As go-yaml: a merge replaces what stands before it; of several maps the first wins.
  static void merge(Open& owner, const Value& source) {
    if (source.is_list()) {
      for (auto it = source.as_list().rbegin(); it != source.as_list().rend(); ++it) {
        if (!it->is_map()) refuse_merge(*it);
        merge(owner, *it);
      }
      return;
    }
    if (!source.is_map()) refuse_merge(source);
    for (const auto& [key, value] : source.as_map()) {
      if (owner.value.find(key) == nullptr) owner.merged.push_back(key);
      owner.value.set(key, value);
    }
  }
  [[noreturn]] static void refuse_merge(const Value& source) {
    throw Refused{source.at, "map merge requires map or sequence of maps as the value"};
  }

  ParseLimits limits_;
  std::vector<Value> documents_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::int64_t copies_ = 0;
};

Result<std::vector<Value>> parse_documents(std::string_view text, ParseLimits limits) {
  std::istringstream in{std::string(text)};
  Builder builder(limits);
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return refuse(refused.at, refused.text);
  } catch (const YAML::Exception& e) {
    return refuse(position_of(e.mark), e.msg);
  }
  return builder.take_documents();
}

/// Where the JSON text at the start of `text` ends: its braces close.
std::size_t json_end(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// A text that stood at `start` of a larger one counted its positions from {1, 1}.
void shift(Value& value, const Position& start) {
  if (value.at.line == 1) value.at.column += start.column - 1;
  value.at.line += start.line - 1;
  if (value.is_list()) {
    for (Value& element : value.as_list()) shift(element, start);
  } else if (value.is_map()) {
    for (auto& member : value.as_map()) shift(member.second, start);
  }
}

/// JSON texts in a row; nothing if it is not that.
std::optional<std::vector<Value>> parse_as_json(std::string_view text, ParseLimits limits) {
  std::vector<Value> out;
  Position at{1, 1};
  const auto skip = [&](std::size_t count) {
    for (const char c : text.substr(0, count)) at = c == '\n' ? Position{at.line + 1, 1} : Position{at.line, at.column + 1};
    text.remove_prefix(count);
  };
  while (true) {
    skip(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (text.empty()) return out;
    if (text[0] != '{' && text[0] != '[') return std::nullopt;
    const std::size_t end = json_end(text);
    auto parsed = parse_json(text.substr(0, end), limits);
    if (!parsed) return std::nullopt;
    if (at != Position{1, 1}) shift(*parsed, at);
    out.push_back(*std::move(parsed));
    skip(end);
  }
}

}  // namespace

Result<std::vector<Value>> parse_yaml(std::string_view text, ParseLimits limits) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json_like = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  // yaml-cpp refuses some JSON (surrogate pairs), so what can be JSON is tried as such.
  if (json_like) {
    if (auto parsed = parse_as_json(text, limits)) return *std::move(parsed);
  }
  return parse_documents(text, limits);
}

}  // namespace dray
