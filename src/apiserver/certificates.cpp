#include "apiserver/certificates.h"

#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "machinery/base64.h"

namespace dray::apiserver {
namespace {

template <auto Free>
struct Freer {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Cert = std::unique_ptr<X509, Freer<X509_free>>;
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;

constexpr int kYears = 10;

std::unexpected<Error> openssl_failed(std::string_view what) {
  char text[256] = "";
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  return fail(Code::kInternal, std::string(what) + ": " + text);
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio.get());
}

std::string pem(X509* cert) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), cert);
  return text_of(bio.get());
}

Key read_key(const std::string& text) {
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

Cert read_cert(const std::string& text) {
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  return Cert(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

struct Wish {
  Subject subject;
  bool is_ca = false;
  std::string usage;  // "serverAuth", "clientAuth"
  std::string names;  // subjectAltName
};

void add_extension(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  if (X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str())) {
    X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
  }
}

void set_subject(X509* cert, const Subject& subject) {
  X509_NAME* const name = X509_get_subject_name(cert);
  const auto add = [&](const char* field, const std::string& value) {
    X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                               static_cast<int>(value.size()), -1, 0);
  };
  for (const std::string& organization : subject.organizations) add("O", organization);
  add("CN", subject.common_name);
}

void set_serial_and_dates(X509* cert, const Clock& clock) {
  std::array<unsigned char, 16> serial{};
  RAND_bytes(serial.data(), serial.size());
  serial[0] &= 0x7f;
  BIGNUM* const number = BN_bin2bn(serial.data(), serial.size(), nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert));
  BN_free(number);
  const std::time_t now = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(clock.wall()));
  ASN1_TIME_set(X509_getm_notBefore(cert), now - 3600);
  ASN1_TIME_set(X509_getm_notAfter(cert), now + std::time_t{kYears} * 365 * 86400);
}

/// `issuer` and `issuer_key` null: signs itself.
Result<KeyPair> issue(const Wish& wish, X509* issuer, EVP_PKEY* issuer_key, const Clock& clock) {
  const Key key(EVP_EC_gen("P-256"));
  const Cert cert(X509_new());
  if (!key || !cert) return openssl_failed("making a key");
  X509_set_version(cert.get(), 2);
  set_serial_and_dates(cert.get(), clock);
  X509_set_pubkey(cert.get(), key.get());
  set_subject(cert.get(), wish.subject);
  X509* const parent = issuer ? issuer : cert.get();
  X509_set_issuer_name(cert.get(), X509_get_subject_name(parent));
  add_extension(cert.get(), parent, NID_basic_constraints, wish.is_ca ? "critical,CA:TRUE" : "critical,CA:FALSE");
  add_extension(cert.get(), parent, NID_key_usage, wish.is_ca ? "critical,digitalSignature,keyCertSign,cRLSign" : "critical,digitalSignature");
  add_extension(cert.get(), parent, NID_subject_key_identifier, "hash");
  add_extension(cert.get(), parent, NID_authority_key_identifier, "keyid");
  if (!wish.usage.empty()) add_extension(cert.get(), parent, NID_ext_key_usage, wish.usage);
  if (!wish.names.empty()) add_extension(cert.get(), parent, NID_subject_alt_name, wish.names);
  if (!X509_sign(cert.get(), issuer_key ? issuer_key : key.get(), EVP_sha256())) return openssl_failed("signing a certificate");
  return KeyPair{pem(cert.get()), pem(key.get())};
}

Result<KeyPair> issue_by(const Certificates& ca, const Wish& wish, const Clock& clock) {
  const Cert issuer = read_cert(ca.ca);
  const Key key = read_key(ca.ca_key);
  if (!issuer || !key) return fail(Code::kInternal, "the CA's certificate or key cannot be read");
  return issue(wish, issuer.get(), key.get(), clock);
}

bool is_address(const std::string& host) {
  ASN1_OCTET_STRING* const address = a2i_IPADDRESS(host.c_str());
  ASN1_OCTET_STRING_free(address);
  ERR_clear_error();
  return address != nullptr;
}

std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string names =
      "IP:127.0.0.1,IP:0:0:0:0:0:0:0:1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,"
      "DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local";
  for (const std::string& host : hosts) names += (is_address(host) ? ",IP:" : ",DNS:") + host;
  return names;
}

