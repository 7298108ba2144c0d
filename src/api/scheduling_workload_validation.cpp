#include "api/scheduling_workload_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/internal_text.h"

namespace dray::api {
namespace {

using scheduling_v1beta1::CompositePodGroupTemplate;
using scheduling_v1beta1::PodGroupTemplate;
using scheduling_v1beta1::WorkloadSpec;

/// Levels of the tree, the one of the pod groups included.
constexpr int kDepthMax = 4;

using Composites = std::vector<CompositePodGroupTemplate>;
using Names = std::set<std::string>;

// Names that repeat in one list are said declaratively, those in different lists here.

template <class Template>
void validate_list_names(const std::vector<Template>& list, const FieldPath& at, Names& names,
                         Causes& out) {
  Names own;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (names.contains(list[i].name)) out.duplicate(at / i / "name", list[i].name);
    own.insert(list[i].name);
  }
  names.merge(own);
}

void validate_names(const Composites& composites, const FieldPath& owner, Names& names, Causes& out) {
  const FieldPath at = owner / "compositePodGroupTemplates";
  validate_list_names(composites, at, names, out);
  for (std::size_t i = 0; i < composites.size(); ++i) {
    const FieldPath here = at / i;
    validate_list_names(composites[i].pod_group_templates, here / "podGroupTemplates", names, out);
    validate_names(composites[i].composite_pod_group_templates, here, names, out);
  }
}

bool fits(const CompositePodGroupTemplate& composite, int depth) {
  if (depth == kDepthMax) return false;
  const Composites& inner = composite.composite_pod_group_templates;
  return std::all_of(inner.begin(), inner.end(), [&](const auto& child) { return fits(child, depth + 1); });
}

void validate_depth(const Composites& composites, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < composites.size(); ++i) {
    if (fits(composites[i], 1)) continue;
    out.invalid(at / i, internal_list_of(composites[i].composite_pod_group_templates),
                fmt::format("maximum template hierarchy depth is {}", kDepthMax));
  }
}

/// Whether all templates that it sees have the priority of the first.
class PriorityCheck {
 public:
  template <class Template>
  bool agrees(const Template& one) {
    const Priority priority{one.priority_class_name, one.priority};
    if (!first_) first_ = priority;
    return *first_ == priority;
  }
  bool agrees_below(const CompositePodGroupTemplate& composite) {
    return agrees(composite) &&
           std::all_of(composite.composite_pod_group_templates.begin(),
                       composite.composite_pod_group_templates.end(),
                       [&](const auto& child) { return agrees_below(child); }) &&
           std::all_of(composite.pod_group_templates.begin(), composite.pod_group_templates.end(),
                       [&](const auto& child) { return agrees(child); });
  }

 private:
  struct Priority {
    std::string class_name;
    std::optional<std::int32_t> number;
    bool operator==(const Priority&) const = default;
  };
  std::optional<Priority> first_;
};

void validate_priority(const WorkloadSpec& spec, const FieldPath& at, Causes& out) {
  PriorityCheck check;
  for (const PodGroupTemplate& group : spec.pod_group_templates) {
    if (!check.agrees(group)) {
      return out.invalid(at, BadValue::raw("null"), "detected multiple priority configurations");
    }
  }
  for (const CompositePodGroupTemplate& composite : spec.composite_pod_group_templates) {
    if (!check.agrees_below(composite)) {
      return out.invalid(
          at, BadValue::raw("null"),
          "all priority and priorityClassName values must be identical, detected multiple values");
    }
  }
}

void validate_children(const Composites& composites, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < composites.size(); ++i) {
    const CompositePodGroupTemplate& one = composites[i];
    if (one.pod_group_templates.empty() && one.composite_pod_group_templates.empty()) {
      out.invalid(at / i, one.name,
                  "must have at least one child PodGroupTemplate or CompositePodGroupTemplate");
    }
    const FieldPath here = at / i;
    validate_children(one.composite_pod_group_templates, here / "compositePodGroupTemplates", out);
  }
}

}  // namespace

void validate_workload_templates(const WorkloadSpec& spec, const FieldPath& at, Causes& out) {
  Names names;
  for (const PodGroupTemplate& group : spec.pod_group_templates) names.insert(group.name);
  validate_names(spec.composite_pod_group_templates, at, names, out);
  const FieldPath composites = at / "compositePodGroupTemplates";
  validate_depth(spec.composite_pod_group_templates, composites, out);
  validate_priority(spec, at, out);
  validate_children(spec.composite_pod_group_templates, composites, out);
}

}  // namespace dray::api
