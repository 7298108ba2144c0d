/// What a Job's pods ask for. Pure.
/// Source: k8s.io/kubernetes pkg/controller/job.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controllers/index_set.h"
#include "controllers/pod_index.h"
#include "machinery/time.h"

namespace dray::batch {
struct Job;
struct JobCondition;
}  // namespace dray::batch

namespace dray::controllers {

/// A Job's pods, sorted out. Counts include what the status says already.
struct JobCount {
  std::vector<PodPtr> active;
  std::vector<PodPtr> finished;  // that hold the tracking finalizer still
  std::vector<std::string> new_succeeded, new_failed;  // uids of those that no status counts yet
  std::int32_t ready = 0, terminating = 0;
  std::int32_t succeeded = 0, failed = 0;  // of the Job: `finished` included
  IndexSet done, failed_indexes;           // of an indexed Job
  std::map<std::int32_t, std::int32_t> failures;  // of an index
  Time last_failure;
  std::optional<std::string> fail_now;     // why the failure policy ends the Job
};
[[nodiscard]] JobCount count_job(const batch::Job& job, const std::vector<PodPtr>& pods);

struct JobEnd {
  std::string target;  // "SuccessCriteriaMet" or "FailureTarget"
  std::string reason, message;
};
/// Why the Job should end now, if it should.
[[nodiscard]] std::optional<JobEnd> job_end(const batch::Job& job, const JobCount& count, Time now);

struct JobPlan {
  std::vector<PodPtr> remove;
  std::vector<std::int32_t> create;  // the index of each pod; -1 in a Job without
  std::optional<std::int64_t> wait_seconds;  // before pods are made again
};
[[nodiscard]] JobPlan plan_job(const batch::Job& job, const JobCount& count, Time now);

[[nodiscard]] bool is_indexed(const batch::Job& job);
[[nodiscard]] bool is_suspended(const batch::Job& job);
/// The condition of that type with status True; null if there is none.
[[nodiscard]] const batch::JobCondition* job_condition(const batch::Job& job, std::string_view type);
/// -1 if the pod has none.
[[nodiscard]] std::int32_t index_of(const core::Pod& pod);
[[nodiscard]] bool counts_as_failed(const batch::Job& job, const core::Pod& pod);
[[nodiscard]] bool holds_tracking(const core::Pod& pod);
[[nodiscard]] std::shared_ptr<core::Pod> job_pod(const batch::Job& job, std::int32_t index, std::int32_t failures);

}  // namespace dray::controllers
