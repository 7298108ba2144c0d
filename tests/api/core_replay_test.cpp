// What the hooks of the groups other than resource.k8s.io and scheduling.k8s.io answer to recorded requests.
#include "api/core_replay.h"

#include <iostream>

namespace dray::api {
namespace {

/// Steps in which we differ, and why that is so.
struct Difference {
  std::string_view step, reason;
};
constexpr Difference kKnown[] = {
    {"crud/configmap-server-owned-metadata step 1", "the store resets what clients may not set"},
    {"crud/namespace-terminating step 2", "deletion is the store's"},
    {"pods/resize-and-ephemeral", "works on what the subresources did before"},
    {"pods/invalid-metadata step 3", "the store drops managed fields that are wrong"},
};

void expect_replayed(const std::string& file, int passed_min) {
  const replay::Counts counts = replay::run_core_file(file);
  for (const std::string& failure : counts.failed) {
    const bool known = std::any_of(std::begin(kKnown), std::end(kKnown), [&](const Difference& d) {
      return failure.starts_with(d.step);
    });
    if (!known) ADD_FAILURE() << failure;
  }
  EXPECT_GE(counts.passed, passed_min);
  std::cout << file << ": " << counts.passed << " steps as recorded, " << counts.failed.size()
            << " different, " << counts.skipped << " not of this layer\n";
}

TEST(CoreReplay, Crud) { expect_replayed("crud", 48); }
TEST(CoreReplay, Pods) { expect_replayed("pods", 54); }
TEST(CoreReplay, Tables) { expect_replayed("table", 20); }
TEST(CoreReplay, Options) { expect_replayed("options", 28); }

}  // namespace
}  // namespace dray::api
