// An inventory that has seen changes answers as one that was built from the end of them.
#include "base/random.h"
#include "dra/allocated_state.h"
#include "dra/extended_resource.h"
#include "dra/inventory.h"
#include "dra/support.h"

namespace dray::dra {
namespace {

using namespace test;

Answer as_answer(Allocator& allocator, const Prepared& pod, const Question& question, std::size_t node, NodeId id) {
  Answer out;
  out.id = question.id;
  out.node = question.nodes[node]->metadata.name;
  const Outcome outcome = allocator.allocate(pod, id);
  if (const auto* found = std::get_if<Allocation>(&outcome)) {
    out.result = "allocated";
    int shares = 0;
    out.allocations = allocator.render(pod, *found, [&shares] { return "share-" + std::to_string(shares++); });
  } else if (const auto* error = std::get_if<AllocateError>(&outcome)) {
    out.result = "error";
    out.kind = name_of(error->kind);
    out.error = error->message;
  } else {
    out.result = std::get<Refusal>(outcome).reason == Refusal::Reason::kDoesNotFit ? "refused" : "exhausted";
  }
  return out;
}

/// The slice with something else in it.
std::shared_ptr<resource::ResourceSlice> changed(const resource::ResourceSlice& slice, Rng& rng) {
  auto out = std::make_shared<resource::ResourceSlice>(slice);
  switch (rng.below(4)) {
    case 0: out->spec.pool.generation += 1; break;
    case 1: out->spec.pool.resource_slice_count += 1; break;
    case 2:
      if (!out->spec.devices.empty()) out->spec.devices.pop_back();
      break;
    default: out->spec.shared_counters.clear();
  }
  return out;
}

TEST(Incremental, AfterChangesAsIfBuiltAnew) {
  const std::vector<std::string> lines = lines_of("allocator/sample.jsonl");
  Rng rng(7);
  for (std::size_t i = 0; i < lines.size(); i += 5) {
    std::string id;
    const auto question = parse_question(*parse_json(lines[i]), id);
    ASSERT_TRUE(question.has_value());
    const std::vector<Answer> want = answer(*question, {.steps_max = 100000});

    Inventory inventory(question->features);
    AllocatedState state(inventory);
    DeviceClasses classes;
    for (auto it = question->classes.rbegin(); it != question->classes.rend(); ++it) classes.upsert(*it);
    Allocator allocator(inventory, state, classes, {.steps_max = 100000, .verify_undo = true});
    const Prepared pod = allocator.prepare(question->claims);
    std::vector<NodeId> ids;
    for (const auto& node : question->nodes) ids.push_back(inventory.upsert(*node));
    const auto ask_all = [&] {
      for (const NodeId node : ids) static_cast<void>(allocator.allocate(pod, node));
    };
    // First everything is a little different, and somebody asks after each step.
    for (const auto& slice : question->slices) {
      inventory.upsert(rng.chance(1, 2) ? slice : std::shared_ptr<const resource::ResourceSlice>(changed(*slice, rng)));
      ask_all();
    }
    auto foreign = slice("foreign", question->nodes[0]->metadata.name, {device("x"), device("y")}, "foreign");
    inventory.upsert(foreign);
    for (std::size_t c = 0; c < question->allocated_claims.size(); ++c) {
      const auto& allocation = question->allocated_claims[c]->status.allocation;
      if (allocation) state.set_claim(std::to_string(c), &*allocation);
      ask_all();
    }
    const auto start = state.checkpoint();
    for (const NodeId node : ids) {
      const Outcome outcome = allocator.allocate(pod, node);
      if (const auto* found = std::get_if<Allocation>(&outcome)) state.add(pod, *found);
    }
    // Then it becomes what the question says.
    for (const auto& slice : question->slices) {
      inventory.upsert(slice);
      ask_all();
    }
    state.rollback(start);
    inventory.remove_slice("foreign");
    for (std::size_t n = 0; n < ids.size(); ++n) {
      const Answer got = as_answer(allocator, pod, *question, n, ids[n]);
      EXPECT_EQ(to_json(got), to_json(want[n])) << id;
      EXPECT_TRUE(got.result != "allocated" || allocator.may_fit(pod, ids[n])) << id;
    }
  }
}

}  // namespace
}  // namespace dray::dra
