#include "api/service_address.h"

#include <string>
#include <string_view>

#include <fmt/core.h>

namespace dray::api {
namespace {

// 10.96.1.0 to 10.96.255.255 of Kubernetes' usual 10.96.0.0/12; the low addresses are for fixed services.
constexpr std::uint32_t kAddresses = 255U * 256U;
constexpr std::int32_t kNodePortMin = 30000;
constexpr std::uint32_t kNodePorts = 2768;

/// FNV-1a: the same on every machine.
std::uint32_t hash(std::string_view text) {
  std::uint32_t h = 2166136261U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h;
}

std::string address_of(const core::Service& service) {
  const std::uint32_t n = hash(service.metadata.namespace_ + "/" + service.metadata.name) % kAddresses;
  return fmt::format("10.96.{}.{}", 1 + n / 256, n % 256);
}

std::string family_of(std::string_view address) {
  return address.find(':') == std::string_view::npos ? "IPv4" : "IPv6";
}

void fill_families(core::ServiceSpec& spec) {
  if (!spec.ip_family_policy) spec.ip_family_policy = "SingleStack";
  if (!spec.ip_families.empty()) return;
  const bool headless = spec.cluster_ip == "None";
  spec.ip_families = {headless ? "IPv4" : family_of(spec.cluster_ip)};
  if (headless && spec.selector.empty() && spec.ip_family_policy == "SingleStack") {
    // A headless service without selector may have endpoints of either family.
    spec.ip_family_policy = "RequireDualStack";
    spec.ip_families = {"IPv4", "IPv6"};
  }
}

void fill_node_ports(core::Service& service) {
  const auto& type = service.spec.type;
  if (type != "NodePort" && type != "LoadBalancer") return;
  if (type == "LoadBalancer" && service.spec.allocate_load_balancer_node_ports == false) return;
  for (core::ServicePort& port : service.spec.ports) {
    if (port.node_port != 0) continue;
    const std::string key = fmt::format("{}/{}/{}/{}", service.metadata.namespace_, service.metadata.name,
                                        port.port, port.protocol);
    port.node_port = kNodePortMin + static_cast<std::int32_t>(hash(key) % kNodePorts);
  }
}

}  // namespace

void allocate_service_addresses(core::Service& service) {
  auto& spec = service.spec;
  fill_node_ports(service);
  if (spec.type == "ExternalName") return;
  if (spec.cluster_ip.empty()) {
    spec.cluster_ip = spec.cluster_ips.empty() ? address_of(service) : spec.cluster_ips.front();
  }
  if (spec.cluster_ips.empty()) spec.cluster_ips = {spec.cluster_ip};
  fill_families(spec);
}

}  // namespace dray::api
