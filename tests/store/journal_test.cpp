#include <csignal>
#include <cstring>
#include <fstream>
#include <set>

#include <sys/resource.h>
#include <sys/wait.h>

#include "store/fixture.h"

namespace dray::store {
namespace {

/// A store on disk with a thread of its own.
struct Durable {
  RealClock clock;
  ThreadExecutor executor{clock};
  std::unique_ptr<Store> store;
  std::string error;

  explicit Durable(const std::string& path) {
    on(executor, [&] {
      auto opened = open_durable(executor, kinds(), path);
      if (opened) {
        store = std::move(*opened);
      } else {
        error = opened.error().message;
      }
    });
  }
  ~Durable() {
    on(executor, [&] { store.reset(); });
  }
  void create(const std::string& name, const std::string& value = "v") {
    std::promise<void> done;
    executor.post([&] {
      EXPECT_TRUE(store->create(config_maps(), config_map("a", name, value)));
      store->when_durable(store->revision(), [&] { done.set_value(); });
    });
    done.get_future().get();
  }
};

TEST(Journal, BringsBackWhatWasWritten) {
  const Directory directory;
  {
    Durable one(directory.path());
    one.create("x", "1");
    one.create("y", "1");
    on(one.executor, [&] {
      EXPECT_TRUE(one.store->update(config_maps(), config_map("a", "x", "2"), 0));
      EXPECT_TRUE(one.store->remove(config_maps(), "a", "y"));
    });
  }
  Durable two(directory.path());
  ASSERT_EQ(two.error, "");
  on(two.executor, [&] {
    EXPECT_EQ(two.store->revision(), 4U);  // also the deletion counts
    EXPECT_EQ(two.store->count(config_maps()), 1U);
    const ObjectPtr x = two.store->get(config_maps(), "a", "x");
    EXPECT_EQ(value_of(x), "2");
    EXPECT_EQ(x->metadata.resource_version, "3");
    EXPECT_EQ(two.store->watch(config_maps(), 3, [](const EventPtr&) {}).error().code, Code::kExpired);
    EXPECT_TRUE(two.store->watch(config_maps(), 4, [](const EventPtr&) {}));
  });
}

TEST(Journal, OneProcessPerDirectory) {
  const Directory directory;
  Durable one(directory.path());
  const Durable two(directory.path());
  EXPECT_EQ(two.store, nullptr);
  EXPECT_NE(two.error.find("is in use by another process (pid " + std::to_string(::getpid()) + ")"), std::string::npos)
      << two.error;
  one.create("x");  // it was left alone
}

TEST(Journal, RefusesWhatIsNoJournal) {
  const Directory directory;
  std::ofstream(directory.path() + "/dray.db") << std::string(10'000, 'x');
  const Durable garbage(directory.path());
  EXPECT_NE(garbage.error.find("dray.db: file is not a database"), std::string::npos) << garbage.error;
  EXPECT_EQ(std::filesystem::file_size(directory.path() + "/dray.db"), 10'000U);
  const Durable nowhere("/proc/nowhere");
  EXPECT_NE(nowhere.error.find("data directory /proc/nowhere"), std::string::npos) << nowhere.error;
}

TEST(Journal, RefusesDamagedPages) {
  const Directory directory;
  {
    Durable one(directory.path());
    for (int i = 0; i < 200; ++i) one.create("x" + std::to_string(i), std::string(500, 'v'));
  }
  {
    std::fstream file(directory.path() + "/dray.db", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8192);
    file << std::string(20'000, '\xee');
  }
  const Durable two(directory.path());
  EXPECT_EQ(two.store, nullptr);
  EXPECT_NE(two.error.find("malformed"), std::string::npos) << two.error;
}

/// Writes until it is killed; tells through the pipe what was acknowledged.
[[noreturn]] void write_forever(const std::string& path, int pipe, std::uint64_t seed) {
  Durable mine(path);
  Rng rng(seed);
  for (int i = 0;; ++i) {
    std::promise<void> gap;
    mine.executor.post([&, i] {
      const std::string name = "x" + std::to_string(i);
      (void)mine.store->create(config_maps(), config_map("a", name, std::string(rng.below(3000), 'v')));
      mine.store->when_durable(mine.store->revision(), [pipe, i] { (void)!::write(pipe, &i, sizeof i); });
      gap.set_value();
    });
    gap.get_future().get();
  }
}

std::set<int> write_and_kill(const std::string& path, std::uint64_t seed, std::size_t acknowledged_min) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) write_forever(path, ends[1], seed);
  ::close(ends[1]);
  std::set<int> acknowledged;
  int number;
  while (acknowledged.size() < acknowledged_min && ::read(ends[0], &number, sizeof number) == sizeof number) {
    acknowledged.insert(number);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  while (::read(ends[0], &number, sizeof number) == sizeof number) acknowledged.insert(number);
  ::close(ends[0]);
  return acknowledged;
}

void expect_prefix_with(const std::string& path, const std::set<int>& acknowledged) {
  Durable again(path);
  ASSERT_EQ(again.error, "");
  on(again.executor, [&] {
    for (const int i : acknowledged) {
      EXPECT_NE(again.store->get(config_maps(), "a", "x" + std::to_string(i)), nullptr) << i;
    }
    const std::size_t count = again.store->count(config_maps());
    EXPECT_EQ(again.store->revision(), count) << "a prefix of the history";
    if (count > 0) {
      EXPECT_NE(again.store->get(config_maps(), "a", "x" + std::to_string(count - 1)), nullptr);
    }
  });
}

TEST(Journal, SurvivesKillsAtRandomPoints) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Directory directory;
    Rng rng(seed);
    const std::set<int> acknowledged = write_and_kill(directory.path(), seed, 1 + rng.below(400));
    expect_prefix_with(directory.path(), acknowledged);
  }
}

/// What was not synced when the power went: the log's tail is missing or half there.
TEST(Journal, SurvivesATornLog) {
  const Directory directory;
  (void)write_and_kill(directory.path(), 1, 300);
  const std::string log = directory.path() + "/dray.db-wal";
  ASSERT_TRUE(std::filesystem::exists(log));
  const auto size = std::filesystem::file_size(log);
  std::filesystem::resize_file(log, size - size / 3 - 17);
  expect_prefix_with(directory.path(), {});
}

/// A limit on the size of files stands for a full disk.
TEST(Journal, AFullDiskRefusesAndRecovers) {
  const Directory directory;
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  {
    Durable one(directory.path());
    one.create("before");
    const rlimit small{200'000, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::promise<std::string> told;
    one.executor.post([&] {
      EXPECT_TRUE(one.store->create(config_maps(), config_map("a", "big", std::string(1'000'000, 'v'))));
      one.store->when_durable(one.store->revision(), [&] { told.set_value("acknowledged"); },
                              [&](const Error& error) { told.set_value(error.message); });
    });
    const std::string text = told.get_future().get();
    EXPECT_EQ(text.rfind("writes are refused until the journal can be written: ", 0), 0U) << text;
    on(one.executor, [&] {
      const auto refused = one.store->create(config_maps(), config_map("a", "more"));
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Code::kUnavailable);
      EXPECT_NE(one.store->get(config_maps(), "a", "before"), nullptr);  // reads go on
    });
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
    for (bool works = false; !works;) {
      works = on(one.executor, [&] { return one.store->create(config_maps(), config_map("a", "after")).has_value(); });
      if (!works) ::usleep(20'000);
    }
  }
  Durable two(directory.path());
  on(two.executor, [&] { EXPECT_EQ(two.store->count(config_maps()), 3U); });
}

}  // namespace
}  // namespace dray::store
