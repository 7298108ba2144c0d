#include "cli/cel_command.h"

#include <fstream>
#include <iostream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "cel/answer.h"
#include "cel/hints.h"
#include "cel/inspect.h"
#include "cel/json_device.h"
#include "machinery/value.h"

namespace dray::cli {
namespace {

/// A device, and where it comes from: "driver/pool/device".
struct Published {
  std::string name;
  std::unique_ptr<cel::JsonDevice> device;
};

std::string text_at(const Value& object, std::string_view key) {
  const Value* v = object.find(key);
  return v != nullptr && v->is_string() ? v->as_string() : std::string{};
}

Result<> read_slice(const Value& slice, const std::string& file, std::vector<Published>& out) {
  const Value* spec = slice.find("spec");
  const Value* devices = spec == nullptr ? nullptr : spec->find("devices");
  if (devices == nullptr || !devices->is_list()) return {};
  const std::string driver = text_at(*spec, "driver");
  const Value* pool = spec->find("pool");
  const std::string pool_name = pool == nullptr ? "" : text_at(*pool, "name");
  for (const Value& device : devices->as_list()) {
    auto parsed = cel::JsonDevice::parse(device, driver, false);
    if (!parsed)
      return fail(Code::kInvalid, fmt::format("{}: line {}: device {}: {}", file, device.at.line,
                                              text_at(device, "name"), parsed.error().message));
    out.push_back({fmt::format("{}/{}/{}", driver, pool_name, (*parsed)->name()), std::move(*parsed)});
  }
  return {};
}

Result<std::vector<Published>> read_devices(const std::vector<std::string>& files) {
  std::vector<Published> out;
  for (const std::string& file : files) {
    std::ifstream stream(file);
    if (!stream) return fail(Code::kInvalid, fmt::format("{}: cannot be read", file));
    std::stringstream text;
    text << stream.rdbuf();
    const auto documents = parse_yaml(text.str());
    if (!documents)
      return fail(Code::kInvalid, fmt::format("{}: {}", file, documents.error().message));
    for (const Value& document : *documents) {
      if (text_at(document, "kind") == "ResourceSlice") TRY(read_slice(document, file, out));
      const Value* items = document.find("items");
      if (items == nullptr || !items->is_list()) continue;
      for (const Value& item : items->as_list())
        if (text_at(item, "kind") == "ResourceSlice") TRY(read_slice(item, file, out));
    }
  }
  return out;
}

void print_reads(const cel::Reads& reads, std::ostream& out) {
  std::vector<std::string> parts;
  if (reads.driver) parts.emplace_back("driver");
  if (reads.allow_multiple_allocations) parts.emplace_back("allowMultipleAllocations");
  const auto add = [&](const char* what, const std::vector<cel::QualifiedName>& names,
                       const std::vector<std::string>& domains, bool all) {
    if (all) return parts.push_back(fmt::format("every {}", what));
    for (const std::string& domain : domains) parts.push_back(fmt::format("{} of {}", what, domain));
    for (const auto& n : names) parts.push_back(fmt::format("{} {}/{}", what, n.domain, n.name));
  };
  add("attribute", reads.attributes, reads.attribute_domains, reads.all_attributes);
  add("capacity", reads.capacity, reads.capacity_domains, reads.all_capacity);
  fmt::print(out, "reads  {}\n", parts.empty() ? "nothing of a device" : fmt::format("{}", fmt::join(parts, ", ")));
}

void print_cost(std::uint64_t cost, std::ostream& out) {
  // A tenth of "unbounded" is what the estimate gives for one unbounded factor.
  const bool unbounded = cost > cel::kCostUnbounded / 100;
  fmt::print(out, "cost   {}{}\n", unbounded ? "unbounded" : fmt::format("at most {}", cost),
             cost > cel::kSelectorCostMax
                 ? fmt::format(", the API refuses more than {}", cel::kSelectorCostMax)
                 : "");
}

bool print_value(const cel::Program& program, const std::string& name, const cel::DeviceInput* device,
                 std::ostream& out) {
  const cel::Shown shown = cel::show_value(program, device);
  fmt::print(out, "{}{}{}  (cost {})\n", name.empty() ? "value  " : name + "  ",
             shown.ok ? "" : "error: ", shown.text, shown.cost);
  if (shown.ok || device == nullptr) return shown.ok;
  const std::string hint = cel::hint_for_missing(program, *device, shown.text);
  if (!hint.empty()) fmt::print(out, "    {}\n", hint);
  return false;
}

}  // namespace

Result<bool> show_cel(const CelOptions& options, std::ostream& out) {
  TRY_ASSIGN(const std::vector<Published> devices, read_devices(options.files));
  cel::SelectorOptions how;
  how.derived_attribute = options.derived;
  if (options.is_new) how.vintage = cel::Vintage::kNew;
  const auto program = cel::compile_any(options.expression, how);
  if (!program) {
    fmt::print(out, "{}\n", program.error().message);
    const std::string hint = cel::hint_for_undeclared(program.error().message, how);
    if (!hint.empty()) fmt::print(out, "{}\n", hint);
    return false;
  }
  fmt::print(out, "type   {}\n", (*program)->output_type());
  if (const std::string refusal = cel::selector_refusal(**program, how); !refusal.empty())
    fmt::print(out, "       as a {}: {}\n", options.derived ? "derived attribute" : "selector", refusal);
  print_cost((*program)->estimated_cost(), out);
  print_reads((*program)->reads(), out);
  bool ok = true;
  for (const Published& p : devices) ok = print_value(**program, p.name, &p.device->input(), out) && ok;
  if (options.files.empty()) {
    const cel::Reads& reads = (*program)->reads();
    const bool alone = !reads.driver && !reads.allow_multiple_allocations && !reads.all_attributes &&
                       !reads.all_capacity && reads.attributes.empty() && reads.capacity.empty() &&
                       reads.attribute_domains.empty() && reads.capacity_domains.empty();
    if (alone) ok = print_value(**program, {}, nullptr, out);
  }
  return ok;
}

void answer_cel_lines(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    out << cel::answer_line(line) << '\n';
    out.flush();
  }
}

void add_cel_command(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("cel", "Show what a CEL expression is for devices");
  const auto options = std::make_shared<CelOptions>();
  const auto json_lines = std::make_shared<bool>(false);
  command->add_option("expression", options->expression, "The expression");
  command->add_option("-f,--file", options->files, "ResourceSlices, in YAML or JSON");
  command->add_flag("--derived", options->derived, "For a derived attribute instead of a selector");
  command->add_flag("--new", options->is_new, "As the API server compiles a new expression");
  command->add_flag("--json-lines", *json_lines, "Read one expression per line, write one answer per line");
  command->callback([options, json_lines, &exit_status] {
    if (*json_lines) return answer_cel_lines(std::cin, std::cout);
    if (options->expression.empty()) {
      fmt::print(std::cerr, "dray cel: an expression is needed\n");
      exit_status = 2;
      return;
    }
    const auto ok = show_cel(*options, std::cout);
    if (!ok) fmt::print(std::cerr, "{}\n", ok.error().message);
    exit_status = ok && *ok ? 0 : 1;
  });
}

}  // namespace dray::cli
