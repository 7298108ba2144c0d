#include "api/gated_fields.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "machinery/scalars.h"

namespace dray::api {
namespace {

bool is_set(const TypeDescriptor& type, const void* value) {
  switch (type.kind) {
    case TypeKind::kString: return !static_cast<const std::string*>(value)->empty();
    case TypeKind::kBool: return *static_cast<const bool*>(value);
    case TypeKind::kInt32: return *static_cast<const std::int32_t*>(value) != 0;
    case TypeKind::kInt64: return *static_cast<const std::int64_t*>(value) != 0;
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kOptional: return type.ops->size(value) != 0;
    default: return false;
  }
}

void clear(const TypeDescriptor& type, void* value) {
  switch (type.kind) {
    case TypeKind::kString: static_cast<std::string*>(value)->clear(); break;
    case TypeKind::kBool: *static_cast<bool*>(value) = false; break;
    case TypeKind::kInt32: *static_cast<std::int32_t*>(value) = 0; break;
    case TypeKind::kInt64: *static_cast<std::int64_t*>(value) = 0; break;
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kOptional: type.ops->clear(value); break;
    default: CHECK(false && "a field of this type cannot be dropped");
  }
}

/// Calls `visit(type, value)` with each place that the path leads to, until it answers false. Only the
/// caller knows whether the struct may be changed, hence the cast in `drop_gated`.
template <class Visit>
bool walk(const TypeDescriptor* type, const void* value, std::string_view path, const Visit& visit);

template <class Visit>
bool walk_struct(const StructDescriptor& descriptor, const void* value, std::string_view path,
                 const Visit& visit) {
  const std::string_view head = path.substr(0, path.find('.'));
  const auto found = descriptor.find(head);
  CHECK(found);
  const void* owner = static_cast<const char*>(value) + found.owner_offset;
  const std::string_view rest = head.size() == path.size() ? std::string_view() : path.substr(head.size() + 1);
  if (rest.empty()) return visit(*found.field->type, found.field->in(owner));
  return walk(found.field->type, found.field->in(owner), rest, visit);
}

template <class Visit>
bool walk(const TypeDescriptor* type, const void* value, std::string_view path, const Visit& visit) {
  if (type->kind == TypeKind::kStruct) return walk_struct(*type->structure, value, path, visit);
  if (type->kind != TypeKind::kList && type->kind != TypeKind::kOptional) return true;
  const std::size_t size = type->ops->size(value);
  for (std::size_t i = 0; i < size; ++i)
    if (!walk(type->element, type->ops->at(value, i), path, visit)) return false;
  return true;
}

bool in_use(std::span<const GatedField> fields, const StructDescriptor& descriptor, const void* old) {
  return std::ranges::any_of(fields, [&](const GatedField& field) {
    return !walk_struct(descriptor, old, field.path, [](const TypeDescriptor& type, const void* value) {
      return !is_set(type, value);
    });
  });
}

}  // namespace

void drop_gated(const FeatureGates& gates, std::span<const GatedField> fields,
                const StructDescriptor& descriptor, void* fresh, const void* old) {
  while (!fields.empty()) {
    const auto same = [&](const GatedField& field) { return field.gate == fields.front().gate; };
    const auto count = static_cast<std::size_t>(std::ranges::find_if_not(fields, same) - fields.begin());
    const auto group = fields.first(count);
    fields = fields.subspan(count);
    if (gates.enabled(group.front().gate)) continue;
    if (old != nullptr && in_use(group, descriptor, old)) continue;
    for (const GatedField& field : group)
      walk_struct(descriptor, fresh, field.path, [](const TypeDescriptor& type, const void* value) {
        clear(type, const_cast<void*>(value));
        return true;
      });
  }
}

}  // namespace dray::api
