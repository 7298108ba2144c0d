/// The base of every kind: what all stored objects have.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "machinery/descriptor.h"
#include "machinery/meta_v1.h"

namespace dray {

/// A kind of the schema (core::Pod, ...) derives from this and adds its own fields. Shared objects are
/// immutable: to change one, copy it (`mutable_copy`), change the copy, hand the copy on.
struct Object {
  explicit Object(const StructDescriptor& descriptor) : type(&descriptor) {}

  const StructDescriptor* type;
  meta::ObjectMeta metadata;

  [[nodiscard]] std::string_view kind() const { return type->name; }
  [[nodiscard]] std::string api_version() const { return type->api_version(); }
  [[nodiscard]] const std::string& name() const { return metadata.name; }
  [[nodiscard]] const std::string& namespace_() const { return metadata.namespace_; }

 protected:
  Object(const Object&) = default;
  Object(Object&&) = default;
  Object& operator=(const Object&) = default;
  Object& operator=(Object&&) = default;
  ~Object() = default;  // owned through the shared_ptr of its own type
};

using ObjectPtr = std::shared_ptr<const Object>;

[[nodiscard]] inline std::shared_ptr<Object> mutable_copy(const Object& object) {
  return object.type->copy(object);
}
template <class T>
[[nodiscard]] std::shared_ptr<T> mutable_copy_as(const T& object) {
  return std::static_pointer_cast<T>(object.type->copy(object));
}

/// The object as a T, or null if it is of another kind.
template <class T>
[[nodiscard]] const T* as(const Object& object) {
  return object.type == &T::kDescriptor ? static_cast<const T*>(&object) : nullptr;
}
template <class T>
[[nodiscard]] std::shared_ptr<const T> as(const ObjectPtr& object) {
  return object && object->type == &T::kDescriptor ? std::static_pointer_cast<const T>(object) : nullptr;
}

}  // namespace dray
