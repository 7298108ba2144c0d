/// Endpoints and EndpointSlice.
#include <algorithm>

#include "api/addresses.h"
#include "api/core_validate.h"
#include "api/discovery_v1.h"
#include "api/kind_validate.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

constexpr std::int64_t kEndpointsMax = 1000;
constexpr std::int64_t kAddressesMax = 100;
constexpr std::int64_t kPortsMax = 20'000;
constexpr std::int64_t kTopologyLabelsMax = 16;
constexpr std::int64_t kHintsMax = 8;

void validate_protocol(std::string_view protocol, const FieldPath& at, Causes& out) {
  if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP")
    out.not_supported(at, protocol, {"SCTP", "TCP", "UDP"});
}

void validate_address(const core::EndpointAddress& address, const FieldPath& at, Causes& out) {
  out.invalid_each(at / "ip", address.ip, check_legacy_ip(address.ip));
  if (!address.hostname.empty()) validate_dns1123_label(address.hostname, at / "hostname", out);
  if (address.node_name) validate_name(check_name_is_subdomain, *address.node_name, at / "nodeName", out);
  validate_endpoint_ip(address.ip, at / "ip", out);
}

void validate_port(const core::EndpointPort& port, bool named, const FieldPath& at, Causes& out) {
  if (named && port.name.empty()) {
    out.required(at / "name");
  } else if (!port.name.empty()) {
    validate_dns1123_label(port.name, at / "name", out);
  }
  out.invalid_each(at / "port", port.port, check_port_number(port.port));
  if (port.protocol.empty()) {
    out.required(at / "protocol");
  } else {
    validate_protocol(port.protocol, at / "protocol", out);
  }
  if (port.app_protocol) validate_qualified_name(*port.app_protocol, at / "appProtocol", out);
}

void validate_subsets(const core::Endpoints& endpoints, Causes& out) {
  const FieldPath at("subsets");
  for (std::size_t i = 0; i < endpoints.subsets.size(); ++i) {
    const core::EndpointSubset& subset = endpoints.subsets[i];
    const FieldPath here = at / i;
    if (subset.addresses.empty() && subset.not_ready_addresses.empty())
      out.required(here, "must specify `addresses` or `notReadyAddresses`");
    for (std::size_t j = 0; j < subset.addresses.size(); ++j)
      validate_address(subset.addresses[j], here / "addresses" / j, out);
    for (std::size_t j = 0; j < subset.not_ready_addresses.size(); ++j)
      validate_address(subset.not_ready_addresses[j], here / "notReadyAddresses" / j, out);
    for (std::size_t j = 0; j < subset.ports.size(); ++j)
      validate_port(subset.ports[j], subset.ports.size() > 1, here / "ports" / j, out);
  }
}

void validate_slice_address(const std::string& address, std::string_view type, const FieldPath& list,
                            std::size_t index, Causes& out) {
  const FieldPath at = list / index;
  if (type == "FQDN") return validate_fully_qualified_domain_name(address, at, out);
  if (type != "IPv4" && type != "IPv6") return;
  const bool v4 = type == "IPv4";
  const Problems problems = v4 ? check_legacy_ip(address) : check_ip(address);
  if (!problems.empty()) return out.invalid_each(at, address, problems);
  if (v4 && !is_ipv4(address)) out.invalid(list, address, "must be an IPv4 address");
  if (!v4 && !is_ipv6(address)) out.invalid(list, address, "must be an IPv6 address");
  validate_endpoint_ip(address, at, out);
}

/// Zones or nodes: whether there are not too many.
template <class Hint>
bool validate_hint_names(const std::vector<Hint>& hints, const FieldPath& at, Problems (*check)(std::string_view),
                         Causes& out) {
  if (std::ssize(hints) > kHintsMax) {
    out.too_many(at, std::ssize(hints), kHintsMax);
    return false;
  }
  Names seen;
  for (std::size_t i = 0; i < hints.size(); ++i) {
    const FieldPath here = at / i / "name";
    if (!seen.insert(hints[i].name).second) out.duplicate(here, hints[i].name);
    out.invalid_each(here, hints[i].name, check(hints[i].name));
  }
  return true;
}

