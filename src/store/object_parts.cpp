#include "store/object_parts.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/check.h"
#include "machinery/codec.h"

namespace dray::store {
namespace {

/// Equality of all fields but some.
bool equal_without(const Object& a, const Object& b, std::initializer_list<std::string_view> names) {
  std::vector<FieldDescriptor> fields;
  fields.reserve(a.type->fields.size());
  for (const FieldDescriptor& field : a.type->fields) {
    if (std::find(names.begin(), names.end(), field.name) == names.end()) fields.push_back(field);
  }
  StructDescriptor part = *a.type;
  part.fields = fields;
  return equal(part, &a, &b);
}

bool same_metadata(const meta::ObjectMeta& fresh, const meta::ObjectMeta& old) {
  if (fresh.managed_fields.size() != old.managed_fields.size()) return false;
  meta::ObjectMeta copy = fresh;
  copy.resource_version = old.resource_version;
  for (std::size_t i = 0; i < old.managed_fields.size(); ++i) {
    copy.managed_fields[i].time = old.managed_fields[i].time;
  }
  return equal(copy, old);
}

}  // namespace

bool spec_differs(const Object& a, const Object& b) { return !equal_without(a, b, {"metadata", "status"}); }

std::shared_ptr<Object> with_status_of(const Object& base, const Object& other) {
  Value tree = to_value(base);
  const Value from = to_value(other);
  const Value* const status = from.find("status");
  tree.set("status", status ? *status : Value());
  auto out = decode_object(tree, *base.type);
  CHECK(out.has_value());  // it was encoded from the same type
  return *std::move(out);
}

bool same_content(const Object& fresh, const Object& old) {
  return same_metadata(fresh.metadata, old.metadata) && equal_without(fresh, old, {"metadata"});
}

}  // namespace dray::store
