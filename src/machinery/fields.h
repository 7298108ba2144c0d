/// Field selectors of a query: "metadata.name=a,status.phase!=Running".
/// Source: k8s.io/apimachinery/pkg/fields.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace dray {

struct FieldRequirement {
  std::string field;
  bool equal = true;  // or must differ
  std::string value;
  bool operator==(const FieldRequirement&) const = default;
};

/// All requirements must match; the default matches everything. A value.
class FieldSelector {
 public:
  FieldSelector() = default;
  explicit FieldSelector(std::vector<FieldRequirement> requirements)
      : requirements_(std::move(requirements)) {}

  /// =, == and != ; in values \, \= and \\ stand for the characters. Error kBadRequest with Kubernetes'
  /// text. Whether a field is known is the caller's question: see `requirements`.
  [[nodiscard]] static Result<FieldSelector> parse(std::string_view text);

  /// An absent field is the empty text.
  [[nodiscard]] bool matches(const std::map<std::string, std::string>& fields) const;
  [[nodiscard]] bool matches(const std::function<std::string(const std::string& field)>& value_of) const;
  [[nodiscard]] bool empty() const { return requirements_.empty(); }
  [[nodiscard]] const std::vector<FieldRequirement>& requirements() const { return requirements_; }
  /// The value that `field` must have, or null if several values match.
  [[nodiscard]] const std::string* exact_match(std::string_view field) const;
  /// Can be parsed again.
  [[nodiscard]] std::string str() const;

 private:
  std::vector<FieldRequirement> requirements_;
};

[[nodiscard]] std::string escape_field_value(std::string_view value);

}  // namespace dray
