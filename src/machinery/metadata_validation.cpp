#include "machinery/metadata_validation.h"

#include <algorithm>

#include <fmt/format.h>

#include "machinery/codec.h"
#include "machinery/meta_v1.h"
#include "machinery/utf8.h"

namespace dray {
namespace {

constexpr std::size_t kAnnotationsBytesMax = 256 * 1024;
constexpr std::size_t kManagerBytesMax = 128;
constexpr std::size_t kSubresourceBytesMax = 256;
constexpr std::size_t kReasonBytesMax = 1024;
constexpr std::size_t kMessageBytesMax = 32 * 1024;

std::string ascii_lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

BadValue json_of(const std::vector<meta::OwnerReference>& owners) {
  std::string out = "[";
  for (const meta::OwnerReference& owner : owners) {
    if (out.size() > 1) out += ',';
    out += encode_json_of(owner);
  }
  return BadValue::raw(out + "]");
}

BadValue json_of(const Time& time) {
  return BadValue::raw(time.is_zero() ? "null" : "\"" + time.str() + "\"");
}

void validate_owner_reference(const meta::OwnerReference& owner, const FieldPath& at, Causes& out) {
  const std::string& version = owner.api_version;
  if (version.empty()) {
    out.required(at / "apiVersion", "must not be empty");
  } else if (version.ends_with('/') || std::count(version.begin(), version.end(), '/') > 1) {
    out.invalid(at / "apiVersion", version, "must be <group>/<version> or <version>");
  }
  if (owner.kind.empty()) out.required(at / "kind", "must not be empty");
  if (owner.name.empty()) out.required(at / "name", "must not be empty");
  if (owner.uid.empty()) out.required(at / "uid", "must not be empty");
  if (version == "v1" && owner.kind == "Event") {
    out.invalid(at, BadValue::raw(encode_json_of(owner)), "/v1, Kind=Event is disallowed from being an owner");
  }
}

void validate_common(const meta::ObjectMeta& metadata, const FieldPath& at, Causes& out) {
  validate_labels(metadata.labels, at / "labels", out);
  validate_annotations(metadata.annotations, at / "annotations", out);
  validate_owner_references(metadata.owner_references, at / "ownerReferences", out);
}

/// Go's %#v of a list of strings.
std::string go_syntax(const std::vector<std::string>& list) {
  std::string out = "[]string{";
  for (const std::string& element : list) {
    if (&element != &list.front()) out += ", ";
    out += go_quoted(element);
  }
  return out + "}";
}

void validate_no_new_finalizers(const meta::ObjectMeta& fresh, const meta::ObjectMeta& old,
                                const FieldPath& at, Causes& out) {
  std::vector<std::string> added;
  for (const std::string& finalizer : fresh.finalizers) {
    if (std::ranges::find(old.finalizers, finalizer) == old.finalizers.end()) added.push_back(finalizer);
  }
  std::ranges::sort(added);
  added.erase(std::unique(added.begin(), added.end()), added.end());
  if (added.empty()) return;
  out.forbidden(at, "no new finalizers can be added if the object is being deleted, found new finalizers " +
                        go_syntax(added));
}

void validate_selector_requirement(const meta::LabelSelectorRequirement& requirement, const FieldPath& at,
                                   Causes& out, bool allow_invalid_values) {
  const std::string& op = requirement.operator_;
  if (op == "In" || op == "NotIn") {
    if (requirement.values.empty()) {
      out.required(at / "values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values.empty()) {
      out.forbidden(at / "values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    out.invalid(at / "operator", op, "not a valid selector operator");
  }
  validate_label_name(requirement.key, at / "key", out);
  if (allow_invalid_values) return;
  const FieldPath values = at / "values";
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    out.invalid_each(values / i, requirement.values[i], check_label_value(requirement.values[i]));
  }
}

void validate_condition(const meta::Condition& condition, const FieldPath& at, Causes& out) {
  if (condition.type.empty()) {
    out.required(at / "type", "is required");
  } else {
    validate_label_name(condition.type, at / "type", out);
  }
  constexpr std::string_view kStatuses[] = {"False", "True", "Unknown"};
  if (condition.status.empty()) {
    out.required(at / "status");
  } else if (std::ranges::find(kStatuses, condition.status) == std::end(kStatuses)) {
    out.not_supported(at / "status", condition.status, kStatuses);
  }
  if (condition.observed_generation < 0) {
    out.invalid(at / "observedGeneration", condition.observed_generation,
                "must be greater than or equal to zero");
  }
  if (condition.last_transition_time.is_zero()) out.required(at / "lastTransitionTime");
  if (condition.reason.empty()) {
    out.required(at / "reason");
  } else {
    out.invalid_each(at / "reason", condition.reason, check_condition_reason(condition.reason));
    if (condition.reason.size() > kReasonBytesMax) out.too_long(at / "reason", kReasonBytesMax);
  }
  if (condition.message.size() > kMessageBytesMax) out.too_long(at / "message", kMessageBytesMax);
}

}  // namespace

void validate_metadata(const meta::ObjectMeta& metadata, bool namespaced, NameCheck name_check,
                       const FieldPath& at, Causes& out) {
  const std::string& generate_name = metadata.generate_name;
  if (!generate_name.empty()) {
    out.invalid_each(at / "generateName", generate_name, name_check(generate_name, true));
  }
  if (metadata.name.empty()) {
    out.required(at / "name", "name or generateName is required");
  } else {
    out.invalid_each(at / "name", metadata.name, name_check(metadata.name, false));
  }
  if (!namespaced && !metadata.namespace_.empty()) {
    out.forbidden(at / "namespace", "not allowed on this type");
  } else if (namespaced && metadata.namespace_.empty()) {
    out.required(at / "namespace");
  } else if (namespaced) {
    out.invalid_each(at / "namespace", metadata.namespace_, check_name_is_label(metadata.namespace_));
  }
  validate_nonnegative(metadata.generation, at / "generation", out);
  validate_common(metadata, at, out);
  validate_finalizers(metadata.finalizers, at / "finalizers", out);
  validate_managed_fields(metadata.managed_fields, at / "managedFields", out);
}

void validate_metadata_update(const meta::ObjectMeta& fresh, const meta::ObjectMeta& old,
                              const FieldPath& at, Causes& out) {
  if (old.deletion_timestamp) validate_no_new_finalizers(fresh, old, at / "finalizers", out);
  if (fresh.resource_version.empty()) {
    out.invalid(at / "resourceVersion", "", "must be specified for an update");
  }
  validate_nonnegative(fresh.generation, at / "generation", out);
  if (fresh.generation < old.generation) {
    out.invalid(at / "generation", fresh.generation, "must not be decremented");
  }
  out.immutable(at / "name", fresh.name, old.name);
  out.immutable(at / "namespace", fresh.namespace_, old.namespace_);
  out.immutable(at / "uid", fresh.uid, old.uid);
  if (fresh.creation_timestamp != old.creation_timestamp) {
    out.invalid(at / "creationTimestamp", json_of(fresh.creation_timestamp), Causes::kFieldImmutable);
  }
  if (fresh.deletion_timestamp != old.deletion_timestamp) {
    out.invalid(at / "deletionTimestamp", json_of(fresh.deletion_timestamp.value_or(Time{})),
                Causes::kFieldImmutable);
  }
  out.immutable(at / "deletionGracePeriodSeconds", fresh.deletion_grace_period_seconds,
                old.deletion_grace_period_seconds);
  validate_common(fresh, at, out);
  validate_managed_fields(fresh.managed_fields, at / "managedFields", out);
}

void validate_label_name(std::string_view name, const FieldPath& at, Causes& out) {
  out.invalid_each(at, name, check_qualified_name(name));
}

void validate_labels(const std::map<std::string, std::string>& labels, const FieldPath& at, Causes& out) {
  for (const auto& [key, value] : labels) {
    validate_label_name(key, at, out);
    out.invalid_each(at, value, check_label_value(value));
  }
}

void validate_annotations(const std::map<std::string, std::string>& annotations, const FieldPath& at,
                          Causes& out) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations) {
    out.invalid_each(at, key, check_qualified_name(ascii_lower(key)));
    bytes += key.size() + value.size();
  }
  if (bytes > kAnnotationsBytesMax) out.too_long(at, kAnnotationsBytesMax);
}

void validate_owner_references(const std::vector<meta::OwnerReference>& owners, const FieldPath& at,
                               Causes& out) {
  std::string controller;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const meta::OwnerReference& owner = owners[i];
    validate_owner_reference(owner, at / i, out);
    if (!owner.controller.value_or(false)) continue;
    const std::string name = owner.kind + "/" + owner.name;
    if (!controller.empty()) {
      out.invalid(at, json_of(owners),
                  fmt::format("Only one reference can have Controller set to true. Found \"true\" in "
                              "references for {} and {}",
                              controller, name));
    } else {
      controller = name;
    }
  }
}

