#include "machinery/labels.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "machinery/formats.h"
#include "machinery/meta_v1.h"
#include "machinery/validate.h"

namespace dray {
namespace {

using Operator = LabelRequirement::Operator;

std::unexpected<Error> refuse(std::string text) { return fail(Code::kBadRequest, std::move(text)); }

std::optional<std::int64_t> parse_int(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t out = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

void check_values(Operator op, const std::vector<std::string>& values, const FieldPath& at, Causes& out) {
  switch (op) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (values.empty()) {
        out.invalid(at, values, "for 'in', 'notin' operators, values set can't be empty");
      }
      return;
    case Operator::kEquals:
    case Operator::kDoubleEquals:
    case Operator::kNotEquals:
      if (values.size() != 1) out.invalid(at, values, "exact-match compatibility requires one single value");
      return;
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (!values.empty()) out.invalid(at, values, "values set must be empty for exists and does not exist");
      return;
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      if (values.size() != 1) {
        out.invalid(at, values, "for 'Gt', 'Lt' operators, exactly one value is required");
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (parse_int(values[i])) continue;
        out.invalid(at / i, values[i], "for 'Gt', 'Lt' operators, the value must be an integer");
      }
      return;
  }
}

std::string joined(const Problems& problems) { return fmt::format("{}", fmt::join(problems, "; ")); }

/// All causes as one text, as Kubernetes' aggregate prints them.
std::string text_of(const Causes& causes) {
  std::vector<std::string> texts;
  for (const Cause& cause : causes.list()) {
    std::string text = cause.field + ": " + cause.message;
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts.size() == 1 ? texts[0] : fmt::format("[{}]", fmt::join(texts, ", "));
}

enum class Token : std::uint8_t {
  kError,
  kEnd,
  kClose,
  kComma,
  kNot,
  kDoubleEquals,
  kEquals,
  kGreaterThan,
  kIdentifier,
  kIn,
  kLessThan,
  kNotEquals,
  kNotIn,
  kOpen,
};

struct Word {
  std::string_view text;
  Token token;
};
constexpr Word kWords[] = {
    {")", Token::kClose}, {",", Token::kComma},     {"!", Token::kNot}, {"==", Token::kDoubleEquals},
    {"=", Token::kEquals}, {">", Token::kGreaterThan}, {"in", Token::kIn}, {"<", Token::kLessThan},
    {"!=", Token::kNotEquals}, {"notin", Token::kNotIn}, {"(", Token::kOpen},
};

Token token_of(std::string_view text) {
  const auto* found = std::ranges::find(kWords, text, &Word::text);
  return found == std::end(kWords) ? Token::kError : found->token;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_symbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

struct Item {
  Token token;
  std::string text;
};

/// Reads items. A zero byte ends an item, and the text where an item would begin, as there.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  Item next() {
    while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
    if (rest_.empty() || rest_[0] == '\0') return {Token::kEnd, ""};
    Item item = is_symbol(rest_[0]) ? symbol() : identifier();
    if (rest_.starts_with('\0')) rest_.remove_prefix(1);
    return item;
  }

 private:
  /// The longest known symbol, as far as every symbol added to it makes sense.
  Item symbol() {
    Item best{Token::kError, ""};
    std::string read;
    while (!rest_.empty() && is_symbol(rest_[0])) {
      read += rest_[0];
      const Token token = token_of(read);
      if (token != Token::kError) {
        best = {token, read};
      } else if (best.token != Token::kError) {
        break;
      }
      rest_.remove_prefix(1);
    }
    if (best.token == Token::kError) best.text = fmt::format("error expected: keyword found '{}'", read);
    return best;
  }

  Item identifier() {
    std::size_t size = 0;
    while (size < rest_.size() && rest_[size] != '\0' && !is_symbol(rest_[size]) && !is_blank(rest_[size])) {
      ++size;
    }
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    const Token token = token_of(text);
    return {token == Token::kError ? Token::kIdentifier : token, std::string(text)};
  }

  std::string_view rest_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) {
    Lexer lexer(text);
    do {
      items_.push_back(lexer.next());
    } while (items_.back().token != Token::kEnd);
  }

  Result<std::vector<LabelRequirement>> parse() {
    std::vector<LabelRequirement> out;
    while (true) {
      const Token token = peek();
      if (token == Token::kEnd) return out;
      if (token != Token::kIdentifier && token != Token::kNot) {
        return refuse(fmt::format("found '{}', expected: !, identifier, or 'end of string'", text()));
      }
      auto requirement = parse_requirement();
      if (!requirement) return refuse("unable to parse requirement: " + requirement.error().message);
      out.push_back(*std::move(requirement));
      const Item separator = take();
      if (separator.token == Token::kEnd) return out;
      if (separator.token != Token::kComma) {
        return refuse(fmt::format("found '{}', expected: ',' or 'end of string'", separator.text));
      }
      if (peek() != Token::kIdentifier && peek() != Token::kNot) {
        return refuse(fmt::format("found '{}', expected: identifier after ','", text()));
      }
    }
  }

