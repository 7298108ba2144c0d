#include "cli/allocate_command.h"

#include <iostream>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "api/core_v1.h"
#include "api/kind.h"
#include "api/resource_v1.h"
#include "cli/manifests.h"
#include "dra/allocated_state.h"
#include "dra/allocator.h"
#include "dra/extended_resource.h"
#include "dra/inventory.h"
#include "dra/json_lines.h"
#include "machinery/codec.h"

namespace dray::cli {

namespace {

using ClaimPtr = std::shared_ptr<const resource::ResourceClaim>;

/// What the files say about devices.
struct Cluster {
  std::vector<std::shared_ptr<const core::Node>> nodes;
  std::vector<std::shared_ptr<const resource::ResourceSlice>> slices;
  std::vector<std::shared_ptr<const resource::DeviceClass>> classes;
  std::vector<std::shared_ptr<const resource::DeviceTaintRule>> rules;
  std::vector<ClaimPtr> allocated, claims;
};

ClaimPtr claim_of(const resource::ResourceClaimTemplate& of) {
  auto claim = std::make_shared<resource::ResourceClaim>();
  claim->metadata.name = of.metadata.name;
  claim->metadata.namespace_ = of.metadata.namespace_;
  claim->spec = of.spec.spec;
  return claim;
}

Result<Cluster> read(const std::vector<std::string>& files) {
  const api::Registry registry = api::Registry::built_in();
  TRY_ASSIGN(const std::vector<Manifest> manifests, load_manifests(registry, files));
  Cluster out;
  for (const Manifest& manifest : manifests) {
    if (manifest.kind->hooks.set_defaults != nullptr) manifest.kind->hooks.set_defaults(*manifest.object);
    const ObjectPtr object = manifest.object;
    if (auto node = as<core::Node>(object)) out.nodes.push_back(std::move(node));
    if (auto slice = as<resource::ResourceSlice>(object)) out.slices.push_back(std::move(slice));
    if (auto device_class = as<resource::DeviceClass>(object)) out.classes.push_back(std::move(device_class));
    if (auto rule = as<resource::DeviceTaintRule>(object)) out.rules.push_back(std::move(rule));
    if (auto of = as<resource::ResourceClaimTemplate>(object)) out.claims.push_back(claim_of(*of));
    if (auto claim = as<resource::ResourceClaim>(object))
      (claim->status.allocation ? out.allocated : out.claims).push_back(std::move(claim));
  }
  // Files often have slices without the nodes that they name.
  std::map<std::string, bool> known;
  for (const auto& node : out.nodes) known[node->metadata.name] = true;
  for (const auto& slice : out.slices) {
    if (!slice->spec.node_name || !known.emplace(*slice->spec.node_name, true).second) continue;
    auto node = std::make_shared<core::Node>();
    node->metadata.name = *slice->spec.node_name;
    node->metadata.labels["kubernetes.io/hostname"] = *slice->spec.node_name;
    out.nodes.push_back(std::move(node));
  }
  return out;
}

Result<dra::Features> features_of(const std::vector<std::string>& gates) {
  std::map<std::string, bool> parsed;
  for (const std::string& gate : gates) {
    const std::size_t equals = gate.find('=');
    const std::string value = equals == std::string::npos ? "true" : gate.substr(equals + 1);
    if (value != "true" && value != "false")
      return fail(Code::kInvalid, fmt::format("--feature-gates: {}: must be true or false", gate));
    parsed[gate.substr(0, equals)] = value == "true";
  }
  return dra::features_from(parsed);
}

void print_results(const std::vector<ClaimPtr>& claims, const std::vector<resource::AllocationResult>& results,
                   std::ostream& out) {
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (const auto& result : results[i].devices.results) {
      fmt::print(out, "  {} {}: {}/{}/{}", claims[i]->metadata.name, result.request, result.driver, result.pool,
                 result.device);
      for (const auto& [name, quantity] : result.consumed_capacity) fmt::print(out, " {}={}", name, quantity.str());
      out << (result.admin_access.value_or(false) ? " (admin access)\n" : "\n");
    }
  }
}

std::string indented(const std::string& text) {
  std::string out;
  bool start = true;
  for (const char c : text) {
    if (start) out += "  ";
    out += c;
    start = c == '\n';
  }
  return out;
}

}  // namespace

