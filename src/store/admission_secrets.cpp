#include "store/admission_secrets.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "api/core_v1.h"

namespace dray::store::admission {
namespace {

using Names = std::set<std::string>;

bool from_secret(const core::VolumeSource& source) {
  if (source.secret || source.azure_file) return true;
  if (source.cephfs && source.cephfs->secret_ref) return true;
  if (source.cinder && source.cinder->secret_ref) return true;
  if (source.flex_volume && source.flex_volume->secret_ref) return true;
  if (source.rbd && source.rbd->secret_ref) return true;
  if (source.scale_io && source.scale_io->secret_ref) return true;
  if (source.iscsi && source.iscsi->secret_ref) return true;
  if (source.storageos && source.storageos->secret_ref) return true;
  if (source.csi && source.csi->node_publish_secret_ref) return true;
  return source.projected &&
         std::ranges::any_of(source.projected->sources, [](const core::VolumeProjection& one) { return bool(one.secret); });
}

template <class Container>
bool from_secret(const Container& container) {
  return std::ranges::any_of(container.env_from, [](const auto& one) { return bool(one.secret_ref); }) ||
         std::ranges::any_of(container.env, [](const auto& one) { return one.value_from && one.value_from->secret_key_ref; });
}

/// `kind` is "container", "init container" or "ephemeral container".
template <class Container>
std::optional<std::string> foreign_in(const Container& container, std::string_view kind, const Names& allowed,
                                      const std::string& account) {
  for (const core::EnvVar& one : container.env) {
    if (!one.value_from || !one.value_from->secret_key_ref) continue;
    const std::string& name = one.value_from->secret_key_ref->local_object_reference.name;
    if (allowed.contains(name)) continue;
    return fmt::format("{} {} with envVar {} referencing secret.secretName=\"{}\" is not allowed because service account {} does "
                       "not reference that secret",
                       kind, container.name, one.name, name, account);
  }
  for (const core::EnvFromSource& one : container.env_from) {
    if (!one.secret_ref || allowed.contains(one.secret_ref->local_object_reference.name)) continue;
    return fmt::format("{} {} with envFrom referencing secret.secretName=\"{}\" is not allowed because service account {} does "
                       "not reference that secret",
                       kind, container.name, one.secret_ref->local_object_reference.name, account);
  }
  return std::nullopt;
}

Names mountable(const core::ServiceAccount& account) {
  Names out;
  for (const core::ObjectReference& one : account.secrets) out.insert(one.name);
  return out;
}

std::optional<std::string> foreign_pull_secret(const core::ServiceAccount& account, const core::Pod& pod) {
  Names allowed;
  for (const core::LocalObjectReference& one : account.image_pull_secrets) allowed.insert(one.name);
  for (std::size_t i = 0; i < pod.spec.image_pull_secrets.size(); ++i) {
    const std::string& name = pod.spec.image_pull_secrets[i].name;
    if (allowed.contains(name)) continue;
    return fmt::format("imagePullSecrets[{}].name=\"{}\" is not allowed because service account {} does not reference that "
                       "imagePullSecret",
                       i, name, account.name());
  }
  return std::nullopt;
}

}  // namespace

bool references_secrets(const core::Pod& pod) {
  const core::PodSpec& spec = pod.spec;
  if (!spec.image_pull_secrets.empty()) return true;
  for (const core::Container& one : spec.init_containers) if (from_secret(one)) return true;
  for (const core::Container& one : spec.containers) if (from_secret(one)) return true;
  for (const core::EphemeralContainer& one : spec.ephemeral_containers) {
    if (from_secret(one.ephemeral_container_common)) return true;
  }
  return std::ranges::any_of(spec.volumes, [](const core::Volume& one) { return from_secret(one.volume_source); });
}

bool keeps_to_its_secrets(const core::ServiceAccount& account) {
  const auto it = account.metadata.annotations.find("kubernetes.io/enforce-mountable-secrets");
  if (it == account.metadata.annotations.end()) return false;
  static constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
  return std::ranges::find(kTrue, it->second) != std::end(kTrue);
}

std::optional<std::string> foreign_secret(const core::ServiceAccount& account, const core::Pod& pod) {
  const Names allowed = mountable(account);
  for (const core::Volume& volume : pod.spec.volumes) {
    const auto& secret = volume.volume_source.secret;
    if (!secret || allowed.contains(secret->secret_name)) continue;
    return fmt::format("volume with secret.secretName=\"{}\" is not allowed because service account {} does not reference that "
                       "secret",
                       secret->secret_name, account.name());
  }
  for (const core::Container& one : pod.spec.init_containers) {
    if (auto why = foreign_in(one, "init container", allowed, account.name())) return why;
  }
  for (const core::Container& one : pod.spec.containers) {
    if (auto why = foreign_in(one, "container", allowed, account.name())) return why;
  }
  return foreign_pull_secret(account, pod);
}

std::optional<std::string> foreign_ephemeral_secret(const core::ServiceAccount& account, const core::Pod& pod) {
  const Names allowed = mountable(account);
  for (const core::EphemeralContainer& one : pod.spec.ephemeral_containers) {
    if (auto why = foreign_in(one.ephemeral_container_common, "ephemeral container", allowed, account.name())) return why;
  }
  return std::nullopt;
}

}  // namespace dray::store::admission
