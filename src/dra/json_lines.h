/// Questions and answers as JSON lines: can these claims be allocated on these nodes, and with which
/// devices? For comparing allocators line by line (`dray allocate --json-lines`, tests, fuzzing).
///
/// A question has `node` or `nodes`, `classes`, `slices`, `allocatedClaims`, `claims` (API objects as
/// the server stores them), `gates` by name, `steps` and `id`; `variant`, `tags`, `expect` and
/// `answers` are ignored. Everything else is refused. One answer per node, in order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "dra/allocator.h"
#include "dra/features.h"

namespace dray {
class Value;
}
namespace dray::core {
struct Node;
}
namespace dray::resource {
struct DeviceClass;
struct ResourceSlice;
struct ResourceClaim;
}  // namespace dray::resource

namespace dray::dra {

struct Question {
  std::string id;
  Features features;
  std::vector<std::shared_ptr<const core::Node>> nodes;
  std::vector<std::shared_ptr<const resource::DeviceClass>> classes;
  std::vector<std::shared_ptr<const resource::ResourceSlice>> slices;
  std::vector<std::shared_ptr<const resource::ResourceClaim>> allocated_claims;
  std::vector<std::shared_ptr<const resource::ResourceClaim>> claims;
  std::uint64_t steps = 0;  // 0: the default budget
};

struct Answer {
  std::string id, node;
  /// "allocated", "refused", "error", "exhausted".
  std::string result;
  std::vector<resource::AllocationResult> allocations;  // one per claim, if allocated
  std::string kind, error;                              // if error
};

/// The gates that a question starts from: Kubernetes 1.37 running as 1.37.
[[nodiscard]] Features question_defaults();

/// Error kBadRequest. `id` is set as soon as it is known, also if the rest is wrong.
[[nodiscard]] Result<Question> parse_question(const Value& line, std::string& id);

/// Never fails: what is wrong is an answer. Work is added up over the nodes if asked for.
[[nodiscard]] std::vector<Answer> answer(const Question& question, const Limits& limits = {}, Work* work = nullptr);

/// Reads a line and writes its answers, each with a line end.
[[nodiscard]] std::string answer_line(std::string_view line, const Limits& limits = {});
[[nodiscard]] std::string to_json(const Answer& answer);

}  // namespace dray::dra
