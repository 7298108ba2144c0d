#include "cel/answer.h"

#include <algorithm>

#include <fmt/format.h>

#include "cel/json_device.h"
#include "cel/program_impl.h"

namespace dray::cel {
namespace {

struct Input {
  Value id;
  std::string kind, expression;
  SelectorOptions options;
  std::unique_ptr<JsonDevice> device;
};

std::unexpected<Error> bad(std::string message) { return fail(Code::kBadRequest, std::move(message)); }

Result<> read_gates(const Value& gates, Features& out) {
  if (gates.is_null()) return {};
  if (!gates.is_map()) return bad("gates must be an object");
  for (const auto& [name, on] : gates.as_map()) {
    if (!on.is_bool()) return bad("a gate is on or off");
    if (name == "DRAConsumableCapacity") {
      out.consumable_capacity = on.as_bool();
    } else if (name == "DRAListTypeAttributes") {
      out.list_type_attributes = on.as_bool();
    } else {
      return bad(fmt::format("unknown gate \"{}\"", name));
    }
  }
  return {};
}

Result<> read_input(const Value& line, Input& out) {
  if (!line.is_map()) return bad("a line must be an object");
  constexpr std::string_view kFields[] = {"id",    "kind",        "expression", "device", "gates",
                                          "environment", "area", "compile", "result"};
  for (const auto& [name, value] : line.as_map()) {
    if (std::find(std::begin(kFields), std::end(kFields), name) == std::end(kFields))
      return bad(fmt::format("unknown field \"{}\"", name));
    if (std::count_if(line.as_map().begin(), line.as_map().end(),
                      [&](const Value::Member& m) { return m.first == name; }) > 1)
      return bad(fmt::format("duplicate field \"{}\"", name));
  }
  const auto text = [&](std::string_view name) {
    const Value* v = line.find(name);
    return v != nullptr && v->is_string() ? v->as_string() : std::string{};
  };
  if (const Value* id = line.find("id")) out.id = *id;
  out.kind = text("kind");
  out.expression = text("expression");
  if (out.kind != "selector" && out.kind != "derived" && out.kind != "expression")
    return bad(fmt::format("unknown kind \"{}\"", out.kind));
  out.options.derived_attribute = out.kind == "derived";
  const std::string environment = text("environment");
  if (environment == "new") out.options.vintage = Vintage::kNew;
  if (!environment.empty() && environment != "new" && environment != "stored")
    return bad(fmt::format("unknown environment \"{}\"", environment));
  if (const Value* gates = line.find("gates")) TRY(read_gates(*gates, out.options.features));
  const Value* device = line.find("device");
  if (device == nullptr || device->is_null()) return {};
  const Value* driver = device->find("driver");
  TRY_ASSIGN(out.device,
             JsonDevice::parse(*device, driver != nullptr && driver->is_string() ? driver->as_string()
                                                                                  : std::string{},
                               true));
  return {};
}

std::string_view reason_of_code(Code code) {
  switch (code) {
    case Code::kInvalid: return "Invalid";
    case Code::kRequestEntityTooLarge: return "TooLong";
    case Code::kForbidden: return "Forbidden";
    default: return "InternalError";
  }
}

void append_refusal(std::string& out, const Error& error) {
  out += R"({"ok":false,"reason":")";
  out += reason_of_code(error.code);
  out += R"(","error":)";
  append_json_string(out, error.message);
}

void append_program(std::string& out, const Program& program) {
  out += R"(,"outputType":)";
  append_json_string(out, program.output_type());
  out += fmt::format(R"(,"estimatedCost":{})", program.estimated_cost());
}

void append_error(std::string& out, std::string_view error) {
  out += R"("error":)";
  append_json_string(out, error);
}

void append_cost(std::string& out, std::uint64_t cost) {
  out += fmt::format(R"(,"actualCost":{})", cost);
}

template <class T, class Append>
void append_array(std::string& out, std::string_view name, const std::vector<T>& list, Append append) {
  out += fmt::format(R"({{"{}":[)", name);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    append(list[i]);
  }
  out += "]}";
}

