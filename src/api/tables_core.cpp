/// Rows of core's kinds beside the pod.
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "api/discovery_v1.h"
#include "api/hooks.h"
#include "api/tables.h"
#include "api/tables_text.h"

namespace dray::api {
namespace {

constexpr std::size_t kEndpointsMax = 3;
constexpr std::string_view kRolePrefix = "node-role.kubernetes.io/";

std::string node_status(const core::Node& node) {
  std::string out = "Unknown";
  for (const core::NodeCondition& condition : node.status.conditions)
    if (condition.type == "Ready") out = condition.status == "True" ? "Ready" : "NotReady";
  return node.spec.unschedulable ? out + ",SchedulingDisabled" : out;
}

std::string node_roles(const core::Node& node) {
  std::set<std::string_view> roles;
  for (const auto& [label, value] : node.metadata.labels) {
    if (label.starts_with(kRolePrefix) && label.size() > kRolePrefix.size())
      roles.insert(std::string_view(label).substr(kRolePrefix.size()));
    if (label == "kubernetes.io/role" && !value.empty()) roles.insert(value);
  }
  return roles.empty() ? kNone : fmt::format("{}", fmt::join(roles, ","));
}

std::string node_address(const core::Node& node, std::string_view type) {
  const auto found = std::ranges::find(node.status.addresses, type, &core::NodeAddress::type);
  return found == node.status.addresses.end() ? kNone : found->address;
}

std::string balancer_address(const core::LoadBalancerStatus& status) {
  std::set<std::string_view> addresses;
  for (const auto& ingress : status.ingress)
    if (const auto& text = ingress.ip.empty() ? ingress.hostname : ingress.ip; !text.empty()) addresses.insert(text);
  return fmt::format("{}", fmt::join(addresses, ","));
}

std::string external_address(const core::Service& service) {
  const std::string external = fmt::format("{}", fmt::join(service.spec.external_ips, ","));
  const auto& type = service.spec.type;
  if (type == "ClusterIP" || type == "NodePort") return or_text(external, kNone);
  if (type == "ExternalName") return service.spec.external_name;
  if (type != "LoadBalancer") return "<unknown>";
  const std::string balanced = balancer_address(service.status.load_balancer);
  if (external.empty()) return or_text(balanced, "<pending>");
  return balanced.empty() ? external : balanced + "," + external;
}

std::string service_ports(const core::Service& service) {
  std::vector<std::string> out;
  for (const core::ServicePort& port : service.spec.ports)
    out.push_back(port.node_port > 0 ? fmt::format("{}:{}/{}", port.port, port.node_port, port.protocol)
                                     : fmt::format("{}/{}", port.port, port.protocol));
  return out.empty() ? kNone : fmt::format("{}", fmt::join(out, ","));
}

std::string host_port(const std::string& host, std::int32_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string endpoints_text(const core::Endpoints& endpoints) {
  if (endpoints.subsets.empty()) return kNone;
  std::vector<std::string> shown;
  std::size_t total = 0;
  const auto show = [&](std::string text) {
    if (shown.size() < kEndpointsMax) shown.push_back(std::move(text));
    ++total;
  };
  for (const auto& subset : endpoints.subsets) {
    if (subset.ports.empty())
      for (const auto& address : subset.addresses) show(address.ip);
    for (const auto& port : subset.ports)
      for (const auto& address : subset.addresses) show(host_port(address.ip, port.port));
  }
  return with_more(shown, total);
}

std::string quantity_text(const std::map<std::string, Quantity>& list, const char* name) {
  const auto found = list.find(name);
  return found == list.end() ? "0" : found->second.str();
}

std::string since(const MicroTime& time, Now now) {
  return time.is_zero() ? "<unknown>" : human_duration(now.wall - time.wall());
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t\r\n\v\f");
  if (from == std::string::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n\v\f") - from + 1);
}

std::string event_source(const core::Event& event) {
  const std::string& component =
      event.source.component.empty() ? event.reporting_component : event.source.component;
  const std::string& instance = event.source.host.empty() ? event.reporting_instance : event.source.host;
  return instance.empty() ? component : component + ", " + instance;
}

}  // namespace

Value::List node_row(const Object& object, Now now) {
  const auto& node = cast<core::Node>(object);
  const auto& info = node.status.node_info;
  std::string kernel = or_text(info.kernel_version, "<unknown>");
  if (!info.architecture.empty()) kernel += " (" + info.architecture + ")";
  return {node.metadata.name,
          node_status(node),
          node_roles(node),
          age_of(object, now),
          info.kubelet_version,
          node_address(node, "InternalIP"),
          node_address(node, "ExternalIP"),
          or_text(info.os_image, "<unknown>"),
          kernel,
          or_text(info.container_runtime_version, "<unknown>")};
}

Value::List namespace_row(const Object& object, Now now) {
  return {object.metadata.name, cast<core::Namespace>(object).status.phase, age_of(object, now)};
}

Value::List config_map_row(const Object& object, Now now) {
  const auto& map = cast<core::ConfigMap>(object);
  return {map.metadata.name, static_cast<std::int64_t>(map.data.size() + map.binary_data.size()),
          age_of(object, now)};
}

Value::List secret_row(const Object& object, Now now) {
  const auto& secret = cast<core::Secret>(object);
  return {secret.metadata.name, secret.type, static_cast<std::int64_t>(secret.data.size()), age_of(object, now)};
}

Value::List service_account_row(const Object& object, Now now) {
  return {object.metadata.name, age_of(object, now)};
}

Value::List resource_quota_row(const Object& object, Now now) {
  const auto& quota = cast<core::ResourceQuota>(object);
  std::vector<std::string> requests, limits;
  for (const auto& [name, hard] : quota.status.hard) {
    auto& column = name.starts_with("limits.") ? limits : requests;
    column.push_back(
        fmt::format("{}: {}/{}", name, quantity_text(quota.status.used, name.c_str()), hard.str()));
  }
  return {quota.metadata.name, fmt::format("{}", fmt::join(requests, ", ")),
          fmt::format("{}", fmt::join(limits, ", ")), age_of(object, now)};
}

Value::List volume_row(const Object& object, Now now) {
  const auto& volume = cast<core::PersistentVolume>(object);
  const auto& spec = volume.spec;
  return {volume.metadata.name,
          quantity_text(spec.capacity, "storage"),
          access_modes_text(spec.access_modes),
          spec.persistent_volume_reclaim_policy,
          volume.metadata.deletion_timestamp ? "Terminating" : volume.status.phase,
          spec.claim_ref ? spec.claim_ref->namespace_ + "/" + spec.claim_ref->name : "",
          spec.storage_class_name,
          spec.volume_attributes_class_name.value_or(kUnset),
          volume.status.reason,
          age_of(object, now),
          spec.volume_mode.value_or(kUnset)};
}

Value::List service_row(const Object& object, Now now) {
  const auto& service = cast<core::Service>(object);
  const auto& ips = service.spec.cluster_ips;
  return {service.metadata.name,     service.spec.type,     ips.empty() ? kNone : ips.front(),
          external_address(service), service_ports(service), age_of(object, now),
          labels_text(service.spec.selector)};
}

Value::List endpoints_row(const Object& object, Now now) {
  return {object.metadata.name, endpoints_text(cast<core::Endpoints>(object)), age_of(object, now)};
}

Value::List endpoint_slice_row(const Object& object, Now now) {
  const auto& slice = cast<discovery::EndpointSlice>(object);
  std::vector<std::string> ports, addresses;
  std::size_t address_count = 0;
  for (const auto& port : slice.ports)
    if (ports.size() < kEndpointsMax)
      ports.push_back(port.port ? std::to_string(*port.port) : port.name.value_or("*"));
  for (const auto& endpoint : slice.endpoints)
    for (const std::string& address : endpoint.addresses) {
      if (addresses.size() < kEndpointsMax) addresses.push_back(address);
      ++address_count;
    }
  return {slice.metadata.name, slice.address_type,
          or_text(with_more(ports, slice.ports.size()), kUnset),
          or_text(with_more(addresses, address_count), kUnset), age_of(object, now)};
}

Value::List event_row(const Object& object, Now now) {
  const auto& event = cast<core::Event>(object);
  const std::string first =
      event.first_timestamp.is_zero() ? since(event.event_time, now) : age(event.first_timestamp, now);
  std::string last = event.last_timestamp.is_zero() ? first : age(event.last_timestamp, now);
  std::int64_t count = event.count;
  if (event.series) {
    last = since(event.series->last_observed_time, now);
    count = event.series->count;
  } else if (count == 0) {
    count = 1;
  }
  const auto& involved = event.involved_object;
  std::string target = lower(involved.kind);
  if (!involved.name.empty()) target += "/" + involved.name;
  return {last,  event.type,           event.reason,           target, involved.field_path,
          event_source(event), trimmed(event.message), first, count,  event.metadata.name};
}

Value::List created_row(const Object& object, Now) {
  const Time& created = object.metadata.creation_timestamp;
  return {object.metadata.name, created.is_zero() ? Value() : Value(created.str())};
}

Value::List volume_claim_row(const Object& object, Now now) {
  const auto& claim = cast<core::PersistentVolumeClaim>(object);
  const auto& spec = claim.spec;
  const bool bound = !spec.volume_name.empty();
  return {claim.metadata.name,
          claim.metadata.deletion_timestamp ? "Terminating" : claim.status.phase,
          spec.volume_name,
          bound ? quantity_text(claim.status.capacity, "storage") : "",
          bound ? access_modes_text(claim.status.access_modes) : "",
          spec.storage_class_name.value_or(""),
          spec.volume_attributes_class_name.value_or(kUnset),
          age_of(claim, now),
          spec.volume_mode.value_or(kUnset)};
}

}  // namespace dray::api
