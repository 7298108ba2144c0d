/// Security contexts, and what an operating system does not have.
#include <algorithm>
#include <limits>
#include <set>

#include "api/core_validate.h"
#include "api/feature_gates.h"

namespace dray::api {
namespace {

constexpr std::size_t kSysctlLengthMax = 253;
constexpr int kProfilePathMax = 4095;  // PATH_MAX - 1
constexpr std::string_view kSysctlProblem =
    "must have at most 253 characters and match regex "
    R"(^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$)";

bool is_sysctl_name(std::string_view name) {
  if (name.empty() || name.size() > kSysctlLengthMax) return false;
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  while (true) {
    const std::string_view part = name.substr(0, name.find_first_of("./"));
    if (part.empty() || !alnum(part.front()) || !alnum(part.back())) return false;
    if (!std::ranges::all_of(part, [&](char c) { return alnum(c) || c == '-' || c == '_'; })) return false;
    if (part.size() == name.size()) return true;
    name.remove_prefix(part.size() + 1);
  }
}

void validate_seccomp(const core::SeccompProfile& profile, const FieldPath& at, Causes& out) {
  if (profile.type.empty()) {
    out.required(at / "type", "type is required when seccompProfile is set");
  } else if (profile.type != "Localhost" && profile.type != "RuntimeDefault" && profile.type != "Unconfined") {
    out.not_supported(at / "type", profile.type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
  const FieldPath path = at / "localhostProfile";
  if (profile.type == "Localhost") {
    if (!profile.localhost_profile) return out.required(path, "must be set when seccomp type is Localhost");
    validate_local_path(*profile.localhost_profile, path, out);
  } else if (profile.localhost_profile) {
    out.invalid(path, bad_struct(profile), "can only be set when seccomp type is Localhost");
  }
}

void validate_app_armor(const core::AppArmorProfile& profile, const FieldPath& at, Causes& out) {
  const FieldPath path = at / "localhostProfile";
  if (profile.type == "Localhost") {
    if (!profile.localhost_profile) return out.required(path, "must be set when AppArmor type is Localhost");
    const std::string& text = *profile.localhost_profile;
    const auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    if (!text.empty() && (space(text.front()) || space(text.back()))) {
      out.invalid(path, text, "must not be padded with whitespace");
    } else if (text.empty()) {
      out.required(path, "must be set when AppArmor type is Localhost");
    }
    if (text.size() > static_cast<std::size_t>(kProfilePathMax)) out.too_long(path, kProfilePathMax);
  } else if (profile.type == "RuntimeDefault" || profile.type == "Unconfined") {
    if (profile.localhost_profile)
      out.invalid(path, *profile.localhost_profile, "can only be set when AppArmor type is Localhost");
  } else if (profile.type.empty()) {
    out.required(at / "type", "type is required when appArmorProfile is set");
  } else {
    out.not_supported(at / "type", profile.type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

void validate_windows_options(const core::WindowsSecurityContextOptions& options, const FieldPath& at,
                              Causes& out) {
  if (options.gmsa_credential_spec_name)
    out.invalid_each(at / "gmsaCredentialSpecName", *options.gmsa_credential_spec_name,
                     check_dns1123_subdomain(*options.gmsa_credential_spec_name));
  if (options.gmsa_credential_spec && options.gmsa_credential_spec->empty())
    out.invalid(at / "gmsaCredentialSpec", "", "gmsaCredentialSpec cannot be an empty string");
  if (options.run_as_user_name && options.run_as_user_name->empty())
    out.invalid(at / "runAsUserName", "", "runAsUserName cannot be an empty string");
}

void validate_sysctls(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  Names names;
  const auto& sysctls = spec.security_context->sysctls;
  for (std::size_t i = 0; i < sysctls.size(); ++i) {
    const std::string& name = sysctls[i].name;
    const FieldPath here = at / i;
    if (name.empty()) {
      out.required(here / "name");
    } else if (!is_sysctl_name(name)) {
      out.invalid(here / "name", name, kSysctlProblem);
    } else if (names.contains(name)) {
      out.duplicate(here / "name", name);
    }
    if (spec.host_network && name.starts_with("net."))
      out.invalid(here / "name", name, "may not be specified when 'hostNetwork' is true");
    const bool ipc = name.starts_with("kernel.sem") || name.starts_with("kernel.shm") ||
                     name.starts_with("kernel.msg") || name.starts_with("fs.mqueue.");
    if (spec.host_ipc && ipc) out.invalid(here / "name", name, "may not be specified when 'hostIPC' is true");
    names.insert(name);
  }
}

constexpr std::string_view kNotOfWindows = "cannot be set for a windows pod";

void validate_windows_container(const core::SecurityContext& context, const FieldPath& at, Causes& out) {
  const auto refuse = [&](bool present, const char* name) {
    if (present) out.forbidden(at / name, kNotOfWindows);
  };
  refuse(context.app_armor_profile.has_value(), "appArmorProfile");
  refuse(context.se_linux_options.has_value(), "seLinuxOptions");
  refuse(context.seccomp_profile.has_value(), "seccompProfile");
  refuse(context.capabilities.has_value(), "capabilities");
  refuse(context.read_only_root_filesystem.has_value(), "readOnlyRootFilesystem");
  refuse(context.privileged.has_value(), "privileged");
  refuse(context.allow_privilege_escalation.has_value(), "allowPrivilegeEscalation");
  refuse(context.proc_mount.has_value(), "procMount");
  refuse(context.run_as_user.has_value(), "runAsUser");
  refuse(context.run_as_group.has_value(), "runAsGroup");
}

void validate_windows_pod(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  const FieldPath context_at = at / "securityContext";
  const auto refuse = [&](bool present, const FieldPath& where, const char* name) {
    if (present) out.forbidden(where / name, kNotOfWindows);
  };
  if (const auto& context = spec.security_context) {
    refuse(context->app_armor_profile.has_value(), context_at, "appArmorProfile");
    refuse(context->se_linux_options.has_value(), context_at, "seLinuxOptions");
    refuse(context->seccomp_profile.has_value(), context_at, "seccompProfile");
    refuse(context->fs_group.has_value(), context_at, "fsGroup");
    refuse(context->fs_group_change_policy.has_value(), context_at, "fsGroupChangePolicy");
    refuse(!context->sysctls.empty(), context_at, "sysctls");
    refuse(context->run_as_user.has_value(), context_at, "runAsUser");
    refuse(context->run_as_group.has_value(), context_at, "runAsGroup");
    refuse(!context->supplemental_groups.empty(), context_at, "supplementalGroups");
    refuse(context->supplemental_groups_policy.has_value(), context_at, "supplementalGroupsPolicy");
    refuse(context->se_linux_change_policy.has_value(), context_at, "seLinuxChangePolicy");
  }
  refuse(spec.host_users.has_value(), at, "hostUsers");
  refuse(spec.host_pid, at, "hostPID");
  refuse(spec.host_ipc, at, "hostIPC");
  refuse(spec.share_process_namespace.has_value(), at, "shareProcessNamespace");
}

/// Init containers first, as Kubernetes visits them.
template <class Visit>
void each_security_context(const core::PodSpec& spec, const FieldPath& at, const Visit& visit) {
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i)
    if (const auto& context = spec.init_containers[i].security_context)
      visit(*context, at / "initContainers" / i / "securityContext");
  for (std::size_t i = 0; i < spec.containers.size(); ++i)
    if (const auto& context = spec.containers[i].security_context)
      visit(*context, at / "containers" / i / "securityContext");
}

template <class Context>
void validate_ids(const Context& context, const FieldPath& at, Causes& out) {
  if (context.run_as_user)
    out.invalid_each(at / "runAsUser", *context.run_as_user, check_user_id(*context.run_as_user));
  if (context.run_as_group)
    out.invalid_each(at / "runAsGroup", *context.run_as_group, check_group_id(*context.run_as_group));
}

void validate_choice(const std::optional<std::string>& value, std::initializer_list<std::string_view> known,
                     const FieldPath& at, Causes& out) {
  if (value && std::ranges::find(known, *value) == known.end()) out.not_supported(at, *value, known);
}

/// Whether mounting with a label is off, and the stored pod says nothing of it.
bool only_recursive(const PodRules& rules) {
  if (rules.gates.enabled("SELinuxMount")) return false;
  const auto* old = rules.old != nullptr ? rules.old->security_context.get() : nullptr;
  return old == nullptr || !old->se_linux_change_policy;
}

}  // namespace

void validate_security_context(const core::SecurityContext& context, bool host_users, const FieldPath& at,
                               Causes& out) {
  validate_ids(context, at, out);
  if (context.proc_mount) {
    validate_choice(context.proc_mount, {"Default", "Unmasked"}, at / "procMount", out);
    if (host_users && *context.proc_mount == "Unmasked")
      out.invalid(at / "procMount", *context.proc_mount, "`hostUsers` must be false to use `Unmasked`");
  }
  if (context.seccomp_profile) validate_seccomp(*context.seccomp_profile, at / "seccompProfile", out);
  if (context.allow_privilege_escalation == false) {
    if (context.privileged == true)
      out.invalid(at, bad_struct(context), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    if (context.capabilities)
      for (const std::string& capability : context.capabilities->add)
        if (capability == "CAP_SYS_ADMIN")
          out.invalid(at, bad_struct(context),
                      "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
  }
  if (context.windows_options) validate_windows_options(*context.windows_options, at / "windowsOptions", out);
  if (context.app_armor_profile) validate_app_armor(*context.app_armor_profile, at / "appArmorProfile", out);
}

void validate_pod_security_context(const core::PodSpec& spec, const PodRules& rules, const FieldPath& at,
                                   Causes& out) {
  if (!spec.security_context) return;
  const core::PodSecurityContext& context = *spec.security_context;
  if (context.fs_group) out.invalid_each(at / "fsGroup", *context.fs_group, check_group_id(*context.fs_group));
  validate_ids(context, at, out);
  for (std::size_t i = 0; i < context.supplemental_groups.size(); ++i)
    out.invalid_each(at / "supplementalGroups" / i, context.supplemental_groups[i],
                     check_group_id(context.supplemental_groups[i]));
  validate_sysctls(spec, at / "sysctls", out);
  validate_choice(context.fs_group_change_policy, {"Always", "OnRootMismatch"}, at / "fsGroupChangePolicy", out);
  if (context.seccomp_profile) validate_seccomp(*context.seccomp_profile, at / "seccompProfile", out);
  if (context.windows_options) validate_windows_options(*context.windows_options, at / "windowsOptions", out);
  if (context.app_armor_profile) validate_app_armor(*context.app_armor_profile, at / "appArmorProfile", out);
  validate_choice(context.supplemental_groups_policy, {"Merge", "Strict"}, at / "supplementalGroupsPolicy", out);
  if (only_recursive(rules)) {
    validate_choice(context.se_linux_change_policy, {"Recursive"}, at / "seLinuxChangePolicy", out);
  } else {
    validate_choice(context.se_linux_change_policy, {"MountOption", "Recursive"}, at / "seLinuxChangePolicy", out);
  }
}

void validate_operating_system(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.os) return;
  const std::string& name = spec.os->name;
  if (name.empty()) return out.required(at / "os" / "name");
  if (name == "windows") {
    validate_windows_pod(spec, at, out);
    each_security_context(spec, at, [&](const core::SecurityContext& context, const FieldPath& where) {
      validate_windows_container(context, where, out);
    });
  } else if (name == "linux") {
    static constexpr std::string_view kText = "windows options cannot be set for a linux pod";
    if (spec.security_context && spec.security_context->windows_options)
      out.forbidden(at / "securityContext" / "windowsOptions", kText);
    each_security_context(spec, at, [&](const core::SecurityContext& context, const FieldPath& where) {
      if (context.windows_options) out.forbidden(where / "windowsOptions", kText);
    });
  } else {
    out.not_supported(at / "os", name, {"linux", "windows"});
  }
}

}  // namespace dray::api
