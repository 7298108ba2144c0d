#include "cel/types.h"

#include <algorithm>

namespace dray::cel {

namespace types {
const Type kDyn{TypeKind::kDyn, "dyn"};
const Type kAny{TypeKind::kAny, "google.protobuf.Any"};
const Type kBool{TypeKind::kBool, "bool"};
const Type kBytes{TypeKind::kBytes, "bytes"};
const Type kDouble{TypeKind::kDouble, "double"};
const Type kDuration{TypeKind::kDuration, "google.protobuf.Duration"};
const Type kError{TypeKind::kError, "error"};
const Type kInt{TypeKind::kInt, "int"};
const Type kNull{TypeKind::kNull, "null_type"};
const Type kString{TypeKind::kString, "string"};
const Type kTimestamp{TypeKind::kTimestamp, "google.protobuf.Timestamp"};
const Type kType{TypeKind::kType, "type"};
const Type kUint{TypeKind::kUint, "uint"};
const Type kListDyn{TypeKind::kList, "list", {&kDyn}, false, 2, 2};
const Type kMapDyn{TypeKind::kMap, "map", {&kDyn, &kDyn}, false, 2, 3};
const Type kOptional{TypeKind::kOpaque, "optional_type", {&kDyn}, false, 2, 2};
}  // namespace types

TypeRef TypePool::make(Type type) {
  std::uint64_t depth = 1, weight = 1;
  for (const TypeRef p : type.params) {
    depth = std::max<std::uint64_t>(depth, p->depth + 1);
    weight += p->weight;
  }
  if (depth > kDepthMax || weight > kWeightMax) {
    overflow_ = true;
    return &types::kDyn;
  }
  type.depth = static_cast<std::uint32_t>(depth);
  type.weight = static_cast<std::uint32_t>(weight);
  return &types_.emplace_back(std::move(type));
}

TypeRef TypePool::list(TypeRef element) { return make({TypeKind::kList, "list", {element}}); }
TypeRef TypePool::map(TypeRef key, TypeRef value) {
  return make({TypeKind::kMap, "map", {key, value}});
}
TypeRef TypePool::optional(TypeRef value) { return opaque("optional_type", {value}); }
TypeRef TypePool::opaque(std::string_view name, std::vector<TypeRef> params) {
  return make({TypeKind::kOpaque, std::string(name), std::move(params)});
}
TypeRef TypePool::structure(std::string_view name) {
  return make({TypeKind::kStruct, std::string(name)});
}
TypeRef TypePool::type_of(TypeRef type) { return make({TypeKind::kType, "type", {type}}); }
TypeRef TypePool::param(std::string_view name) {
  return make({TypeKind::kParam, std::string(name)});
}
TypeRef TypePool::nullable(TypeRef type) {
  Type wrapper = *type;
  wrapper.nullable = true;
  return make(std::move(wrapper));
}

namespace {

bool same(TypeRef a, TypeRef b, bool names_of_params) {
  if (a == b) return true;
  if (a->kind != b->kind || a->params.size() != b->params.size()) return false;
  if ((names_of_params || a->kind != TypeKind::kParam) && a->name != b->name) return false;
  for (std::size_t i = 0; i < a->params.size(); ++i)
    if (!same(a->params[i], b->params[i], names_of_params)) return false;
  return true;
}

std::string declared_name(TypeRef t) {
  return t->nullable ? "wrapper(" + t->name + ")" : t->name;
}

template <class Format>
std::string with_params(const std::string& name, TypeRef t, Format format) {
  std::string out = name + "(";
  for (std::size_t i = 0; i < t->params.size(); ++i)
    out += (i > 0 ? ", " : "") + format(t->params[i]);
  return out + ")";
}

}  // namespace

bool is_exact(TypeRef a, TypeRef b) { return same(a, b, true); }
bool is_equivalent(TypeRef a, TypeRef b) { return same(a, b, false); }

bool is_assignable(TypeRef to, TypeRef from) {
  if (to->nullable && from->kind == TypeKind::kNull) return true;
  if (to == from || is_dyn(to) || to->kind == TypeKind::kParam) return true;
  if (to->kind != from->kind || to->name != from->name || to->params.size() != from->params.size())
    return false;
  for (std::size_t i = 0; i < to->params.size(); ++i)
    if (!is_assignable(to->params[i], from->params[i])) return false;
  return true;
}

bool is_optional(TypeRef t) { return t->kind == TypeKind::kOpaque && t->name == "optional_type"; }

std::string format_type(TypeRef t) {
  switch (t->kind) {
    case TypeKind::kAny: return "any";
    case TypeKind::kDuration: return "duration";
    case TypeKind::kError: return "!error!";
    case TypeKind::kNull: return "null";
    case TypeKind::kTimestamp: return "timestamp";
    case TypeKind::kParam: return t->name;
    default: break;
  }
  return t->params.empty() ? declared_name(t) : with_params(t->name, t, format_type);
}

std::string type_text(TypeRef t) {
  if (t->kind == TypeKind::kParam) return "<" + t->name + ">";
  return t->params.empty() ? declared_name(t) : with_params(declared_name(t), t, type_text);
}

std::string format_signature(const std::vector<TypeRef>& args, bool is_member) {
  std::string out = is_member ? format_type(args[0]) + ".(" : "(";
  for (std::size_t i = is_member ? 1 : 0; i < args.size(); ++i) {
    if (i > (is_member ? 1u : 0u)) out += ", ";
    out += format_type(args[i]);
  }
  return out + ")";
}

}  // namespace dray::cel
