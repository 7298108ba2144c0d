#include "api/declarative_formats.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace dray::api {
namespace {

constexpr int kDomainMax = 63;
constexpr int kIdentifierMax = 32;
constexpr int kPoolNameMax = 253;
constexpr std::size_t kSubdomainMax = 253;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t slash; (slash = text.find('/')) != std::string_view::npos;) {
    parts.push_back(text.substr(0, slash));
    text.remove_prefix(slash + 1);
  }
  parts.push_back(text);
  return parts;
}

Problems prefixed(std::string_view prefix, Problems problems) {
  for (std::string& problem : problems) problem.insert(0, prefix);
  return problems;
}

template <Problems (*check)(std::string_view)>
void simple(std::string_view value, const FieldPath& at, Causes& out) {
  out.invalid_each(at, value, check(value));
}

void path_segment_name(std::string_view value, const FieldPath& at, Causes& out) {
  out.invalid_each(at, value, check_path_segment_name(value));
}

void prefixed_label_key(std::string_view value, const FieldPath& at, Causes& out) {
  Problems problems = check_qualified_name(value);
  if (problems.empty() && value.find('/') == std::string_view::npos) {
    problems.push_back("must include a prefix (e.g. 'example.com/key')");
  }
  out.invalid_each(at, value, problems);
}

void uuid(std::string_view value, const FieldPath& at, Causes& out) {
  if (!check_uuid(value).empty()) {
    out.invalid(at, value, "must be a lowercase UUID in 8-4-4-4-12 format");
  }
}

void pool_name(std::string_view value, const FieldPath& at, Causes& out) {
  if (value.size() > kPoolNameMax) out.too_long(at, kPoolNameMax);
  const auto segments = split(value);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].empty()) {
      out.invalid(at, value, fmt::format("segment {}: must not be empty", i));
    } else {
      out.invalid_each(at, segments[i],
                       prefixed(fmt::format("segment {}: ", i), check_long_name(segments[i])));
    }
  }
}

void extended_resource_name(std::string_view value, const FieldPath& at, Causes& out) {
  if (value.find('/') == std::string_view::npos) {
    out.invalid(at, value, "a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (value.find("kubernetes.io/") != std::string_view::npos) {
    out.invalid(at, value, R"(must not have "kubernetes.io/" domain)");
  }
  if (value.starts_with("requests.")) out.invalid(at, value, R"(must not have "requests." prefix)");
  // A quota names it with this prefix.
  out.invalid_each(at, value, check_qualified_name("requests." + std::string(value)));
}

void identifier(std::string_view value, const FieldPath& at, Causes& out) {
  if (value.size() > kIdentifierMax) out.too_long(at, kIdentifierMax);
  out.invalid_each(at, value, check_c_identifier(value));
}

struct Format {
  std::string_view name;
  FormatCheck check;
};
constexpr Format kFormats[] = {
    {"k8s-short-name", simple<check_short_name>},
    {"k8s-long-name", simple<check_long_name>},
    {"k8s-long-name-caseless", simple<check_subdomain_caseless>},
    {"k8s-label-key", simple<check_qualified_name>},
    {"k8s-prefixed-label-key", prefixed_label_key},
    {"k8s-label-value", simple<check_label_value>},
    {"k8s-path-segment-name", path_segment_name},
    {"k8s-uuid", uuid},
    {"k8s-resource-pool-name", pool_name},
    {"k8s-extended-resource-name", extended_resource_name},
    {"k8s-resource-fully-qualified-name", check_fully_qualified_name},
};

}  // namespace

FormatCheck find_format(std::string_view format) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.check;
  }
  return nullptr;
}

Problems check_subdomain_caseless(std::string_view value) {
  std::string lower(value);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  // A long value may be fine but for its length.
  const bool too_long = value.size() > kSubdomainMax;
  const Problems problems = check_long_name(lower);
  Problems out;
  if (too_long) out.push_back(problems.front());
  if (problems.size() > (too_long ? 1U : 0U)) {
    out.push_back(regex_problem(
        "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and "
        "end with an alphanumeric character",
        R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)", {"Example.com"}));
  }
  return out;
}

void check_fully_qualified_name(std::string_view value, const FieldPath& at, Causes& out) {
  const auto parts = split(value);
  if (parts.size() == 1) {
    identifier(value, at, out);
    out.invalid(at, value, "a fully qualified name must be a domain and a name separated by a slash");
  }
  if (parts.size() != 2) return;
  if (parts[0].empty()) {
    out.invalid(at, "", "prefix must not be empty");
  } else {
    if (parts[0].size() > kDomainMax) out.too_long(at, kDomainMax);
    out.invalid_each(at, parts[0], prefixed("prefix: ", check_long_name(parts[0])));
  }
  if (parts[1].empty()) {
    out.invalid(at, "", "name must not be empty");
  } else {
    identifier(parts[1], at, out);
  }
}

}  // namespace dray::api
