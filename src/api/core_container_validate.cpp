/// Containers of every sort: regular, init and ephemeral ones.
#include <algorithm>

#include <fmt/core.h>

#include "api/core_pod.h"
#include "api/core_validate.h"
#include "api/feature_gates.h"
#include "machinery/value.h"

namespace dray::api {
namespace {

constexpr std::size_t kRestartRulesMax = 20;
constexpr std::size_t kExitCodesMax = 255;

/// What all containers of one pod are checked against. Borrowed.
struct Around {
  const core::PodSpec& spec;
  const Volumes& volumes;
  const Names& claims;
  const PodRules& rules;

  [[nodiscard]] bool host_users() const { return spec.host_users.value_or(true); }
};

void validate_ports(const std::vector<core::ContainerPort>& ports, const FieldPath& at, Causes& out) {
  Names names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const core::ContainerPort& port = ports[i];
    const FieldPath here = at / i;
    if (!port.name.empty()) {
      const Problems problems = check_port_name(port.name);
      out.invalid_each(here / "name", port.name, problems);
      if (problems.empty() && !names.insert(port.name).second) out.duplicate(here / "name", port.name);
    }
    if (port.container_port == 0) {
      out.required(here / "containerPort");
    } else {
      validate_port_number(port.container_port, here / "containerPort", out);
    }
    if (port.host_port != 0) validate_port_number(port.host_port, here / "hostPort", out);
    if (port.protocol.empty()) {
      out.required(here / "protocol");
    } else if (port.protocol != "TCP" && port.protocol != "UDP" && port.protocol != "SCTP") {
      out.not_supported(here / "protocol", port.protocol, {"SCTP", "TCP", "UDP"});
    }
  }
}

void validate_host_ports(std::span<const core::Container> containers, const FieldPath& at, Causes& out) {
  Names seen;
  for (std::size_t c = 0; c < containers.size(); ++c) {
    const auto& ports = containers[c].ports;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      if (ports[p].host_port == 0) continue;
      const std::string key = fmt::format("{}/{}/{}", ports[p].protocol, ports[p].host_ip, ports[p].host_port);
      const FieldPath port = at / c / "ports" / p;
      if (!seen.insert(key).second) out.duplicate(port / "hostPort", key);
    }
  }
}

bool is_privileged(const core::Container& container) {
  return container.security_context && container.security_context->privileged.value_or(false);
}

void validate_propagation(const core::VolumeMount& mount, const core::Container& container, const FieldPath& at,
                          Causes& out) {
  const std::string& mode = *mount.mount_propagation;
  if (mode != "Bidirectional" && mode != "HostToContainer" && mode != "None")
    out.not_supported(at, mode, {"Bidirectional", "HostToContainer", "None"});
  if (mode == "Bidirectional" && !is_privileged(container))
    out.forbidden(at, "Bidirectional mount propagation is available only to privileged containers");
}

void validate_recursive(const core::VolumeMount& mount, const FieldPath& at, Causes& out) {
  if (!mount.recursive_read_only || *mount.recursive_read_only == "Disabled") return;
  const std::string& mode = *mount.recursive_read_only;
  if (mode != "Enabled" && mode != "IfPossible")
    return out.not_supported(at, mode, {"Disabled", "Enabled", "IfPossible"});
  if (!mount.read_only) out.forbidden(at, "may only be specified when readOnly is true");
  if (mount.mount_propagation && *mount.mount_propagation != "None")
    out.forbidden(at, "may only be specified when mountPropagation is None or not specified");
}

/// Kubernetes names the list and not the mount in some of these paths.
void validate_mounts(const core::Container& container, const Around& pod, const FieldPath& at, Causes& out) {
  Names paths;
  for (std::size_t i = 0; i < container.volume_mounts.size(); ++i) {
    const core::VolumeMount& mount = container.volume_mounts[i];
    const FieldPath here = at / i;
    if (mount.name.empty()) out.required(here / "name");
    if (!pod.volumes.contains(mount.name)) out.not_found(here / "name", mount.name);
    if (mount.mount_path.empty()) out.required(here / "mountPath");
    if (!paths.insert(mount.mount_path).second) out.invalid(here / "mountPath", mount.mount_path, "must be unique");
    for (const core::VolumeDevice& device : container.volume_devices) {
      if (device.name == mount.name)
        out.invalid(here / "name", mount.name, "must not already exist in volumeDevices");
      if (device.device_path == mount.mount_path)
        out.invalid(here / "mountPath", mount.mount_path, "must not already exist as a path in volumeDevices");
    }
    if (!mount.sub_path.empty()) validate_local_path(mount.sub_path, at / "subPath", out);
    if (!mount.sub_path_expr.empty()) {
      if (!mount.sub_path.empty())
        out.invalid(here / "subPathExpr", mount.sub_path_expr, "subPathExpr and subPath are mutually exclusive");
      validate_local_path(mount.sub_path_expr, at / "subPathExpr", out);
    }
    if (mount.mount_propagation) validate_propagation(mount, container, at / "mountPropagation", out);
    validate_recursive(mount, at / "recursiveReadOnly", out);
  }
}

