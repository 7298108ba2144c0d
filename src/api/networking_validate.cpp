/// Ingress, IngressClass and NetworkPolicy.
#include <algorithm>

#include <fmt/core.h>

#include "api/addresses.h"
#include "api/core_validate.h"
#include "api/kind_validate.h"
#include "api/networking_v1.h"

namespace dray::api {
namespace {

constexpr std::size_t kControllerBytesMax = 250;
constexpr std::string_view kIngressClassAnnotation = "kubernetes.io/ingress.class";

using Cidrs = std::vector<std::string>;

void validate_policy_port(const networking::NetworkPolicyPort& port, const FieldPath& at, Causes& out) {
  if (port.protocol && *port.protocol != "TCP" && *port.protocol != "UDP" && *port.protocol != "SCTP")
    out.not_supported(at / "protocol", *port.protocol, {"TCP", "UDP", "SCTP"});
  if (!port.port) {
    if (port.end_port)
      out.invalid(at / "endPort", *port.end_port, "may not be specified when `port` is not specified");
  } else if (port.port->is_string) {
    if (port.end_port)
      out.invalid(at / "endPort", *port.end_port, "may not be specified when `port` is non-numeric");
    out.invalid_each(at / "port", port.port->text, check_port_name(port.port->text));
  } else {
    const std::int32_t number = port.port->number;
    out.invalid_each(at / "port", number, check_port_number(number));
    if (!port.end_port) return;
    if (*port.end_port < number)
      out.invalid(at / "endPort", *port.end_port, "must be greater than or equal to `port`");
    out.invalid_each(at / "endPort", *port.end_port, check_port_number(*port.end_port));
  }
}

void validate_block(const networking::IPBlock& block, const Cidrs& known, const FieldPath& at, Causes& out) {
  const auto check = [&](const std::string& cidr, const FieldPath& here) {
    if (std::find(known.begin(), known.end(), cidr) == known.end()) out.invalid_each(here, cidr, check_cidr(cidr));
  };
  if (block.cidr.empty()) return out.required(at / "cidr");
  check(block.cidr, at / "cidr");
  for (std::size_t i = 0; i < block.except.size(); ++i) {
    const FieldPath here = at / "except" / i;
    check(block.except[i], here);
    if (const auto inside = is_strict_subnet(block.except[i], block.cidr); inside && !*inside)
      out.invalid(here, block.except[i], "must be a strict subset of `cidr`");
  }
}

void validate_peer(const networking::NetworkPolicyPeer& peer, const Cidrs& known, const FieldPath& at, Causes& out) {
  if (peer.pod_selector) validate_label_selector(*peer.pod_selector, at / "podSelector", out);
  if (peer.namespace_selector) validate_label_selector(*peer.namespace_selector, at / "namespaceSelector", out);
  if (peer.ip_block) validate_block(*peer.ip_block, known, at / "ipBlock", out);
  if (!peer.pod_selector && !peer.namespace_selector && !peer.ip_block)
    out.required(at, "must specify a peer");
  else if (peer.ip_block && (peer.pod_selector || peer.namespace_selector))
    out.forbidden(at, "may not specify both ipBlock and another peer");
}

void validate_rule(const std::vector<networking::NetworkPolicyPort>& ports,
                   const std::vector<networking::NetworkPolicyPeer>& peers, std::string_view peers_name,
                   const Cidrs& known, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < ports.size(); ++i) validate_policy_port(ports[i], at / "ports" / i, out);
  for (std::size_t i = 0; i < peers.size(); ++i) validate_peer(peers[i], known, at / peers_name / i, out);
}

void validate_policy(const networking::NetworkPolicySpec& spec, const Cidrs& known, Causes& out) {
  const FieldPath at("spec");
  validate_label_selector(spec.pod_selector, at / "podSelector", out);
  for (std::size_t i = 0; i < spec.ingress.size(); ++i)
    validate_rule(spec.ingress[i].ports, spec.ingress[i].from, "from", known, at / "ingress" / i, out);
  for (std::size_t i = 0; i < spec.egress.size(); ++i)
    validate_rule(spec.egress[i].ports, spec.egress[i].to, "to", known, at / "egress" / i, out);
  const FieldPath types = at / "policyTypes";
  if (spec.policy_types.size() > 2)
    return out.invalid(types, spec.policy_types, "may not specify more than two policyTypes");
  for (std::size_t i = 0; i < spec.policy_types.size(); ++i) {
    const std::string& type = spec.policy_types[i];
    if (type != "Ingress" && type != "Egress") out.not_supported(types / i, type, {"Ingress", "Egress"});
  }
}

Cidrs cidrs_of(const networking::NetworkPolicySpec& spec) {
  Cidrs out;
  const auto collect = [&](const std::vector<networking::NetworkPolicyPeer>& peers) {
    for (const auto& peer : peers) {
      if (!peer.ip_block) continue;
      out.push_back(peer.ip_block->cidr);
      out.insert(out.end(), peer.ip_block->except.begin(), peer.ip_block->except.end());
    }
  };
  for (const auto& rule : spec.ingress) collect(rule.from);
  for (const auto& rule : spec.egress) collect(rule.to);
  return out;
}

void validate_reference(const core::TypedLocalObjectReference& reference, const FieldPath& at, Causes& out) {
  if (reference.api_group) validate_dns1123_subdomain(*reference.api_group, at / "apiGroup", out);
  for (const auto& [name, value] : {std::pair("kind", &reference.kind), std::pair("name", &reference.name)}) {
    if (value->empty()) {
      out.required(at / name);
    } else {
      out.invalid_each(at / name, *value, check_path_segment_name(*value));
    }
  }
}

void validate_backend(const networking::IngressBackend& backend, const FieldPath& at, Causes& out) {
  if (backend.resource && backend.service) return out.invalid(at, "", "cannot set both resource and service backends");
  if (backend.resource) return validate_reference(*backend.resource, at / "resource", out);
  if (!backend.service) return out.invalid(at, "", "resource or service backend is required");
  const FieldPath service = at / "service";
  const auto& [name, port] = *backend.service;
  if (name.empty()) {
    out.required(service / "name");
  } else {
    validate_name(check_name_is_label, name, service / "name", out);
  }
  if (!port.name.empty() && port.number != 0) {
    out.invalid(at, "", "cannot set both port name & port number");
  } else if (!port.name.empty()) {
    out.invalid_each(service / "port" / "name", port.name, check_port_name(port.name));
  } else if (port.number != 0) {
    out.invalid_each(service / "port" / "number", port.number, check_port_number(port.number));
  } else {
    out.required(at, "port name or number is required");
  }
}

void validate_ingress_path(const networking::HTTPIngressPath& path, const FieldPath& at, Causes& out) {
  if (!path.path_type) return out.required(at / "pathType", "pathType must be specified");
  const FieldPath here = at / "path";
  const std::string& text = path.path;
  const bool absolute = text.starts_with('/');
  if (*path.path_type == "Exact" || *path.path_type == "Prefix") {
    if (!absolute) out.invalid(here, text, "must be an absolute path");
    for (const std::string_view part : {"//", "/./", "/../", "%2f", "%2F"})
      if (text.find(part) != std::string::npos) out.invalid(here, text, fmt::format("must not contain '{}'", part));
    for (const std::string_view end : {"/..", "/."})
      if (text.ends_with(end)) out.invalid(here, text, fmt::format("cannot end with '{}'", end));
  } else if (*path.path_type == "ImplementationSpecific") {
    if (!text.empty() && !absolute) out.invalid(here, text, "must be an absolute path");
  } else {
    out.not_supported(at / "pathType", *path.path_type, {"Exact", "ImplementationSpecific", "Prefix"});
  }
  validate_backend(path.backend, at / "backend", out);
}

void validate_host(const std::string& host, const FieldPath& at, Causes& out) {
  const bool wildcard = host.find('*') != std::string::npos;
  out.invalid_each(at, host, wildcard ? check_wildcard_dns1123_subdomain(host) : check_dns1123_subdomain(host));
}

void validate_ingress(const networking::IngressSpec& spec, const networking::IngressSpec* old, Causes& out) {
  const FieldPath at("spec");
  if (spec.rules.empty() && !spec.default_backend)
    out.invalid(at, BadValue::raw("null"), "either `defaultBackend` or `rules` must be specified");
  if (spec.default_backend) validate_backend(*spec.default_backend, at / "defaultBackend", out);
  for (std::size_t i = 0; i < spec.rules.size(); ++i) {
    const auto& rule = spec.rules[i];
    const FieldPath here = at / "rules" / i, host = here / "host", paths = here / "http" / "paths";
    if (!rule.host.empty()) {
      if (check_legacy_ip(rule.host).empty()) out.invalid(host, rule.host, "must be a DNS name, not an IP address");
      validate_host(rule.host, host, out);
    }
    if (!rule.ingress_rule_value.http) continue;
    const auto& values = rule.ingress_rule_value.http->paths;
    if (values.empty()) out.required(paths);
    for (std::size_t j = 0; j < values.size(); ++j) validate_ingress_path(values[j], paths / j, out);
  }
  const auto bad_secret = [](const networking::IngressTLS& tls) {
    return !tls.secret_name.empty() && !check_name_is_subdomain(tls.secret_name).empty();
  };
  const bool had_bad_secret = old && std::any_of(old->tls.begin(), old->tls.end(), bad_secret);
  for (std::size_t i = 0; i < spec.tls.size(); ++i) {
    const auto& tls = spec.tls[i];
    const FieldPath here = at / "tls" / i;
    for (std::size_t j = 0; j < tls.hosts.size(); ++j) validate_host(tls.hosts[j], here / "hosts" / j, out);
    if (bad_secret(tls) && !had_bad_secret)
      validate_name(check_name_is_subdomain, tls.secret_name, here / "secretName", out);
  }
  if (spec.ingress_class_name)
    validate_name(check_name_is_subdomain, *spec.ingress_class_name, at / "ingressClassName", out);
}

void validate_class_parameters(const networking::IngressClassParametersReference& parameters, const FieldPath& at,
                               Causes& out) {
  core::TypedLocalObjectReference local;
  local.api_group = parameters.api_group;
  local.kind = parameters.kind;
  local.name = parameters.name;
  validate_reference(local, at, out);
  const FieldPath space = at / "namespace";
  if (!parameters.scope) {
    out.required(at / "scope");
  } else if (*parameters.scope == "Namespace") {
    if (!parameters.namespace_) return out.required(space, "`parameters.scope` is set to 'Namespace'");
    validate_name(check_name_is_label, *parameters.namespace_, space, out);
  } else if (*parameters.scope == "Cluster") {
    if (parameters.namespace_) out.forbidden(space, "`parameters.scope` is set to 'Cluster'");
  } else {
    out.not_supported(at / "scope", *parameters.scope, {"Cluster", "Namespace"});
  }
}

void validate_ingress_class(const networking::IngressClassSpec& spec, Causes& out) {
  const FieldPath at("spec"), controller = at / "controller";
  if (spec.controller.size() > kControllerBytesMax) out.too_long(controller, kControllerBytesMax);
  validate_domain_prefixed_path(spec.controller, controller, out);
  if (spec.parameters) validate_class_parameters(*spec.parameters, at / "parameters", out);
}

}  // namespace

