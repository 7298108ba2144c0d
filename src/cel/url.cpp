#include "cel/url.h"

#include <algorithm>

#include <fmt/format.h>

#include "cel/ip.h"
#include "cel/text.h"

namespace dray::cel {
namespace {

enum class Mode { kPath, kUser, kHost, kZone, kQuery, kFragment };

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
unsigned hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a' + 10);
}
bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool should_escape(char c, Mode mode) {
  if (is_alnum(c)) return false;
  if (mode == Mode::kHost || mode == Mode::kZone)
    if (std::string_view("!$&'()*+,;=:[]<>\"").contains(c)) return false;
  if (std::string_view("-_.~").contains(c)) return false;
  if (std::string_view("$&+,/:;=?@").contains(c)) {
    switch (mode) {
      case Mode::kPath: return c == '?';
      case Mode::kUser: return c == '@' || c == '/' || c == '?' || c == ':';
      case Mode::kQuery: return true;
      case Mode::kFragment: return false;
      default: break;
    }
  }
  if (mode == Mode::kFragment && std::string_view("!()*").contains(c)) return false;
  return true;
}

std::string escape(std::string_view text, Mode mode) {
  std::string out;
  for (const char c : text) {
    if (!should_escape(c, mode)) {
      out += c;
    } else if (c == ' ' && mode == Mode::kQuery) {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

bool bad_escape(std::string_view at, std::string& error) {
  error = "invalid URL escape " + go_quote(at.substr(0, 3));
  return false;
}

bool unescape(std::string_view s, Mode mode, std::string& out, std::string& error) {
  const bool host = mode == Mode::kHost || mode == Mode::kZone;
  out.clear();
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '%') {
      if (host && static_cast<signed char>(s[i]) >= 0 && should_escape(s[i], mode)) {
        error = fmt::format("invalid character {} in host name", go_quote(s.substr(i, 1)));
        return false;
      }
      out += s[i] == '+' && mode == Mode::kQuery ? ' ' : s[i];
      continue;
    }
    if (i + 2 >= s.size() || !is_hex(s[i + 1]) || !is_hex(s[i + 2]))
      return bad_escape(s.substr(i), error);
    const auto byte = static_cast<char>(hex_value(s[i + 1]) << 4 | hex_value(s[i + 2]));
    const bool percent = s.substr(i, 3) == "%25";
    if (mode == Mode::kHost && hex_value(s[i + 1]) < 8 && !percent)
      return bad_escape(s.substr(i), error);
    if (mode == Mode::kZone && !percent && byte != ' ' && should_escape(byte, Mode::kHost))
      return bad_escape(s.substr(i), error);
    out += byte;
    i += 2;
  }
  return true;
}

std::pair<std::string_view, std::string_view> cut(std::string_view s, char separator) {
  const auto at = s.find(separator);
  if (at == std::string_view::npos) return {s, {}};
  return {s.substr(0, at), s.substr(at + 1)};
}

bool valid_port(std::string_view port) {
  if (port.empty()) return true;
  return port[0] == ':' && std::all_of(port.begin() + 1, port.end(),
                                       [](char c) { return c >= '0' && c <= '9'; });
}

class Parser {
 public:
  Parser(Url& url, std::string& error) : url_(url), error_(error) {}

  bool parse(std::string_view text, bool via_request) {
    for (const char c : text)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
        return fail("net/url: invalid control character in URL");
    if (text.empty() && via_request) return fail("empty url");
    if (text == "*") return url_.path = "*", true;
    std::string_view rest;
    if (!scheme(text, rest)) return false;
    if (rest.ends_with('?') && std::count(rest.begin(), rest.end(), '?') == 1) {
      url_.force_query = true;
      rest.remove_suffix(1);
    } else {
      const auto [before, query] = cut(rest, '?');
      rest = before;
      url_.raw_query = query;
    }
    if (!rest.starts_with('/')) {
      if (!url_.scheme.empty()) return url_.opaque = rest, true;
      if (via_request) return fail("invalid URI for request");
      if (cut(rest, '/').first.contains(':'))
        return fail("first path segment in URL cannot contain colon");
    }
    const bool has_scheme = !url_.scheme.empty();
    if ((has_scheme || (!via_request && !rest.starts_with("///"))) && rest.starts_with("//")) {
      std::string_view authority = rest.substr(2);
      const auto slash = authority.find('/');
      rest = slash == std::string_view::npos ? std::string_view{} : authority.substr(slash);
      authority = authority.substr(0, slash);
      if (!parse_authority(authority)) return false;
    } else if (has_scheme && rest.starts_with('/')) {
      url_.omit_host = true;
    }
    if (!unescape(rest, Mode::kPath, url_.path, error_)) return false;
    if (escape(url_.path, Mode::kPath) != rest) url_.raw_path = rest;
    return true;
  }

  bool fragment(std::string_view text) {
    if (!unescape(text, Mode::kFragment, url_.fragment, error_)) return false;
    if (escape(url_.fragment, Mode::kFragment) != text) url_.raw_fragment = text;
    return true;
  }

 private:
  bool fail(std::string message) { return error_ = std::move(message), false; }

  bool scheme(std::string_view text, std::string_view& rest) {
    rest = text;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) continue;
      if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') {
        if (i == 0) return true;
        continue;
      }
      if (c != ':') return true;
      if (i == 0) return fail("missing protocol scheme");
      for (const char s : text.substr(0, i))
        url_.scheme += s >= 'A' && s <= 'Z' ? static_cast<char>(s + 0x20) : s;
      rest = text.substr(i + 1);
      return true;
    }
    return true;
  }

  bool parse_authority(std::string_view authority) {
    const auto at = authority.rfind('@');
    const bool user = at != std::string_view::npos;
    if (!parse_host(user ? authority.substr(at + 1) : authority)) return false;
    if (!user) return true;
    const std::string_view info = authority.substr(0, at);
    for (const char c : info)
      if (!is_alnum(c) && !std::string_view("-._:~!$&'()*+,;=%@").contains(c))
        return fail("net/url: invalid userinfo");
    const auto [name, password] = cut(info, ':');
    url_.has_user = true;
    url_.has_password = info.contains(':');
    return unescape(name, Mode::kUser, url_.user, error_) &&
           unescape(password, Mode::kUser, url_.password, error_);
  }

  bool parse_host(std::string_view host) {
    const auto open = host.rfind('[');
    if (open != std::string_view::npos && open > 0) return fail("invalid IP-literal");
    if (open == 0) return parse_literal(host);
    if (auto colon = host.find(':'); colon != std::string_view::npos) {
      if (url_.scheme != "http" && url_.scheme != "https") colon = host.rfind(':');
      if (const std::string_view port = host.substr(colon); !valid_port(port))
        return fail(fmt::format("invalid port {} after host", go_quote(port)));
    }
    return unescape(host, Mode::kHost, url_.host, error_);
  }

  bool parse_literal(std::string_view host) {
    const auto close = host.rfind(']');
    if (close == std::string_view::npos) return fail("missing ']' in host");
    const std::string_view port = host.substr(close + 1), name = host.substr(1, close - 1);
    if (!valid_port(port)) return fail(fmt::format("invalid port {} after host", go_quote(port)));
    std::string address, zone;
    const auto percent = name.find("%25");
    if (!unescape(name.substr(0, percent), Mode::kHost, address, error_)) return false;
    if (percent != std::string_view::npos &&
        !unescape(name.substr(percent), Mode::kZone, zone, error_))
      return false;
    address += zone;
    Ip ip;
    bool has_zone = false;
    std::string why;
    if (!parse_address(address, ip, has_zone, why)) return fail("invalid host: " + why);
    if (!ip.is6) return fail("invalid IP-literal");
    url_.host = "[" + address + "]" + std::string(port);
    return true;
  }

  Url& url_;
  std::string& error_;
};

