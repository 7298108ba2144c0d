/// Node selectors of slices and devices, parsed once.
/// Source: component-helpers/scheduling/corev1/nodeaffinity, apimachinery/pkg/labels.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace dray::core {
struct NodeSelector;
}

namespace dray::dra {

/// What selectors see of a node.
struct NodeFacts {
  std::string name;
  std::map<std::string, std::string> labels;
  bool optional_node_operations = false;  // status.declaredFeatures
  bool operator==(const NodeFacts&) const = default;
};

/// A value.
class NodeSelectorMatcher {
 public:
  /// Errors kInvalid: an operator or value that can't be. Terms are ORed; an empty one matches nothing.
  [[nodiscard]] static Result<NodeSelectorMatcher> parse(const core::NodeSelector& selector);
  [[nodiscard]] bool matches(const NodeFacts& node) const;

 private:
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };
  struct Requirement {
    std::string key;
    Operator op = Operator::kIn;
    std::vector<std::string> values;
    std::int64_t number = 0;  // of kGt and kLt
  };
  struct Term {
    std::vector<Requirement> labels, fields;
  };
  static bool matches(const Requirement& requirement, const std::string* value);
  std::vector<Term> terms_;
};

}  // namespace dray::dra