 private:
  /// "in" and "notin" are operators only where one is expected.
  static Token as_value(Token token) {
    return token == Token::kIn || token == Token::kNotIn ? Token::kIdentifier : token;
  }
  [[nodiscard]] Token peek() const { return as_value(items_[at_].token); }
  [[nodiscard]] const std::string& text() const { return items_[at_].text; }
  Item take() {
    const Item& item = items_[std::min(at_++, items_.size() - 1)];
    at_ = std::min(at_, items_.size() - 1);
    return {as_value(item.token), item.text};
  }

  Result<LabelRequirement> parse_requirement() {
    Item key = take();
    const bool negated = key.token == Token::kNot;
    if (negated) key = take();
    if (key.token != Token::kIdentifier) {
      return refuse(fmt::format("found '{}', expected: identifier", key.text));
    }
    if (const Problems problems = check_qualified_name(key.text); !problems.empty()) {
      return refuse(fmt::format("<nil>: Invalid value: {}: {}", go_quoted(key.text), joined(problems)));
    }
    if (negated) return make_label_requirement(std::move(key.text), Operator::kDoesNotExist, {});
    if (peek() == Token::kEnd || peek() == Token::kComma) {
      return make_label_requirement(std::move(key.text), Operator::kExists, {});
    }
    TRY_ASSIGN(const Operator op, parse_operator());
    const bool set = op == Operator::kIn || op == Operator::kNotIn;
    TRY_ASSIGN(std::vector<std::string> values, set ? parse_set() : parse_value());
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return make_label_requirement(std::move(key.text), op, std::move(values));
  }

  Result<Operator> parse_operator() {
    const Token token = items_[at_].token;
    const std::string found = take().text;
    switch (token) {
      case Token::kIn: return Operator::kIn;
      case Token::kNotIn: return Operator::kNotIn;
      case Token::kEquals: return Operator::kEquals;
      case Token::kDoubleEquals: return Operator::kDoubleEquals;
      case Token::kNotEquals: return Operator::kNotEquals;
      case Token::kGreaterThan: return Operator::kGreaterThan;
      case Token::kLessThan: return Operator::kLessThan;
      case Token::kError:
      case Token::kEnd:
      case Token::kClose:
      case Token::kComma:
      case Token::kNot:
      case Token::kIdentifier:
      case Token::kOpen: break;
    }
    return refuse(fmt::format("found '{}', expected: in, notin, =, ==, !=, gt, lt", found));
  }

  /// "=" with nothing after it means the empty value.
  Result<std::vector<std::string>> parse_value() {
    if (peek() == Token::kEnd || peek() == Token::kComma) return std::vector<std::string>{""};
    Item value = take();
    if (value.token == Token::kIdentifier) return std::vector<std::string>{std::move(value.text)};
    return refuse(fmt::format("found '{}', expected: identifier", value.text));
  }

  Result<std::vector<std::string>> parse_set() {
    const Item open = take();
    if (open.token != Token::kOpen) return refuse(fmt::format("found '{}' expected: '('", open.text));
    const std::string first = text();
    switch (peek()) {
      case Token::kClose: take(); return std::vector<std::string>{""};
      case Token::kIdentifier:
      case Token::kComma: break;
      default: return refuse(fmt::format("found '{}', expected: ',', ')' or identifier", first));
    }
    TRY_ASSIGN(std::vector<std::string> values, parse_identifiers());
    if (take().token != Token::kClose) return refuse(fmt::format("found '{}', expected: ')'", first));
    return values;
  }

  /// Identifiers between commas; where there is none, the empty value is meant.
  Result<std::vector<std::string>> parse_identifiers() {
    std::vector<std::string> out;
    while (true) {
      Item item = take();
      if (item.token == Token::kIdentifier) {
        out.push_back(std::move(item.text));
        if (peek() == Token::kComma) continue;
        if (peek() == Token::kClose) return out;
        return refuse(fmt::format("found '{}', expected: ',' or ')'", text()));
      }
      if (item.token != Token::kComma) {
        return refuse(fmt::format("found '{}', expected: ',', or identifier", item.text));
      }
      if (out.empty() || peek() == Token::kComma) out.emplace_back();
      if (peek() == Token::kClose) {
        out.emplace_back();
        return out;
      }
    }
  }