bool valid_encoded(std::string_view s, Mode mode) {
  return std::none_of(s.begin(), s.end(), [&](char c) {
    return !std::string_view("!$&'()*+,;=:@[]%").contains(c) && should_escape(c, mode);
  });
}

std::string encoded(const std::string& raw, const std::string& plain, Mode mode) {
  std::string decoded, ignored;
  if (!raw.empty() && valid_encoded(raw, mode) && unescape(raw, mode, decoded, ignored) &&
      decoded == plain)
    return raw;
  return plain == "*" && mode == Mode::kPath ? "*" : escape(plain, mode);
}

}  // namespace

bool parse_request_uri(std::string_view text, Url& out, std::string& error) {
  out = {};
  std::string why;
  if (Parser(out, why).parse(text, true)) return true;
  error = fmt::format("parse {}: {}", go_quote(text), why);
  return false;
}

bool parse_url(std::string_view text, Url& out, std::string& error) {
  out = {};
  std::string why;
  const auto [before, fragment] = cut(text, '#');
  Parser parser(out, why);
  if (!parser.parse(before, false)) {
    error = fmt::format("parse {}: {}", go_quote(before), why);
    return false;
  }
  if (fragment.empty() || parser.fragment(fragment)) return true;
  error = fmt::format("parse {}: {}", go_quote(text), why);
  return false;
}

std::string Url::escaped_path() const { return encoded(raw_path, path, Mode::kPath); }
std::string Url::escaped_fragment() const {
  return encoded(raw_fragment, fragment, Mode::kFragment);
}

std::string Url::text() const {
  std::string out;
  if (!scheme.empty()) out += scheme + ":";
  if (!opaque.empty()) {
    out += opaque;
  } else {
    const bool any = !host.empty() || has_user;
    if ((!scheme.empty() || any) && !(omit_host && !any)) {
      if (any || !path.empty()) out += "//";
      if (has_user) {
        out += escape(user, Mode::kUser);
        if (has_password) out += ":" + escape(password, Mode::kUser);
        out += "@";
      }
      out += escape(host, Mode::kHost);
    }
    const std::string escaped = escaped_path();
    if (!escaped.empty() && escaped[0] != '/' && !host.empty()) out += "/";
    if (out.empty() && cut(escaped, '/').first.contains(':')) out += "./";
    out += escaped;
  }
  if (force_query || !raw_query.empty()) out += "?" + raw_query;
  if (!fragment.empty()) out += "#" + escaped_fragment();
  return out;
}

namespace {

std::pair<std::string_view, std::string_view> split_port(std::string_view host) {
  std::string_view port;
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && valid_port(host.substr(colon))) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.size() > 1 && host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  return {host, port};
}

}  // namespace

std::string Url::hostname() const { return std::string(split_port(host).first); }
std::string Url::port() const { return std::string(split_port(host).second); }

std::vector<std::pair<std::string, std::vector<std::string>>> Url::query() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (std::string_view rest = raw_query; !rest.empty();) {
    const auto [part, after] = cut(rest, '&');
    rest = after;
    if (part.empty() || part.contains(';')) continue;
    const auto [raw_key, raw_value] = cut(part, '=');
    std::string key, value, error;
    if (!unescape(raw_key, Mode::kQuery, key, error) ||
        !unescape(raw_value, Mode::kQuery, value, error))
      continue;
    auto it = std::find_if(out.begin(), out.end(), [&](const auto& e) { return e.first == key; });
    if (it == out.end()) it = out.insert(out.end(), {key, {}});
    it->second.push_back(value);
  }
  return out;
}

}  // namespace dray::cel
