/// Included by the one test that uses it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "cel/collections.h"
#include "cel/ops.h"
#include "cel/text.h"
#include "machinery/base64.h"
#include "suite.h"

namespace dray::cel::test {
namespace {

const Value* only(const Value& v, std::string_view name) { return v.is_map() ? v.find(name) : nullptr; }

std::string text(const Value* v) { return v != nullptr && v->is_string() ? v->as_string() : ""; }

TypeRef primitive(const std::string& name) {
  if (name == "BOOL") return &types::kBool;
  if (name == "INT64") return &types::kInt;
  if (name == "UINT64") return &types::kUint;
  if (name == "DOUBLE") return &types::kDouble;
  if (name == "STRING") return &types::kString;
  if (name == "BYTES") return &types::kBytes;
  return nullptr;
}

TypeRef wrapper_of(const std::string& message) {
  if (message == "google.protobuf.BoolValue") return &types::kBool;
  if (message == "google.protobuf.Int32Value" || message == "google.protobuf.Int64Value") return &types::kInt;
  if (message == "google.protobuf.UInt32Value" || message == "google.protobuf.UInt64Value") return &types::kUint;
  if (message == "google.protobuf.FloatValue" || message == "google.protobuf.DoubleValue") return &types::kDouble;
  if (message == "google.protobuf.StringValue") return &types::kString;
  if (message == "google.protobuf.BytesValue") return &types::kBytes;
  return nullptr;
}

}  // namespace

inline TypeRef type_from_json(TypePool& pool, const Value& v) {
  if (!v.is_map() || v.as_map().empty()) return &types::kDyn;
  const auto& [kind, inner] = v.as_map().front();
  if (kind == "primitive") return primitive(inner.as_string());
  if (kind == "dyn") return &types::kDyn;
  if (kind == "null") return &types::kNull;
  if (kind == "wellKnown") {
    const std::string name = text(&inner);
    if (name == "DURATION") return &types::kDuration;
    if (name == "TIMESTAMP") return &types::kTimestamp;
    return name == "ANY" ? &types::kAny : nullptr;
  }
  if (kind == "wrapper") {
    const TypeRef t = primitive(text(&inner));
    return t == nullptr ? nullptr : pool.nullable(t);
  }
  if (kind == "messageType") {
    const std::string name = text(&inner);
    if (name == "google.protobuf.Duration") return &types::kDuration;
    if (name == "google.protobuf.Timestamp") return &types::kTimestamp;
    const TypeRef t = wrapper_of(name);
    return t == nullptr ? nullptr : pool.nullable(t);
  }
  if (kind == "typeParam") return pool.param(text(&inner));
  if (kind == "listType") {
    const Value* e = only(inner, "elemType");
    const TypeRef t = e == nullptr ? &types::kDyn : type_from_json(pool, *e);
    return t == nullptr ? nullptr : pool.list(t);
  }
  if (kind == "mapType") {
    const Value* k = only(inner, "keyType");
    const Value* e = only(inner, "valueType");
    const TypeRef key = k == nullptr ? &types::kDyn : type_from_json(pool, *k);
    const TypeRef value = e == nullptr ? &types::kDyn : type_from_json(pool, *e);
    return key == nullptr || value == nullptr ? nullptr : pool.map(key, value);
  }
  if (kind == "type") {
    const TypeRef t = type_from_json(pool, inner);
    return t == nullptr ? nullptr : pool.type_of(t);
  }
  if (kind == "abstractType") {
    std::vector<TypeRef> params;
    if (const Value* list = only(inner, "parameterTypes"))
      for (const Value& p : list->as_list()) {
        params.push_back(type_from_json(pool, p));
        if (params.back() == nullptr) return nullptr;
      }
    return pool.opaque(text(only(inner, "name")), std::move(params));
  }
  return nullptr;
}

inline bool declare(Environment& env, const Value& declarations) {
  for (const Value& d : declarations.as_list()) {
    const std::string name = text(d.find("name"));
    if (const Value* ident = d.find("ident")) {
      const Value* type = ident->find("type");
      const TypeRef t = type == nullptr ? &types::kDyn : type_from_json(env.pool, *type);
      if (t == nullptr) return false;
      env.add_variable(name, t);
      continue;
    }
    const Value* function = d.find("function");
    if (function == nullptr) continue;
    auto declare = env.declare(name);
    const Value* overloads = function->find("overloads");
    if (overloads == nullptr) continue;
    for (const Value& o : overloads->as_list()) {
      std::vector<TypeRef> args;
      if (const Value* params = o.find("params"))
        for (const Value& p : params->as_list()) args.push_back(type_from_json(env.pool, p));
      const Value* r = o.find("resultType");
      const TypeRef result = r == nullptr ? &types::kDyn : type_from_json(env.pool, *r);
      if (result == nullptr || std::find(args.begin(), args.end(), nullptr) != args.end()) return false;
      const Value* member = o.find("isInstanceFunction");
      const std::string id = text(o.find("overloadId"));
      member != nullptr && member->is_bool() && member->as_bool() ? declare.member(id, args, result)
                                                                  : declare.global(id, args, result);
    }
  }
  return true;
}

inline bool value_from_json(Arena& arena, const Value& v, Val& out) {
  if (!v.is_map() || v.as_map().empty()) return out = Val::null(), true;
  const auto& [kind, inner] = v.as_map().front();
  const auto number_text = [&] { return inner.is_string() ? inner.as_string() : print_json(inner); };
  if (kind == "nullValue") return out = Val::null(), true;
  if (kind == "boolValue") return out = Val::of(inner.as_bool()), true;
  if (kind == "int64Value") return out = Val::of_int(std::stoll(number_text())), true;
  if (kind == "uint64Value") return out = Val::of_uint(std::stoull(number_text())), true;
  if (kind == "doubleValue") {
    const std::string t = number_text();
    out = Val::of_double(t == "NaN" ? std::nan("") : t == "Infinity" ? HUGE_VAL
                         : t == "-Infinity" ? -HUGE_VAL : std::stod(t));
    return true;
  }
  if (kind == "stringValue") return out = Val::of_string(arena.copy(inner.as_string())), true;
  if (kind == "bytesValue") return out = Val::of_bytes(arena.copy(*base64_decode(inner.as_string()))), true;
  if (kind == "listValue") {
    std::vector<Val> values;
    if (const Value* list = inner.find("values"))
      for (const Value& e : list->as_list())
        if (!value_from_json(arena, e, values.emplace_back())) return false;
    Val* copy = arena.array<Val>(values.size());
    std::copy(values.begin(), values.end(), copy);
    out = Val::of_list(arena.make<ArrayList>(std::span<const Val>(copy, values.size())));
    return true;
  }
  if (kind == "mapValue") {
    auto* map = arena.make<HashMap>();
    if (const Value* list = inner.find("entries"))
      for (const Value& e : list->as_list()) {
        Val key, value;
        if (!value_from_json(arena, *e.find("key"), key) || !value_from_json(arena, *e.find("value"), value))
          return false;
        map->set(arena, key, value);
      }
    return out = Val::of_map(map), true;
  }
  if (kind == "objectValue") {
    const std::string type = text(inner.find("@type")), value = text(inner.find("value"));
    if (type.ends_with("google.protobuf.Duration")) {
      std::int64_t n = 0;
      return parse_duration(value, n) && (out = Val::of_duration(n), true);
    }
    if (type.ends_with("google.protobuf.Timestamp")) return parse_timestamp(value, out);
    const Value* wrapped = inner.find("value");
    const TypeRef t = wrapper_of(type.substr(type.rfind('/') + 1));
    if (t == nullptr || wrapped == nullptr) return false;
    const std::string n = wrapped->is_string() ? wrapped->as_string() : print_json(*wrapped);
    if (t == &types::kInt) return out = Val::of_int(std::stoll(n)), true;
    if (t == &types::kUint) return out = Val::of_uint(std::stoull(n)), true;
    if (t == &types::kDouble) return out = Val::of_double(std::stod(n)), true;
    if (t == &types::kBool) return out = Val::of(wrapped->as_bool()), true;
    if (t == &types::kString) return out = Val::of_string(arena.copy(n)), true;
    return false;
  }
  return false;
}

inline std::string canonical(const Value& v) {
  if (!v.is_map() || v.as_map().empty()) return "null";
  const auto& [kind, inner] = v.as_map().front();
  if (kind == "listValue") {
    std::string out = "[";
    if (const Value* list = inner.find("values"))
      for (const Value& e : list->as_list()) out += canonical(e) + ",";
    return out + "]";
  }
  if (kind == "mapValue") {
    std::vector<std::string> entries;
    if (const Value* list = inner.find("entries"))
      for (const Value& e : list->as_list())
        entries.push_back(canonical(*e.find("key")) + ":" + canonical(*e.find("value")));
    std::sort(entries.begin(), entries.end());
    return "{" + fmt::format("{}", fmt::join(entries, ",")) + "}";
  }
  if (kind == "doubleValue") {
    if (inner.is_string()) return "double " + inner.as_string();
    const double d = inner.as_double();
    return "double " + fmt::format("{}", d == 0 ? 0.0 : d);
  }
  if (kind == "objectValue") {
    std::string type = text(inner.find("@type"));
    std::string value = text(inner.find("value"));
    std::int64_t n = 0;
    Val time;
    if (type.ends_with("Duration") && parse_duration(value, n)) value = std::to_string(n);
    if (type.ends_with("Timestamp") && parse_timestamp(value, time)) value = timestamp_text(time, true);
    return type + " " + (value.empty() && inner.find("value") != nullptr ? canonical(*inner.find("value")) : value);
  }
  return kind + " " + (inner.is_string() ? inner.as_string() : print_json(inner));
}

inline bool needs_messages(const Value& original) {
  static const std::regex kMessages(
      "TestAllTypes|TestAllRequired|TestRequired|NotAMessage|NestedTestAll|GlobalEnum|NestedEnum|cel\\.expr\\.conformance\\.[a-z0-9.]*[A-Z]|"
      "google\\.protobuf\\.(Any|Value|Struct|ListValue|NullValue|Empty|FieldMask|Bool|Bytes|Double|Float|Int32|Int64|"
      "String|UInt32|UInt64)[A-Za-z]*|google\\.protobuf\\.(Duration|Timestamp)\\{|Value\\{|proto\\.(has|get)Ext|Any\\{|Struct\\{");
  Value copy = original;
  copy.erase("name");
  copy.erase("description");
  copy.erase("container");
  const std::string json = print_json(copy);
  if (std::regex_search(json, kMessages)) return true;
  const std::string expr = text(original.find("expr"));
  // "TestAllTypes" may be spelled with the container alone.
  return std::regex_search(expr, std::regex("\\b(Int32Value|Int64Value|UInt32Value|UInt64Value|FloatValue|DoubleValue|"
                                            "StringValue|BytesValue|BoolValue|Value|Struct|ListValue|Any)\\{"));
}

namespace {

using Args = std::span<Expr* const>;

bool cel_target(const Expr* target) { return target->kind == ExprKind::kIdent && target->name == "cel"; }

std::string number_of(const Expr* e) { return std::to_string(e->literal.integer); }

Expansion index_macro(MacroBuilder& b, Expr* target, Args args) {
  if (!cel_target(target)) return {};
  return {b.ident("@index" + number_of(args[0])), {}, 0};
}

Expansion variable_macro(MacroBuilder& b, Expr* target, Args args) {
  if (!cel_target(target)) return {};
  return {b.ident("@it:" + number_of(args[0]) + ":" + number_of(args[1])), {}, 0};
}

Expansion accumulator_macro(MacroBuilder& b, Expr* target, Args args) {
  if (!cel_target(target)) return {};
  return {b.ident("@ac:" + number_of(args[0]) + ":" + number_of(args[1])), {}, 0};
}

Expansion block_macro(MacroBuilder& b, Expr* target, Args args) {
  if (!cel_target(target) || args[0]->kind != ExprKind::kList) return {};
  Expr* out = args[1];
  for (std::size_t i = args[0]->args.size(); i-- > 0;) {
    const std::string name = "@index" + std::to_string(i);
    Fold f{"#unused", {}, name, {}, args[0]->args[i], {}, {}, out};
    f.range = b.list();
    f.condition = b.literal(Literal::of_bool(false));
    f.step = b.ident(name);
    out = b.fold(std::move(f));
  }
  return {out, {}, 0};
}

/// Writes a tree with two blanks for each level.
class TreeWriter {
 public:
  std::string take() { return std::move(out_); }