void validate_finalizers(const std::vector<std::string>& finalizers, const FieldPath& at, Causes& out) {
  for (const std::string& finalizer : finalizers) {
    out.invalid_each(at, finalizer, check_qualified_name(finalizer));
  }
  const auto has = [&](std::string_view name) {
    return std::ranges::find(finalizers, name) != finalizers.end();
  };
  if (has("orphan") && has("foregroundDeletion")) {
    out.invalid(at, finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

void validate_managed_fields(const std::vector<meta::ManagedFieldsEntry>& entries, const FieldPath& at,
                             Causes& out) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const meta::ManagedFieldsEntry& entry = entries[i];
    const FieldPath path = at / i;
    if (entry.operation.empty()) {
      out.required(path / "operation", "must not be empty");
    } else if (entry.operation != "Apply" && entry.operation != "Update") {
      out.not_supported(path / "operation", entry.operation, {"Apply", "Update"});
    }
    if (!entry.fields_type.empty() && entry.fields_type != "FieldsV1") {
      out.invalid(path / "fieldsType", entry.fields_type, "must be `FieldsV1`");
    }
    validate_field_manager(entry.manager, path / "manager", out);
    if (entry.subresource.size() > kSubresourceBytesMax) out.too_long(path / "subresource", kSubresourceBytesMax);
  }
}

void validate_field_manager(std::string_view manager, const FieldPath& at, Causes& out) {
  if (manager.size() > kManagerBytesMax) out.too_long(at, kManagerBytesMax);
  std::string_view rest = manager;
  while (!rest.empty()) {
    const utf8::Rune rune = utf8::decode(rest);
    const std::size_t position = manager.size() - rest.size();
    const std::string_view character = rest.substr(0, rune.size);
    rest.remove_prefix(rune.size);
    // A printable character is the one that Go's %q leaves alone, or escapes with itself.
    const bool printable = rune.valid && (character == "\"" || character == "\\" ||
                                          go_quoted(character).size() == character.size() + 2);
    if (printable) continue;
    out.invalid(at, manager,
                fmt::format("invalid character U+{:04X} (at position {})", static_cast<unsigned>(rune.code),
                            position));
  }
}

void validate_label_selector(const meta::LabelSelector& selector, const FieldPath& at, Causes& out,
                             bool allow_invalid_values) {
  validate_labels(selector.match_labels, at / "matchLabels", out);
  const FieldPath expressions = at / "matchExpressions";
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    validate_selector_requirement(selector.match_expressions[i], expressions / i, out, allow_invalid_values);
  }
}

