#include <fmt/format.h>

#include "machinery/codec.h"

namespace dray {
namespace {

template <class T>
bool same(const void* a, const void* b) {
  return *static_cast<const T*>(a) == *static_cast<const T*>(b);
}

bool equal_any(const TypeDescriptor& type, const void* a, const void* b);

bool equal_list(const TypeDescriptor& type, const void* a, const void* b) {
  const std::size_t size = type.ops->size(a);
  if (size != type.ops->size(b)) return false;
  for (std::size_t i = 0; i < size; ++i) {
    if (!equal_any(*type.element, type.ops->at(a, i), type.ops->at(b, i))) return false;
  }
  return true;
}

bool equal_map(const TypeDescriptor& type, const void* a, const void* b) {
  if (type.ops->size(a) != type.ops->size(b)) return false;
  struct Visit {
    const TypeDescriptor* type;
    const void* other;
    bool equal;
  } visit{&type, b, true};
  type.ops->each(a, &visit, [](void* context, const std::string& key, const void* element) {
    auto& v = *static_cast<Visit*>(context);
    const void* const other = v.type->ops->find(v.other, key);
    return v.equal = other && equal_any(*v.type->element, element, other);
  });
  return visit.equal;
}

bool equal_any(const TypeDescriptor& type, const void* a, const void* b) {
  switch (type.kind) {
    case TypeKind::kString: return same<std::string>(a, b);
    case TypeKind::kBool: return same<bool>(a, b);
    case TypeKind::kInt32: return same<std::int32_t>(a, b);
    case TypeKind::kInt64: return same<std::int64_t>(a, b);
    case TypeKind::kDouble: return same<double>(a, b);
    case TypeKind::kBytes: return same<Bytes>(a, b);
    case TypeKind::kQuantity: return same<Quantity>(a, b);
    case TypeKind::kTime: return same<Time>(a, b);
    case TypeKind::kMicroTime: return same<MicroTime>(a, b);
    case TypeKind::kDuration: return same<GoDuration>(a, b);
    case TypeKind::kIntOrString: return same<IntOrString>(a, b);
    case TypeKind::kRaw: return same<RawExtension>(a, b);
    case TypeKind::kStruct: return equal(*type.structure, a, b);
    case TypeKind::kMap: return equal_map(type, a, b);
    case TypeKind::kList:
    case TypeKind::kOptional: return equal_list(type, a, b);
  }
  return false;
}

void diff_into(const std::string& path, const Value& before, const Value& after,
               std::vector<Difference>& out, std::size_t max) {
  if (out.size() >= max || before == after) return;
  if (before.is_map() && after.is_map()) {
    const auto below = [&](const std::string& key) { return path.empty() ? key : path + '.' + key; };
    for (const auto& [key, value] : before.as_map()) {
      const Value* const other = after.find(key);
      diff_into(below(key), value, other ? *other : Value(), out, max);
    }
    for (const auto& [key, value] : after.as_map()) {
      if (!before.find(key)) diff_into(below(key), Value(), value, out, max);
    }
  } else if (before.is_list() && after.is_list() && before.as_list().size() == after.as_list().size()) {
    for (std::size_t i = 0; i < before.as_list().size(); ++i) {
      diff_into(fmt::format("{}[{}]", path, i), before.as_list()[i], after.as_list()[i], out, max);
    }
  } else {
    out.push_back({path, before, after});
  }
}

}  // namespace

bool equal(const StructDescriptor& descriptor, const void* a, const void* b) {
  for (const FieldDescriptor& field : descriptor.fields) {
    if (!equal_any(*field.type, field.in(a), field.in(b))) return false;
  }
  return true;
}

std::vector<Difference> diff(const Value& before, const Value& after, std::size_t max) {
  std::vector<Difference> out;
  diff_into("", before, after, out, max);
  return out;
}

}  // namespace dray
