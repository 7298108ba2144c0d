/// The credentials of one cluster: a CA, the server's certificate, the administrator's client certificate
/// and token, the key that signs service-account tokens. P-256 keys; made with OpenSSL.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace dray::apiserver {

/// PEM texts. A value; `*_key` and `admin_token` are secrets and never logged.
struct Certificates {
  std::string ca, ca_key;
  std::string server, server_key;
  std::string admin, admin_key;  // CN=admin, O=system:masters
  std::string admin_token;
  std::string service_account_key;
};

struct KeyPair {
  std::string certificate, key;
};
struct Subject {
  std::string common_name;
  std::vector<std::string> organizations;
};

/// Fresh ones, for a server that is reached by `hosts` (addresses or names) beside the usual names.
[[nodiscard]] Result<Certificates> make_certificates(const Clock& clock, const std::vector<std::string>& hosts = {});
/// Those in `directory`, made and written there (keys with mode 0600) on first use. The server's
/// certificate is made anew when it lacks one of `hosts`. Error kInternal with the file's name.
[[nodiscard]] Result<Certificates> load_or_make_certificates(const std::filesystem::path& directory, const Clock& clock,
                                                             const std::vector<std::string>& hosts = {});
/// A client certificate signed by the CA.
[[nodiscard]] Result<KeyPair> make_client_certificate(const Certificates& ca, const Clock& clock, const Subject& subject);

/// A kubeconfig (YAML) for the administrator: client certificate and token, context "dray".
[[nodiscard]] std::string kubeconfig(const Certificates& certificates, std::string_view server_url);
/// Writes a file that only its owner can read, by a rename.
[[nodiscard]] Result<> write_private_file(const std::filesystem::path& file, std::string_view text);

}  // namespace dray::apiserver
