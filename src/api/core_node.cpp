/// Node and Namespace.
#include <algorithm>

#include "api/core_defaults.h"
#include "api/feature_gates.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr const char* kNameLabel = "kubernetes.io/metadata.name";
constexpr const char* kKubernetesFinalizer = "kubernetes";

/// podCIDR and podCIDRs[0] say the same; podCIDR wins.
void default_cidrs(core::NodeSpec& spec) {
  if (spec.pod_cidr.empty()) {
    if (!spec.pod_cidrs.empty()) spec.pod_cidr = spec.pod_cidrs.front();
  } else if (spec.pod_cidrs.empty() || spec.pod_cidrs.front() != spec.pod_cidr) {
    spec.pod_cidrs = {spec.pod_cidr};
  }
}

void default_node(Object& object) {
  default_cidrs(cast<core::Node>(object).spec);
  auto& status = cast<core::Node>(object).status;
  if (status.allocatable.empty()) status.allocatable = status.capacity;
  default_resources(status.capacity);
  default_resources(status.allocatable);
}

/// Kubelets' dynamic configuration is gone; the field stays where it is in use.
void prepare_node(const HookContext&, Object& object) {
  auto& node = cast<core::Node>(object);
  node.spec.config_source.reset();
  node.status.config.reset();
}

void prepare_node_update(const HookContext&, Object& object, const Object& old) {
  auto& node = cast<core::Node>(object);
  node.status = cast<core::Node>(old).status;
  if (!cast<core::Node>(old).spec.config_source) node.spec.config_source.reset();
}

void prepare_node_status(const HookContext&, Object& object, const Object& old) {
  auto& node = cast<core::Node>(object);
  node.spec = cast<core::Node>(old).spec;
  if (!cast<core::Node>(old).status.config) node.status.config.reset();
}

constexpr std::string_view kNodeFields[] = {"spec.unschedulable"};

std::optional<std::string> node_field(const Object& object, std::string_view path) {
  if (path != "spec.unschedulable") return std::nullopt;
  return cast<core::Node>(object).spec.unschedulable ? "true" : "false";
}

void default_namespace(Object& object) {
  auto& space = cast<core::Namespace>(object);
  if (!space.metadata.name.empty()) space.metadata.labels[kNameLabel] = space.metadata.name;
  default_to(space.status.phase, "Active");
}

void prepare_namespace(const HookContext&, Object& object) {
  auto& space = cast<core::Namespace>(object);
  space.status = {};
  space.status.phase = "Active";
  if (std::ranges::find(space.spec.finalizers, kKubernetesFinalizer) == space.spec.finalizers.end())
    space.spec.finalizers.emplace_back(kKubernetesFinalizer);
  space.metadata.labels[kNameLabel] = space.metadata.name;
}

void prepare_namespace_update(const HookContext&, Object& object, const Object& old) {
  auto& space = cast<core::Namespace>(object);
  space.spec.finalizers = cast<core::Namespace>(old).spec.finalizers;
  space.status = cast<core::Namespace>(old).status;
  space.metadata.labels[kNameLabel] = space.metadata.name;
}

constexpr std::string_view kNamespaceFields[] = {"status.phase", "name"};

std::optional<std::string> namespace_field(const Object& object, std::string_view path) {
  if (path == "status.phase") return cast<core::Namespace>(object).status.phase;
  if (path == "name") return object.metadata.name;
  return std::nullopt;
}

}  // namespace

std::span<const KindHooks> node_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &core::Node::kDescriptor,
       .hooks = {.set_defaults = default_node,
                 .prepare_create = prepare_node,
                 .prepare_update = prepare_node_update,
                 .prepare_status = prepare_node_status,
                 .validate_create = validate_node_create,
                 .validate_update = validate_node_update,
                 .field = node_field,
                 .row = node_row},
       .columns = kNodeColumns,
       .selectable_fields = kNodeFields},
      {.stored = &core::Namespace::kDescriptor,
       .hooks = {.set_defaults = default_namespace,
                 .prepare_create = prepare_namespace,
                 .prepare_update = prepare_namespace_update,
                 .prepare_status = keep_spec<core::Namespace>,
                 .validate_create = validate_namespace_create,
                 .validate_status = validate_namespace_status,
                 .field = namespace_field,
                 .row = namespace_row},
       .columns = kNamespaceColumns,
       .selectable_fields = kNamespaceFields},
  };
  return kHooks;
}

}  // namespace dray::api
