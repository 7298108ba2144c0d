/// Volumes of a pod.
#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "api/core_validate.h"

namespace dray::api {
namespace {

constexpr std::string_view kOneType = "may not specify more than 1 volume type";
constexpr std::string_view kFileMode = "must be a number between 0 and 0777 (octal), both inclusive";
constexpr std::string_view kDirectoryMode = "must be a number between 0 and 01777 (octal), both inclusive";
constexpr std::int64_t kTokenSecondsMin = 600;
constexpr std::int64_t kTokenSecondsMax = std::int64_t{1} << 32;

void validate_mode(const std::optional<std::int32_t>& mode, const FieldPath& at, Causes& out) {
  if (mode && (*mode > 0777 || *mode < 0)) out.invalid(at, *mode, kFileMode);
}

void validate_owner(const std::optional<std::int64_t>& user, const FieldPath& at, Causes& out) {
  if (user) out.invalid_each(at, *user, check_user_id(*user));
}

void validate_key_to_path(const core::KeyToPath& item, const FieldPath& at, Causes& out) {
  if (item.key.empty()) out.required(at / "key");
  if (item.path.empty()) out.required(at / "path");
  validate_local_unreserved_path(item.path, at / "path", out);
  validate_mode(item.mode, at / "mode", out);
  validate_owner(item.user, at / "user", out);
}

void validate_items(const std::vector<core::KeyToPath>& items, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < items.size(); ++i) validate_key_to_path(items[i], at / i, out);
}

/// Kubernetes names the volume and not the file in these paths.
void validate_downward_file(const core::DownwardAPIVolumeFile& file, const FieldPath& at, Causes& out) {
  if (file.path.empty()) out.required(at / "path");
  validate_local_unreserved_path(file.path, at / "path", out);
  if (file.field_ref) {
    validate_field_selector(*file.field_ref, true, at / "fieldRef", out);
    if (file.resource_field_ref)
      out.invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
  } else if (file.resource_field_ref) {
    validate_resource_selector(*file.resource_field_ref, true, at / "resourceFieldRef", out);
  } else {
    out.required(at, "one of fieldRef and resourceFieldRef is required");
  }
  validate_mode(file.mode, at / "mode", out);
  validate_owner(file.user, at / "user", out);
}

/// Each path of a projected volume is there once.
class ProjectedPaths {
 public:
  ProjectedPaths(const FieldPath& at, Causes& out) : at_(at), out_(out) {}
  void add(const std::string& path, const std::string& shown) {
    if (!path.empty() && !paths_.insert(path).second) out_.invalid(at_, shown, "conflicting duplicate paths");
  }

