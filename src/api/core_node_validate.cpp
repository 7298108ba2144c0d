/// Nodes and namespaces.
#include <algorithm>

#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/internal_text.h"
#include "api/kind_validate.h"
#include "machinery/codec.h"
#include "machinery/value.h"

namespace dray::api {
namespace {

constexpr std::string_view kCidrFixed = "node updates may not change podCIDR except from \"\" to valid";

void validate_taints(const std::vector<core::Taint>& taints, const FieldPath& at, Causes& out) {
  Names seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const core::Taint& taint = taints[i];
    const FieldPath here = at / i;
    validate_label_name(taint.key, here / "key", out);
    if (const Problems problems = check_label_value(taint.value); !problems.empty()) {
      std::string text = problems.front();
      for (std::size_t p = 1; p < problems.size(); ++p) text += ";" + problems[p];
      out.invalid(here / "value", taint.value, text);
    }
    if (taint.effect.empty()) {
      out.required(here / "effect");
    } else {
      validate_taint_effect(taint.effect, here / "effect", out);
    }
    if (seen.insert(taint.effect + "\n" + taint.key).second) continue;
    out.add({here.str(), "FieldValueDuplicate",
             fmt::format("Duplicate value: {}: taints must be unique by key and effect pair",
                         print_json(internal_value_of(taint))),
             {}});
  }
}

void validate_resources(const core::NodeStatus& status, Causes& out) {
  const FieldPath capacity("status.capacity"), allocatable("status.allocatable");
  for (const auto& [name, value] : status.capacity) validate_resource_quantity(name, value, capacity / name, out);
  for (const auto& [name, value] : status.allocatable) validate_resource_quantity(name, value, allocatable / name, out);
}

void validate_cidrs(const std::vector<std::string>& cidrs, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < cidrs.size(); ++i) out.invalid_each(at / i, cidrs[i], check_cidr(cidrs[i]));
  const auto is_v6 = [](const std::string& cidr) { return cidr.find(':') != std::string::npos; };
  if (cidrs.size() > 2 || (cidrs.size() == 2 && is_v6(cidrs[0]) == is_v6(cidrs[1])))
    out.invalid(at, cidrs, "may specify no more than one CIDR for each IP family");
}

}  // namespace

void validate_node_create(const HookContext&, const Object& object, Causes& out) {
  const auto& node = cast<core::Node>(object);
  const FieldPath metadata("metadata"), spec("spec");
  validate_object_metadata(node.metadata, false, check_name_is_subdomain, metadata, out);
  validate_taints(node.spec.taints, metadata / "taints", out);
  validate_resources(node.status, out);
  validate_cidrs(node.spec.pod_cidrs, spec / "podCIDRs", out);
}

void validate_node_update(const HookContext&, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::Node>(object);
  const auto& old = cast<core::Node>(stored);
  const FieldPath metadata("metadata"), spec("spec"), status("status");
  validate_resources(fresh.status, out);
  Names addresses;
  for (std::size_t i = 0; i < fresh.status.addresses.size(); ++i) {
    const core::NodeAddress& address = fresh.status.addresses[i];
    if (!addresses.insert(address.type + "\n" + address.address).second)
      out.duplicate(status / "addresses" / i, bad_struct(address));
  }
  if (!old.spec.pod_cidrs.empty() && old.spec.pod_cidrs != fresh.spec.pod_cidrs)
    out.forbidden(spec / "podCIDRs", kCidrFixed);
  if (!old.spec.provider_id.empty() && old.spec.provider_id != fresh.spec.provider_id)
    out.invalid(spec / "providerID", BadValue::raw("null"),
                fresh.spec.provider_id.empty() ? "field cannot be cleared once set"
                                               : "field cannot be modified once set");
  validate_taints(fresh.spec.taints, metadata / "taints", out);
  if (fresh.spec.external_id != old.spec.external_id) out.forbidden(spec / "externalID", "may not be updated");
}

void validate_namespace_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, false, check_name_is_label, FieldPath("metadata"), out);
  const FieldPath at("spec.finalizers");
  for (const std::string& finalizer : cast<core::Namespace>(object).spec.finalizers) {
    const Problems problems = check_qualified_name(finalizer);
    out.invalid_each(at, finalizer, problems);
    const bool standard = finalizer == "kubernetes" || finalizer == "foregroundDeletion" || finalizer == "orphan";
    if (problems.empty() && !standard && finalizer.find('/') == std::string::npos)
      out.invalid(at, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void validate_namespace_status(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  const std::string& phase = cast<core::Namespace>(fresh).status.phase;
  const bool deleted = fresh.metadata.deletion_timestamp.has_value();
  if (!deleted && phase != "Active")
    out.invalid(FieldPath("status") / "Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty");
  if (deleted && phase != "Terminating")
    out.invalid(FieldPath("status") / "Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
}

}  // namespace dray::api
