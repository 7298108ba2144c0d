#include "cel/inspect.h"

#include <fmt/format.h>

#include "cel/program_impl.h"
#include "cel/semver.h"
#include "cel/text.h"
#include "cel/url.h"
#include "cel/ip.h"
#include "cel/named_format.h"
#include "machinery/quantity.h"

namespace dray::cel {
namespace {

std::string literal(Eval& eval, const Val& v);

std::string literals(Eval& eval, const Val& v) {
  const Eval::Deeper deeper(eval);
  const bool list = v.is(ValKind::kList);
  const std::size_t size = list ? v.list->size() : v.map->size();
  std::string out = list ? "[" : "{";
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) out += ", ";
    eval.work(1);
    if (list) {
      out += literal(eval, v.list->at(eval.arena, i));
    } else {
      out += literal(eval, v.map->key_at(eval.arena, i)) + ": " +
             literal(eval, v.map->value_at(eval.arena, i));
    }
  }
  return out + (list ? "]" : "}");
}

std::string literal(Eval& eval, const Val& v) {
  switch (v.kind) {
    case ValKind::kNull: return "null";
    case ValKind::kString: return go_quote(v.text());
    case ValKind::kBytes: return "b" + go_quote(v.text());
    case ValKind::kUint: return std::to_string(v.natural) + "u";
    case ValKind::kDuration: return fmt::format("duration(\"{}\")", duration_text(v.integer));
    case ValKind::kTimestamp: return fmt::format("timestamp(\"{}\")", timestamp_text(v));
    case ValKind::kOptional:
      return v.inner == nullptr ? "optional.none()"
                                : fmt::format("optional.of({})", literal(eval, *v.inner));
    case ValKind::kQuantity: return fmt::format("quantity(\"{}\")", v.quantity->str());
    case ValKind::kSemver: return fmt::format("semver(\"{}\")", v.semver->text());
    case ValKind::kUrl: return fmt::format("url({})", go_quote(v.url->text()));
    case ValKind::kIp: return fmt::format("ip(\"{}\")", v.ip->address_text());
    case ValKind::kCidr: return fmt::format("cidr(\"{}\")", v.ip->text());
    case ValKind::kFormat: return fmt::format("format.{}()", v.format->function);
    case ValKind::kList:
    case ValKind::kMap: return literals(eval, v);
    default: return display(eval, v);
  }
}

}  // namespace

Result<ProgramPtr> compile_any(std::string_view expression, const SelectorOptions& options) {
  return compile_expression(expression, options);
}

std::string selector_refusal(const Program& program, const SelectorOptions& options) {
  SelectorOptions cheap = options;
  cheap.estimate_cost = false;
  const auto compiled = compile_selector(program.expression(), cheap);
  return compiled ? std::string{} : compiled.error().message;
}

Shown show_value(const Program& program, const DeviceInput* device) {
  if (device != nullptr && !device->error().empty()) return {false, device->error(), 0};
  const Evaluation e = evaluate_expression(program, device);
  if (e.value.is(ValKind::kUnknown)) return {false, "unknown", e.cost};
  if (e.value.failed()) return {false, std::string(e.value.text()), e.cost};
  try {
    return {true, literal(*e.eval, e.value), e.cost};
  } catch (const Cancelled& cancelled) {
    return {false, cancelled.message, e.cost};
  }
}

}  // namespace dray::cel