/// A DeviceAttribute.
void append_derived(std::string& out, const DerivedValue& value) {
  const auto number = [&](std::int64_t i) { out += std::to_string(i); };
  const auto boolean = [&](bool b) { out += b ? "true" : "false"; };
  const auto text = [&](const std::string& s) { append_json_string(out, s); };
  const auto single = [&](std::string_view name, auto append, const auto& v) {
    out += fmt::format(R"({{"{}":)", name);
    append(v);
    out += "}";
  };
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::int64_t>) single("int", number, v);
        if constexpr (std::is_same_v<T, bool>) single("bool", boolean, v);
        if constexpr (std::is_same_v<T, std::string>) single("string", text, v);
        if constexpr (std::is_same_v<T, Version>) single("version", text, v.text);
        if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) append_array(out, "ints", v, number);
        if constexpr (std::is_same_v<T, std::vector<bool>>) append_array(out, "bools", v, boolean);
        if constexpr (std::is_same_v<T, std::vector<std::string>>) append_array(out, "strings", v, text);
        if constexpr (std::is_same_v<T, std::vector<Version>>)
          append_array(out, "versions", v, [&](const Version& x) { text(x.text); });
      },
      value);
}

void append_expression_result(std::string& out, const Input& in, const Program& program) {
  const DeviceInput* device = in.device == nullptr ? nullptr : &in.device->input();
  if (device != nullptr && !device->error().empty()) return append_error(out, device->error());
  const Evaluation e = evaluate_expression(program, device);
  std::string text;
  if (e.value.failed()) {
    append_error(out, e.value.is(ValKind::kUnknown) ? "unknown" : e.value.text());
  } else {
    try {
      if (append_typed_json(*e.eval, e.value, text)) {
        out += R"("value":)" + text;
      } else {
        append_error(out, "value has no JSON form");
      }
    } catch (const Cancelled& cancelled) {
      append_error(out, cancelled.message);
    }
  }
  append_cost(out, e.cost);
}

/// As the scheduler evaluates: out of the stored environment.
void append_scheduled_result(std::string& out, const Input& in) {
  SelectorOptions options = in.options;
  options.vintage = Vintage::kStored;
  options.estimate_cost = false;
  const auto program = compile_selector(in.expression, options);
  if (!program) return append_error(out, program.error().message);
  const DeviceInput& device = in.device->input();
  std::uint64_t cost = 0;
  if (options.derived_attribute) {
    const auto value = evaluate_derived(**program, device, &cost);
    if (value) {
      out += R"("value":)";
      append_derived(out, *value);
    } else {
      append_error(out, value.error().message);
    }
  } else {
    const auto value = evaluate_selector(**program, device, &cost);
    if (value) {
      out += *value ? R"("value":true)" : R"("value":false)";
    } else {
      append_error(out, value.error().message);
    }
  }
  if (device.error().empty()) append_cost(out, cost);
}

void append_answer(std::string& out, const Input& in) {
  const bool any = in.kind == "expression", admission = !any && in.options.vintage == Vintage::kNew;
  out += R"(,"compile":)";
  if (admission && in.expression.size() > kSelectorLengthMax) {
    append_refusal(out, admit_selector(in.expression, in.options).error());
    out += "}";
    return;
  }
  const auto program = any ? compile_expression(in.expression, in.options)
                           : compile_selector(in.expression, in.options);
  if (!program) {
    append_refusal(out, program.error());
    out += "}";
    return;
  }
  const bool costly = admission && (*program)->estimated_cost() > kSelectorCostMax;
  if (costly) {
    append_refusal(out, fail(Code::kForbidden, "too complex, exceeds cost limit").error());
  } else {
    out += R"({"ok":true)";
  }
  append_program(out, **program);
  out += "}";
  if (costly || (in.device == nullptr && !any)) return;
  out += R"(,"result":{)";
  any ? append_expression_result(out, in, **program) : append_scheduled_result(out, in);
  out += "}";
}

}  // namespace

std::string answer_line(std::string_view line) {
  Input in;
  std::string out;
  const auto value = parse_json(line);
  Result<> read;
  if (value) {
    read = read_input(*value, in);
  } else {
    read = std::unexpected(value.error());
  }
  out = R"({"id":)" + print_json(in.id);
  if (!read) {
    out += ',';
    append_error(out, read.error().message);
  } else {
    append_answer(out, in);
  }
  return out + "}";
}

}  // namespace dray::cel
