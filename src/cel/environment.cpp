#include "cel/environment.h"

#include <algorithm>

namespace dray::cel {
namespace {

void collect_params(TypeRef t, std::vector<std::string>& out) {
  if (t->kind == TypeKind::kParam && std::find(out.begin(), out.end(), t->name) == out.end())
    out.push_back(t->name);
  for (const TypeRef p : t->params) collect_params(p, out);
}

template <class Map>
auto* found(Map& map, std::string_view name) {
  const auto it = map.find(name);
  return it == map.end() ? nullptr : &it->second;
}

}  // namespace

const Overload* Function::find(std::string_view id) const {
  for (const Overload& o : overloads)
    if (o.id == id) return &o;
  return nullptr;
}

Environment::Declare& Environment::Declare::add(Overload overload) {
  if (function_.find(overload.id) != nullptr) return *this;
  for (const TypeRef t : overload.args) collect_params(t, overload.params);
  collect_params(overload.result, overload.params);
  if (overload.fn != nullptr && overload.shape == Shape::kNone) {
    const std::size_t count = overload.args.size();
    overload.shape = count == 1 ? Shape::kUnary : count == 2 ? Shape::kBinary : Shape::kMany;
  }
  function_.overloads.push_back(std::move(overload));
  return *this;
}

Environment::Declare& Environment::Declare::global(std::string_view id, std::vector<TypeRef> args,
                                                   TypeRef result, Fn fn, Shape shape) {
  return add({std::string(id), false, std::move(args), result, {}, fn, shape, false});
}

Environment::Declare& Environment::Declare::member(std::string_view id, std::vector<TypeRef> args,
                                                   TypeRef result, Fn fn, Shape shape) {
  return add({std::string(id), true, std::move(args), result, {}, fn, shape, false});
}

Environment::Declare& Environment::Declare::singleton(Fn fn, Shape shape, unsigned traits) {
  function_.singleton = fn;
  function_.singleton_shape = shape;
  function_.traits = traits;
  return *this;
}

Environment::Declare& Environment::Declare::non_strict() {
  for (Overload& o : function_.overloads) o.non_strict = true;
  return *this;
}

Environment::Declare& Environment::Declare::no_type_guards() {
  function_.type_guards = false;
  return *this;
}

Environment::Declare Environment::declare(std::string_view name) {
  Function& function = functions_[std::string(name)];
  function.name = name;
  return Declare(function);
}

int Environment::add_variable(std::string_view name, TypeRef type) {
  const int index = static_cast<int>(variables_.size());
  variables_.push_back({std::string(name), type});
  variable_index_[std::string(name)] = index;
  return index;
}

void Environment::add_type(TypeRef type, std::string_view name) {
  types_[std::string(name.empty() ? type->name : name)] = type;
}

StructType& Environment::add_struct(std::string_view name) {
  StructType& type = structs_[std::string(name)];
  type.type = pool.structure(name);
  return type;
}

void Environment::add_macros(std::span<const Macro> macros) {
  parser.macros.insert(parser.macros.end(), macros.begin(), macros.end());
}

std::vector<std::string> Environment::candidates(std::string_view name) const {
  if (name.starts_with('.')) return {std::string(name.substr(1))};
  std::vector<std::string> out;
  for (std::string prefix = container; !prefix.empty();) {
    out.push_back(prefix + "." + std::string(name));
    const auto dot = prefix.rfind('.');
    prefix = dot == std::string::npos ? "" : prefix.substr(0, dot);
  }
  out.emplace_back(name);
  return out;
}

const Function* Environment::find_function(std::string_view name) const {
  return found(functions_, name);
}

int Environment::find_variable(std::string_view name) const {
  const int* index = found(variable_index_, name);
  return index == nullptr ? -1 : *index;
}

TypeRef Environment::find_type(std::string_view name) const {
  const TypeRef* type = found(types_, name);
  return type == nullptr ? nullptr : *type;
}

const StructType* Environment::find_struct(std::string_view name) const {
  return found(structs_, name);
}

const std::int64_t* Environment::find_constant(std::string_view name) const {
  return found(constants_, name);
}

std::vector<std::string> Environment::names() const {
  std::vector<std::string> out;
  for (const auto& [name, f] : functions_)
    if (!name.contains('@') && !name.contains('_')) out.push_back(name);
  for (const Variable& v : variables_) out.push_back(v.name);
  return out;
}

}  // namespace dray::cel
