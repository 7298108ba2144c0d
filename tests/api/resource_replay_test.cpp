// What the hooks of resource.k8s.io and scheduling.k8s.io answer to recorded requests.
#include "api/resource_replay.h"

#include <iostream>

namespace dray::api {
namespace {

/// Steps in which we differ, and why that is so.
struct Difference {
  std::string_view step, reason;
};
constexpr Difference kKnown[] = {
    {"resource-validation/status-devices-duplicate step 1",
     "an empty list that was sent is not told from an absent one: conditions prints null"},
    {"resource-validation/slice-capacity-canonical step 1",
     "a JSON number beyond 64 bits (not a string) is read as a double"},
    {"resource-validation/fractional-range step 7",
     "0.5 and 500m are the same value here, and so a duplicate"},
    {"resource-validation/derived-total-cost step 1", "needs a CEL compiler: store's device_expressions_test"},
    {"scheduling/composite-lifecycle step 1", "admission fills in the priority"},
};

void expect_replayed(const std::string& file, int passed_min, std::string_view only = "") {
  const replay::Counts counts = replay::run_file(file, only);
  for (const std::string& failure : counts.failed) {
    const bool known = std::any_of(std::begin(kKnown), std::end(kKnown),
                                   [&](const Difference& d) { return failure.starts_with(d.step); });
    if (!known) ADD_FAILURE() << failure;
  }
  EXPECT_GE(counts.passed, passed_min);
  std::cout << file << ": " << counts.passed << " steps as recorded, " << counts.failed.size()
            << " different, " << counts.skipped << " not of this layer\n";
}

TEST(ResourceReplay, LifeCycles) { expect_replayed("resource", 30); }
TEST(ResourceReplay, Validation) { expect_replayed("resource-validation", 137); }
TEST(ResourceReplay, Conversion) { expect_replayed("gates-conversion", 27); }
TEST(ResourceReplay, Gates) { expect_replayed("gates-resource-validation", 54); }
TEST(SchedulingReplay, Groups) { expect_replayed("gates-scheduling", 45); }
TEST(SchedulingReplay, PriorityClass) { expect_replayed("crud", 10, "\"crud/priorityclass\""); }
TEST(ResourceReplay, SliceTable) { expect_replayed("table", 1, "\"table/resourceslices\""); }

}  // namespace
}  // namespace dray::api