bool covers(const std::string& certificate, const std::vector<std::string>& hosts) {
  const Cert cert = read_cert(certificate);
  if (!cert) return false;
  for (const std::string& host : hosts) {
    const bool ok = is_address(host) ? X509_check_ip_asc(cert.get(), host.c_str(), 0) == 1
                                     : X509_check_host(cert.get(), host.data(), host.size(), 0, nullptr) == 1;
    if (!ok) return false;
  }
  return true;
}

std::string random_token() {
  std::array<unsigned char, 24> bytes{};
  RAND_bytes(bytes.data(), bytes.size());
  std::string text;
  for (const unsigned char b : bytes) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

Result<> make_server(Certificates& all, const Clock& clock, const std::vector<std::string>& hosts) {
  TRY_ASSIGN(const KeyPair pair, issue_by(all, {.subject = {"kube-apiserver", {}}, .usage = "serverAuth", .names = alternative_names(hosts)}, clock));
  all.server = pair.certificate;
  all.server_key = pair.key;
  return {};
}

struct File {
  const char* name;
  std::string Certificates::* member;
};
constexpr File kFiles[] = {
    {"ca.crt", &Certificates::ca},         {"ca.key", &Certificates::ca_key},
    {"server.crt", &Certificates::server}, {"server.key", &Certificates::server_key},
    {"admin.crt", &Certificates::admin},   {"admin.key", &Certificates::admin_key},
    {"admin.token", &Certificates::admin_token}, {"service-account.key", &Certificates::service_account_key},
};

bool read_all(const std::filesystem::path& directory, Certificates& all) {
  for (const File& file : kFiles) {
    std::ifstream in(directory / file.name, std::ios::binary);
    if (!in) return false;
    std::ostringstream text;
    text << in.rdbuf();
    all.*file.member = text.str();
  }
  return true;
}

}  // namespace

Result<Certificates> make_certificates(const Clock& clock, const std::vector<std::string>& hosts) {
  Certificates all;
  TRY_ASSIGN(const KeyPair ca, issue({.subject = {"dray-ca", {}}, .is_ca = true, .usage = {}, .names = {}}, nullptr, nullptr, clock));
  all.ca = ca.certificate;
  all.ca_key = ca.key;
  TRY(make_server(all, clock, hosts));
  TRY_ASSIGN(const KeyPair admin, make_client_certificate(all, clock, {"admin", {"system:masters"}}));
  all.admin = admin.certificate;
  all.admin_key = admin.key;
  all.admin_token = random_token();
  const Key signing(EVP_EC_gen("P-256"));
  if (!signing) return openssl_failed("making a key");
  all.service_account_key = pem(signing.get());
  return all;
}

Result<KeyPair> make_client_certificate(const Certificates& ca, const Clock& clock, const Subject& subject) {
  return issue_by(ca, {.subject = subject, .usage = "clientAuth", .names = {}}, clock);
}

Result<Certificates> load_or_make_certificates(const std::filesystem::path& directory, const Clock& clock,
                                               const std::vector<std::string>& hosts) {
  Certificates all;
  const bool there = read_all(directory, all);
  if (there && covers(all.server, hosts)) return all;
  if (there) {
    TRY(make_server(all, clock, hosts));
  } else {
    TRY_ASSIGN(all, make_certificates(clock, hosts));
  }
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return fail(Code::kInternal, directory.string() + ": " + error.message());
  for (const File& file : kFiles) TRY(write_private_file(directory / file.name, all.*file.member));
  return all;
}

std::string kubeconfig(const Certificates& certificates, std::string_view server_url) {
  std::string text = "apiVersion: v1\nkind: Config\ncurrent-context: dray\nclusters:\n- name: dray\n  cluster:\n    server: ";
  text += server_url;
  text += "\n    certificate-authority-data: " + base64_encode(certificates.ca);
  text += "\nusers:\n- name: admin\n  user:\n    client-certificate-data: " + base64_encode(certificates.admin);
  text += "\n    client-key-data: " + base64_encode(certificates.admin_key);
  text += "\n    token: " + certificates.admin_token;
  text += "\ncontexts:\n- name: dray\n  context:\n    cluster: dray\n    user: admin\n    namespace: default\n";
  return text;
}

Result<> write_private_file(const std::filesystem::path& file, std::string_view text) {
  const std::string fresh = file.string() + ".new";
  const auto failed = [&] { return fail(Code::kInternal, file.string() + ": " + std::strerror(errno)); };
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return failed();
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(fd) != 0 || !written) return failed();
  if (::rename(fresh.c_str(), file.c_str()) != 0) return failed();
  return {};
}

}  // namespace dray::apiserver