void validate_devices(const core::Container& container, const Around& pod, const FieldPath& at, Causes& out) {
  Names names, paths;
  for (std::size_t i = 0; i < container.volume_devices.size(); ++i) {
    const core::VolumeDevice& device = container.volume_devices[i];
    const FieldPath here = at / i, name_at = here / "name", path_at = here / "devicePath";
    const auto volume = pod.volumes.find(device.name);
    if (device.name.empty()) out.required(name_at);
    if (names.contains(device.name)) out.invalid(name_at, device.name, "must be unique");
    if (volume == pod.volumes.end()) {
      out.not_found(name_at, device.name);
    } else if (!volume->second->persistent_volume_claim && !volume->second->ephemeral) {
      out.invalid(name_at, device.name,
                  "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (device.device_path.empty()) out.required(path_at);
    if (paths.contains(device.device_path)) out.invalid(path_at, device.device_path, "must be unique");
    Causes backsteps;
    validate_no_backsteps(device.device_path, path_at, backsteps);
    if (!backsteps.empty()) {
      out.invalid(path_at, device.device_path, "can not contain backsteps ('..')");
    } else {
      paths.insert(device.device_path);
    }
    for (const core::VolumeMount& mount : container.volume_mounts) {
      if (mount.name == device.name) out.invalid(name_at, device.name, "must not already exist in volumeMounts");
      if (mount.mount_path == device.device_path)
        out.invalid(path_at, device.device_path, "must not already exist as a path in volumeMounts");
    }
    if (!device.name.empty()) names.insert(device.name);
  }
}

void validate_pull_policy(std::string_view policy, const FieldPath& at, Causes& out) {
  if (policy.empty()) return out.required(at);
  if (policy != "Always" && policy != "IfNotPresent" && policy != "Never")
    out.not_supported(at, policy, {"Always", "IfNotPresent", "Never"});
}

void validate_resize_policy(const std::vector<core::ContainerResizePolicy>& policies, const core::PodSpec& spec,
                            const FieldPath& at, Causes& out) {
  Names seen;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto& [resource, restart] = policies[i];
    if (!seen.insert(resource).second) out.duplicate(at / i, resource);
    if (resource.empty()) {
      out.required(at);
    } else if (resource != "cpu" && resource != "memory") {
      out.not_supported(at, resource, {"cpu", "memory"});
    }
    if (restart.empty()) {
      out.required(at);
    } else if (restart != "NotRequired" && restart != "RestartContainer") {
      out.not_supported(at, restart, {"NotRequired", "RestartContainer"});
    }
    if (spec.restart_policy == "Never" && restart != "NotRequired")
      out.invalid(at, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
  }
}

void validate_common(const core::Container& container, const Around& pod, const FieldPath& at, Causes& out) {
  if (container.name.empty()) {
    out.required(at / "name");
  } else {
    validate_dns1123_label(container.name, at / "name", out);
  }
  if (container.image.empty()) out.required(at / "image");
  const std::string& message = container.termination_message_policy;
  if (message.empty()) {
    out.required(at / "terminationMessagePolicy");
  } else if (message != "File" && message != "FallbackToLogsOnError") {
    out.not_supported(at / "terminationMessagePolicy", message, {"File", "FallbackToLogsOnError"});
  }
  validate_ports(container.ports, at / "ports", out);
  validate_env(container.env, pod.rules, at / "env", out);
  validate_env_from(container.env_from, at / "envFrom", out);
  validate_mounts(container, pod, at / "volumeMounts", out);
  validate_devices(container, pod, at / "volumeDevices", out);
  validate_pull_policy(container.image_pull_policy, at / "imagePullPolicy", out);
  validate_container_resources(container.resources, pod.claims, at / "resources", out);
  validate_resize_policy(container.resize_policy, pod.spec, at / "resizePolicy", out);
  if (container.security_context)
    validate_security_context(*container.security_context, pod.host_users(), at / "securityContext", out);
}

void validate_restart_rules(const core::Container& container, const Around& pod, const FieldPath& at, Causes& out) {
  const bool all = pod.rules.gates.enabled("RestartAllContainersOnContainerExits");
  const auto& rules = container.restart_policy_rules;
  if (rules.size() > kRestartRulesMax)
    out.too_many(at / "restartPolicyRules", static_cast<std::int64_t>(rules.size()), kRestartRulesMax);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FieldPath here = at / "restartPolicyRules" / i;
    const auto& rule = rules[i];
    if (all && rule.action != "Restart" && rule.action != "RestartAllContainers")
      out.not_supported(here / "action", rule.action, {"Restart", "RestartAllContainers"});
    if (!all && rule.action != "Restart") out.not_supported(here / "action", rule.action, {"Restart"});
    if (!rule.exit_codes) {
      out.required(here / "exitCodes", "must be specified");
      continue;
    }
    const FieldPath codes = here / "exitCodes";
    if (rule.exit_codes->operator_ != "In" && rule.exit_codes->operator_ != "NotIn")
      out.not_supported(codes / "operator", rule.exit_codes->operator_, {"In", "NotIn"});
    if (rule.exit_codes->values.size() > kExitCodesMax)
      out.too_many(codes / "values", static_cast<std::int64_t>(rule.exit_codes->values.size()), kExitCodesMax);
  }
}

void validate_restart_policy(const core::Container& container, const Around& pod, const FieldPath& at,
                             Causes& out) {
  const auto& policy = container.restart_policy;
  if (!policy) {
    if (container.restart_policy_rules.empty()) return;
    out.required(at / "restartPolicy", "must specify restartPolicy when restart rules are used");
  } else if (*policy != "Always" && *policy != "Never" && *policy != "OnFailure") {
    out.not_supported(at / "restartPolicy", *policy, {"Always", "Never", "OnFailure"});
  }
  validate_restart_rules(container, pod, at, out);
}

void validate_regular(const Around& pod, const FieldPath& at, Causes& out) {
  const auto& containers = pod.spec.containers;
  if (containers.empty()) return out.required(at);
  Names names;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const core::Container& container = containers[i];
    const FieldPath here = at / i;
    validate_common(container, pod, here, out);
    if (!names.insert(container.name).second) out.duplicate(here / "name", container.name);
    if (container.lifecycle) validate_lifecycle(*container.lifecycle, pod.spec, here / "lifecycle", out);
    validate_probes(container, pod.spec, here, out);
    if (pod.rules.gates.enabled("ContainerRestartRules")) {
      validate_restart_policy(container, pod, here, out);
    } else if (container.restart_policy) {
      out.forbidden(here / "restartPolicy", "may not be set for non-init containers");
    }
  }
  validate_host_ports(containers, at, out);
}

