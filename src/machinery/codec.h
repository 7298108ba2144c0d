/// JSON, YAML and Value trees to structs and back: one walker each over the descriptor tables.
/// Pure; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "machinery/descriptor.h"
#include "machinery/object.h"
#include "machinery/value.h"

namespace dray {

/// What strict decoding refuses and lenient decoding drops.
struct StrictProblem {
  std::string text;  // `unknown field "spec.foo"`, `duplicate field "spec.ports[0].name"`
  Position at;
};

/// Fills `*out` (a default struct of `descriptor`) from a map. Members with null are left as they are.
/// Unknown and duplicate members go to `problems` (null: nobody asks); the last duplicate wins.
/// Error kBadRequest with Kubernetes' text ("json: cannot unmarshal string into Go struct field
/// PodSpec.spec.hostNetwork of type bool"), and one cause with the field's path and position.
[[nodiscard]] Result<> decode(const Value& value, const StructDescriptor& descriptor, void* out,
                              std::vector<StrictProblem>* problems = nullptr);

template <class T>
[[nodiscard]] Result<T> decode_as(const Value& value, std::vector<StrictProblem>* problems = nullptr) {
  T out;
  TRY(decode(value, T::kDescriptor, &out, problems));
  return out;
}

/// A fresh object of `kind` from a map; `apiVersion` and `kind` members are taken as known.
[[nodiscard]] Result<std::shared_ptr<Object>> decode_object(
    const Value& value, const StructDescriptor& kind, std::vector<StrictProblem>* problems = nullptr);

/// Appends compact JSON in the schema's order, as Go's encoder prints it. A kind begins with its
/// `kind` and `apiVersion`.
void encode_json(const StructDescriptor& descriptor, const void* in, std::string& out);
[[nodiscard]] std::string encode_json(const Object& object);
template <class T>
[[nodiscard]] std::string encode_json_of(const T& value) {
  std::string out;
  encode_json(T::kDescriptor, &value, out);
  return out;
}

/// The same as a tree.
[[nodiscard]] Value to_value(const StructDescriptor& descriptor, const void* in);
[[nodiscard]] Value to_value(const Object& object);
template <class T>
[[nodiscard]] Value to_value_of(const T& value) {
  return to_value(T::kDescriptor, &value);
}

/// Deep equality by value: quantities compare as numbers, absent and empty containers are equal.
[[nodiscard]] bool equal(const StructDescriptor& descriptor, const void* a, const void* b);
template <class T>
[[nodiscard]] bool equal(const T& a, const T& b) {
  return equal(T::kDescriptor, &a, &b);
}

struct Difference {
  std::string path;  // "spec.containers[0].image"
  Value before, after;
};
/// Where two trees differ, at most `max` places, in the order of `before`.
[[nodiscard]] std::vector<Difference> diff(const Value& before, const Value& after,
                                           std::size_t max = 100);

}  // namespace dray
