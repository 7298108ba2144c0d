// ServiceAccount: who a pod is, and the token with which it can prove it.

#include <algorithm>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "store/admission_plugins.h"
#include "store/admission_secrets.h"
#include "store/errors.h"

namespace dray::store::admission {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kVolumePrefix = "kube-api-access-";
constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/// An hour and a little: the token authenticator warns from the hour on (bound tokens are renewed earlier).
constexpr std::int64_t kTokenSeconds = 3607;
constexpr std::int32_t kFileMode = 0644;

Result<std::shared_ptr<const core::ServiceAccount>> account_of(Resources& resources, const AdmissionRequest& request,
                                                               const core::Pod& pod) {
  const std::string& name = pod.spec.service_account_name;
  if (name.empty()) return refused(request, fmt::format("no service account specified for pod {}/{}", pod.namespace_(), pod.name()));
  if (auto found = lookup<core::ServiceAccount>(resources, pod.namespace_(), name)) return found;
  return refused(request, fmt::format("error looking up service account {}/{}: serviceaccount {} not found", pod.namespace_(),
                                      name, quoted(name)));
}

/// A static pod that a node reports uses nothing of the cluster's.
Result<> check_mirror(const AdmissionRequest& request, const core::Pod& pod) {
  if (!pod.spec.service_account_name.empty()) return refused(request, "a mirror pod may not reference service accounts");
  if (references_secrets(pod)) return refused(request, "a mirror pod may not reference secrets");
  for (const core::Volume& volume : pod.spec.volumes) {
    if (!volume.volume_source.projected) continue;
    for (const core::VolumeProjection& source : volume.volume_source.projected->sources) {
      if (source.service_account_token) return refused(request, "a mirror pod may not use ServiceAccountToken volume projections");
    }
  }
  return {};
}

core::ProjectedVolumeSource token_files() {
  core::ProjectedVolumeSource out;
  out.default_mode = kFileMode;
  auto& token = out.sources.emplace_back().service_account_token.emplace();
  token.path = "token";
  token.expiration_seconds = kTokenSeconds;
  auto& authority = out.sources.emplace_back().config_map.emplace();
  authority.local_object_reference.name = "kube-root-ca.crt";
  core::KeyToPath& certificate = authority.items.emplace_back();
  certificate.key = certificate.path = "ca.crt";
  core::DownwardAPIVolumeFile& space = out.sources.emplace_back().downward_api.emplace().items.emplace_back();
  space.path = "namespace";
  space.field_ref.emplace().api_version = "v1";
  space.field_ref->field_path = "metadata.namespace";
  return out;
}

/// Whether some container of these did not mount something of its own at that path.
bool mount(std::vector<core::Container>& containers, const std::string& volume) {
  bool any = false;
  for (core::Container& container : containers) {
    if (std::ranges::any_of(container.volume_mounts, [](const auto& one) { return one.mount_path == kMountPath; })) continue;
    core::VolumeMount& fresh = container.volume_mounts.emplace_back();
    fresh.name = volume;
    fresh.read_only = true;
    fresh.mount_path = kMountPath;
    any = true;
  }
  return any;
}

void mount_token(core::PodSpec& spec, Rng& rng) {
  const auto there = std::ranges::find_if(spec.volumes, [](const auto& one) { return one.name.starts_with(kVolumePrefix); });
  const bool exists = there != spec.volumes.end();
  const std::string volume = exists ? there->name : std::string(kVolumePrefix) + rng.suffix();
  const bool starting = mount(spec.init_containers, volume);
  const bool running = mount(spec.containers, volume);
  if (exists || !(starting || running)) return;
  core::Volume& fresh = spec.volumes.emplace_back();
  fresh.name = volume;
  fresh.volume_source.projected = token_files();
}

bool automounts(const core::ServiceAccount& account, const core::Pod& pod) {
  return pod.spec.automount_service_account_token.value_or(account.automount_service_account_token.value_or(true));
}

Result<> admit(Resources& resources, const AdmissionRequest& request, core::Pod& pod, Rng& rng) {
  if (pod.metadata.annotations.contains(std::string(kMirror))) return check_mirror(request, pod);
  if (pod.spec.service_account_name.empty()) pod.spec.service_account_name = pod.spec.service_account = "default";
  TRY_ASSIGN(const auto account, account_of(resources, request, pod));
  if (automounts(*account, pod)) mount_token(pod.spec, rng);
  if (pod.spec.image_pull_secrets.empty()) pod.spec.image_pull_secrets = account->image_pull_secrets;
  if (!keeps_to_its_secrets(*account)) return {};
  if (const auto why = foreign_secret(*account, pod)) return refused(request, *why);
  return {};
}

Result<> admit_ephemeral(Resources& resources, const AdmissionRequest& request, const core::Pod& pod) {
  TRY_ASSIGN(const auto account, account_of(resources, request, pod));
  if (!keeps_to_its_secrets(*account)) return {};
  if (auto why = foreign_ephemeral_secret(*account, pod)) return fail(Code::kInternal, std::move(*why));
  return {};
}

}  // namespace

Admission service_account(Resources& resources, Rng rng) {
  return [&resources, rng](AdmissionRequest& request) mutable -> Result<> {
    if (auto* pod = created<core::Pod>(request)) return admit(resources, request, *pod, rng);
    const bool ephemeral = request.operation == Operation::kUpdate && request.options.subresource == "ephemeralcontainers" &&
                           request.object->type == &core::Pod::kDescriptor;
    return ephemeral ? admit_ephemeral(resources, request, static_cast<const core::Pod&>(*request.object)) : Result<>{};
  };
}

}  // namespace dray::store::admission
