#include "api/manifest_hints.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <initializer_list>
#include <string_view>
#include <vector>

namespace dray::api {
namespace {

using Hints = std::vector<std::string>;

const Value* at(const Value* value, std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) {
    if (!value) return nullptr;
    value = value->find(name);
  }
  return value;
}

std::string text_at(const Value& owner, std::string_view name) {
  const Value* value = owner.find(name);
  return value && value->is_string() ? value->as_string() : "";
}

/// A scalar as one would write it in YAML; `otherwise` for what is none.
std::string scalar(const Value* value, std::string_view otherwise) {
  if (!value || value->is_list() || value->is_map() || value->is_null()) return std::string(otherwise);
  return value->is_string() ? value->as_string() : print_json(*value);
}

struct Kind {
  std::string group, version, name;
  [[nodiscard]] bool is(std::string_view g, std::string_view n) const { return group == g && name == n; }
};

Kind kind_of(const Value& manifest) {
  const std::string api_version = text_at(manifest, "apiVersion");
  const std::size_t slash = api_version.find('/');
  const bool grouped = slash != std::string::npos;
  return {grouped ? api_version.substr(0, slash) : "",
          grouped ? api_version.substr(slash + 1) : api_version, text_at(manifest, "kind")};
}

constexpr std::string_view kResource = "resource.k8s.io";
constexpr std::string_view kScheduling = "scheduling.k8s.io";

// ---- versions and kinds that are gone

void hint_version(const Kind& kind, Hints& out) {
  if (kind.group == kResource) {
    if (kind.name == "ResourceClass" || kind.name == "ResourceClassParameters" ||
        kind.name == "ResourceClaimParameters" || kind.name == "PodSchedulingContext") {
      out.push_back(fmt::format(
          "kind: {} is gone since Kubernetes 1.31; write a DeviceClass with apiVersion: "
          "resource.k8s.io/v1, its parameters under spec.config[].opaque",
          kind.name));
    } else if (kind.version == "v1alpha1" || kind.version == "v1alpha2" ||
               (kind.version == "v1alpha3" && kind.name != "DeviceTaintRule" &&
                kind.name != "ResourcePoolStatusRequest")) {
      out.push_back(fmt::format("apiVersion: resource.k8s.io/{} has no {}; write apiVersion: "
                                "resource.k8s.io/v1",
                                kind.version, kind.name));
    }
  }
  if (kind.group == kScheduling && (kind.name == "PodGroup" || kind.name == "Workload") &&
      (kind.version == "v1" || kind.version == "v1alpha1" || kind.version == "v1alpha2")) {
    out.push_back(fmt::format("apiVersion: scheduling.k8s.io/{} has no {}; write apiVersion: "
                              "scheduling.k8s.io/v1beta1 (start with --feature-gates "
                              "GenericWorkload=true --runtime-config scheduling.k8s.io/v1beta1=true)",
                              kind.version, kind.name));
  }
  if (kind.is("scheduling.x-k8s.io", "PodGroup") || kind.is("scheduling.sigs.k8s.io", "PodGroup") ||
      kind.is("scheduling.volcano.sh", "PodGroup")) {
    out.push_back(fmt::format("apiVersion: {}/{} is another scheduler's PodGroup; write apiVersion: "
                              "scheduling.k8s.io/v1beta1 and spec.schedulingPolicy.gang.minCount in "
                              "place of spec.minMember",
                              kind.group, kind.version));
  }
}

// ---- claims

constexpr std::string_view kRequestFields[] = {"deviceClassName", "selectors", "allocationMode",
                                               "count", "adminAccess", "tolerations", "capacity"};

/// Fields of a request that stand where they do not belong, as YAML: "deviceClassName: a, count: 2".
std::string misplaced(const Value& owner) {
  std::string out;
  for (const std::string_view name : kRequestFields) {
    const Value* value = owner.find(name);
    if (!value) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{}: {}", name, scalar(value, "[...]"));
  }
  return out;
}

/// `spec` is a claim's spec, at `path`.
void hint_claim_spec(const Value& spec, const Kind& kind, const std::string& path, Hints& out) {
  if (spec.find("resourceClassName")) {
    out.push_back(fmt::format("{0}.resourceClassName: write {0}.devices.requests: [{{name: gpu, exactly: "
                              "{{deviceClassName: {1}}}}}]",
                              path, scalar(spec.find("resourceClassName"), "...")));
  }
  if (const std::string fields = misplaced(spec); !fields.empty()) {
    out.push_back(fmt::format("{0}: a claim's devices are requested in a list; write {0}.devices.requests: "
                              "[{{name: gpu, exactly: {{{1}}}}}]",
                              path, fields));
  }
  if (spec.find("requests") && !spec.find("devices")) {
    out.push_back(fmt::format("{0}.requests: write {0}.devices.requests", path));
  }
  const Value* requests = at(&spec, {"devices", "requests"});
  if (!requests || !requests->is_list() || kind.version == "v1beta1") return;
  for (std::size_t i = 0; i < requests->as_list().size(); ++i) {
    const std::string fields = misplaced(requests->as_list()[i]);
    if (fields.empty()) continue;
    out.push_back(fmt::format("{0}.devices.requests[{1}]: since resource.k8s.io/v1beta2 these stand under "
                              "exactly; write {{name: {2}, exactly: {{{3}}}}}",
                              path, i, scalar(requests->as_list()[i].find("name"), "gpu"), fields));
  }
}

void hint_slice(const Value& spec, const Kind& kind, Hints& out) {
  const Value* devices = spec.find("devices");
  if (kind.version == "v1beta1" || !devices || !devices->is_list()) return;
  for (std::size_t i = 0; i < devices->as_list().size(); ++i) {
    if (!devices->as_list()[i].find("basic")) continue;
    out.push_back(fmt::format("spec.devices[{0}].basic: since resource.k8s.io/v1beta2 its fields stand in "
                              "the device itself; write spec.devices[{0}].attributes, ...",
                              i));
  }
}

// ---- CEL

/// Blanks out quoted parts, so that what is left is code.
std::string without_strings(const std::string& expression) {
  std::string out = expression;
  char quote = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = out[i];
    if (quote == 0) {
      if (c == '"' || c == '\'') quote = c;
      continue;
    }
    if (c == quote) {
      quote = 0;
    } else if (c == '\\' && i + 1 < out.size()) {
      out[i] = out[i + 1] = ' ';
      ++i;
    } else {
      out[i] = ' ';
    }
  }
  return out;
}

