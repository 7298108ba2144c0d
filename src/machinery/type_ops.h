/// The operations of containers and the type table of each C++ type that a struct can have.
/// Included only by the generated tables.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machinery/box.h"
#include "machinery/descriptor.h"
#include "machinery/quantity.h"
#include "machinery/scalars.h"
#include "machinery/time.h"

namespace dray::type_ops {

template <class Optional>
inline constexpr ContainerOps kOptionalOps = {
    [](const void* self) { return static_cast<const Optional*>(self)->has_value() ? std::size_t{1} : 0; },
    [](const void* self, std::size_t) -> const void* { return &**static_cast<const Optional*>(self); },
    [](void* self, std::string_view) -> void* { return &static_cast<Optional*>(self)->emplace(); },
    [](void* self) { static_cast<Optional*>(self)->reset(); },
    nullptr,
    nullptr,
};

template <class T>
inline constexpr ContainerOps kListOps = {
    [](const void* self) { return static_cast<const std::vector<T>*>(self)->size(); },
    [](const void* self, std::size_t index) -> const void* {
      return &(*static_cast<const std::vector<T>*>(self))[index];
    },
    [](void* self, std::string_view) -> void* {
      return &static_cast<std::vector<T>*>(self)->emplace_back();
    },
    [](void* self) { static_cast<std::vector<T>*>(self)->clear(); },
    nullptr,
    nullptr,
};

template <class T>
inline constexpr ContainerOps kMapOps = {
    [](const void* self) { return static_cast<const std::map<std::string, T>*>(self)->size(); },
    nullptr,
    [](void* self, std::string_view key) -> void* {
      return &(*static_cast<std::map<std::string, T>*>(self))[std::string(key)];
    },
    [](void* self) { static_cast<std::map<std::string, T>*>(self)->clear(); },
    [](const void* self, void* context, bool (*visit)(void*, const std::string&, const void*)) {
      for (const auto& [key, element] : *static_cast<const std::map<std::string, T>*>(self)) {
        if (!visit(context, key, &element)) return;
      }
    },
    [](const void* self, std::string_view key) -> const void* {
      const auto& map = *static_cast<const std::map<std::string, T>*>(self);
      const auto found = map.find(std::string(key));
      return found == map.end() ? nullptr : &found->second;
    },
};

}  // namespace dray::type_ops
