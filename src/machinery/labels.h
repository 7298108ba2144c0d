/// Label selectors: parsed from a query, or made from a LabelSelector, matched against labels.
/// Source: k8s.io/apimachinery/pkg/labels, pkg/apis/meta/v1/helpers.go.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace dray::meta {
struct LabelSelector;
}

namespace dray {

using Labels = std::map<std::string, std::string>;

struct LabelRequirement {
  enum class Operator : std::uint8_t {
    kIn,
    kNotIn,
    kEquals,
    kDoubleEquals,
    kNotEquals,
    kExists,
    kDoesNotExist,
    kGreaterThan,
    kLessThan,
  };
  std::string key;
  Operator op = Operator::kExists;
  std::vector<std::string> values;

  [[nodiscard]] bool matches(const Labels& labels) const;
  /// "a in (b,c)", "!a", ...: can be parsed again.
  [[nodiscard]] std::string str() const;
  bool operator==(const LabelRequirement&) const = default;
};

/// A requirement with Kubernetes' checks (NewRequirement). Error kBadRequest with its text.
[[nodiscard]] Result<LabelRequirement> make_label_requirement(std::string key, LabelRequirement::Operator op,
                                                              std::vector<std::string> values);

/// All requirements, sorted by key, must match. A value; the default matches everything.
class LabelSelector {
 public:
  LabelSelector() = default;
  explicit LabelSelector(std::vector<LabelRequirement> requirements);
  /// What an absent selector of an object matches.
  [[nodiscard]] static LabelSelector nothing();
  /// Every label must have its value; no checks.
  [[nodiscard]] static LabelSelector exactly(const Labels& labels);

  /// A selector of a query: "app=web,tier in (a,b),!old,size>3". Error kBadRequest with Kubernetes'
  /// text.
  [[nodiscard]] static Result<LabelSelector> parse(std::string_view text);
  /// LabelSelectorAsSelector: an empty one matches everything. Error kBadRequest.
  [[nodiscard]] static Result<LabelSelector> from(const meta::LabelSelector& selector);

  [[nodiscard]] bool matches(const Labels& labels) const;
  /// Whether it matches whatever there is.
  [[nodiscard]] bool empty() const { return !nothing_ && requirements_.empty(); }
  [[nodiscard]] bool matches_nothing() const { return nothing_; }
  [[nodiscard]] const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  [[nodiscard]] std::string str() const;

 private:
  bool nothing_ = false;
  std::vector<LabelRequirement> requirements_;
};

}  // namespace dray