  std::vector<Item> items_;
  std::size_t at_ = 0;
};

std::string_view symbol_of(Operator op) {
  switch (op) {
    case Operator::kIn: return " in ";
    case Operator::kNotIn: return " notin ";
    case Operator::kEquals: return "=";
    case Operator::kDoubleEquals: return "==";
    case Operator::kNotEquals: return "!=";
    case Operator::kGreaterThan: return ">";
    case Operator::kLessThan: return "<";
    case Operator::kExists:
    case Operator::kDoesNotExist: return "";
  }
  return "";
}

}  // namespace

Result<LabelRequirement> make_label_requirement(std::string key, Operator op,
                                                std::vector<std::string> values) {
  Causes causes;
  if (const Problems problems = check_qualified_name(key); !problems.empty()) {
    causes.invalid(FieldPath("key"), key, joined(problems));
  }
  const FieldPath at("values");
  check_values(op, values, at, causes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const Problems problems = check_label_value(values[i]); !problems.empty()) {
      causes.invalid((at / i)[key], values[i], joined(problems));
    }
  }
  if (!causes.empty()) return refuse(text_of(causes));
  return LabelRequirement{std::move(key), op, std::move(values)};
}

bool LabelRequirement::matches(const Labels& labels) const {
  const auto found = labels.find(key);
  const bool exists = found != labels.end();
  const auto listed = [&] { return std::ranges::find(values, found->second) != values.end(); };
  switch (op) {
    case Operator::kIn:
    case Operator::kEquals:
    case Operator::kDoubleEquals: return exists && listed();
    case Operator::kNotIn:
    case Operator::kNotEquals: return !exists || !listed();
    case Operator::kExists: return exists;
    case Operator::kDoesNotExist: return !exists;
    case Operator::kGreaterThan:
    case Operator::kLessThan: {
      if (!exists || values.size() != 1) return false;
      const auto left = parse_int(found->second);
      const auto right = parse_int(values[0]);
      if (!left || !right) return false;
      return op == Operator::kGreaterThan ? *left > *right : *left < *right;
    }
  }
  return false;
}

std::string LabelRequirement::str() const {
  std::string out = op == Operator::kDoesNotExist ? "!" + key : key;
  if (op == Operator::kExists || op == Operator::kDoesNotExist) return out;
  std::vector<std::string> sorted = values;
  std::ranges::sort(sorted);
  const bool set = op == Operator::kIn || op == Operator::kNotIn;
  return out + fmt::format("{}{}{}{}", symbol_of(op), set ? "(" : "", fmt::join(sorted, ","), set ? ")" : "");
}

LabelSelector::LabelSelector(std::vector<LabelRequirement> requirements)
    : requirements_(std::move(requirements)) {
  std::ranges::stable_sort(requirements_, {}, &LabelRequirement::key);
}

LabelSelector LabelSelector::nothing() {
  LabelSelector out;
  out.nothing_ = true;
  return out;
}

LabelSelector LabelSelector::exactly(const Labels& labels) {
  std::vector<LabelRequirement> requirements;
  for (const auto& [key, value] : labels) requirements.push_back({key, Operator::kEquals, {value}});
  return LabelSelector(std::move(requirements));
}

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  TRY_ASSIGN(std::vector<LabelRequirement> requirements, Parser(text).parse());
  return LabelSelector(std::move(requirements));
}

Result<LabelSelector> LabelSelector::from(const meta::LabelSelector& selector) {
  std::vector<LabelRequirement> requirements;
  for (const auto& [key, value] : selector.match_labels) {
    TRY_ASSIGN(auto requirement, make_label_requirement(key, Operator::kEquals, {value}));
    requirements.push_back(std::move(requirement));
  }
  for (const meta::LabelSelectorRequirement& each : selector.match_expressions) {
    constexpr std::pair<std::string_view, Operator> kOperators[] = {{"In", Operator::kIn},
                                                                    {"NotIn", Operator::kNotIn},
                                                                    {"Exists", Operator::kExists},
                                                                    {"DoesNotExist", Operator::kDoesNotExist}};
    const auto* op = std::ranges::find(kOperators, each.operator_, [](const auto& row) { return row.first; });
    if (op == std::end(kOperators)) {
      return refuse(go_quoted(each.operator_) + " is not a valid label selector operator");
    }
    TRY_ASSIGN(auto requirement, make_label_requirement(each.key, op->second, each.values));
    requirements.push_back(std::move(requirement));
  }
  return LabelSelector(std::move(requirements));
}

bool LabelSelector::matches(const Labels& labels) const {
  return !nothing_ && std::ranges::all_of(requirements_, [&](const auto& each) { return each.matches(labels); });
}

std::string LabelSelector::str() const {
  std::string out;
  for (const LabelRequirement& each : requirements_) {
    if (!out.empty()) out += ',';
    out += each.str();
  }
  return out;
}

}  // namespace dray