void validate_network_policy_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_policy(cast<networking::NetworkPolicy>(object).spec, {}, out);
}

void validate_network_policy_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_policy(cast<networking::NetworkPolicy>(fresh).spec,
                  cidrs_of(cast<networking::NetworkPolicy>(old).spec), out);
}

void validate_ingress_create(const HookContext&, const Object& object, Causes& out) {
  const auto& ingress = cast<networking::Ingress>(object);
  validate_object_metadata(ingress.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_ingress(ingress.spec, nullptr, out);
  const auto annotation = ingress.metadata.annotations.find(std::string(kIngressClassAnnotation));
  const auto& name = ingress.spec.ingress_class_name;
  if (annotation != ingress.metadata.annotations.end() && name && annotation->second != *name)
    out.invalid(FieldPath("annotations") / kIngressClassAnnotation, annotation->second,
                "must match `ingressClassName` when both are specified");
}

void validate_ingress_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_ingress(cast<networking::Ingress>(fresh).spec, &cast<networking::Ingress>(old).spec, out);
}

void validate_ingress_status(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  const auto& ingress = cast<networking::Ingress>(fresh).status.load_balancer.ingress;
  const FieldPath at("status"), list = at / "loadBalancer" / "ingress";
  for (std::size_t i = 0; i < ingress.size(); ++i) {
    const FieldPath here = list / i;
    if (!ingress[i].ip.empty()) out.invalid_each(here / "ip", ingress[i].ip, check_legacy_ip(ingress[i].ip));
    if (ingress[i].hostname.empty()) continue;
    validate_dns1123_subdomain(ingress[i].hostname, here / "hostname", out);
    if (check_legacy_ip(ingress[i].hostname).empty())
      out.invalid(here / "hostname", ingress[i].hostname, "must be a DNS name, not an IP address");
  }
}

void validate_ingress_class_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, false, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_ingress_class(cast<networking::IngressClass>(object).spec, out);
}

void validate_ingress_class_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& spec = cast<networking::IngressClass>(fresh).spec;
  const FieldPath at("spec");
  out.immutable(at / "controller", spec.controller, cast<networking::IngressClass>(old).spec.controller);
  validate_ingress_class(spec, out);
}

}  // namespace dray::api
