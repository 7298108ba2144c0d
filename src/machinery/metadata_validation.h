/// Validation of the metadata that all objects have, with Kubernetes' texts.
/// Source: k8s.io/apimachinery/pkg/api/validation/objectmeta.go, pkg/apis/meta/v1/validation.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "machinery/validate.h"

namespace dray::meta {
struct Condition;
struct LabelSelector;
struct ManagedFieldsEntry;
struct ObjectMeta;
struct OwnerReference;
}  // namespace dray::meta

namespace dray {

/// Checks a name, or a generateName (`prefix`): check_name_is_subdomain, ...
using NameCheck = Problems (*)(std::string_view name, bool prefix);

/// ValidateObjectMeta, for a create.
void validate_metadata(const meta::ObjectMeta& metadata, bool namespaced, NameCheck name_check,
                       const FieldPath& at, Causes& out);
/// ValidateObjectMetaUpdate.
void validate_metadata_update(const meta::ObjectMeta& fresh, const meta::ObjectMeta& old,
                              const FieldPath& at, Causes& out);

void validate_labels(const std::map<std::string, std::string>& labels, const FieldPath& at, Causes& out);
void validate_annotations(const std::map<std::string, std::string>& annotations, const FieldPath& at,
                          Causes& out);
void validate_owner_references(const std::vector<meta::OwnerReference>& owners, const FieldPath& at,
                               Causes& out);
void validate_finalizers(const std::vector<std::string>& finalizers, const FieldPath& at, Causes& out);
void validate_managed_fields(const std::vector<meta::ManagedFieldsEntry>& entries, const FieldPath& at,
                             Causes& out);

/// ValidateLabelName: a label's key.
void validate_label_name(std::string_view name, const FieldPath& at, Causes& out);
/// ValidateLabelSelector; `allow_invalid_values` for updates of objects that already have them.
void validate_label_selector(const meta::LabelSelector& selector, const FieldPath& at, Causes& out,
                             bool allow_invalid_values = false);
/// ValidateConditions.
void validate_conditions(const std::vector<meta::Condition>& conditions, const FieldPath& at, Causes& out);

/// IsFullyQualifiedDomainName: at least two labels; IsFullyQualifiedName: at least three.
void validate_fully_qualified_domain_name(std::string_view name, const FieldPath& at, Causes& out);
void validate_fully_qualified_name(std::string_view name, const FieldPath& at, Causes& out);
/// IsDomainPrefixedKey: "acme.io/foo" with a label's characters; IsDomainPrefixedPath: with a URL's.
void validate_domain_prefixed_key(std::string_view key, const FieldPath& at, Causes& out);
void validate_domain_prefixed_path(std::string_view path, const FieldPath& at, Causes& out);
/// ValidateNonnegativeField.
void validate_nonnegative(std::int64_t value, const FieldPath& at, Causes& out);
/// ValidateFieldManager, also of a query.
void validate_field_manager(std::string_view manager, const FieldPath& at, Causes& out);

}  // namespace dray