void validate_conditions(const std::vector<meta::Condition>& conditions, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const auto same_type = [&](const meta::Condition& other) { return other.type == conditions[i].type; };
    if (std::any_of(conditions.begin(), conditions.begin() + static_cast<std::ptrdiff_t>(i), same_type)) {
      out.duplicate(at / i, conditions[i].type);
    }
    validate_condition(conditions[i], at / i, out);
  }
}

void validate_fully_qualified_name(std::string_view name, const FieldPath& at, Causes& out) {
  if (name.empty()) return out.required(at);
  if (const Problems problems = check_dns1123_subdomain(name); !problems.empty()) {
    return out.invalid(at, name, fmt::format("{}", fmt::join(problems, ",")));
  }
  if (std::ranges::count(name, '.') < 2) {
    out.invalid(at, name, "should be a domain with at least three segments separated by dots");
  }
}

void validate_fully_qualified_domain_name(std::string_view name, const FieldPath& at, Causes& out) {
  if (name.empty()) return out.required(at);
  if (name.ends_with('.')) name.remove_suffix(1);
  if (const Problems problems = check_dns1123_subdomain(name); !problems.empty()) {
    return out.invalid(at, name, fmt::format("{}", fmt::join(problems, ",")));
  }
  if (std::ranges::count(name, '.') < 1) {
    return out.invalid(at, name, "should be a domain with at least two segments separated by dots");
  }
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    name.remove_prefix(std::min(label.size() + 1, name.size()));
    if (const Problems problems = check_dns1123_label(label); !problems.empty()) {
      return out.invalid(at, label, fmt::format("{}", fmt::join(problems, ",")));
    }
  }
}

void validate_domain_prefixed_key(std::string_view key, const FieldPath& at, Causes& out) {
  if (key.empty()) return out.required(at);
  const Problems problems = check_qualified_name(key);
  out.invalid_each(at, key, problems);
  if (problems.empty() && key.find('/') == std::string_view::npos) {
    out.invalid(at, key, "must be a domain-prefixed key (such as \"acme.io/foo\")");
  }
}

void validate_domain_prefixed_path(std::string_view path, const FieldPath& at, Causes& out) {
  if (path.empty()) return out.required(at);
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == path.size()) {
    return out.invalid(at, path, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  const std::string_view host = path.substr(0, slash);
  out.invalid_each(at, host, check_dns1123_subdomain(host));
  const std::string_view rest = path.substr(slash + 1);
  constexpr std::string_view kPunctuation = "/-._~%!$&'()*+,;=:";
  const auto allowed = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPunctuation.find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(rest, allowed)) {
    out.invalid(at, rest, regex_problem("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"));
  }
}

void validate_nonnegative(std::int64_t value, const FieldPath& at, Causes& out) {
  if (value < 0) out.invalid(at, value, "must be greater than or equal to 0");
}

}  // namespace dray