void validate_endpoint(const discovery::Endpoint& endpoint, std::string_view type, const FieldPath& at, Causes& out) {
  const FieldPath addresses = at / "addresses", topology = at / "deprecatedTopology", hints = at / "hints";
  const auto count = std::ssize(endpoint.addresses);
  if (count == 0) {
    out.required(addresses, "must contain at least 1 address");
  } else if (count > kAddressesMax) {
    out.too_many(addresses, count, kAddressesMax);
  }
  for (std::size_t i = 0; i < endpoint.addresses.size(); ++i)
    validate_slice_address(endpoint.addresses[i], type, addresses, i, out);
  if (endpoint.node_name) validate_name(check_name_is_subdomain, *endpoint.node_name, at / "nodeName", out);
  if (std::ssize(endpoint.deprecated_topology) > kTopologyLabelsMax)
    out.too_many(topology, std::ssize(endpoint.deprecated_topology), kTopologyLabelsMax);
  validate_labels(endpoint.deprecated_topology, topology, out);
  if (endpoint.hostname) validate_dns1123_label(*endpoint.hostname, at / "hostname", out);
  if (!endpoint.hints) return;
  if (!validate_hint_names(endpoint.hints->for_zones, hints / "forZones", check_label_value, out)) return;
  validate_hint_names(endpoint.hints->for_nodes, hints / "forNodes", check_dns1123_subdomain, out);
}

void validate_endpoints_of(const discovery::EndpointSlice& slice, Causes& out) {
  const FieldPath at("endpoints");
  if (std::ssize(slice.endpoints) > kEndpointsMax) return out.too_many(at, std::ssize(slice.endpoints), kEndpointsMax);
  for (std::size_t i = 0; i < slice.endpoints.size(); ++i)
    validate_endpoint(slice.endpoints[i], slice.address_type, at / i, out);
}

void validate_slice_ports(const discovery::EndpointSlice& slice, Causes& out) {
  const FieldPath at("ports");
  if (std::ssize(slice.ports) > kPortsMax) return out.too_many(at, std::ssize(slice.ports), kPortsMax);
  Names seen;
  for (std::size_t i = 0; i < slice.ports.size(); ++i) {
    const auto& port = slice.ports[i];
    const FieldPath here = at / i;
    const std::string name = port.name.value_or("");
    if (!name.empty()) validate_dns1123_label(name, here / "name", out);
    if (!seen.insert(name).second) out.duplicate(here / "name", name);
    if (!port.protocol) {
      out.required(here / "protocol");
    } else {
      validate_protocol(*port.protocol, here / "protocol", out);
    }
    if (port.app_protocol) validate_qualified_name(*port.app_protocol, here / "appProtocol", out);
  }
}

void validate_slice(const discovery::EndpointSlice& slice, Causes& out) {
  const FieldPath at("addressType");
  if (slice.address_type.empty()) {
    out.required(at);
  } else if (slice.address_type != "IPv4" && slice.address_type != "IPv6" && slice.address_type != "FQDN") {
    out.not_supported(at, slice.address_type, {"FQDN", "IPv4", "IPv6"});
  }
  validate_slice_ports(slice, out);
}

}  // namespace

void validate_endpoints_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_subsets(cast<core::Endpoints>(object), out);
}

void validate_endpoints_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& endpoints = cast<core::Endpoints>(fresh);
  core::Endpoints same = cast<core::Endpoints>(old);
  same.metadata = endpoints.metadata;
  if (!equal(endpoints, same)) validate_subsets(endpoints, out);
}

void validate_endpoint_slice_create(const HookContext&, const Object& object, Causes& out) {
  const auto& slice = cast<discovery::EndpointSlice>(object);
  validate_object_metadata(slice.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_slice(slice, out);
  validate_endpoints_of(slice, out);
}

void validate_endpoint_slice_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& slice = cast<discovery::EndpointSlice>(fresh);
  const auto& stored = cast<discovery::EndpointSlice>(old);
  validate_slice(slice, out);
  discovery::EndpointSlice same = stored;
  same.metadata = slice.metadata;
  same.ports = slice.ports;
  same.address_type = slice.address_type;
  if (!equal(slice, same)) validate_endpoints_of(slice, out);
  out.immutable(FieldPath("addressType"), slice.address_type, stored.address_type);
}

}  // namespace dray::api
