/// HTTP requests and answers as values, whatever the protocol version that carried them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray::apiserver {

/// Bytes that several connections may be sending at once.
using SharedBytes = std::shared_ptr<const std::string>;
[[nodiscard]] inline SharedBytes shared(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

using Header = std::pair<std::string, std::string>;

/// Who is at the other end of a TLS connection. Immutable.
struct Peer {
  std::string common_name;                 // of a client certificate that our CA signed; else empty
  std::vector<std::string> organizations;  // its groups
  bool bad_certificate = false;            // one that nobody we trust has signed
};

struct HttpRequest {
  std::string method;
  std::string target;  // as sent: path and query
  std::vector<Header> headers;
  std::string body;
  bool too_large = false;  // the body was longer than the limit, and is not here
  std::shared_ptr<const Peer> peer;

  /// The first header of that name (in any case), or "".
  [[nodiscard]] std::string_view header(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> headers_of(std::string_view name) const;
  [[nodiscard]] bool wants_websocket() const;
  /// The target's parts. The path is still percent-encoded.
  [[nodiscard]] std::string_view path() const;
  [[nodiscard]] std::string_view query() const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type;  // empty: none
  std::vector<Header> headers;
  SharedBytes body;
};

[[nodiscard]] HttpResponse text_response(int status, std::string text);
/// The standard phrase: "Not Found".
[[nodiscard]] std::string_view phrase_of(int status);
/// ASCII, as header names compare.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

/// Decodes %XX, and + as a space where asked (queries). Broken escapes stay as they are.
[[nodiscard]] std::string percent_decode(std::string_view text, bool plus_is_space);

/// The parameters of a query, decoded; the first value of a name counts, as in Go's url.Values.Get.
class Query {
 public:
  explicit Query(std::string_view text);
  /// "" if absent.
  [[nodiscard]] const std::string& get(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
  /// Kubernetes' conversion: absent, "0" and "false" (in any case) are false, everything else true.
  [[nodiscard]] bool boolean(std::string_view name) const;

 private:
  std::vector<Header> parameters_;
};

}  // namespace dray::apiserver
