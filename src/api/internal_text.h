/// Values in error texts as Kubernetes prints its internal structs: Go's field names ("NodeSelectorTerms",
/// "StringValue"), nothing left out, null for what is absent. Some texts of hand-written validation
/// contain them, so users see them.
#pragma once

#include <string>

#include "machinery/descriptor.h"
#include "machinery/value.h"

namespace dray::api {

/// Of a struct of `descriptor` at `in`. An embedded ObjectMeta prints as in JSON.
[[nodiscard]] Value internal_value(const StructDescriptor& descriptor, const void* in);

template <class T>
[[nodiscard]] Value internal_value_of(const T& value) {
  return internal_value(T::kDescriptor, &value);
}
template <class List>
[[nodiscard]] Value internal_list_of(const List& list) {
  Value out = Value::list();
  for (const auto& element : list) out.as_list().push_back(internal_value_of(element));
  return out;
}

}  // namespace dray::api
