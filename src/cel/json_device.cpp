#include "cel/json_device.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::cel {
namespace {

constexpr std::string_view kDeviceFields[] = {
    "name", "attributes", "capacity", "consumesCounters", "nodeName", "nodeSelector", "allNodes",
    "taints", "bindsToNode", "bindingConditions", "bindingFailureConditions",
    "allowMultipleAllocations", "nodeAllocatableResourceMappings", "compatibilityGroups", "driver"};

std::unexpected<Error> bad(std::string message) { return fail(Code::kBadRequest, std::move(message)); }

std::unexpected<Error> wrong_type(std::string_view field, std::string_view wanted, const Value& v) {
  return bad(fmt::format("{}: must be {}, not {}", field, wanted, v.type_name()));
}

template <class T, class Get>
Result<std::vector<T>> list_of(std::string_view field, const Value& v, Get get) {
  if (!v.is_list()) return wrong_type(field, "an array", v);
  std::vector<T> out;
  for (const Value& e : v.as_list())
    if (!get(e, out)) return bad(fmt::format("{}: a {} does not belong there", field, e.type_name()));
  return out;
}

}  // namespace

Result<std::unique_ptr<JsonDevice>> JsonDevice::parse(const Value& device, std::string driver,
                                                      bool strict) {
  auto out = std::make_unique<JsonDevice>();
  out->driver_ = std::move(driver);
  TRY(out->read(device, strict));
  return out;
}

Result<> JsonDevice::read(const Value& device, bool strict) {
  if (!device.is_map()) return wrong_type("device", "an object", device);
  for (const auto& [field, value] : device.as_map()) {
    const bool known = std::find(std::begin(kDeviceFields), std::end(kDeviceFields), field) !=
                       std::end(kDeviceFields);
    if (strict && !known) return bad(fmt::format("unknown field \"device.{}\"", field));
  }
  if (const Value* name = device.find("name"); name != nullptr && name->is_string())
    name_ = name->as_string();
  const Value* multiple = device.find("allowMultipleAllocations");
  if (multiple != nullptr && !multiple->is_null() && !multiple->is_bool())
    return wrong_type("allowMultipleAllocations", "a boolean", *multiple);
  input_ = std::make_unique<DeviceInput>(driver_, multiple != nullptr && multiple->is_bool() &&
                                                      multiple->as_bool());
  if (const Value* attributes = device.find("attributes"); attributes && !attributes->is_null()) {
    if (!attributes->is_map()) return wrong_type("attributes", "an object", *attributes);
    for (const auto& [name, value] : attributes->as_map()) TRY(read_attribute(name, value, strict));
  }
  if (const Value* capacity = device.find("capacity"); capacity && !capacity->is_null()) {
    if (!capacity->is_map()) return wrong_type("capacity", "an object", *capacity);
    for (const auto& [name, value] : capacity->as_map()) TRY(read_capacity(name, value));
  }
  input_->finish();
  return {};
}

Result<> JsonDevice::read_attribute(const std::string& raw_name, const Value& v, bool strict) {
  const std::string_view name = keep(raw_name);
  if (!v.is_map()) return wrong_type(name, "an object", v);
  constexpr std::string_view kKinds[] = {"ints", "bools",  "strings", "versions",
                                         "int",  "bool", "string",  "version"};
  for (const auto& [kind, ignored] : v.as_map())
    if (strict && std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds))
      return bad(fmt::format("unknown field \"device.attributes[{}].{}\"", raw_name, kind));
  for (const std::string_view kind : kKinds) {
    const Value* value = v.find(kind);
    if (value == nullptr || value->is_null()) continue;
    if (kind == "ints") {
      TRY_ASSIGN(auto list, list_of<std::int64_t>(name, *value, [](const Value& e, auto& out) {
                   return e.is_int() && (out.push_back(e.as_int()), true);
                 }));
      input_->add_ints(name, int_lists_.emplace_back(std::move(list)));
    } else if (kind == "bools") {
      TRY_ASSIGN(auto list, list_of<bool>(name, *value, [](const Value& e, auto& out) {
                   return e.is_bool() && (out.push_back(e.as_bool()), true);
                 }));
      input_->add_bools(name, bool_lists_.emplace_back(std::move(list)));
    } else if (kind == "strings" || kind == "versions") {
      TRY_ASSIGN(auto list, list_of<std::string>(name, *value, [](const Value& e, auto& out) {
                   return e.is_string() && (out.push_back(e.as_string()), true);
                 }));
      auto& kept = string_lists_.emplace_back(std::move(list));
      kind == "strings" ? input_->add_strings(name, kept) : input_->add_versions(name, kept);
    } else if (kind == "int") {
      if (!value->is_int()) return wrong_type(name, "an integer", *value);
      input_->add_int(name, value->as_int());
    } else if (kind == "bool") {
      if (!value->is_bool()) return wrong_type(name, "a boolean", *value);
      input_->add_bool(name, value->as_bool());
    } else {
      if (!value->is_string()) return wrong_type(name, "a string", *value);
      const std::string_view text = keep(value->as_string());
      kind == "string" ? input_->add_string(name, text) : input_->add_version(name, text);
    }
    return {};
  }
  input_->add_unsupported(name);
  return {};
}

Result<> JsonDevice::read_capacity(const std::string& raw_name, const Value& v) {
  const std::string_view name = keep(raw_name);
  const Value* value = v.is_map() ? v.find("value") : nullptr;
  Quantity quantity;
  if (value != nullptr && !value->is_null()) {
    if (!value->is_string() && !value->is_number())
      return wrong_type(name, "a quantity", *value);
    TRY_ASSIGN(quantity, Quantity::parse(value->is_string() ? value->as_string() : print_json(*value)));
  }
  input_->add_capacity(name, quantities_.emplace_back(std::move(quantity)));
  return {};
}

}  // namespace dray::cel
