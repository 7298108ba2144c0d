/// Small clusters for the tests of dra.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "dra/json_lines.h"
#include "machinery/codec.h"
#include "machinery/value.h"

namespace dray::dra::test {

inline constexpr const char* kDriver = "gpu.example.com";

inline resource::Device device(const std::string& name) {
  resource::Device out;
  out.name = name;
  return out;
}
inline resource::DeviceAttribute text(const std::string& value) {
  resource::DeviceAttribute out;
  out.string = value;
  return out;
}
inline resource::DeviceAttribute number(std::int64_t value) {
  resource::DeviceAttribute out;
  out.int_ = value;
  return out;
}
inline resource::DeviceCapacity amount(const char* value) {
  resource::DeviceCapacity out;
  out.value = Quantity::must_parse(value);
  return out;
}
/// A device that draws this much from counter "x" of a set.
inline resource::Device drawing(const std::string& name, const char* much, const std::string& set = "set") {
  resource::Device out = device(name);
  auto& consumption = out.consumes_counters.emplace_back();
  consumption.counter_set = set;
  consumption.counters["x"].value = Quantity::must_parse(much);
  return out;
}

/// A pool of one slice on a node, unless changed.
inline std::shared_ptr<resource::ResourceSlice> slice(const std::string& name, const std::string& node,
                                                      std::vector<resource::Device> devices,
                                                      const std::string& pool = "",
                                                      const std::string& driver = kDriver) {
  auto out = std::make_shared<resource::ResourceSlice>();
  out->metadata.name = name;
  out->spec.driver = driver;
  out->spec.pool.name = pool.empty() ? node : pool;
  out->spec.pool.generation = 1;
  out->spec.pool.resource_slice_count = 1;
  out->spec.node_name = node;
  out->spec.devices = std::move(devices);
  return out;
}
inline std::shared_ptr<resource::ResourceSlice> counters(const std::string& name, const std::string& node,
                                                         const char* much, const std::string& pool = "",
                                                         const std::string& driver = kDriver) {
  auto out = slice(name, node, {}, pool, driver);
  auto& set = out->spec.shared_counters.emplace_back();
  set.name = "set";
  set.counters["x"].value = Quantity::must_parse(much);
  return out;
}

inline std::shared_ptr<resource::DeviceClass> device_class(const std::string& name,
                                                           std::vector<std::string> selectors = {}) {
  auto out = std::make_shared<resource::DeviceClass>();
  out->metadata.name = name;
  for (const std::string& expression : selectors)
    out->spec.selectors.emplace_back().cel.emplace().expression = expression;
  return out;
}

inline resource::DeviceRequest exactly(const std::string& name, std::int64_t count,
                                       std::vector<std::string> selectors = {},
                                       const std::string& of_class = "any") {
  resource::DeviceRequest out;
  out.name = name;
  auto& exact = out.exactly.emplace();
  exact.device_class_name = of_class;
  exact.allocation_mode = "ExactCount";
  exact.count = count;
  for (const std::string& expression : selectors)
    exact.selectors.emplace_back().cel.emplace().expression = expression;
  return out;
}
inline resource::DeviceRequest all(const std::string& name, std::vector<std::string> selectors = {}) {
  resource::DeviceRequest out = exactly(name, 0, std::move(selectors));
  out.exactly->allocation_mode = "All";
  return out;
}
inline resource::DeviceSubRequest alternative(const std::string& name, std::int64_t count,
                                              const std::string& selector = "") {
  resource::DeviceSubRequest out;
  out.name = name;
  out.device_class_name = "any";
  out.allocation_mode = count == 0 ? "All" : "ExactCount";
  out.count = count;
  if (!selector.empty()) out.selectors.emplace_back().cel.emplace().expression = selector;
  return out;
}
inline resource::DeviceRequest first_of(const std::string& name, std::vector<resource::DeviceSubRequest> subs) {
  resource::DeviceRequest out;
  out.name = name;
  out.first_available = std::move(subs);
  return out;
}
inline resource::DeviceConstraint match(const std::string& attribute, std::vector<std::string> requests = {}) {
  resource::DeviceConstraint out;
  out.match_attribute = attribute;
  out.requests = std::move(requests);
  return out;
}
inline resource::DeviceConstraint distinct(const std::string& attribute, std::vector<std::string> requests = {}) {
  resource::DeviceConstraint out;
  out.distinct_attribute = attribute;
  out.requests = std::move(requests);
  return out;
}

inline std::shared_ptr<resource::ResourceClaim> claim(std::vector<resource::DeviceRequest> requests,
                                                      std::vector<resource::DeviceConstraint> constraints = {},
                                                      const std::string& name = "claim") {
  auto out = std::make_shared<resource::ResourceClaim>();
  out->metadata.namespace_ = "default";
  out->metadata.name = name;
  out->spec.devices.requests = std::move(requests);
  out->spec.devices.constraints = std::move(constraints);
  return out;
}
/// A claim that holds these devices of the pool.
inline std::shared_ptr<resource::ResourceClaim> holding(const std::string& pool, std::vector<std::string> devices,
                                                        const std::string& driver = kDriver) {
  auto out = claim({exactly("r", static_cast<std::int64_t>(devices.size()))}, {}, "holder");
  for (const std::string& name : devices) {
    auto& result = out->status.allocation.ensure().devices.results.emplace_back();
    result.request = "r";
    result.driver = driver;
    result.pool = pool;
    result.device = name;
  }
  return out;
}

inline std::shared_ptr<core::Node> node(const std::string& name, std::map<std::string, std::string> labels = {}) {
  auto out = std::make_shared<core::Node>();
  out->metadata.name = name;
  out->metadata.labels = std::move(labels);
  return out;
}

/// A question about node "n" with class "any"; fill in slices and claims.
inline Question question() {
  Question out;
  out.id = "q";
  out.nodes = {node("n")};
  out.classes = {device_class("any")};
  return out;
}

/// "r1=n/d0 r1=n/d1" (request=pool/device), or "refused", or "error KIND".
inline std::string show(const Answer& answer) {
  if (answer.result == "error") return "error " + answer.kind;
  if (answer.result != "allocated") return answer.result;
  std::string out;
  for (const auto& allocation : answer.allocations) {
    for (const auto& result : allocation.devices.results) {
      if (!out.empty()) out += ' ';
      out += result.request + "=" + result.pool + "/" + result.device;
    }
  }
  return out;
}
inline std::string ask(const Question& question) { return show(answer(question, {.verify_undo = true})[0]); }

/// The lines of a file under tests/data; .gz is unpacked.
inline std::vector<std::string> lines_of(const std::string& name) {
  const std::string path = std::string(DRAY_TEST_DATA) + "/" + name;
  std::vector<std::string> out;
  std::string all;
  if (path.ends_with(".gz")) {
    FILE* pipe = popen(("gzip -dc '" + path + "'").c_str(), "r");
    char buffer[1 << 16];
    for (std::size_t n = 0; pipe != nullptr && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) all.append(buffer, n);
    if (pipe != nullptr) pclose(pipe);
  } else {
    std::ifstream in(path, std::ios::binary);
    all.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    if (end > at) out.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace dray::dra::test