void validate_init_restart_policy(const core::Container& container, const Around& pod, const FieldPath& at,
                                  Causes& out) {
  if (pod.rules.gates.enabled("ContainerRestartRules")) {
    const bool always = container.restart_policy == "Always";
    if (!always || pod.rules.gates.enabled("RestartAllContainersOnContainerExits"))
      return validate_restart_policy(container, pod, at, out);
    if (!container.restart_policy_rules.empty())
      out.forbidden(at / "restartPolicyRules",
                    "restartPolicyRules are not allowed for init containers with restart policy Always");
  } else if (container.restart_policy && *container.restart_policy != "Always") {
    out.not_supported(at / "restartPolicy", *container.restart_policy, {"Always"});
  }
}

void validate_init(const Around& pod, const FieldPath& at, Causes& out) {
  static constexpr std::string_view kNotOfInit = "may not be set for init containers without restartPolicy=Always";
  Names names;
  for (const core::Container& container : pod.spec.containers) names.insert(container.name);
  const auto& containers = pod.spec.init_containers;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const core::Container& container = containers[i];
    const FieldPath here = at / i;
    validate_common(container, pod, here, out);
    validate_init_restart_policy(container, pod, here, out);
    if (names.contains(container.name)) {
      out.duplicate(here / "name", container.name);
    } else if (!container.name.empty()) {
      names.insert(container.name);
    }
    validate_host_ports(std::span(&container, 1), at, out);
    if (is_sidecar(container)) {
      if (container.lifecycle) validate_lifecycle(*container.lifecycle, pod.spec, here / "lifecycle", out);
      validate_probes(container, pod.spec, here, out);
    } else {
      if (container.lifecycle) out.forbidden(here / "lifecycle", kNotOfInit);
      if (container.liveness_probe) out.forbidden(here / "livenessProbe", kNotOfInit);
      if (container.readiness_probe) out.forbidden(here / "readinessProbe", kNotOfInit);
      if (container.startup_probe) out.forbidden(here / "startupProbe", kNotOfInit);
      for (std::size_t j = 0; j < container.resize_policy.size(); ++j) {
        const FieldPath policy = here / "resizePolicy" / j;
        if (container.resize_policy[j].restart_policy == "RestartContainer")
          out.invalid(policy / "restartPolicy", "RestartContainer",
                      "must not be set to 'RestartContainer' for non-sidecar initContainers");
      }
    }
  }
}

