/// URLs as Go's net/url reads and writes them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray::cel {

struct Url {
  std::string scheme, opaque, host, path, raw_path, raw_query, fragment, raw_fragment;
  bool has_user = false, has_password = false;
  std::string user, password;
  bool force_query = false, omit_host = false;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string escaped_path() const;
  [[nodiscard]] std::string escaped_fragment() const;
  [[nodiscard]] std::string hostname() const;
  [[nodiscard]] std::string port() const;
  /// Names in the order of their first appearance, with all values.
  [[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> query() const;
};

/// As url.ParseRequestURI, false and Go's text of the error: `parse "x": invalid URI for request`.
bool parse_request_uri(std::string_view text, Url& out, std::string& error);
/// As url.Parse.
bool parse_url(std::string_view text, Url& out, std::string& error);

}  // namespace dray::cel
