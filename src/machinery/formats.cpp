#include "machinery/formats.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray {
namespace {

constexpr int kLabelMax = 63;
constexpr int kSubdomainMax = 253;
constexpr int kPortNameMax = 15;

constexpr std::string_view kLabelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainFormat =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kLabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
    "start and end with an alphanumeric character";
constexpr std::string_view kSubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
    "must start and end with an alphanumeric character";
constexpr std::string_view kLabelKeyFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kLabelKeyText =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character";

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_alnum(char c) { return is_alpha(c) || is_digit(c); }
bool is_lower_alnum(char c) { return is_lower(c) || is_digit(c); }
bool is_dns_char(char c) { return is_lower_alnum(c) || c == '-'; }
bool is_label_char(char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; }

template <class Predicate>
bool all(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
         all(text, is_dns_char);
}

/// "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
bool is_label_with_underscore(std::string_view text) {
  if (text.starts_with('_')) text.remove_prefix(1);
  return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
         all(text, [](char c) { return is_dns_char(c) || c == '_'; });
}

/// Whether every part between dots is good.
template <class Predicate>
bool all_parts(std::string_view text, Predicate predicate) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!predicate(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_subdomain(std::string_view text) { return all_parts(text, is_dns_label); }

/// "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
bool is_label_key_part(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) && all(text, is_label_char);
}

std::string too_many_bytes(int bytes_max) {
  return fmt::format("must be no more than {} bytes", bytes_max);
}

Problems check_label(std::string_view value, std::string too_long) {
  Problems out;
  if (value.size() > kLabelMax) out.push_back(std::move(too_long));
  if (is_dns_label(value)) return out;
  out.push_back(is_subdomain(value) ? "must not contain dots"
                                    : regex_problem(kLabelText, kLabelFormat, {"my-name", "123-abc"}));
  return out;
}

Problems check_subdomain(std::string_view value, std::string too_long) {
  Problems out;
  if (value.size() > kSubdomainMax) out.push_back(std::move(too_long));
  if (!is_subdomain(value)) out.push_back(regex_problem(kSubdomainText, kSubdomainFormat, {"example.com"}));
  return out;
}

void check_no_parent_folder(std::string_view value, Problems& out) {
  if (value == ".") out.push_back("must not be '.'");
  if (value == "..") {
    out.push_back("must not be '..'");
  } else if (value.starts_with("..")) {
    out.push_back("must not start with '..'");
  }
}

/// A prefix may end in '-', since something follows; Kubernetes checks it with an 'a' in place of the
/// last two characters.
std::string masked(std::string_view name, bool prefix) {
  if (prefix && name.size() > 1 && name.ends_with('-')) {
    return std::string(name.substr(0, name.size() - 2)) + "a";
  }
  return std::string(name);
}

}  // namespace

std::string too_long_problem(int characters_max) {
  return fmt::format("must be no more than {} characters", characters_max);
}

std::string regex_problem(std::string_view message, std::string_view regex,
                          std::initializer_list<std::string_view> examples) {
  std::string out(message);
  out += " (";
  for (const std::string_view& example : examples) {
    out += &example == examples.begin() ? "e.g. " : " or ";
    out += fmt::format("'{}', ", example);
  }
  return out + fmt::format("regex used for validation is '{}')", regex);
}

Problems check_dns1123_label(std::string_view value) { return check_label(value, too_long_problem(kLabelMax)); }
Problems check_short_name(std::string_view value) { return check_label(value, too_many_bytes(kLabelMax)); }
Problems check_dns1123_subdomain(std::string_view value) {
  return check_subdomain(value, too_long_problem(kSubdomainMax));
}
Problems check_long_name(std::string_view value) {
  return check_subdomain(value, too_many_bytes(kSubdomainMax));
}

Problems check_dns1123_subdomain_with_underscore(std::string_view value) {
  Problems out;
  if (value.size() > kSubdomainMax) out.push_back(too_long_problem(kSubdomainMax));
  if (!all_parts(value, is_label_with_underscore)) {
    out.push_back(regex_problem(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or "
        "'.', and must start and end with an alphanumeric character",
        "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*", {"example.com"}));
  }
  return out;
}

Problems check_wildcard_dns1123_subdomain(std::string_view value) {
  Problems out;
  if (value.size() > kSubdomainMax) out.push_back(too_long_problem(kSubdomainMax));
  if (!value.starts_with("*.") || !is_subdomain(value.substr(2))) {
    out.push_back(regex_problem(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which "
        "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric "
        "character",
        "\\*\\." + std::string(kSubdomainFormat), {"*.example.com"}));
  }
  return out;
}

