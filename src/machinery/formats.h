/// Checks of names and other small formats, with Kubernetes' texts. Each returns what is wrong with the
/// value; nothing is wrong with a good one.
/// Source: k8s.io/apimachinery/pkg/util/validation, pkg/api/validate/content, pkg/api/validation.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace dray {

using Problems = std::vector<std::string>;

/// IsDNS1123Label: [a-z0-9]([-a-z0-9]*[a-z0-9])?, at most 63.
[[nodiscard]] Problems check_dns1123_label(std::string_view value);
/// IsDNS1123Subdomain: labels joined by dots, at most 253.
[[nodiscard]] Problems check_dns1123_subdomain(std::string_view value);
[[nodiscard]] Problems check_dns1123_subdomain_with_underscore(std::string_view value);
[[nodiscard]] Problems check_wildcard_dns1123_subdomain(std::string_view value);
/// The same two as declarative validation has them (k8s-short-name, k8s-long-name): "bytes" in the
/// text of what is too long.
[[nodiscard]] Problems check_short_name(std::string_view value);
[[nodiscard]] Problems check_long_name(std::string_view value);
/// IsDNS1035Label: as a DNS-1123 label, but starts with a letter.
[[nodiscard]] Problems check_dns1035_label(std::string_view value);

/// IsQualifiedName, IsLabelKey: "[prefix/]name".
[[nodiscard]] Problems check_qualified_name(std::string_view value);
[[nodiscard]] Problems check_label_value(std::string_view value);
[[nodiscard]] Problems check_c_identifier(std::string_view value);
/// IsEnvVarName (letters, digits, _ - .) and the relaxed form of 1.34 (printable ASCII but '=').
[[nodiscard]] Problems check_env_var_name(std::string_view value);
[[nodiscard]] Problems check_relaxed_env_var_name(std::string_view value);
[[nodiscard]] Problems check_config_map_key(std::string_view value);
[[nodiscard]] Problems check_http_header_name(std::string_view value);
/// IsValidPathSegmentName: not "." or "..", without "/" and "%". As a prefix, "." and ".." are fine.
[[nodiscard]] Problems check_path_segment_name(std::string_view value, bool prefix = false);
[[nodiscard]] Problems check_condition_reason(std::string_view value);

/// IsValidPortNum: 1 to 65535.
[[nodiscard]] Problems check_port_number(std::int64_t port);
[[nodiscard]] Problems check_port_name(std::string_view value);
[[nodiscard]] Problems check_in_range(std::int64_t value, std::int64_t low, std::int64_t high);
/// 0 to 2^31-1.
[[nodiscard]] Problems check_user_id(std::int64_t id);
[[nodiscard]] Problems check_group_id(std::int64_t id);
/// "[0-9]+%".
[[nodiscard]] Problems check_percent(std::string_view value);
/// A lower-case UUID, 8-4-4-4-12.
[[nodiscard]] Problems check_uuid(std::string_view value);

/// IsValidIP: an address in canonical form, no leading zeros, not IPv4-mapped.
[[nodiscard]] Problems check_ip(std::string_view value);
/// IsValidIPForLegacyField with strict validation: need not be canonical.
[[nodiscard]] Problems check_legacy_ip(std::string_view value);
/// IsValidCIDR: a subnet in canonical form; IsValidInterfaceAddress: an address with its prefix length.
[[nodiscard]] Problems check_cidr(std::string_view value);
[[nodiscard]] Problems check_interface_address(std::string_view value);

/// The names of most kinds. A generateName is a prefix: it may end in "-".
[[nodiscard]] Problems check_name_is_subdomain(std::string_view name, bool prefix = false);
[[nodiscard]] Problems check_name_is_label(std::string_view name, bool prefix = false);
[[nodiscard]] Problems check_name_is_dns1035_label(std::string_view name, bool prefix = false);

/// The texts themselves.
[[nodiscard]] std::string too_long_problem(int characters_max);
/// "message (e.g. 'a', or 'b', regex used for validation is 'regex')"
[[nodiscard]] std::string regex_problem(std::string_view message, std::string_view regex,
                                        std::initializer_list<std::string_view> examples = {});

}  // namespace dray