/// "memory >= 80Gi": neither the name nor the number means anything to CEL.
void hint_quantity(const std::string& expression, const std::string& path, Hints& out) {
  static const RE2 comparison(
      R"((?:^|[^\w.\]'"])((?:\w+(?:\.\w+|\[[^\]]*\])*)))"
      R"(\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)?(?:[KMGTPE]i|[mkMGTPE]))(?:\W|$))");
  std::string left, op, number;
  if (!RE2::PartialMatch(without_strings(expression), comparison, &left, &op, &number)) return;
  const std::size_t start = without_strings(expression).find(left);
  std::string value = expression.substr(start, left.size());
  if (left.find_first_of(".[") == std::string::npos) {
    value = fmt::format("device.capacity['<driver>'].{}", left);
  }
  out.push_back(fmt::format("{0}: CEL has no numbers with a suffix, and a device's quantities are "
                            "device.capacity['<driver>'].<name>; write {1}.compareTo(quantity('{2}')) {3} 0",
                            path, value, number, op));
}

/// A bare attribute: "productName == 'H100'", "model.startsWith('LATEST')".
void hint_bare_name(const std::string& expression, const std::string& path, Hints& out) {
  static const RE2 bare(R"(^\s*([A-Za-z_]\w*)\s*(?:==|!=|in\s|\.(?:startsWith|endsWith|contains|matches)\())");
  std::string name;
  if (!RE2::PartialMatch(expression, bare, &name) || name == "device" || name == "true" ||
      name == "false") {
    return;
  }
  out.push_back(fmt::format("{0}: an expression sees only the variable device; write "
                            "device.attributes['<driver>'].{1} in place of {1}",
                            path, name));
}

void hint_expressions(const Value& value, const std::string& path, Hints& out) {
  if (value.is_list()) {
    for (std::size_t i = 0; i < value.as_list().size(); ++i) {
      hint_expressions(value.as_list()[i], fmt::format("{}[{}]", path, i), out);
    }
  }
  if (!value.is_map()) return;
  for (const auto& [name, member] : value.as_map()) {
    const std::string inner = path.empty() ? name : path + "." + name;
    if (name == "cel" && member.is_string()) {
      out.push_back(fmt::format("{0}: write {0}.expression", inner));
    } else if (name == "expression" && member.is_string() && path.ends_with("cel")) {
      const std::size_t before = out.size();
      hint_quantity(member.as_string(), inner, out);
      if (out.size() == before) hint_bare_name(member.as_string(), inner, out);
    } else {
      hint_expressions(member, inner, out);
    }
  }
}

// ---- groups of pods

