#include "controllers/job_plan.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "api/batch_v1.h"
#include "api/core_v1.h"
#include "controllers/pods.h"

namespace dray::controllers {
namespace {

constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";
constexpr const char* kFailures = "batch.kubernetes.io/job-index-failure-count";
constexpr const char* kTracking = "batch.kubernetes.io/job-tracking";
constexpr std::size_t kBurst = 500;
constexpr std::int64_t kBackoffSeconds = 10;
constexpr std::int64_t kBackoffSecondsMax = 600;
constexpr std::size_t kNameBaseMax = 58;

std::int32_t number_at(const std::map<std::string, std::string>& texts, const char* key, std::int32_t otherwise) {
  const auto found = texts.find(key);
  std::int32_t number = otherwise;
  if (found != texts.end()) {
    const std::string& text = found->second;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return otherwise;
  }
  return number;
}

bool matches(const batch::PodFailurePolicyOnExitCodesRequirement& rule, const core::ContainerStatus& container) {
  if (rule.container_name && *rule.container_name != container.name) return false;
  if (!container.state.terminated || container.state.terminated->exit_code == 0) return false;
  const bool listed = std::ranges::find(rule.values, container.state.terminated->exit_code) != rule.values.end();
  return rule.operator_ == "In" ? listed : !listed;
}

/// The action of the first rule that fits a failed pod, and its message.
std::pair<std::string, std::string> policy_action(const batch::Job& job, const core::Pod& pod) {
  if (!job.spec.pod_failure_policy) return {"Count", ""};
  std::size_t index = 0;
  for (const batch::PodFailurePolicyRule& rule : job.spec.pod_failure_policy->rules) {
    const auto at = index++;
    if (rule.on_exit_codes) {
      for (const auto* list : {&pod.status.init_container_statuses, &pod.status.container_statuses}) {
        for (const core::ContainerStatus& container : *list) {
          if (!matches(*rule.on_exit_codes, container)) continue;
          return {rule.action, fmt::format("Container {} for pod {}/{} failed with exit code {} matching {} rule at index {}",
                                           container.name, pod.namespace_(), pod.name(),
                                           container.state.terminated->exit_code, rule.action, at)};
        }
      }
    }
    for (const auto& pattern : rule.on_pod_conditions) {
      for (const core::PodCondition& condition : pod.status.conditions) {
        if (condition.type != pattern.type || condition.status != pattern.status) continue;
        return {rule.action, fmt::format("Pod {}/{} has condition {} matching {} rule at index {}", pod.namespace_(),
                                         pod.name(), condition.type, rule.action, at)};
      }
    }
  }
  return {"Count", ""};
}

Time finished_at(const core::Pod& pod) {
  Time last;
  for (const core::ContainerStatus& container : pod.status.container_statuses) {
    if (container.state.terminated) last = std::max(last, container.state.terminated->finished_at);
  }
  if (last.is_zero() && pod.metadata.deletion_timestamp) last = *pod.metadata.deletion_timestamp;
  return last.is_zero() ? pod.metadata.creation_timestamp : last;
}

bool is_uncounted(const batch::Job& job, const std::string& uid) {
  if (!job.status.uncounted_terminated_pods) return false;
  const auto& [succeeded, failed] = std::tie(job.status.uncounted_terminated_pods->succeeded,
                                             job.status.uncounted_terminated_pods->failed);
  return std::ranges::find(succeeded, uid) != succeeded.end() || std::ranges::find(failed, uid) != failed.end();
}

void count_failure(const batch::Job& job, const core::Pod& pod, JobCount& out) {
  const auto [action, message] = policy_action(job, pod);
  if (action == "FailJob" && !out.fail_now) out.fail_now = message;
  out.last_failure = std::max(out.last_failure, finished_at(pod));
  if (action == "Ignore") return;
  ++out.failed;
  out.new_failed.push_back(pod.metadata.uid);
  const std::int32_t index = index_of(pod);
  if (index < 0) return;
  std::int32_t& failures = out.failures[index];
  failures = std::max(failures, number_at(pod.metadata.annotations, kFailures, 0) + 1);
  if (!job.spec.backoff_limit_per_index) return;
  if (action == "FailIndex" || failures > *job.spec.backoff_limit_per_index) out.failed_indexes.add(index);
}

void count_finished(const batch::Job& job, const PodPtr& pod, bool failed, JobCount& out) {
  if (!failed) {
    const std::int32_t index = index_of(*pod);
    if (index >= 0 && is_indexed(job)) out.done.add(index);
    ++out.succeeded;
    out.new_succeeded.push_back(pod->metadata.uid);
    return;
  }
  count_failure(job, *pod, out);
}

/// Of an index, one pod is enough: the older one stays.
std::vector<PodPtr> repeated(const batch::Job& job, const JobCount& count) {
  std::vector<PodPtr> out;
  if (!is_indexed(job)) return out;
  std::set<std::int32_t> seen;
  for (const PodPtr& pod : count.active) {
    const std::int32_t index = index_of(*pod);
    const bool wrong = index < 0 || index >= job.spec.completions.value_or(0);
    if (wrong || count.done.contains(index) || count.failed_indexes.contains(index) || !seen.insert(index).second) {
      out.push_back(pod);
    }
  }
  return out;
}

std::vector<std::int32_t> free_indexes(const batch::Job& job, const JobCount& count, std::size_t want) {
  std::set<std::int32_t> used;
  for (const PodPtr& pod : count.active) used.insert(index_of(*pod));
  std::vector<std::int32_t> out;
  for (std::int32_t i = 0; i < job.spec.completions.value_or(0) && out.size() < want; ++i) {
    if (!used.contains(i) && !count.done.contains(i) && !count.failed_indexes.contains(i)) out.push_back(i);
  }
  return out;
}

std::int64_t wait_after_failures(const JobCount& count, Time now) {
  const std::int32_t failures = count.failed;
  if (failures == 0 || count.last_failure.is_zero()) return 0;
  std::int64_t seconds = kBackoffSeconds;
  for (std::int32_t i = 1; i < failures && seconds < kBackoffSecondsMax; ++i) seconds *= 2;
  return std::max<std::int64_t>(0, count.last_failure.seconds + std::min(seconds, kBackoffSecondsMax) - now.seconds);
}

void add_index_env(std::vector<core::Container>& containers) {
  for (core::Container& container : containers) {
    if (std::ranges::find(container.env, "JOB_COMPLETION_INDEX", &core::EnvVar::name) != container.env.end()) continue;
    core::EnvVar& variable = container.env.emplace_back();
    variable.name = "JOB_COMPLETION_INDEX";
    variable.value_from.ensure().field_ref.ensure().field_path = fmt::format("metadata.labels['{}']", kIndex);
  }
}

}  // namespace

bool is_indexed(const batch::Job& job) { return job.spec.completion_mode == "Indexed"; }
bool is_suspended(const batch::Job& job) { return job.spec.suspend.value_or(false); }

const batch::JobCondition* job_condition(const batch::Job& job, std::string_view type) {
  for (const batch::JobCondition& one : job.status.conditions) {
    if (one.type == type && one.status == "True") return &one;
  }
  return nullptr;
}

std::int32_t index_of(const core::Pod& pod) { return number_at(pod.metadata.annotations, kIndex, -1); }

bool holds_tracking(const core::Pod& pod) {
  return std::ranges::find(pod.metadata.finalizers, kTracking) != pod.metadata.finalizers.end();
}

bool counts_as_failed(const batch::Job& job, const core::Pod& pod) {
  if (pod.status.phase == "Failed") return true;
  if (job.spec.pod_replacement_policy == "Failed" || job.spec.pod_failure_policy) return false;
  return pod.metadata.deletion_timestamp && pod.status.phase != "Succeeded";
}

JobCount count_job(const batch::Job& job, const std::vector<PodPtr>& pods) {
  JobCount out;
  const std::int32_t completions = job.spec.completions.value_or(INT32_MAX);
  out.succeeded = job.status.succeeded;
  out.failed = job.status.failed;
  if (is_indexed(job)) out.done = IndexSet::parse(job.status.completed_indexes, completions);
  if (job.status.failed_indexes) out.failed_indexes = IndexSet::parse(*job.status.failed_indexes, completions);
  if (job.status.uncounted_terminated_pods) {
    out.succeeded += static_cast<std::int32_t>(job.status.uncounted_terminated_pods->succeeded.size());
    out.failed += static_cast<std::int32_t>(job.status.uncounted_terminated_pods->failed.size());
  }
  for (const PodPtr& pod : pods) {
    const bool succeeded = pod->status.phase == "Succeeded", failed = counts_as_failed(job, *pod);
    if (pod->metadata.deletion_timestamp && !is_terminal(*pod)) ++out.terminating;
    if (!succeeded && !failed) {
      if (pod->metadata.deletion_timestamp) continue;
      out.active.push_back(pod);
      if (is_ready(*pod)) ++out.ready;
      continue;
    }
    if (!holds_tracking(*pod)) {
      if (failed) {  // counted before; its time still delays the next pod
        out.last_failure = std::max(out.last_failure, finished_at(*pod));
        const std::int32_t index = index_of(*pod);
        if (index >= 0) out.failures[index] = std::max(out.failures[index], number_at(pod->metadata.annotations, kFailures, 0) + 1);
      }
      continue;
    }
    out.finished.push_back(pod);
    if (!is_uncounted(job, pod->metadata.uid)) count_finished(job, pod, failed, out);
  }
  if (is_indexed(job)) out.succeeded = out.done.size();
  return out;
}

std::optional<JobEnd> job_end(const batch::Job& job, const JobCount& count, Time now) {
  if (const auto* failing = job_condition(job, "FailureTarget")) return JobEnd{"FailureTarget", failing->reason, failing->message};
  if (const auto* met = job_condition(job, "SuccessCriteriaMet")) return JobEnd{"SuccessCriteriaMet", met->reason, met->message};
  const auto failure = [](std::string reason, std::string message) {
    return JobEnd{"FailureTarget", std::move(reason), std::move(message)};
  };
  if (count.fail_now) return failure("PodFailurePolicy", *count.fail_now);
  if (count.failed > job.spec.backoff_limit.value_or(6)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (job.spec.active_deadline_seconds && job.status.start_time && !is_suspended(job) &&
      now.seconds - job.status.start_time->seconds >= *job.spec.active_deadline_seconds) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  if (job.spec.max_failed_indexes && count.failed_indexes.size() > *job.spec.max_failed_indexes) {
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  const JobEnd complete{"SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods"};
  if (!job.spec.completions) {
    if (count.succeeded > 0 && count.active.empty()) return complete;
    return std::nullopt;
  }
  if (count.succeeded >= *job.spec.completions) return complete;
  if (is_indexed(job) && count.failed_indexes.size() > 0 &&
      count.succeeded + count.failed_indexes.size() >= *job.spec.completions) {
    return failure("FailedIndexes", "Job has failed indexes");
  }
  return std::nullopt;
}

JobPlan plan_job(const batch::Job& job, const JobCount& count, Time now) {
  JobPlan plan;
  if (is_suspended(job)) {
    plan.remove = count.active;
    return plan;
  }
  const auto active = static_cast<std::int32_t>(count.active.size());
  const std::int32_t parallelism = job.spec.parallelism.value_or(1);
  std::int32_t want = count.succeeded > 0 ? active : parallelism;
  if (job.spec.completions) {
    want = std::clamp(*job.spec.completions - count.succeeded - count.failed_indexes.size(), 0, parallelism);
  }
  plan.remove = repeated(job, count);
  if (plan.remove.empty() && active > want) {
    plan.remove = to_delete(count.active, static_cast<std::size_t>(active - want), now);
  }
  if (!plan.remove.empty()) return plan;
  const std::int32_t held = job.spec.pod_replacement_policy == "Failed" || job.spec.pod_failure_policy ? count.terminating : 0;
  const std::int32_t missing = want - held - active;
  if (missing <= 0) return plan;
  if (const std::int64_t wait = wait_after_failures(count, now); wait > 0) {
    plan.wait_seconds = wait;
    return plan;
  }
  const std::size_t number = std::min(static_cast<std::size_t>(missing), kBurst);
  plan.create = is_indexed(job) ? free_indexes(job, count, number) : std::vector<std::int32_t>(number, -1);
  return plan;
}

std::shared_ptr<core::Pod> job_pod(const batch::Job& job, std::int32_t index, std::int32_t failures) {
  auto pod = pod_from(job.spec.template_, job);
  if (!holds_tracking(*pod)) pod->metadata.finalizers.emplace_back(kTracking);
  if (index < 0) return pod;
  const std::string number = std::to_string(index);
  pod->metadata.annotations[kIndex] = number;
  pod->metadata.labels[kIndex] = number;
  if (job.spec.backoff_limit_per_index) pod->metadata.annotations[kFailures] = std::to_string(failures);
  pod->spec.hostname = job.name() + "-" + number;
  const std::string end = "-" + number + "-";
  pod->metadata.generate_name = job.name().substr(0, kNameBaseMax - end.size()) + end;
  add_index_env(pod->spec.init_containers);
  add_index_env(pod->spec.containers);
  return pod;
}

}  // namespace dray::controllers
