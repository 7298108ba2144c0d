#include "cel/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "cel/lexer.h"

namespace dray::cel {
namespace {

using Kind = TokenKind;

/// Grammar rules whose nesting is limited each for itself.
enum Rule { kExpr, kOr, kAnd, kRelation, kCalc, kUnary, kMember, kPrimary, kRuleCount };

/// Ends the parse: what is wrong is in the issues already.
struct Abort {};

bool is_reserved(std::string_view name) {
  static constexpr std::array<std::string_view, 21> kReserved{
      "as",       "break", "const", "continue", "else", "false",   "for",
      "function", "if",    "import", "in",      "let",  "loop",    "namespace",
      "null",     "package", "return", "true",  "var",  "void",    "while"};
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

std::string_view operator_of(Kind kind) {
  switch (kind) {
    case Kind::kEqual: return "_==_";
    case Kind::kNotEqual: return "_!=_";
    case Kind::kIn: return "@in";
    case Kind::kLess: return "_<_";
    case Kind::kLessEqual: return "_<=_";
    case Kind::kGreater: return "_>_";
    case Kind::kGreaterEqual: return "_>=_";
    case Kind::kPlus: return "_+_";
    case Kind::kMinus: return "_-_";
    case Kind::kStar: return "_*_";
    case Kind::kSlash: return "_/_";
    case Kind::kPercent: return "_%_";
    default: return {};
  }
}

/// Binding strength in `calc`; 0 if it is no operator there.
int calc_precedence(Kind kind) {
  if (kind == Kind::kStar || kind == Kind::kSlash || kind == Kind::kPercent) return 2;
  return kind == Kind::kPlus || kind == Kind::kMinus ? 1 : 0;
}

bool is_relation(Kind kind) {
  return kind >= Kind::kEqual && kind <= Kind::kGreater;
}

/// A node, and how deep the nesting of operators, selections and calls is below it.
struct Node {
  Expr* expr = nullptr;
  int depth = 0;
};

class Parser {
 public:
  Parser(Ast& ast, const ParserOptions& options, Issues& issues)
      : ast_(ast), options_(options), issues_(issues) {}

  void run() {
    Tokens lexed = tokenize(ast_.source);
    tokens_ = std::move(lexed.tokens);
    for (Issue& error : lexed.errors) syntax_.push_back({error.at, "Syntax error: " + error.message});
    Node root;
    try {
      root = expr();
      if (peek() != Kind::kEnd) unexpected("'<EOF>'");
    } catch (const Abort&) {
    }
    if (limit_) {
      issues_.add({}, fmt::format("expression recursion limit exceeded: {}", kRecursionMax));
      return report_syntax();
    }
    if (too_deep_) issues_.add({}, "max recursion depth exceeded");
    for (Issue& issue : found_)
      if (!too_deep_) issues_.add(issue.at, std::move(issue.message));
    report_syntax();
    ast_.root = root.expr;
  }

 private:
  // Tokens.

  [[nodiscard]] const Token& token(int ahead = 0) const {
    const auto index = std::min(at_ + static_cast<std::size_t>(ahead), tokens_.size() - 1);
    return tokens_[index];
  }
  [[nodiscard]] Kind peek(int ahead = 0) const { return token(ahead).kind; }
  bool accept(Kind kind) {
    if (peek() != kind) return false;
    ++at_;
    return true;
  }
  const Token& take() { return tokens_[at_++]; }
  [[nodiscard]] std::string text(const Token& t) const { return ast_.source.slice(t.start, t.end); }

  // Errors.

  void report_syntax() {
    for (Issue& issue : syntax_) issues_.add(issue.at, std::move(issue.message));
  }

  [[noreturn]] void unexpected(std::string_view wanted) {
    const Token& t = token();
    Location at = ast_.source.location(t.start);
    if (ast_.source.size() == 0) at.column = -1;
    const std::string found = t.kind == Kind::kEnd ? "<EOF>" : text(t);
    // The reference gives up its search for a place to go on after that many tokens.
    if (nesting_ == 0 && tokens_.size() - at_ > 257)
      issues_.add({}, "error recovery token lookahead limit exceeded: 256");
    syntax_.push_back(
        {at, fmt::format("Syntax error: mismatched input '{}' expecting {}", found, wanted)});
    throw Abort{};
  }

  void expect(Kind kind, std::string_view wanted) {
    if (!accept(kind)) unexpected(wanted);
  }

  Expr* error_at(int offset, std::string message) {
    Expr* e = ast_.make(ast_.new_id(offset), ExprKind::kUnspecified);
    found_.push_back({ast_.location_of(e->id), std::move(message)});
    return e;
  }

  struct Enter {
    Enter(Parser& parser, Rule rule) : count(parser.rules_[rule]) {
      if (++count > kRecursionMax) {
        parser.limit_ = true;
        throw Abort{};
      }
    }
    ~Enter() { --count; }
    Enter(const Enter&) = delete;
    Enter& operator=(const Enter&) = delete;
    int& count;
  };

  Node deeper(Expr* e, int depth) {
    if (depth + 1 > kRecursionMax) too_deep_ = true;
    return {e, depth + 1};
  }

  // Nodes.

  Expr* make(ExprKind kind, int offset) { return ast_.make(ast_.new_id(offset), kind); }

  Expr* call(int id, std::string_view function, std::vector<Expr*> args) {
    return macro_or_call(id, function, nullptr, std::move(args));
  }

  Expr* plain_call(int id, std::string_view function, Expr* target, std::vector<Expr*> args) {
    Expr* e = ast_.make(id, ExprKind::kCall);
    e->name = function;
    e->operand = target;
    e->args = std::move(args);
    return e;
  }

  Expr* macro_or_call(int id, std::string_view function, Expr* target, std::vector<Expr*> args) {
    for (const Macro& macro : options_.macros) {
      if (macro.name != function || macro.receiver != (target != nullptr) ||
          (macro.arg_count >= 0 && macro.arg_count != static_cast<int>(args.size())))
        continue;
      MacroBuilder build(ast_, id);
      Expansion expansion = macro.expand(build, target, args);
      if (!expansion.error.empty()) {
        const int offset = ast_.offset_of(expansion.error_at);
        ast_.drop_id(id);
        return error_at(offset, std::move(expansion.error));
      }
      if (expansion.expr == nullptr) break;
      ast_.drop_id(id);
      return expansion.expr;
    }
    return plain_call(id, function, target, std::move(args));
  }

  // Grammar.

  Node expr() {
    const Enter enter(*this, kExpr);
    const Node condition = logic(kOr);
    if (peek() != Kind::kQuestion) return condition;
    const int id = ast_.new_id(take().start);
    const Node yes = logic(kOr);
    expect(Kind::kColon, "':'");
    const Node no = expr();
    Expr* e = call(id, "_?_:_", {condition.expr, yes.expr, no.expr});
    return deeper(e, std::max({condition.depth, yes.depth, no.depth}));
  }

  Node logic(Rule rule) {
    const Enter enter(*this, rule);
    const Kind op = rule == kOr ? Kind::kOr : Kind::kAnd;
    const auto operand = [&] { return rule == kOr ? logic(kAnd) : relation(1); };
    Node first = operand();
    std::vector<Expr*> terms{first.expr};
    std::vector<int> ids;
    while (peek() == op) {
      const int offset = take().start;
      const Node next = operand();
      ids.push_back(ast_.new_id(offset));
      terms.push_back(next.expr);
      first.depth = std::max(first.depth, next.depth);
    }
    if (ids.empty()) return first;
    const std::string_view function = rule == kOr ? "_||_" : "_&&_";
    return {balanced(function, terms, ids, 0, static_cast<int>(ids.size()) - 1), first.depth};
  }

  /// Long chains become a balanced tree of binary calls.
  Expr* balanced(std::string_view function, const std::vector<Expr*>& terms,
                 const std::vector<int>& ids, int low, int high) {
    const int middle = (low + high + 1) / 2;
    const auto at = static_cast<std::size_t>(middle);
    Expr* left = middle == low ? terms[at] : balanced(function, terms, ids, low, middle - 1);
    Expr* right = middle == high ? terms[at + 1] : balanced(function, terms, ids, middle + 1, high);
    return plain_call(ids[at], function, nullptr, {left, right});
  }

  Node relation(int precedence) {
    const Enter enter(*this, kRelation);
    Node left = calc(1);
    while (precedence <= 1 && is_relation(peek())) {
      const Token op = take();
      const int id = ast_.new_id(op.start);
      const Node right = relation(2);
      left = deeper(call(id, operator_of(op.kind), {left.expr, right.expr}),
                    std::max(left.depth, right.depth));
    }
    return left;
  }

  Node calc(int precedence) {
    const Enter enter(*this, kCalc);
    Node left = unary();
    for (int strength = 0; (strength = calc_precedence(peek())) >= precedence && strength > 0;) {
      const Token op = take();
      const int id = ast_.new_id(op.start);
      const Node right = calc(strength + 1);
      left = deeper(call(id, operator_of(op.kind), {left.expr, right.expr}),
                    std::max(left.depth, right.depth));
    }
    return left;
  }

  [[nodiscard]] bool signed_literal_ahead() const {
    return peek() == Kind::kMinus && (peek(1) == Kind::kInt || peek(1) == Kind::kFloat);
  }

  Node unary() {
    const Enter enter(*this, kUnary);
    const Kind op = peek();
    if ((op != Kind::kNot && op != Kind::kMinus) || signed_literal_ahead()) return member();
    const int offset = token().start;
    int count = 0;
    while (accept(op)) ++count;
    if (count % 2 == 0) return member();
    const int id = ast_.new_id(offset);
    const Node operand = member();
    return {call(id, op == Kind::kNot ? "!_" : "-_", {operand.expr}), operand.depth};
  }

  Node member() {
    const Enter enter(*this, kMember);
    Node left = primary();
    for (;;) {
      if (peek() == Kind::kDot) {
        left = peek(1) == Kind::kIdentifier && peek(2) == Kind::kLeftParen ? member_call(left)
                                                                          : select(left);
      } else if (peek() == Kind::kLeftBracket) {
        left = index(left);
      } else {
        return left;
      }
    }
  }

  Node member_call(Node target) {
    take();
    const std::string name = text(take());
    const int id = ast_.new_id(take().start);
    int depth = target.depth;
    std::vector<Expr*> args = arguments(depth);
    return deeper(macro_or_call(id, name, target.expr, std::move(args)), depth);
  }

  Node select(Node operand) {
    const int dot = take().start;
    const bool optional = accept(Kind::kQuestion);
    if (peek() != Kind::kIdentifier && peek() != Kind::kQuotedIdentifier)
      unexpected("{'?', IDENTIFIER, ESC_IDENTIFIER}");
    const Token name = take();
    const std::string field = field_name(name);
    if (!optional) {
      Expr* e = make(ExprKind::kSelect, dot);
      e->operand = operand.expr;
      e->name = field;
      return deeper(e, operand.depth);
    }
    if (!options_.optional_syntax) return {error_at(dot, "unsupported syntax '.?'"), operand.depth};
    Expr* literal = make(ExprKind::kLiteral, name.start);
    literal->literal = Literal::of_string(field);
    return deeper(plain_call(ast_.new_id(dot), "_?._", nullptr, {operand.expr, literal}),
                  operand.depth);
  }

  [[nodiscard]] std::string field_name(const Token& t) const {
    return t.kind == Kind::kQuotedIdentifier ? ast_.source.slice(t.start + 1, t.end - 1) : text(t);
  }

  Node index(Node target) {
    const int open = take().start;
    const bool optional = accept(Kind::kQuestion);
    const int id = ast_.new_id(open);
    ++nesting_;
    const Node key = expr();
    expect(Kind::kRightBracket, "']'");
    --nesting_;
    if (optional && !options_.optional_syntax)
      return {error_at(open, "unsupported syntax '[?'"), target.depth};
    return deeper(call(id, optional ? "_[?_]" : "_[_]", {target.expr, key.expr}),
                  std::max(target.depth, key.depth));
  }

  /// After the opening parenthesis; takes the closing one.
  std::vector<Expr*> arguments(int& depth) {
    ++nesting_;
    std::vector<Expr*> args;
    if (peek() != Kind::kRightParen) {
      do {
        const Node arg = expr();
        args.push_back(arg.expr);
        depth = std::max(depth, arg.depth);
      } while (accept(Kind::kComma));
    }
    expect(Kind::kRightParen, "{')', ','}");
    --nesting_;
    return args;
  }

  Node primary() {
    const Enter enter(*this, kPrimary);
    switch (peek()) {
      case Kind::kLeftParen: {
        take();
        ++nesting_;
        const Node inner = expr();
        expect(Kind::kRightParen, "')'");
        --nesting_;
        return inner;
      }
      case Kind::kLeftBracket: return list();
      case Kind::kLeftBrace: return map();
      case Kind::kDot:
        if (peek(1) != Kind::kIdentifier) {
          take();
          unexpected("IDENTIFIER");
        }
        [[fallthrough]];
      case Kind::kIdentifier: return message_ahead() ? message() : name();
      default: return {literal(), 0};
    }
  }

  [[nodiscard]] bool message_ahead() const {
    int at = peek() == Kind::kDot ? 1 : 0;
    while (peek(at) == Kind::kIdentifier && peek(at + 1) == Kind::kDot) at += 2;
    return peek(at) == Kind::kIdentifier && peek(at + 1) == Kind::kLeftBrace;
  }

  Node name() {
    const int start = token().start;
    const bool dot = accept(Kind::kDot);
    const Token id_token = take();
    const std::string id_text = text(id_token);
    const std::string full = (dot ? "." : "") + id_text;
    if (peek() != Kind::kLeftParen) {
      if (is_reserved(id_text)) return {error_at(start, "reserved identifier: " + id_text), 0};
      Expr* e = make(ExprKind::kIdent, id_token.start);
      e->name = full;
      return {e, 0};
    }
    const int open = take().start;
    const bool reserved = is_reserved(id_text);
    const int id = reserved ? 0 : ast_.new_id(open);
    int depth = 0;
    std::vector<Expr*> args = arguments(depth);
    if (reserved) return {error_at(start, "reserved identifier: " + id_text), 0};
    return {macro_or_call(id, full, nullptr, std::move(args)), depth};
  }

  Node list() {
    Expr* e = make(ExprKind::kList, take().start);
    ++nesting_;
    int depth = 0;
    bool any_optional = false;
    while (peek() != Kind::kRightBracket) {
      if (e->args.empty() && accept(Kind::kComma)) break;
      const int start = token().start;
      const bool optional = accept(Kind::kQuestion);
      const Node element = expr();
      depth = std::max(depth, element.depth);
      e->args.push_back(element.expr);
      if (optional && !options_.optional_syntax) error_at(start, "unsupported syntax '?'");
      e->optional.push_back(optional);
      any_optional = any_optional || optional;
      if (!accept(Kind::kComma)) break;
    }
    if (!any_optional) e->optional.clear();
    expect(Kind::kRightBracket, "{']', ','}");
    --nesting_;
    return {e, depth};
  }

  Node map() {
    Expr* e = make(ExprKind::kMap, take().start);
    ++nesting_;
    int depth = 0;
    while (peek() != Kind::kRightBrace) {
      if (e->entries.empty() && accept(Kind::kComma)) break;
      Entry entry;
      entry.optional = accept(Kind::kQuestion);
      // The id of the colon comes before those of key and value.
      entry.id = ast_.new_id(0);
      const Node key = expr();
      if (peek() != Kind::kColon) unexpected("':'");
      ast_.move_id(entry.id, take().start);
      const Node value = expr();
      entry.key = key.expr;
      entry.value = value.expr;
      if (entry.optional && !options_.optional_syntax)
        error_at(ast_.offset_of(entry.id), "unsupported syntax '?'");
      depth = std::max({depth, key.depth, value.depth});
      e->entries.push_back(std::move(entry));
      if (!accept(Kind::kComma)) break;
    }
    expect(Kind::kRightBrace, "{'}', ','}");
    --nesting_;
    return {e, depth};
  }

  Node message() {
    std::string type = accept(Kind::kDot) ? "." : "";
    type += text(take());
    while (accept(Kind::kDot)) type += "." + text(take());
    Expr* e = make(ExprKind::kStruct, take().start);
    e->name = type;
    ++nesting_;
    int depth = 0;
    while (peek() != Kind::kRightBrace) {
      if (e->entries.empty() && accept(Kind::kComma)) break;
      Entry entry;
      entry.optional = accept(Kind::kQuestion);
      if (peek() != Kind::kIdentifier && peek() != Kind::kQuotedIdentifier)
        unexpected("{'?', IDENTIFIER, ESC_IDENTIFIER}");
      entry.field = field_name(take());
      if (peek() != Kind::kColon) unexpected("':'");
      entry.id = ast_.new_id(take().start);
      const Node value = expr();
      entry.value = value.expr;
      depth = std::max(depth, value.depth);
      e->entries.push_back(std::move(entry));
      if (!accept(Kind::kComma)) break;
    }
    expect(Kind::kRightBrace, "{'}', ','}");
    --nesting_;
    return {e, depth};
  }

  Expr* literal() {
    const int start = token().start;
    const bool negative = signed_literal_ahead() && accept(Kind::kMinus);
    switch (peek()) {
      case Kind::kInt: return integer(start, negative);
      case Kind::kUint: return unsigned_integer(start);
      case Kind::kFloat: return floating(start, negative);
      case Kind::kString: return string(start, false);
      case Kind::kBytes: return string(start, true);
      case Kind::kTrue:
      case Kind::kFalse: return constant(start, Literal::of_bool(take().kind == Kind::kTrue));
      case Kind::kNull: take(); return constant(start, Literal{});
      default:
        unexpected("{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, "
                   "NUM_UINT, STRING, BYTES, IDENTIFIER}");
    }
  }

  Expr* constant(int start, Literal value) {
    Expr* e = make(ExprKind::kLiteral, start);
    e->literal = std::move(value);
    return e;
  }

  Expr* integer(int start, bool negative) {
    std::string digits = text(take());
    const bool hex = digits.starts_with("0x");
    if (hex) digits = digits.substr(2);
    if (negative) digits = "-" + digits;
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (error != std::errc{}) return error_at(start, "invalid int literal");
    return constant(start, Literal::of_int(value));
  }

  Expr* unsigned_integer(int start) {
    std::string digits = text(take());
    digits.pop_back();
    const bool hex = digits.starts_with("0x");
    if (hex) digits = digits.substr(2);
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (error != std::errc{}) return error_at(start, "invalid uint literal");
    return constant(start, {LiteralKind::kUint, static_cast<std::int64_t>(value), 0, {}});
  }

  Expr* floating(int start, bool negative) {
    const std::string digits = text(take());
    const double value = std::strtod(digits.c_str(), nullptr);
    if (std::isinf(value)) return error_at(start, "invalid double literal");
    return constant(start, {LiteralKind::kDouble, 0, negative ? -value : value, {}});
  }

  Expr* string(int start, bool is_bytes) {
    const std::string quoted = text(take());
    const std::string_view literal = std::string_view(quoted).substr(is_bytes ? 1 : 0);
    std::string value, error;
    if (!unescape(literal, is_bytes, value, error)) {
      error_at(start, error);
      value = literal;
    }
    return constant(start,
                    {is_bytes ? LiteralKind::kBytes : LiteralKind::kString, 0, 0, std::move(value)});
  }

  Ast& ast_;
  const ParserOptions& options_;
  Issues& issues_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;  // of brackets
  std::array<int, kRuleCount> rules_{};
  bool limit_ = false;
  bool too_deep_ = false;
  std::vector<Issue> syntax_;
  std::vector<Issue> found_;
};

}  // namespace

bool parse(Ast& ast, const ParserOptions& options, Issues& issues) {
  if (ast.source.size() > kExpressionSizeMax) {
    issues.add({}, fmt::format("expression code point size exceeds limit: size: {}, limit {}",
                               ast.source.size(), kExpressionSizeMax));
    return false;
  }
  Parser(ast, options, issues).run();
  return issues.empty() && ast.root != nullptr;
}

}  // namespace dray::cel