Result<bool> allocate(const AllocateOptions& options, std::ostream& out) {
  TRY_ASSIGN(const Cluster cluster, read(options.files));
  TRY_ASSIGN(const dra::Features features, features_of(options.gates));
  if (cluster.nodes.empty())
    return fail(Code::kInvalid, "no nodes: neither a Node nor a ResourceSlice with a nodeName is in the files");
  dra::Inventory inventory(features);
  for (const auto& slice : cluster.slices) inventory.upsert(slice);
  for (const auto& rule : cluster.rules) inventory.upsert(rule);
  dra::AllocatedState state(inventory);
  for (const auto& claim : cluster.allocated) state.add(*claim->status.allocation);
  dra::DeviceClasses classes;
  for (const auto& device_class : cluster.classes) classes.upsert(device_class);
  dra::Allocator allocator(inventory, state, classes);
  const dra::Prepared pod = allocator.prepare(cluster.claims);
  bool fits = false, found_node = false;
  for (const auto& node : cluster.nodes) {
    if (!options.node.empty() && node->metadata.name != options.node) continue;
    found_node = true;
    const dra::NodeId id = inventory.upsert(*node);
    const dra::Outcome outcome = allocator.allocate(pod, id);
    if (const auto* found = std::get_if<dra::Allocation>(&outcome)) {
      fits = true;
      fmt::print(out, "node {}: allocated\n", node->metadata.name);
      int shares = 0;
      const auto results =
          allocator.render(pod, *found, [&shares] { return fmt::format("share-{}", shares++); });
      print_results(cluster.claims, results, out);
      for (std::size_t i = 0; options.yaml && i < results.size(); ++i)
        fmt::print(out, "---\n# status.allocation of {}\n{}", cluster.claims[i]->metadata.name,
                   print_yaml(to_value_of(results[i])));
    } else if (const auto* error = std::get_if<dra::AllocateError>(&outcome)) {
      fmt::print(out, "node {}: error: {}\n", node->metadata.name, error->message);
      if (!error->ends_pod) out << indented(allocator.explain(pod, id).text());
    } else {
      fmt::print(out, "node {}: refused\n", node->metadata.name);
      out << indented(allocator.explain(pod, id).text());
    }
  }
  if (!found_node) return fail(Code::kInvalid, fmt::format("no node {} is in the files", options.node));
  return fits;
}

void add_allocate_command(CLI::App& app, int& exit_status) {
  auto* command = app.add_subcommand("allocate", "say which devices claims would get on each node, or why none");
  auto options = std::make_shared<AllocateOptions>();
  auto json_lines = std::make_shared<bool>(false);
  command->add_option("FILE", options->files,
                      "Manifests: ResourceSlices, DeviceClasses, ResourceClaims or templates, Nodes");
  command->add_option("-n,--node", options->node, "Only this node");
  command->add_option("--feature-gates", options->gates, "NAME=true or NAME=false")->delimiter(',');
  command->add_flag("--yaml", options->yaml, "Print each claim's allocation as YAML, too");
  command->add_flag("--json-lines", *json_lines, "Read questions and write answers, one JSON object per line");
  command->callback([options, json_lines, &exit_status] {
    if (*json_lines) {
      std::ios::sync_with_stdio(false);
      std::string line;
      while (std::getline(std::cin, line)) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        std::cout << dra::answer_line(line) << std::flush;
      }
      return;
    }
    if (options->files.empty()) throw CLI::RequiredError("FILE");
    const auto fits = allocate(*options, std::cout);
    if (!fits) std::cerr << render(fits.error()) << "\n";
    exit_status = fits && *fits ? 0 : 1;
  });
}

}  // namespace dray::cli
