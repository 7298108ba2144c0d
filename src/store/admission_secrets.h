/// Which secrets a pod uses, and whether its service account lets it. Pure.
/// Source: k8s.io/kubernetes plugin/pkg/admission/serviceaccount, pkg/api/pod (VisitPodSecretNames).
#pragma once

#include <optional>
#include <string>

namespace dray::core {
struct Pod;
struct ServiceAccount;
}  // namespace dray::core

namespace dray::store::admission {

/// Whether anything in the pod names a secret.
[[nodiscard]] bool references_secrets(const core::Pod& pod);
/// Whether the account's annotation limits its pods to the secrets that it names.
[[nodiscard]] bool keeps_to_its_secrets(const core::ServiceAccount& account);
/// The first use of a secret that the account does not name, as Kubernetes words it.
[[nodiscard]] std::optional<std::string> foreign_secret(const core::ServiceAccount& account, const core::Pod& pod);
[[nodiscard]] std::optional<std::string> foreign_ephemeral_secret(const core::ServiceAccount& account, const core::Pod& pod);

}  // namespace dray::store::admission