Problems check_dns1035_label(std::string_view value) {
  Problems out;
  if (value.size() > kLabelMax) out.push_back(too_long_problem(kLabelMax));
  if (!is_dns_label(value) || !is_lower(value.front())) {
    out.push_back(regex_problem(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return out;
}

Problems check_qualified_name(std::string_view value) {
  Problems out;
  const std::string format_problem = regex_problem(kLabelKeyText, kLabelKeyFormat, {"MyName", "my.name", "123-abc"});
  std::string_view name = value;
  const std::size_t slash = value.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = value.substr(0, slash);
    name = value.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {"a valid label key " + format_problem +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) {
      out.push_back("prefix part must be non-empty");
    } else {
      for (const std::string& problem : check_long_name(prefix)) out.push_back("prefix part " + problem);
    }
  }
  if (name.empty()) {
    out.push_back("name part must be non-empty");
  } else if (name.size() > kLabelMax) {
    out.push_back("name part " + too_many_bytes(kLabelMax));
  }
  if (!is_label_key_part(name)) out.push_back("name part " + format_problem);
  return out;
}

Problems check_label_value(std::string_view value) {
  Problems out;
  if (value.size() > kLabelMax) out.push_back(too_many_bytes(kLabelMax));
  if (!value.empty() && !is_label_key_part(value)) {
    out.push_back(regex_problem(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
        "and must start and end with an alphanumeric character",
        "(" + std::string(kLabelKeyFormat) + ")?", {"MyValue", "my_value", "12345"}));
  }
  return out;
}

Problems check_c_identifier(std::string_view value) {
  const auto is_part = [](char c) { return is_alnum(c) || c == '_'; };
  if (!value.empty() && !is_digit(value.front()) && all(value, is_part)) return {};
  return {regex_problem(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*", {"my_name", "MY_NAME", "MyName"})};
}

Problems check_env_var_name(std::string_view value) {
  Problems out;
  if (value.empty() || is_digit(value.front()) || !all(value, is_label_char)) {
    out.push_back(regex_problem(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or "
        "'.', and must not start with a digit",
        "[-._a-zA-Z][-._a-zA-Z0-9]*", {"my.env-name", "MY_ENV.NAME", "MyEnvName1"}));
  }
  check_no_parent_folder(value, out);
  return out;
}

Problems check_relaxed_env_var_name(std::string_view value) {
  if (value.empty()) return {"environment variable name must be non-empty"};
  if (all(value, [](char c) { return c >= 0x20 && c < 0x7F && c != '='; })) return {};
  return {"a valid environment variable name must consist only of printable ASCII characters other than '='"};
}

Problems check_config_map_key(std::string_view value) {
  Problems out;
  if (value.size() > kSubdomainMax) out.push_back(too_long_problem(kSubdomainMax));
  if (value.empty() || !all(value, is_label_char)) {
    out.push_back(regex_problem("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                                "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  check_no_parent_folder(value, out);
  return out;
}

Problems check_http_header_name(std::string_view value) {
  if (!value.empty() && all(value, [](char c) { return is_alnum(c) || c == '-'; })) return {};
  return {regex_problem("a valid HTTP header must consist of alphanumeric characters or '-'",
                        "[-A-Za-z0-9]+", {"X-Header-Name"})};
}

Problems check_path_segment_name(std::string_view value, bool prefix) {
  if (!prefix && (value == "." || value == "..")) return {fmt::format("may not be '{}'", value)};
  Problems out;
  for (const char c : {'/', '%'}) {
    if (value.find(c) != std::string_view::npos) out.push_back(fmt::format("may not contain '{}'", c));
  }
  return out;
}

Problems check_condition_reason(std::string_view value) {
  const auto is_end = [](char c) { return is_alnum(c) || c == '_'; };
  const auto is_part = [&](char c) { return is_end(c) || c == ',' || c == ':'; };
  if (!value.empty() && is_alpha(value.front()) && is_end(value.back()) && all(value, is_part)) return {};
  return {regex_problem(
      "a condition reason must start with alphabetic character, optionally followed by a string of "
      "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
      "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
      {"my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"})};
}

Problems check_in_range(std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return {};
  return {fmt::format("must be between {} and {}, inclusive", low, high)};
}
Problems check_port_number(std::int64_t port) { return check_in_range(port, 1, 65535); }
Problems check_user_id(std::int64_t id) { return check_in_range(id, 0, INT32_MAX); }
Problems check_group_id(std::int64_t id) { return check_in_range(id, 0, INT32_MAX); }

Problems check_port_name(std::string_view value) {
  Problems out;
  if (value.size() > kPortNameMax) out.push_back(too_long_problem(kPortNameMax));
  if (value.empty() || !all(value, is_dns_char)) {
    out.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(value.begin(), value.end(), is_lower)) {
    out.push_back("must contain at least one letter (a-z)");
  }
  if (value.find("--") != std::string_view::npos) out.push_back("must not contain consecutive hyphens");
  if (value.starts_with('-') || value.ends_with('-')) out.push_back("must not begin or end with a hyphen");
  return out;
}

Problems check_percent(std::string_view value) {
  if (value.size() > 1 && value.ends_with('%') && all(value.substr(0, value.size() - 1), is_digit)) return {};
  return {regex_problem("a valid percent string must be a numeric string followed by an ending '%'",
                        "[0-9]+%", {"1%", "93%"})};
}

Problems check_uuid(std::string_view value) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  const auto fits = [](char c, char form) {
    return form == '-' ? c == '-' : is_digit(c) || (c >= 'a' && c <= 'f');
  };
  if (std::equal(value.begin(), value.end(), kForm.begin(), kForm.end(), fits)) return {};
  return {"must be a lowercase UUID in 8-4-4-4-12 format"};
}

Problems check_name_is_subdomain(std::string_view name, bool prefix) {
  return check_dns1123_subdomain(masked(name, prefix));
}
Problems check_name_is_label(std::string_view name, bool prefix) {
  return check_dns1123_label(masked(name, prefix));
}
Problems check_name_is_dns1035_label(std::string_view name, bool prefix) {
  return check_dns1035_label(masked(name, prefix));
}

}  // namespace dray
