/// Objects for tests, from YAML.
#pragma once

#include <memory>
#include <string>

#include "api/core_v1.h"
#include "machinery/codec.h"
#include "placement/state.h"

namespace dray::placement {

template <class T>
std::shared_ptr<T> from_yaml(const std::string& text) {
  const auto docs = parse_yaml(text);
  if (!docs || docs->empty()) return nullptr;
  auto object = decode_object(docs->front(), T::kDescriptor);
  return object ? std::static_pointer_cast<T>(*object) : nullptr;
}

/// A node with these labels and allocatable resources, both as flow maps: "{zone: a}", "{cpu: '4'}".
inline std::shared_ptr<core::Node> node(const std::string& name, const std::string& allocatable,
                                        const std::string& labels = "{}") {
  return from_yaml<core::Node>("metadata: {name: '" + name + "', labels: " + labels + "}\nstatus: {allocatable: " + allocatable + "}");
}

/// A pod with one container and these requests; `more` are further members of its spec.
inline std::shared_ptr<core::Pod> pod(const std::string& name, const std::string& requests = "{}",
                                      const std::string& more = "", const std::string& labels = "{}") {
  return from_yaml<core::Pod>("metadata: {name: '" + name + "', namespace: d, uid: '" + name + "', labels: " + labels +
                              "}\nspec:\n  containers: [{name: c, image: x, resources: {requests: " + requests + "}}]\n" + more);
}

}  // namespace dray::placement
