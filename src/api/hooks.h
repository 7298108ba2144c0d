/// How a group tells the registry what the schema cannot say of its kinds. Each group has one constant
/// table (`core_hooks()`, `apps_hooks()`, `resource_hooks()`, ...); registry.cpp joins them with the
/// resource list of the schema. A kind without an entry is served with nothing but its fields.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "api/kind.h"

namespace dray::api {

/// A served version that is not the stored one. Both functions return a fresh object, complete with
/// metadata.
struct Conversion {
  std::string_view version;
  std::shared_ptr<Object> (*to_stored)(const Object& served);
  std::shared_ptr<Object> (*from_stored)(const Object& stored);
};

struct KindHooks {
  /// The version that is kept; one entry per kind.
  const StructDescriptor* stored = nullptr;
  Hooks hooks = {};
  std::span<const Column> columns = {};
  std::span<const std::string_view> selectable_fields = {};
  /// Of every other version in the resource list; versions with neither are left out.
  std::span<const Conversion> conversions = {};
  bool has_generation = false;
  bool create_on_update = false;
  bool unconditional_update = true;
  /// Of a kind whose objects are kept as another group's (events.k8s.io's Event): that group.
  std::string_view served_as_group = "";
};

/// Converts between two versions whose fields have the same names in JSON: through a tree, unknown
/// members dropped.
[[nodiscard]] std::shared_ptr<Object> convert_by_name(const Object& from, const StructDescriptor& to);
/// The same as a function for a Conversion.
template <class To>
[[nodiscard]] std::shared_ptr<Object> convert_to(const Object& from) {
  return convert_by_name(from, To::kDescriptor);
}

/// A hook receives the base; its kind is known from the table.
template <class T>
[[nodiscard]] T& cast(Object& object) {
  return static_cast<T&>(object);
}
template <class T>
[[nodiscard]] const T& cast(const Object& object) {
  return static_cast<const T&>(object);
}

}  // namespace dray::api
