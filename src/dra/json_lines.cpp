#include "dra/json_lines.h"

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "dra/allocated_state.h"
#include "dra/extended_resource.h"
#include "dra/inventory.h"
#include "machinery/codec.h"

namespace dray::dra {

namespace {

template <class T>
Result<std::shared_ptr<const T>> read_object(const Value& value, const std::string& field) {
  std::vector<StrictProblem> problems;
  TRY_ASSIGN(const auto object, decode_object(value, T::kDescriptor, &problems));
  if (!problems.empty()) return fail(Code::kBadRequest, field + ": " + problems[0].text);
  return std::static_pointer_cast<const T>(object);
}

template <class T>
Result<> read_list(const Value& value, const std::string& field, std::vector<std::shared_ptr<const T>>& out) {
  if (value.is_null()) return {};
  if (!value.is_list()) return fail(Code::kBadRequest, field + ": must be a list");
  for (const Value& item : value.as_list()) {
    TRY_ASSIGN(auto object, read_object<T>(item, field));
    out.push_back(std::move(object));
  }
  return {};
}

Result<> read_gates(const Value& value, Features& out) {
  if (value.is_null()) return {};
  if (!value.is_map()) return fail(Code::kBadRequest, "gates: must be an object");
  std::map<std::string, bool> gates;
  for (const auto& [name, on] : value.as_map()) {
    if (!on.is_bool()) return fail(Code::kBadRequest, "gates: " + name + " must be true or false");
    gates[name] = on.as_bool();
  }
  TRY_ASSIGN(out, features_from(gates, out));
  return {};
}

Result<> read_field(const std::string& name, const Value& value, Question& out) {
  if (name == "gates") return read_gates(value, out.features);
  if (name == "node") {
    if (value.is_null()) return {};
    TRY_ASSIGN(auto node, read_object<core::Node>(value, name));
    out.nodes.insert(out.nodes.begin(), std::move(node));
    return {};
  }
  if (name == "nodes") return read_list(value, name, out.nodes);
  if (name == "classes") return read_list(value, name, out.classes);
  if (name == "slices") return read_list(value, name, out.slices);
  if (name == "allocatedClaims") return read_list(value, name, out.allocated_claims);
  if (name == "claims") return read_list(value, name, out.claims);
  if (name == "steps") {
    if (!value.is_int() || value.as_int() < 0) return fail(Code::kBadRequest, "steps: must be a whole number");
    out.steps = static_cast<std::uint64_t>(value.as_int());
    return {};
  }
  if (name == "id" || name == "variant" || name == "tags" || name == "expect" || name == "answers") return {};
  return fail(Code::kBadRequest, fmt::format("unknown field \"{}\"", name));
}

}  // namespace

Features question_defaults() {
  Features features;
  features.fractional_capacity_range = true;
  return features;
}

Result<Question> parse_question(const Value& line, std::string& id) {
  if (!line.is_map()) return fail(Code::kBadRequest, "must be an object");
  Question out;
  out.features = question_defaults();
  if (const Value* value = line.find("id"); value != nullptr) {
    if (!value->is_string()) return fail(Code::kBadRequest, "id: must be a string");
    out.id = id = value->as_string();
  }
  const auto& members = line.as_map();
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (members[i].first == members[j].first)
        return fail(Code::kBadRequest, fmt::format("duplicate field \"{}\"", members[i].first));
    }
    TRY(read_field(members[i].first, members[i].second, out));
  }
  if (out.nodes.empty()) return fail(Code::kBadRequest, "node: required");
  return out;
}

std::vector<Answer> answer(const Question& question, const Limits& limits, Work* work) {
  Inventory inventory(question.features);
  for (const auto& slice : question.slices) inventory.upsert(slice);
  AllocatedState state(inventory);
  for (const auto& claim : question.allocated_claims) {
    if (claim->status.allocation) state.add(*claim->status.allocation);
  }
  DeviceClasses classes;
  // Of several classes with one name the first counts.
  for (auto it = question.classes.rbegin(); it != question.classes.rend(); ++it) classes.upsert(*it);
  Limits budget = limits;
  if (question.steps > 0) budget.steps_max = question.steps;
  Allocator allocator(inventory, state, classes, budget);
  const Prepared pod = allocator.prepare(question.claims);
  std::vector<Answer> out;
  for (const auto& node : question.nodes) {
    const NodeId id = inventory.upsert(*node);
    Answer& answer = out.emplace_back();
    answer.id = question.id;
    answer.node = node->metadata.name;
    Outcome outcome = allocator.allocate(pod, id);
    if (const auto* found = std::get_if<Allocation>(&outcome)) {
      answer.result = "allocated";
      int shares = 0;
      answer.allocations =
          allocator.render(pod, *found, [&shares] { return fmt::format("share-{}", shares++); });
    } else if (const auto* refusal = std::get_if<Refusal>(&outcome)) {
      answer.result = refusal->reason == Refusal::Reason::kDoesNotFit ? "refused" : "exhausted";
    } else {
      auto& error = std::get<AllocateError>(outcome);
      answer.result = "error";
      answer.kind = name_of(error.kind);
      answer.error = std::move(error.message);
    }
  }
  if (work != nullptr) *work = allocator.work();
  return out;
}

std::string to_json(const Answer& answer) {
  std::string out = "{\"id\":";
  append_json_string(out, answer.id);
  out += ",\"node\":";
  append_json_string(out, answer.node);
  out += ",\"result\":";
  append_json_string(out, answer.result);
  if (answer.result == "allocated") {
    out += ",\"allocations\":[";
    for (std::size_t i = 0; i < answer.allocations.size(); ++i) {
      if (i > 0) out += ',';
      encode_json(resource::AllocationResult::kDescriptor, &answer.allocations[i], out);
    }
    out += ']';
  }
  if (!answer.kind.empty()) {
    out += ",\"kind\":";
    append_json_string(out, answer.kind);
  }
  if (!answer.error.empty()) {
    out += ",\"error\":";
    append_json_string(out, answer.error);
  }
  return out + '}';
}

std::string answer_line(std::string_view line, const Limits& limits) {
  std::string id;
  const auto question = [&]() -> Result<Question> {
    TRY_ASSIGN(const Value value, parse_json(line));
    return parse_question(value, id);
  }();
  if (!question) {
    Answer wrong;
    wrong.id = id;
    wrong.result = "error";
    wrong.kind = "invalidInput";
    wrong.error = question.error().message;
    return to_json(wrong) + '\n';
  }
  std::string out;
  for (const Answer& each : answer(*question, limits)) out += to_json(each) + '\n';
  return out;
}

}  // namespace dray::dra
