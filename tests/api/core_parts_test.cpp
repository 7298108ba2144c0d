// Pieces of pods and jobs that stand alone.
#include <gtest/gtest.h>

#include "api/addresses.h"
#include "api/batch_validate.h"
#include "api/core_defaults.h"
#include "api/core_pod.h"
#include "api/feature_gates.h"
#include "api/tables.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

using namespace std::chrono_literals;

const Now kNow{MonoTime{}, WallTime{std::chrono::hours(500'000)}};

core::Pod pod_of(std::string_view json) {
  const auto value = parse_json(json);
  EXPECT_TRUE(value.has_value()) << json;
  auto pod = decode_as<core::Pod>(*value);
  EXPECT_TRUE(pod.has_value()) << json;
  return *pod;
}

TEST(ImageTag, Table) {
  struct Case {
    std::string_view image, tag;
  };
  const Case cases[] = {
      {"nginx", "latest"},
      {"nginx:1.2", "1.2"},
      {"localhost:5000/nginx", "latest"},
      {"localhost:5000/nginx:1", "1"},
      {"nginx@sha256:0123456789012345678901234567890123456789012345678901234567890123", ""},
      {"nginx:1@sha256:0123456789012345678901234567890123456789012345678901234567890123", "1"},
      {"", ""},
      {"NGINX", ""},
  };
  for (const Case& c : cases) EXPECT_EQ(image_tag(c.image), c.tag) << c.image;
}

TEST(CronProblem, Table) {
  for (const std::string_view good : {"* * * * *", "*/5 0-3,7 1 JAN sun", "@daily", "@every 1h30m", "0 0 ? * 0-6/2"}) {
    EXPECT_EQ(cron_problem(good), "") << good;
  }
  for (const std::string_view bad : {"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *",
                                     "* * * 13 *", "5-1 * * * *", "*/0 * * * *", "@never", "@every x", "a * * * *"}) {
    EXPECT_NE(cron_problem(bad), "") << bad;
  }
}

TEST(QosClass, Table) {
  struct Case {
    std::string_view resources, expect;
  };
  const Case cases[] = {
      {R"({})", "BestEffort"},
      {R"({"requests":{"cpu":"1"}})", "Burstable"},
      {R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
      {R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m","memory":"1Gi"}})", "Burstable"},
      {R"({"limits":{"cpu":"1"},"requests":{"cpu":"1"}})", "Burstable"},
      {R"({"limits":{"example.com/gpu":"1"},"requests":{"example.com/gpu":"1"}})", "BestEffort"},
  };
  const FeatureGates gates;
  for (const Case& c : cases) {
    const auto pod = pod_of(R"({"spec":{"containers":[{"name":"a","resources":)" + std::string(c.resources) + "}]}}");
    EXPECT_EQ(qos_class(gates, pod), c.expect) << c.resources;
  }
}

TEST(AggregateRequests, SidecarsRunBesideEverything) {
  const auto pod = pod_of(R"({"spec":{
    "initContainers":[
      {"name":"side","restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}},
      {"name":"step","resources":{"requests":{"cpu":"5","memory":"1Gi"}}}],
    "containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}},
                  {"name":"b","resources":{"requests":{"cpu":"1"}}}]}})");
  const ResourceList sum = aggregate_requests(pod.spec);
  EXPECT_EQ(sum.at("cpu").str(), "6");  // the step and the sidecar before it, more than 1 + 2 + 1
  EXPECT_EQ(sum.at("memory").str(), "1Gi");
}

std::string status_of(std::string_view json) {
  core::Pod pod = pod_of(json);
  pod.metadata.creation_timestamp = Time::of(kNow.wall - 5min);
  const Value::List row = pod_row(pod, kNow);
  return row[1].as_string() + " " + row[2].as_string() + " " + row[3].as_string() + " " + row[4].as_string();
}

TEST(PodRow, Status) {
  EXPECT_EQ(status_of(R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Pending"}})"), "0/1 Pending 0 5m");
  EXPECT_EQ(status_of(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
                          "spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running"}})"),
            "0/1 Terminating 0 5m");
  EXPECT_EQ(status_of(R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running","containerStatuses":[
              {"name":"a","ready":true,"restartCount":0,"state":{"running":{}}}],
              "conditions":[{"type":"Ready","status":"True"}]}})"),
            "1/1 Running 0 5m");
  EXPECT_EQ(status_of(R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running","containerStatuses":[
              {"name":"a","restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})"),
            "0/1 CrashLoopBackOff 3 5m");
  EXPECT_EQ(status_of(R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Failed","containerStatuses":[
              {"name":"a","state":{"terminated":{"exitCode":2}}}]}})"),
            "0/1 ExitCode:2 0 5m");
  EXPECT_EQ(status_of(R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Failed","containerStatuses":[
              {"name":"a","state":{"terminated":{"signal":9}}}]}})"),
            "0/1 Signal:9 0 5m");
  EXPECT_EQ(status_of(R"({"spec":{"initContainers":[{"name":"i"},{"name":"j"}],"containers":[{"name":"a"}]},
              "status":{"phase":"Pending","initContainerStatuses":[
              {"name":"i","state":{"terminated":{"exitCode":0}}},{"name":"j","state":{"running":{}}}]}})"),
            "0/1 Init:1/2 0 5m");
  EXPECT_EQ(status_of(R"({"spec":{"schedulingGates":[{"name":"g"}],"containers":[{"name":"a"}]},
              "status":{"phase":"Pending","conditions":[
              {"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})"),
            "0/1 SchedulingGated 0 5m");
}

TEST(Addresses, EndpointsAndSubnets) {
  const auto problems = [](std::string_view address) {
    Causes causes;
    validate_endpoint_ip(address, FieldPath("ip"), causes);
    return causes.take().size();
  };
  for (const std::string_view good : {"10.0.0.1", "8.8.8.8", "2001:db8::1", "224.0.1.1"}) EXPECT_EQ(problems(good), 0u) << good;
  for (const std::string_view bad : {"x", "0.0.0.0", "::", "127.0.0.1", "::1", "169.254.1.1", "fe80::1", "224.0.0.7", "ff02::1"}) {
    EXPECT_EQ(problems(bad), 1u) << bad;
  }
  EXPECT_EQ(is_strict_subnet("10.1.0.0/16", "10.0.0.0/8"), true);
  EXPECT_EQ(is_strict_subnet("10.0.0.0/8", "10.0.0.0/8"), false);
  EXPECT_EQ(is_strict_subnet("11.0.0.0/16", "10.0.0.0/8"), false);
  EXPECT_EQ(is_strict_subnet("10.0.0.0/8", "::/0"), false);
  EXPECT_EQ(is_strict_subnet("x", "10.0.0.0/8"), std::nullopt);
  EXPECT_TRUE(is_ipv4("010.0.0.1"));
  EXPECT_FALSE(is_ipv4("::1"));
  EXPECT_TRUE(is_ipv6("::1"));
}

}  // namespace
}  // namespace dray::api