/// The container that an ephemeral one is, without what it may not have.
core::Container as_container(const core::EphemeralContainerCommon& common) {
  core::Container out;
  out.name = common.name;
  out.image = common.image;
  out.ports = common.ports;
  out.env_from = common.env_from;
  out.env = common.env;
  out.resources = common.resources;
  out.resize_policy = common.resize_policy;
  out.volume_mounts = common.volume_mounts;
  out.volume_devices = common.volume_devices;
  out.termination_message_policy = common.termination_message_policy;
  out.image_pull_policy = common.image_pull_policy;
  out.security_context = common.security_context;
  return out;
}

void validate_ephemeral_fields(const core::EphemeralContainerCommon& common, const FieldPath& at, Causes& out) {
  static constexpr std::string_view kNotOfEphemeral = "cannot be set for an Ephemeral Container";
  if (!common.ports.empty()) out.forbidden(at / "ports", kNotOfEphemeral);
  const auto& resources = common.resources;
  if (!resources.limits.empty() || !resources.requests.empty() || !resources.claims.empty())
    out.forbidden(at / "resources", kNotOfEphemeral);
  if (!common.resize_policy.empty()) out.forbidden(at / "resizePolicy", kNotOfEphemeral);
  if (common.restart_policy) out.forbidden(at / "restartPolicy", kNotOfEphemeral);
  if (common.liveness_probe) out.forbidden(at / "livenessProbe", kNotOfEphemeral);
  if (common.readiness_probe) out.forbidden(at / "readinessProbe", kNotOfEphemeral);
  if (common.startup_probe) out.forbidden(at / "startupProbe", kNotOfEphemeral);
  if (common.lifecycle) out.forbidden(at / "lifecycle", kNotOfEphemeral);
  for (std::size_t i = 0; i < common.volume_mounts.size(); ++i) {
    const FieldPath mount = at / "volumeMounts" / i;
    if (!common.volume_mounts[i].sub_path.empty()) out.forbidden(mount / "subPath", kNotOfEphemeral);
    if (!common.volume_mounts[i].sub_path_expr.empty()) out.forbidden(mount / "subPathExpr", kNotOfEphemeral);
  }
}

void validate_ephemeral(const Around& pod, const FieldPath& at, Causes& out) {
  Names others, names;
  for (const auto* list : {&pod.spec.containers, &pod.spec.init_containers})
    for (const core::Container& container : *list) others.insert(container.name);
  names = others;
  const auto& containers = pod.spec.ephemeral_containers;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const auto& common = containers[i].ephemeral_container_common;
    const FieldPath here = at / i;
    validate_common(as_container(common), pod, here, out);
    if (!names.insert(common.name).second) out.duplicate(here / "name", common.name);
    const std::string& target = containers[i].target_container_name;
    if (!target.empty() && !others.contains(target)) out.not_found(here / "targetContainerName", target);
    validate_ephemeral_fields(common, here, out);
  }
}

}  // namespace

void validate_containers(const core::PodSpec& spec, const Volumes& volumes, const Names& claims,
                         const PodRules& rules, const FieldPath& at, Causes& out) {
  const Around pod{spec, volumes, claims, rules};
  validate_regular(pod, at / "containers", out);
  validate_init(pod, at / "initContainers", out);
  validate_ephemeral(pod, at / "ephemeralContainers", out);
}

}  // namespace dray::api