void hint_group(const Value& spec, Hints& out) {
  for (const std::string_view name : {"minCount", "minMember", "minAvailable"}) {
    if (const Value* value = spec.find(name)) {
      out.push_back(fmt::format("spec.{}: write spec.schedulingPolicy.gang.minCount: {}", name,
                                scalar(value, "<count>")));
    }
  }
  if (const Value* policy = spec.find("policy")) {
    const Value* count = at(policy, {"gang", "minCount"});
    out.push_back(count ? fmt::format("spec.policy: write spec.schedulingPolicy.gang.minCount: {}",
                                      scalar(count, "<count>"))
                        : "spec.policy: write spec.schedulingPolicy: {basic: {}}");
  }
  if (const Value* count = at(&spec, {"schedulingPolicy", "minCount"})) {
    out.push_back(fmt::format("spec.schedulingPolicy.minCount: write "
                              "spec.schedulingPolicy.gang.minCount: {}",
                              scalar(count, "<count>")));
  }
  if (spec.find("podGroupTemplateRef")) {
    out.push_back("spec.podGroupTemplateRef: write spec.workloadRef: {workloadName: ..., "
                  "templateName: ...}");
  }
}

void hint_workload(const Value& spec, Hints& out) {
  if (spec.find("podGroups")) out.push_back("spec.podGroups: write spec.podGroupTemplates");
  const Value* templates = spec.find("podGroupTemplates");
  if (!templates || !templates->is_list()) return;
  for (std::size_t i = 0; i < templates->as_list().size(); ++i) {
    if (!templates->as_list()[i].find("policy")) continue;
    out.push_back(fmt::format(
        "spec.podGroupTemplates[{0}].policy: write spec.podGroupTemplates[{0}].schedulingPolicy", i));
  }
}

// ---- pods

void hint_pod_spec(const Value& spec, const std::string& path, Hints& out) {
  if (spec.find("workloadRef")) {
    out.push_back(fmt::format("{0}.workloadRef: write {0}.schedulingGroup.podGroupName: {1}", path,
                              scalar(at(&spec, {"workloadRef", "podGroup"}), "<pod group>")));
  }
  if (const Value* claims = spec.find("resourceClaims"); claims && claims->is_list()) {
    for (std::size_t i = 0; i < claims->as_list().size(); ++i) {
      const Value* source = claims->as_list()[i].find("source");
      if (!source || !source->is_map()) continue;
      const std::string inner =
          source->find("resourceClaimName") ? "resourceClaimName" : "resourceClaimTemplateName";
      out.push_back(fmt::format("{0}.resourceClaims[{1}].source: write {0}.resourceClaims[{1}].{2}: {3}",
                                path, i, inner, scalar(source->find(inner), "...")));
    }
  }
}

void hint_pods(const Value& manifest, Hints& out) {
  if (const Value* spec = at(&manifest, {"spec", "template", "spec"})) {
    hint_pod_spec(*spec, "spec.template.spec", out);
  }
  if (const Value* spec = at(&manifest, {"spec", "jobTemplate", "spec", "template", "spec"})) {
    hint_pod_spec(*spec, "spec.jobTemplate.spec.template.spec", out);
  }
}

void hint_spec(const Value& manifest, const Kind& kind, Hints& out) {
  const Value* spec = manifest.find("spec");
  if (!spec || !spec->is_map()) return;
  if (kind.is(kResource, "ResourceClaim")) hint_claim_spec(*spec, kind, "spec", out);
  if (kind.is(kResource, "ResourceClaimTemplate")) {
    const Value* inner = spec->find("spec");
    if (inner && inner->is_map()) {
      hint_claim_spec(*inner, kind, "spec.spec", out);
    } else if (spec->find("devices")) {
      out.push_back("spec.devices: a template holds a claim's spec; write spec.spec.devices");
    }
  }
  if (kind.is(kResource, "ResourceSlice")) hint_slice(*spec, kind, out);
  if (kind.is(kScheduling, "PodGroup")) hint_group(*spec, out);
  if (kind.is(kScheduling, "Workload")) hint_workload(*spec, out);
  if (kind.is("", "Pod")) hint_pod_spec(*spec, "spec", out);
  hint_pods(manifest, out);
  if (kind.group == kResource) hint_expressions(*spec, "spec", out);
}

}  // namespace

std::string hint_for(const Value& manifest) {
  if (!manifest.is_map()) return "";
  Hints hints;
  const Kind kind = kind_of(manifest);
  hint_version(kind, hints);
  hint_spec(manifest, kind, hints);
  std::string out;
  for (const std::string& hint : hints) out += (out.empty() ? "" : "\n") + hint;
  return out;
}

}  // namespace dray::api
