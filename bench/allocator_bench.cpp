// Measures the allocator and selectors on the inputs that `oracle bench -emit DIR` writes, and prints
// lines like the oracle's own: one operation is one pod tried on every node in turn (prepare once, then
// allocate per node, nothing kept of the results), or one evaluation of a selector.
//
// Usage: allocator_bench [-time SECONDS] DIR
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "cel/program.h"
#include "dra/allocated_state.h"
#include "dra/device_variable.h"
#include "dra/extended_resource.h"
#include "dra/inventory.h"
#include "dra/json_lines.h"
#include "machinery/codec.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace dray {
namespace {

using Clock = std::chrono::steady_clock;

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct Measured {
  double ns = 0, cpu_ns = 0, allocations = 0;
  std::uint64_t ops = 0;
};

/// Repeats until `seconds` are over; the median of the batches.
Measured repeat(double seconds, const std::function<void()>& op) {
  op();  // compiles, builds views; not measured
  std::vector<double> batches, cpu;
  Measured out;
  std::uint64_t per_batch = 1;
  double spent = 0;
  while (spent < seconds * 1e9 || batches.size() < 5) {
    const std::uint64_t before = allocations.load();
    const double cpu_before = processor_ns();
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < per_batch; ++i) op();
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    out.allocations = static_cast<double>(allocations.load() - before) / static_cast<double>(per_batch);
    batches.push_back(ns / static_cast<double>(per_batch));
    cpu.push_back((processor_ns() - cpu_before) / static_cast<double>(per_batch));
    out.ops += per_batch;
    spent += ns;
    if (ns < 1e7) {
      per_batch *= 2;
      batches.clear();  // too short to be measured well
      cpu.clear();
    }
  }
  std::ranges::sort(batches);
  std::ranges::sort(cpu);
  out.cpu_ns = cpu[cpu.size() / 2];
  out.ns = batches[batches.size() / 2];
  return out;
}

void measure_nodes(const std::string& name, const dra::Question& question, double seconds) {
  dra::Inventory inventory(question.features);
  for (const auto& slice : question.slices) inventory.upsert(slice);
  dra::AllocatedState state(inventory);
  for (const auto& claim : question.allocated_claims) {
    if (claim->status.allocation) state.add(*claim->status.allocation);
  }
  dra::DeviceClasses classes;
  for (const auto& each : question.classes) classes.upsert(each);
  std::vector<dra::NodeId> nodes;
  for (const auto& node : question.nodes) nodes.push_back(inventory.upsert(*node));
  dra::Allocator allocator(inventory, state, classes);
  std::uint64_t allocated = 0;
  const Measured all = repeat(seconds, [&] {
    const dra::Prepared pod = allocator.prepare(question.claims);
    allocated = 0;
    for (const dra::NodeId node : nodes)
      allocated += std::holds_alternative<dra::Allocation>(allocator.allocate(pod, node)) ? 1 : 0;
  });
  const std::uint64_t steps = allocator.work().steps;
  {
    const dra::Prepared pod = allocator.prepare(question.claims);
    for (const dra::NodeId node : nodes) static_cast<void>(allocator.allocate(pod, node));
  }
  const std::uint64_t steps_once = allocator.work().steps - steps;
  // What a scheduler does: find the nodes that may do, take the first, and count its devices as used.
  const Measured placed = repeat(seconds / 2, [&] {
    const dra::Prepared pod = allocator.prepare(question.claims);
    const auto start = state.checkpoint();
    for (const dra::NodeId node : allocator.candidates(pod)) {
      const dra::Outcome outcome = allocator.allocate(pod, node);
      if (const auto* found = std::get_if<dra::Allocation>(&outcome)) {
        state.add(pod, *found);
        static_cast<void>(allocator.render(pod, *found, [] { return std::string("share"); }));
        break;
      }
    }
    state.rollback(start);
  });
  fmt::print("{{\"bench\":\"{}\",\"ns_per_op\":{:.0f},\"cpu_ns_per_op\":{:.0f},\"allocs\":{:.1f},\"ops\":{},\"nodes\":{},\"ns_per_node\":{:.1f},"
             "\"steps\":{},\"allocated\":{},\"cpu_ns_place_one\":{:.0f}}}\n",
             name, all.ns, all.cpu_ns, all.allocations, all.ops, nodes.size(), all.cpu_ns / static_cast<double>(nodes.size()),
             steps_once, allocated, placed.cpu_ns);
  std::fflush(stdout);
}

void measure_expression(const std::string& name, const Value& line, double seconds) {
  const std::string expression = line.find("expression")->as_string();
  const std::string driver = line.find("driver")->as_string();
  const auto device = decode_as<resource::Device>(*line.find("device"));
  const auto print = [](const std::string& bench, const Measured& m) {
    fmt::print("{{\"bench\":\"{}\",\"ns_per_op\":{:.1f},\"cpu_ns_per_op\":{:.1f},\"allocs\":{:.1f},\"ops\":{}}}\n",
               bench, m.ns, m.cpu_ns, m.allocations, m.ops);
    std::fflush(stdout);
  };
  print(name + "/compile", repeat(seconds / 4, [&] {
          static_cast<void>(cel::compile_selector(expression, {.estimate_cost = false}));
        }));
  const auto program = cel::compile_selector(expression, {.estimate_cost = false});
  const dra::DeviceVariable variable(driver, *device);
  const auto check = [&] {
    const auto result = cel::evaluate_selector(**program, variable.input());
    if (!result || !*result) std::abort();
  };
  print(name + "/evaluate", repeat(seconds / 4, check));
  // Per device and selector the allocator looks its program up by the reference it holds and evaluates;
  // the variable is made once per device and slice.
  print(name + "/call", repeat(seconds / 4, check));
}

void run(const std::filesystem::path& file, double seconds) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto line = parse_json(text);
  if (!line) return;
  if (const Value* bench = line->find("bench")) {
    measure_expression(bench->as_string(), *line, seconds);
    return;
  }
  std::string id;
  const auto question = dra::parse_question(*line, id);
  if (!question) {
    fmt::print(stderr, "{}: {}\n", file.string(), question.error().message);
    return;
  }
  *line = Value();
  measure_nodes(id, *question, seconds);
}

}  // namespace
}  // namespace dray

int main(int argc, char** argv) {
  double seconds = 1;
  int at = 1;
  if (argc > 2 && std::string(argv[1]) == "-time") {
    seconds = std::atof(argv[2]);
    at = 3;
  }
  if (at >= argc) {
    fmt::print(stderr, "usage: allocator_bench [-time SECONDS] DIR\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[at])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) dray::run(file, seconds);
  return 0;
}
