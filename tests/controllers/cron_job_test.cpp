#include "controllers/cron_schedule.h"
#include "controllers/world.h"

namespace dray::controllers {
namespace {

TEST(CronSchedule, Table) {
  struct Case {
    const char* schedule;
    const char* after;
    const char* next;  // "": none
  };
  const Case cases[] = {
      {"* * * * *", "2027-01-15T08:00:30Z", "2027-01-15T08:01:00Z"},
      {"*/15 * * * *", "2027-01-15T08:00:00Z", "2027-01-15T08:15:00Z"},
      {"30 6-16/4 * * 1-5", "2027-01-15T11:00:00Z", "2027-01-15T14:30:00Z"},  // a Friday
      {"30 6-16/4 * * 1-5", "2027-01-15T15:00:00Z", "2027-01-18T06:30:00Z"},
      {"0 0 1 * mon", "2027-01-02T00:00:00Z", "2027-01-04T00:00:00Z"},  // either will do
      {"0 12 29 2 *", "2027-01-01T00:00:00Z", "2028-02-29T12:00:00Z"},
      {"59 23 31 2 *", "2027-01-01T00:00:00Z", ""},
      {"@daily", "2027-12-31T23:59:59Z", "2028-01-01T00:00:00Z"},
      {"@every 1h30m", "2027-01-01T00:00:00Z", "2027-01-01T01:30:00Z"},
  };
  for (const Case& c : cases) {
    const auto schedule = CronSchedule::parse(c.schedule);
    ASSERT_TRUE(schedule) << c.schedule;
    const Time next = schedule->next(*Time::parse(c.after));
    EXPECT_EQ(next.is_zero() ? "" : next.str(), c.next) << c.schedule;
  }
  for (const char* wrong : {"", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "*/0 * * * *", "5-1 * * * *", "@sometimes"}) {
    EXPECT_FALSE(CronSchedule::parse(wrong)) << wrong;
  }
}

std::shared_ptr<batch::CronJob> cron_job(const std::string& policy) {
  auto out = std::make_shared<batch::CronJob>();
  out->metadata.name = "c";
  out->spec.schedule = "*/10 * * * *";
  out->spec.concurrency_policy = policy;
  out->spec.successful_jobs_history_limit = 2;
  fill_template(out->spec.job_template.spec.template_, "c");
  out->spec.job_template.spec.template_.spec.restart_policy = "Never";
  return out;
}

TEST(CronJob, MakesJobsByTheClock) {
  World world;
  world.create(cron_job("Allow"));
  world.settle(9min);
  const std::size_t before = world.list<batch::Job>().size();
  world.settle(10min);
  EXPECT_EQ(world.list<batch::Job>().size(), before + 1);
  const auto job = world.list<batch::Job>().back();
  const auto at = world.get<batch::CronJob>("c")->status.last_schedule_time;
  ASSERT_TRUE(at);
  EXPECT_EQ(job->name(), "c-" + std::to_string(at->seconds / 60));
  EXPECT_EQ(job->metadata.annotations.at("batch.kubernetes.io/cronjob-scheduled-timestamp"), at->str());
  EXPECT_EQ(world.events_of("c").back(), "SuccessfulCreate: Created job " + job->name());
}

TEST(CronJob, ForbidWaitsForTheLastOne) {
  World world;
  world.create(cron_job("Forbid"));
  world.settle(65min);
  EXPECT_EQ(world.list<batch::Job>().size(), 1U);
  EXPECT_EQ(world.get<batch::CronJob>("c")->status.active.size(), 1U);
}

TEST(CronJob, KeepsSoManyOfThose) {
  World world;
  world.create(cron_job("Allow"));
  for (int i = 0; i < 6; ++i) {
    world.settle(10min);
    world.run_pods("Succeeded");
    world.settle(1s);
  }
  EXPECT_EQ(world.list<batch::Job>().size(), 2U);
  EXPECT_TRUE(world.get<batch::CronJob>("c")->status.active.empty());
  EXPECT_TRUE(world.get<batch::CronJob>("c")->status.last_successful_time);
}

}  // namespace
}  // namespace dray::controllers
