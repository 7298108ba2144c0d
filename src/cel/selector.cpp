#include <fmt/format.h>

#include "cel/checker.h"
#include "cel/cost_estimate.h"
#include "cel/device_bounds.h"
#include "cel/device_maps.h"
#include "cel/program_impl.h"
#include "cel/reads.h"
#include "cel/semver.h"
#include "cel/selector_environment.h"

namespace dray::cel {

Program::Program(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Program::~Program() = default;
const std::string& Program::expression() const { return impl_->expression; }
const std::string& Program::output_type() const { return impl_->output_type; }
std::uint64_t Program::estimated_cost() const { return impl_->estimated_cost; }
const Reads& Program::reads() const { return impl_->reads; }

namespace {

bool is_scalar_result(TypeRef t) {
  switch (t->kind) {
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kString: return !t->nullable;
    case TypeKind::kAny:
    case TypeKind::kDyn: return true;
    default: return t->kind == TypeKind::kStruct && t->name == "kubernetes.Semver";
  }
}

/// Why a value of this type is no answer, or empty.
std::string refuse_type(TypeRef t, TypeRef attribute, const SelectorOptions& options) {
  if (!options.derived_attribute) {
    if (is_exact(t, &types::kBool) || is_exact(t, attribute)) return {};
    return fmt::format("must evaluate to bool or the unknown type, not {}", type_text(t));
  }
  const bool lists =
      options.features.list_type_attributes || options.vintage == Vintage::kStored;
  if (is_scalar_result(t)) return {};
  if (lists && t->kind == TypeKind::kList && is_scalar_result(t->params[0])) return {};
  return fmt::format(
      "must evaluate to a primitive scalar (string, integer, boolean, semver){}, not {}",
      lists ? " or a list of these scalars" : "", type_text(t));
}

Result<ProgramPtr> compile(std::string_view expression, const SelectorOptions& options, bool any) {
  const SelectorEnvironment& environment =
      selector_environment(options.vintage, options.features);
  const Environment& env = environment.env;
  auto impl = std::make_unique<Program::Impl>();
  impl->expression = expression;
  Ast ast(expression);
  Issues issues;
  const auto refuse = [&] {
    return fail(Code::kInvalid, "compilation failed: " + issues.display(ast.source));
  };
  if (!parse(ast, env.parser, issues)) return refuse();
  if (!check(ast, env, *impl->types, issues)) return refuse();
  validate(ast, env, issues);
  if (!issues.empty()) return refuse();
  const TypeRef type = ast.type_of(ast.root);
  impl->output_type = type_text(type);
  if (!any)
    if (std::string refusal = refuse_type(type, environment.attribute, options); !refusal.empty())
      return fail(Code::kInvalid, std::move(refusal));
  std::string error;
  if (!plan(ast, env, true, impl->plan, error))
    return fail(Code::kInternal, "program instantiation failed: " + error);
  if (options.estimate_cost) impl->estimated_cost = estimate_cost(ast, env, device_bounds).max;
  impl->reads = find_reads(ast);
  return std::make_shared<const Program>(std::move(impl));
}

/// Runs the program; a cancelled run is an error. Does not allocate by itself.
Val run(const Program::Impl& impl, Eval& eval) {
  try {
    return impl.plan.root->exec(eval);
  } catch (const Cancelled& cancelled) {
    return Val::error(cancelled.message);
  }
}

std::string with_hint(std::string_view text) {
  std::string out(text);
  if (text.contains("no such key:"))
    out +=
        ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
        "with has() for optional fields";
  return out;
}

/// Why the value is no bool, as the reference's conversion says it.
std::string no_bool(const Val& v) {
  switch (v.kind) {
    case ValKind::kString: return "unsupported native conversion from string to 'bool'";
    case ValKind::kInt: return "unsupported type conversion from 'int' to bool";
    case ValKind::kUint: return "unsupported type conversion from 'uint' to bool";
    case ValKind::kDouble: return "type conversion error from Double to 'bool'";
    case ValKind::kBytes: return "type conversion error from Bytes to 'bool'";
    case ValKind::kNull: return "type conversion error from 'null_type' to 'bool'";
    case ValKind::kList: return "type conversion error from list to 'bool'";
    case ValKind::kMap: return "type conversion error from map to 'bool'";
    case ValKind::kType: return "type conversion not supported for 'type'";
    case ValKind::kOptional:
      return v.inner == nullptr ? "optional.none() dereference" : no_bool(*v.inner);
    case ValKind::kDuration: return "type conversion error from 'Duration' to 'bool'";
    case ValKind::kTimestamp: return "type conversion error from 'Timestamp' to 'bool'";
    case ValKind::kQuantity: return "type conversion error from 'Quantity' to 'bool'";
    case ValKind::kSemver: return "type conversion error from 'Semver' to 'bool'";
    case ValKind::kUrl: return "type conversion error from 'URL' to 'bool'";
    case ValKind::kIp: return "type conversion error from 'IP' to 'bool'";
    case ValKind::kCidr: return "type conversion error from 'CIDR' to 'bool'";
    case ValKind::kFormat: return "type conversion error from 'Format' to 'bool'";
    default: return "unsupported conversion";
  }
}

const Val& unwrapped(const Val& v) {
  return v.is(ValKind::kOptional) && v.inner != nullptr ? unwrapped(*v.inner) : v;
}

}  // namespace

Result<ProgramPtr> compile_selector(std::string_view expression, const SelectorOptions& options) {
  return compile(expression, options, false);
}

Result<ProgramPtr> compile_expression(std::string_view expression, const SelectorOptions& options) {
  return compile(expression, options, true);
}

Result<ProgramPtr> admit_selector(std::string_view expression, const SelectorOptions& options) {
  if (expression.size() > kSelectorLengthMax)
    return fail(Code::kRequestEntityTooLarge,
                fmt::format("may not be more than {} bytes", kSelectorLengthMax));
  SelectorOptions with_cost = options;
  with_cost.estimate_cost = true;
  TRY_ASSIGN(ProgramPtr program, compile_selector(expression, with_cost));
  if (program->estimated_cost() > kSelectorCostMax)
    return fail(Code::kForbidden, "too complex, exceeds cost limit");
  return program;
}

Result<bool> evaluate_selector(const Program& program, const DeviceInput& device,
                               std::uint64_t* cost, std::uint64_t cost_max) {
  if (!device.error().empty()) return fail(Code::kBadRequest, device.error());
  const Program::Impl& impl = program.impl();
  const DeviceMap map(device);
  const Val variable = Val::of_map(&map);
  const Val* const variables[] = {&variable};
  Eval eval(impl.plan.id_end, impl.plan.slot_count, variables, cost_max);
  const Val value = run(impl, eval);
  if (cost != nullptr) *cost = eval.costs.cost();
  if (value.is(ValKind::kBool)) return value.boolean;
  if (value.failed()) return fail(Code::kBadRequest, with_hint(value.text()));
  if (const Val& inner = unwrapped(value); inner.is(ValKind::kBool)) return inner.boolean;
  return fail(Code::kBadRequest,
              with_hint(fmt::format("CEL result of type {} could not be converted to bool: {}",
                                    type_name(value), no_bool(value))));
}

Evaluation evaluate_expression(const Program& program, const DeviceInput* device,
                               std::uint64_t cost_max) {
  const Program::Impl& impl = program.impl();
  std::array<const Val*, 1> variables{nullptr};
  std::unique_ptr<Eval> eval = std::make_unique<Eval>(impl.plan.id_end, impl.plan.slot_count,
                                                      std::span<const Val* const>{}, cost_max);
  if (device != nullptr) {
    const auto* map = eval->arena.own<DeviceMap>(*device);
    const auto* variable = eval->arena.make<Val>(Val::of_map(map));
    const Val** slots = eval->arena.array<const Val*>(1);
    slots[0] = variable;
    eval->variables = {slots, 1};
  }
  static_cast<void>(variables);
  const Val value = run(impl, *eval);
  const std::uint64_t cost = eval->costs.cost();
  return {std::move(eval), value, cost};
}

namespace {

std::unexpected<Error> bad(std::string message) { return fail(Code::kBadRequest, std::move(message)); }

/// Go's name of the type that the value is in Go.
std::string_view go_native_type(const Val& v) {
  switch (v.kind) {
    case ValKind::kUint: return "uint64";
    case ValKind::kDouble: return "float64";
    case ValKind::kBytes: return "[]uint8";
    case ValKind::kNull: return "structpb.NullValue";
    case ValKind::kDuration: return "time.Duration";
    case ValKind::kTimestamp: return "time.Time";
    case ValKind::kMap: {
      const std::string_view type = v.map->go_type();
      if (type == "cel.mapper") return "map[string]interface {}";
      return type.starts_with("map[") ? type : "map[ref.Val]ref.Val";
    }
    case ValKind::kOptional: return v.inner == nullptr ? "<nil>" : go_native_type(*v.inner);
    case ValKind::kQuantity: return "*resource.Quantity";
    case ValKind::kUrl: return "*url.URL";
    case ValKind::kIp: return "netip.Addr";
    case ValKind::kCidr: return "netip.Prefix";
    case ValKind::kFormat: return "cel.Format";
    case ValKind::kInt: return "int64";
    case ValKind::kBool: return "bool";
    case ValKind::kString:
    case ValKind::kType: return "string";
    case ValKind::kSemver: return "semver.Version";
    case ValKind::kList: {
      const std::string_view type = v.list->go_type();
      if (type.starts_with("[]")) return type;
      return v.list->form() == ListObj::Form::kConcat ? "[]interface {}" : "[]ref.Val";
    }
    default: return "";
  }
}

/// All elements as T, taken by `get`, which is null for what is no T.
template <class T, class Get>
Result<DerivedValue> list_as(Eval& eval, const ListObj& list, std::string_view name, Get get) {
  std::vector<T> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Val v = list.at(eval.arena, i);
    if (!get(v, out))
      return bad(fmt::format("expected list element at index {} to be {}, got {}", i, name,
                             go_native_type(v)));
  }
  return DerivedValue(std::move(out));
}

Result<DerivedValue> derived_list(Eval& eval, const ListObj& list) {
  if (list.size() == 0) return DerivedValue(std::vector<std::string>{});
  const Val first = unwrapped(list.at(eval.arena, 0));
  switch (first.kind) {
    case ValKind::kBool:
      return list_as<bool>(eval, list, "bool", [](const Val& raw, auto& out) {
        const Val& v = unwrapped(raw);
        return v.is(ValKind::kBool) && (out.push_back(v.boolean), true);
      });
    case ValKind::kInt:
      return list_as<std::int64_t>(eval, list, "int", [](const Val& raw, auto& out) {
        const Val& v = unwrapped(raw);
        return v.is(ValKind::kInt) && (out.push_back(v.integer), true);
      });
    case ValKind::kString:
    case ValKind::kType:
      return list_as<std::string>(eval, list, "string", [](const Val& raw, auto& out) {
        const Val& v = unwrapped(raw);
        if (v.is(ValKind::kString)) return out.emplace_back(v.text()), true;
        return v.is(ValKind::kType) && (out.push_back(v.type->name), true);
      });
    case ValKind::kSemver:
      return list_as<Version>(eval, list, "semver", [](const Val& raw, auto& out) {
        const Val& v = unwrapped(raw);
        return v.is(ValKind::kSemver) && (out.push_back({v.semver->text()}), true);
      });
    default:
      return bad(fmt::format("unsupported list element type: {}", go_native_type(first)));
  }
}

Result<DerivedValue> derived_value(Eval& eval, const Val& raw) {
  if (raw.is(ValKind::kList)) return derived_list(eval, *raw.list);
  const Val& v = unwrapped(raw);
  switch (v.kind) {
    case ValKind::kInt: return DerivedValue(v.integer);
    case ValKind::kBool: return DerivedValue(v.boolean);
    case ValKind::kString: return DerivedValue(std::string(v.text()));
    case ValKind::kType: return DerivedValue(v.type->name);
    case ValKind::kSemver: return DerivedValue(Version{v.semver->text()});
    default: return bad(fmt::format("unsupported CEL return type: {}", go_native_type(v)));
  }
}

}  // namespace

Result<DerivedValue> evaluate_derived(const Program& program, const DeviceInput& device,
                                      std::uint64_t* cost, std::uint64_t cost_max) {
  if (!device.error().empty()) return bad(device.error());
  const Evaluation evaluation = evaluate_expression(program, &device, cost_max);
  if (cost != nullptr) *cost = evaluation.cost;
  if (evaluation.value.failed()) return bad(std::string(evaluation.value.text()));
  try {
    return derived_value(*evaluation.eval, evaluation.value);
  } catch (const Cancelled& cancelled) {
    return bad(cancelled.message);
  }
}

}  // namespace dray::cel
