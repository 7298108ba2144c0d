#include "api/resource_conversion.h"

#include <string_view>
#include <utility>

#include "api/resource_v1.h"
#include "api/resource_v1beta1.h"
#include "base/check.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

std::shared_ptr<Object> build(const Value& tree, const StructDescriptor& type) {
  auto object = decode_object(tree, type);
  CHECK(object.has_value());  // both versions have the same types where they have the same names
  return *std::move(object);
}

Value::List* list_at(Value* owner, std::string_view name) {
  Value* list = owner ? owner->find(name) : nullptr;
  return list && list->is_list() ? &list->as_list() : nullptr;
}

bool is_empty(const Value& value) {
  switch (value.type()) {
    case Value::Type::kNull: return true;
    case Value::Type::kBool: return !value.as_bool();
    case Value::Type::kInt: return value.as_int() == 0;
    case Value::Type::kDouble: return value.as_double() == 0;
    case Value::Type::kString: return value.as_string().empty();
    case Value::Type::kList: return value.as_list().empty();
    case Value::Type::kMap: return false;  // a struct that is set
  }
  return true;
}

constexpr std::string_view kFlatRequestFields[] = {
    "deviceClassName", "selectors",   "allocationMode", "count",
    "adminAccess",     "tolerations", "capacity",       "derivedAttributes"};

bool is_flat(std::string_view name) {
  for (const std::string_view field : kFlatRequestFields) {
    if (field == name) return true;
  }
  return false;
}

/// Moves the members that `test` picks out of a map into a map of their own.
template <class Test>
Value take_members(Value& from, Test test) {
  Value taken = Value::map();
  Value::Map kept;
  for (Value::Member& member : from.as_map()) {
    (test(member) ? taken.as_map() : kept).push_back(std::move(member));
  }
  from.as_map() = std::move(kept);
  return taken;
}

void nest_request(Value& request) {
  Value exactly = take_members(request, [](const Value::Member& m) { return is_flat(m.first); });
  // adminAccess: false is set, though false.
  std::erase_if(exactly.as_map(), [](const Value::Member& m) {
    return is_empty(m.second) && !m.second.is_bool();
  });
  if (!exactly.as_map().empty()) request.set("exactly", std::move(exactly));
}

/// Moves the members of the map at `name` up to its owner.
void flatten(Value& owner, std::string_view name) {
  Value* inner = owner.find(name);
  if (!inner) return;
  Value::Map members = inner->is_map() ? std::move(inner->as_map()) : Value::Map{};
  owner.erase(name);
  for (Value::Member& member : members) owner.as_map().push_back(std::move(member));
}

/// `spec` is the map that holds "devices".
void nest_requests(Value* spec) {
  if (Value::List* requests = list_at(spec ? spec->find("devices") : nullptr, "requests")) {
    for (Value& request : *requests) nest_request(request);
  }
}

void flatten_requests(Value* spec) {
  if (Value::List* requests = list_at(spec ? spec->find("devices") : nullptr, "requests")) {
    for (Value& request : *requests) flatten(request, "exactly");
  }
}

Value* inner_spec(Value& claim_template) {
  Value* spec = claim_template.find("spec");
  return spec ? spec->find("spec") : nullptr;
}

}  // namespace

std::shared_ptr<Object> claim_from_v1beta1(const Object& served) {
  Value tree = to_value(served);
  nest_requests(tree.find("spec"));
  return build(tree, resource::ResourceClaim::kDescriptor);
}

std::shared_ptr<Object> claim_to_v1beta1(const Object& stored) {
  Value tree = to_value(stored);
  flatten_requests(tree.find("spec"));
  return build(tree, resource_v1beta1::ResourceClaim::kDescriptor);
}

std::shared_ptr<Object> claim_template_from_v1beta1(const Object& served) {
  Value tree = to_value(served);
  nest_requests(inner_spec(tree));
  return build(tree, resource::ResourceClaimTemplate::kDescriptor);
}

std::shared_ptr<Object> claim_template_to_v1beta1(const Object& stored) {
  Value tree = to_value(stored);
  flatten_requests(inner_spec(tree));
  return build(tree, resource_v1beta1::ResourceClaimTemplate::kDescriptor);
}

std::shared_ptr<Object> slice_from_v1beta1(const Object& served) {
  Value tree = to_value(served);
  if (Value* spec = tree.find("spec")) {
    // Plain there, optional here: empty is absent.
    for (const std::string_view name : {"nodeName", "allNodes"}) {
      if (const Value* value = spec->find(name); value && is_empty(*value)) spec->erase(name);
    }
    if (Value::List* devices = list_at(spec, "devices")) {
      for (Value& device : *devices) flatten(device, "basic");
    }
  }
  return build(tree, resource::ResourceSlice::kDescriptor);
}

std::shared_ptr<Object> slice_to_v1beta1(const Object& stored) {
  Value tree = to_value(stored);
  if (Value::List* devices = list_at(tree.find("spec"), "devices")) {
    for (Value& device : *devices) {
      Value basic = take_members(device, [](const Value::Member& m) { return m.first != "name"; });
      device.set("basic", std::move(basic));
    }
  }
  return build(tree, resource_v1beta1::ResourceSlice::kDescriptor);
}

}  // namespace dray::api