  void write(const Expr* e) {
    switch (e->kind) {
      case ExprKind::kLiteral: literal(e->literal); return;
      case ExprKind::kIdent: return put(e->name, "*expr.Expr_IdentExpr");
      case ExprKind::kSelect:
        write(e->operand);
        add("." + e->name + (e->test_only ? "~test-only~" : ""));
        return adorn("*expr.Expr_SelectExpr");
      case ExprKind::kCall: return call(e);
      case ExprKind::kList:
        add("[");
        items(e->args.size(), [&](std::size_t i) {
          write(e->args[i]);
        });
        add("]");
        return adorn("*expr.Expr_ListExpr");
      case ExprKind::kMap:
      case ExprKind::kStruct: return entries(e);
      case ExprKind::kFold: return fold(*e->fold);
      default: return;
    }
  }

 private:
  void add(const std::string& text) {
    if (line_start_) out_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ');
    line_start_ = false;
    out_ += text;
  }
  void line() {
    out_ += "\n";
    line_start_ = true;
  }
  void adorn(const std::string& kind) { add("^#" + kind + "#"); }
  void put(const std::string& text, const std::string& kind) {
    add(text);
    adorn(kind);
  }
  template <class Each>
  void items(std::size_t count, Each each) {
    if (count == 0) return;
    line();
    ++indent_;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) add(","), line();
      each(i);
    }
    --indent_;
    line();
  }
  void literal(const Literal& l) {
    switch (l.kind) {
      case LiteralKind::kNull: return put("null", "*expr.Constant_NullValue");
      case LiteralKind::kBool: return put(l.integer != 0 ? "true" : "false", "*expr.Constant_BoolValue");
      case LiteralKind::kInt: return put(std::to_string(l.integer), "*expr.Constant_Int64Value");
      case LiteralKind::kUint:
        return put(std::to_string(static_cast<std::uint64_t>(l.integer)) + "u", "*expr.Constant_Uint64Value");
      case LiteralKind::kDouble: return put(go_double(l.number), "*expr.Constant_DoubleValue");
      case LiteralKind::kString: return put(go_quote(l.text), "*expr.Constant_StringValue");
      case LiteralKind::kBytes: return put("b" + go_quote(l.text), "*expr.Constant_BytesValue");
    }
  }
  void call(const Expr* e) {
    if (e->is_member_call()) {
      write(e->operand);
      add(".");
    }
    add(e->name + "(");
    items(e->args.size(), [&](std::size_t i) { write(e->args[i]); });
    add(")");
    adorn("*expr.Expr_CallExpr");
  }
  void entries(const Expr* e) {
    add(e->name + "{");
    items(e->entries.size(), [&](std::size_t i) {
      const Entry& entry = e->entries[i];
      if (entry.optional) add("?");
      if (entry.key != nullptr) {
        write(entry.key);
      } else {
        add(entry.field);
      }
      add(":");
      write(entry.value);
      adorn("*expr.Expr_CreateStruct_Entry");
    });
    add("}");
    adorn("*expr.Expr_StructExpr");
  }
  void fold(const Fold& f) {
    add("__comprehension__(");
    ++indent_;
    line();
    const auto title = [&](const char* t) { add(std::string("// ") + t), line(); };
    const auto part = [&](const Expr* e) { write(e), add(","), line(); };
    title("Variable");
    add(f.variable + ","), line();
    if (!f.variable2.empty()) add(f.variable2 + ","), line();
    title("Target"), part(f.range);
    title("Accumulator"), add(f.accumulator + ","), line();
    title("Init"), part(f.init);
    title("LoopCondition"), part(f.condition);
    title("LoopStep"), part(f.step);
    title("Result"), write(f.result);
    add(")");
    adorn("*expr.Expr_ComprehensionExpr");
    --indent_;
  }

  std::string out_;
  int indent_ = 0;
  bool line_start_ = true;
};

}  // namespace

inline std::span<const Macro> block_macros() {
  static constexpr Macro kMacros[] = {{"block", 2, true, block_macro},
                                      {"index", 1, true, index_macro},
                                      {"iterVar", 2, true, variable_macro},
                                      {"accuVar", 2, true, accumulator_macro}};
  return kMacros;
}

inline std::string tree_text(const Expr* e) {
  TreeWriter writer;
  writer.write(e);
  return writer.take();
}

}  // namespace dray::cel::test