 private:
  const FieldPath& at_;
  Causes& out_;
  Names paths_;
};

void validate_token(const core::ServiceAccountTokenProjection& token, const FieldPath& at,
                    const FieldPath& volume_at, Causes& out) {
  if (!token.expiration_seconds) {
    out.required(at / "expirationSeconds");
  } else if (*token.expiration_seconds < kTokenSecondsMin) {
    out.invalid(at / "expirationSeconds", *token.expiration_seconds,
                "may not specify a duration less than 10 minutes");
  } else if (*token.expiration_seconds > kTokenSecondsMax) {
    out.invalid(at / "expirationSeconds", *token.expiration_seconds,
                "may not specify a duration larger than 2^32 seconds");
  }
  if (token.path.empty()) {
    out.required(volume_at / "path");
  } else {
    validate_local_unreserved_path(token.path, volume_at / "path", out);
  }
  validate_owner(token.user, at / "user", out);
}

void validate_trust_bundle(const core::ClusterTrustBundleProjection& bundle, const FieldPath& at, Causes& out) {
  if (bundle.name && bundle.signer_name) {
    out.invalid(at, bad_struct(bundle), "only one of name and signerName may be used");
  } else if (bundle.name) {
    if (bundle.name->empty()) out.required(at / "name", "must be a valid object name");
    if (bundle.label_selector)
      out.invalid(at / "labelSelector", bad_struct(*bundle.label_selector),
                  "labelSelector must be unset if name is specified");
  } else if (bundle.signer_name) {
    if (bundle.signer_name->empty()) out.required(at / "signerName", "must be a valid signer name");
    if (bundle.label_selector) validate_label_selector(*bundle.label_selector, at / "labelSelector", out);
  } else {
    out.required(at, "either name or signerName must be specified");
  }
  if (bundle.path.empty()) out.required(at / "path");
  validate_local_unreserved_path(bundle.path, at / "path", out);
}

void validate_certificate(const core::PodCertificateProjection& certificate, const FieldPath& at,
                          ProjectedPaths& paths, Causes& out) {
  static constexpr std::string_view kKeyTypes[] = {"RSA3072",   "RSA4096",   "ECDSAP256",
                                                   "ECDSAP384", "ECDSAP521", "ED25519"};
  if (std::ranges::find(kKeyTypes, certificate.key_type) == std::end(kKeyTypes))
    out.not_supported(at / "keyType", certificate.key_type, kKeyTypes);
  if (certificate.max_expiration_seconds && *certificate.max_expiration_seconds < 3600)
    out.invalid(at / "maxExpirationSeconds", *certificate.max_expiration_seconds,
                "if provided, maxExpirationSeconds must be >= 3600");
  const auto check = [&](const std::string& path, const char* name) {
    if (path.empty()) return;
    validate_local_unreserved_path(path, at / name, out);
    paths.add(path, path);
  };
  check(certificate.credential_bundle_path, "credentialBundlePath");
  check(certificate.key_path, "keyPath");
  check(certificate.certificate_chain_path, "certificateChainPath");
  if (certificate.credential_bundle_path.empty() && certificate.key_path.empty() &&
      certificate.certificate_chain_path.empty())
    out.required(at, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
}

void validate_projected(const core::ProjectedVolumeSource& projected, const FieldPath& at, Causes& out) {
  validate_mode(projected.default_mode, at / "defaultMode", out);
  validate_owner(projected.default_user, at / "defaultUser", out);
  ProjectedPaths paths(at, out);
  const auto items = [&](const auto& source, const FieldPath& source_at) {
    const std::string& name = source.local_object_reference.name;
    if (name.empty()) out.required(source_at / "name");
    validate_items(source.items, source_at / "items", out);
    for (const core::KeyToPath& item : source.items) paths.add(item.path, name);
  };
  for (std::size_t i = 0; i < projected.sources.size(); ++i) {
    const core::VolumeProjection& source = projected.sources[i];
    const FieldPath here = at / "sources" / i;
    int count = 0;
    if (source.secret) ++count, items(*source.secret, here / "secret");
    if (source.config_map) ++count, items(*source.config_map, here / "configMap");
    if (source.downward_api) {
      ++count;
      for (const core::DownwardAPIVolumeFile& file : source.downward_api->items) {
        validate_downward_file(file, here / "downwardAPI", out);
        paths.add(file.path, file.path);
      }
    }
    if (source.service_account_token)
      ++count, validate_token(*source.service_account_token, here / "serviceAccountToken", at, out);
    if (source.cluster_trust_bundle) {
      ++count;
      validate_trust_bundle(*source.cluster_trust_bundle, here / "clusterTrustBundle", out);
      paths.add(source.cluster_trust_bundle->path, source.cluster_trust_bundle->path);
    }
    if (source.pod_certificate)
      ++count, validate_certificate(*source.pod_certificate, here / "podCertificate", paths, out);
    if (count > 1) out.forbidden(here, "may not specify more than 1 volume type per source");
  }
}

void validate_host_path(const core::HostPathVolumeSource& source, const FieldPath& at, Causes& out) {
  static constexpr std::string_view kTypes[] = {"",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
                                                "File", "FileOrCreate", "Socket"};
  if (source.path.empty()) return out.required(at / "path");
  validate_no_backsteps(source.path, at / "path", out);
  if (source.type && std::ranges::find(kTypes, *source.type) == std::end(kTypes))
    out.not_supported(at / "type", *source.type, kTypes);
}

void validate_nfs(const core::NFSVolumeSource& nfs, const FieldPath& at, Causes& out) {
  if (nfs.server.empty()) out.required(at / "server");
  if (nfs.path.empty()) out.required(at / "path");
  if (!nfs.path.starts_with('/')) out.invalid(at / "path", nfs.path, "must be an absolute path");
}

void validate_iscsi(const core::ISCSIVolumeSource& iscsi, const FieldPath& at, Causes& out) {
  if (iscsi.target_portal.empty()) out.required(at / "targetPortal");
  if (iscsi.iqn.empty()) {
    out.required(at / "iqn");
  } else if (!iscsi.iqn.starts_with("iqn") && !iscsi.iqn.starts_with("eui") && !iscsi.iqn.starts_with("naa")) {
    out.invalid(at / "iqn", iscsi.iqn, "must be valid format starting with iqn, eui, or naa");
  }
  out.invalid_each(at / "lun", iscsi.lun, check_in_range(iscsi.lun, 0, 255));
  if ((iscsi.chap_auth_discovery || iscsi.chap_auth_session) && !iscsi.secret_ref) out.required(at / "secretRef");
}

void validate_csi(const core::CSIVolumeSource& csi, const FieldPath& at, Causes& out) {
  if (csi.driver.empty()) {
    out.required(at / "driver");
  } else {
    if (csi.driver.size() > 63) out.too_long(at / "driver", 63);
    std::string lower = csi.driver;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    out.invalid_each(at / "driver", csi.driver, check_dns1123_subdomain(lower));
  }
  if (csi.node_publish_secret_ref && csi.node_publish_secret_ref->name.empty())
    out.required(at / "nodePublishSecretRef" / "name");
}

void validate_ephemeral(const core::EphemeralVolumeSource& ephemeral, const FieldPath& at, Causes& out) {
  if (!ephemeral.volume_claim_template) return out.required(at / "volumeClaimTemplate");
  const FieldPath here = at / "volumeClaimTemplate";
  const auto& metadata = ephemeral.volume_claim_template->metadata;
  validate_labels(metadata.labels, here / "metadata" / "labels", out);
  validate_annotations(metadata.annotations, here / "metadata" / "annotations", out);
  validate_claim_spec(ephemeral.volume_claim_template->spec, here / "spec", out);
}

void validate_image(const core::ImageVolumeSource& image, const FieldPath& at, Causes& out) {
  if (image.reference.empty()) out.required(at / "reference");
  const std::string& policy = image.pull_policy;
  if (policy.empty()) {
    out.required(at / "pullPolicy");
  } else if (policy != "Always" && policy != "IfNotPresent" && policy != "Never") {
    out.not_supported(at / "pullPolicy", policy, {"Always", "IfNotPresent", "Never"});
  }
}

void validate_empty_dir(const core::EmptyDirVolumeSource& directory, const FieldPath& at, Causes& out) {
  if (directory.size_limit && directory.size_limit->sign() < 0)
    out.forbidden(at / "sizeLimit", "SizeLimit field must be a valid resource quantity");
  if (directory.mode && (*directory.mode > 01777 || *directory.mode < 0))
    out.invalid(at / "mode", *directory.mode, kDirectoryMode);
}

/// Counts the types of one volume: the first is checked, others are refused.
class OneType {
 public:
  OneType(const FieldPath& at, Causes& out) : at_(at), out_(out) {}
  template <class Source, class Validate>
  void take(const Box<Source>& source, const char* name, const Validate& validate) {
    if (!source) return;
    if (found_) return out_.forbidden(at_ / name, kOneType);
    found_ = true;
    validate(*source, at_ / name, out_);
  }
  template <class Source>
  void take(const Box<Source>& source, const char* name) {
    take(source, name, [](const Source&, const FieldPath&, Causes&) {});
  }
  [[nodiscard]] bool found() const { return found_; }

 private:
  const FieldPath& at_;
  Causes& out_;
  bool found_ = false;
};

void validate_source(const core::VolumeSource& source, const std::string& volume_name,
                     const meta::ObjectMeta* metadata, const FieldPath& at, Causes& out) {
  OneType type(at, out);
  type.take(source.empty_dir, "emptyDir", validate_empty_dir);
  type.take(source.host_path, "hostPath", validate_host_path);
  type.take(source.git_repo, "gitRepo", [](const auto& git, const FieldPath& here, Causes& causes) {
    if (git.repository.empty()) causes.required(here / "repository");
    validate_local_path(git.directory, here / "directory", causes);
  });
  type.take(source.gce_persistent_disk, "gcePersistentDisk");
  type.take(source.aws_elastic_block_store, "awsElasticBlockStore");
  type.take(source.secret, "secret", [](const auto& secret, const FieldPath& here, Causes& causes) {
    if (secret.secret_name.empty()) causes.required(here / "secretName");
    validate_mode(secret.default_mode, here / "defaultMode", causes);
    validate_owner(secret.default_user, here / "defaultUser", causes);
    validate_items(secret.items, here / "items", causes);
  });
  type.take(source.nfs, "nfs", validate_nfs);
  type.take(source.iscsi, "iscsi", validate_iscsi);
  type.take(source.glusterfs, "glusterfs");
  type.take(source.flocker, "flocker");
  type.take(source.persistent_volume_claim, "persistentVolumeClaim",
            [](const auto& claim, const FieldPath& here, Causes& causes) {
              if (claim.claim_name.empty()) causes.required(here / "claimName");
            });
  type.take(source.rbd, "rbd");
  type.take(source.cinder, "cinder");
  type.take(source.cephfs, "cephFS");
  type.take(source.quobyte, "quobyte");
  type.take(source.downward_api, "downwardAPI", [](const auto& downward, const FieldPath& here, Causes& causes) {
    validate_mode(downward.default_mode, here / "defaultMode", causes);
    validate_owner(downward.default_user, here / "defaultUser", causes);
    for (const core::DownwardAPIVolumeFile& file : downward.items) validate_downward_file(file, here, causes);
  });
  type.take(source.fc, "fc");
  type.take(source.flex_volume, "flexVolume");
  type.take(source.config_map, "configMap", [](const auto& map, const FieldPath& here, Causes& causes) {
    if (map.local_object_reference.name.empty()) causes.required(here / "name");
    validate_mode(map.default_mode, here / "defaultMode", causes);
    validate_owner(map.default_user, here / "defaultUser", causes);
    validate_items(map.items, here / "items", causes);
  });
  type.take(source.azure_file, "azureFile");
  type.take(source.vsphere_volume, "vsphereVolume");
  type.take(source.photon_persistent_disk, "photonPersistentDisk");
  type.take(source.portworx_volume, "portworxVolume");
  type.take(source.azure_disk, "azureDisk");
  type.take(source.storageos, "storageos");
  type.take(source.projected, "projected", validate_projected);
  type.take(source.scale_io, "scaleIO");
  type.take(source.csi, "csi", validate_csi);
  type.take(source.ephemeral, "ephemeral", validate_ephemeral);
  type.take(source.image, "image", validate_image);
  if (!type.found()) out.required(at, "must specify a volume type");
  if (source.ephemeral && metadata != nullptr && !metadata->name.empty() && !volume_name.empty()) {
    const std::string claim = metadata->name + "-" + volume_name;
    for (const std::string& problem : check_name_is_subdomain(claim))
      out.invalid(at / "name", volume_name, fmt::format("PVC name {}: {}", go_quoted(claim), problem));
  }
}

}  // namespace

Volumes validate_volumes(const std::vector<core::Volume>& volumes, const meta::ObjectMeta* metadata,
                         const FieldPath& at, Causes& out) {
  Volumes good;
  Names created_claims;
  if (metadata != nullptr && !metadata->name.empty())
    for (const core::Volume& volume : volumes)
      if (volume.volume_source.ephemeral) created_claims.insert(metadata->name + "-" + volume.name);
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const core::Volume& volume = volumes[i];
    const FieldPath here = at / i;
    const std::size_t before = out.size();
    validate_source(volume.volume_source, volume.name, metadata, here, out);
    if (volume.name.empty()) {
      out.required(here / "name");
    } else {
      validate_dns1123_label(volume.name, here / "name", out);
    }
    if (good.contains(volume.name)) out.duplicate(here / "name", volume.name);
    if (out.size() == before) good.emplace(volume.name, &volume.volume_source);
    const auto& claim = volume.volume_source.persistent_volume_claim;
    if (claim && created_claims.contains(claim->claim_name))
      out.invalid(here / "persistentVolumeClaim" / "claimName", claim->claim_name,
                  "must not reference a PVC that gets created for an ephemeral volume");
  }
  return good;
}

}  // namespace dray::api
