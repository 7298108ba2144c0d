#include "controllers/job.h"

#include <algorithm>

#include "api/batch_v1.h"
#include "api/core_v1.h"
#include "controllers/job_plan.h"
#include "controllers/owners.h"
#include "controllers/pod_writer.h"
#include "controllers/pods.h"
#include "controllers/work_queue.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::controllers {
namespace {

constexpr const char* kTracking = "batch.kubernetes.io/job-tracking";
constexpr const char* kOwnController = "kubernetes.io/job-controller";

using JobPtr = std::shared_ptr<const batch::Job>;

void set_condition(batch::Job& job, std::string type, bool on, std::string reason, std::string message, Time now) {
  auto found = std::ranges::find(job.status.conditions, type, &batch::JobCondition::type);
  if (found == job.status.conditions.end()) {
    found = job.status.conditions.insert(job.status.conditions.end(), batch::JobCondition{});
    found->type = std::move(type);
  }
  const std::string status = on ? "True" : "False";
  if (found->status == status) return;
  found->status = status;
  found->reason = std::move(reason);
  found->message = std::move(message);
  found->last_probe_time = found->last_transition_time = now;
}

bool is_finished(const batch::Job& job) { return job_condition(job, "Complete") || job_condition(job, "Failed"); }

class JobController final : public Controller {
 public:
  explicit JobController(Context context)
      : context_(context),
        cluster_(context.cluster),
        writer_(context, "job-controller"),
        queue_(cluster_.executor(), "job", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<batch::Job>(cluster_, alive_, [this](const batch::Job* old, const batch::Job* now) {
      queue_.add(key_of(now ? *now : *old));
      if (!now) release_all(*old);
    });
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (!*token) return;
      const core::Pod& pod = now ? *now : *old;
      const meta::OwnerReference* const owner = controller_of(pod);
      if (owner && owner->kind == "Job") {
        queue_.add({pod.namespace_(), owner->name});
        if (now && holds_tracking(*now) && !cluster_.get<batch::Job>(pod.namespace_(), owner->name)) release_later(*now);
      } else if (now && !owner && holds_tracking(*now)) {
        release_later(*now);
      }
    });
  }

 private:
  /// Pods without a Job to count them are let go.
  void release_all(const batch::Job& job) {
    for (const PodPtr& pod : context_.pods.of_controller(job.metadata.uid)) {
      if (holds_tracking(*pod)) release_later(*pod);
    }
  }
  void release_later(const core::Pod& pod) {
    const Result<> done = release(pod);
    if (!done) queue_.add_after({pod.namespace_(), pod.name()}, std::chrono::seconds(1));
  }

  Result<> release(const core::Pod& pod) {
    const auto newest = cluster_.get<core::Pod>(pod.namespace_(), pod.name());
    if (!newest || newest->metadata.uid != pod.metadata.uid || !holds_tracking(*newest)) return {};
    auto fresh = mutable_copy_as(*newest);
    std::erase(fresh->metadata.finalizers, kTracking);
    const Result<ObjectPtr> done = update(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    const auto left = cluster_.get<core::Pod>(pod.namespace_(), pod.name());
    if (left) {
      context_.pods.observe(left);
    } else {
      context_.pods.forget(pod);
    }
    return {};
  }

  Result<> sync(const ObjectKey& key) {
    JobPtr job = cluster_.get<batch::Job>(key.namespace_, key.name);
    if (!job || !job->spec.selector) return {};
    if (job->spec.managed_by && *job->spec.managed_by != kOwnController) return {};
    if (is_finished(*job)) return after_end(*job);
    if (job->metadata.deletion_timestamp) return {};
    const auto selector = LabelSelector::from(*job->spec.selector);
    if (!selector) return {};
    TRY_ASSIGN(const std::vector<PodPtr> pods, writer_.claim(*job, *selector));
    const JobCount count = count_job(*job, pods);
    const std::optional<JobEnd> end = job_end(*job, count, context_.now());
    if (end) return wind_down(job, count, *end);
    std::optional<Error> failure;
    if (const Result<> done = act(*job, plan_job(*job, count, context_.now()), count); !done) failure = done.error();
    TRY(write_counts(job, count, std::nullopt));
    look_again_at_deadline(*job);
    if (failure && !is_terminating(*failure)) return fail(*failure);
    return {};
  }

  Result<> act(const batch::Job& job, const JobPlan& plan, const JobCount& count) {
    for (const PodPtr& pod : plan.remove) TRY(writer_.remove(*pod, job));
    for (const std::int32_t index : plan.create) {
      const auto failures = count.failures.find(index);
      const Result<ObjectPtr> made =
          writer_.create(job_pod(job, index, failures == count.failures.end() ? 0 : failures->second), job);
      if (!made) return fail(made.error());
    }
    if (plan.wait_seconds) queue_.add_after(key_of(job), std::chrono::seconds(*plan.wait_seconds));
    return {};
  }

  /// The end is decided: what still runs goes first.
  Result<> wind_down(const JobPtr& job, const JobCount& count, const JobEnd& end) {
    for (const PodPtr& pod : count.active) TRY(writer_.remove(*pod, *job));
    return write_counts(job, count, end);
  }

  // ---- the status. A pod is counted exactly once, whatever fails in between: its uid is written down,
  // its finalizer taken away, and then it becomes a number.

  Result<> write_counts(const JobPtr& job, const JobCount& count, const std::optional<JobEnd>& end) {
    auto fresh = mutable_copy_as(*job);
    note_uncounted(*fresh, count);
    const std::vector<PodPtr> pods = context_.pods.of_controller(job->metadata.uid);
    set_counters(*fresh, pods);
    start_or_suspend(*fresh);
    if (end) set_condition(*fresh, end->target, true, end->reason, end->message, context_.now());
    TRY_ASSIGN(JobPtr written, write(*job, std::move(fresh)));
    if (!written) return {};
    for (const PodPtr& pod : count.finished) TRY(release(*pod));
    auto counted = mutable_copy_as(*written);
    fold(*counted, count);
    const std::vector<PodPtr> left = context_.pods.of_controller(job->metadata.uid);
    set_counters(*counted, left);
    if (end && counted->status.active == 0 && counted->status.terminating.value_or(0) == 0) finish(*counted, *end);
    TRY_ASSIGN(const JobPtr last, write(*written, std::move(counted)));
    if (last && is_finished(*last)) record_end(*last);
    return {};
  }

  static void note_uncounted(batch::Job& job, const JobCount& count) {
    auto& uncounted = job.status.uncounted_terminated_pods.ensure();
    std::ranges::copy(count.new_succeeded, std::back_inserter(uncounted.succeeded));
    std::ranges::copy(count.new_failed, std::back_inserter(uncounted.failed));
    if (is_indexed(job)) job.status.completed_indexes = count.done.str();
    if (job.spec.backoff_limit_per_index) job.status.failed_indexes = count.failed_indexes.str();
  }

  /// What was released becomes a number.
  static void fold(batch::Job& job, const JobCount& count) {
    job.status.uncounted_terminated_pods.ensure() = {};
    job.status.succeeded = count.succeeded;
    job.status.failed = count.failed;
  }

  static void set_counters(batch::Job& job, const std::vector<PodPtr>& pods) {
    std::int32_t active = 0, ready = 0, terminating = 0;
    for (const PodPtr& pod : pods) {
      if (pod->metadata.deletion_timestamp && !is_terminal(*pod)) ++terminating;
      if (!is_active(*pod)) continue;
      ++active;
      if (is_ready(*pod)) ++ready;
    }
    job.status.active = active;
    job.status.ready = ready;
    job.status.terminating = terminating;
  }

  void start_or_suspend(batch::Job& job) {
    if (is_suspended(job)) {
      if (!job_condition(job, "Suspended")) {
        set_condition(job, "Suspended", true, "JobSuspended", "Job suspended", context_.now());
        job.status.start_time.reset();
        cluster_.record(job, {"Normal", "Suspended", "Job suspended", "job-controller", ""});
      }
      return;
    }
    if (job_condition(job, "Suspended")) {
      set_condition(job, "Suspended", false, "JobResumed", "Job resumed", context_.now());
      job.status.start_time = context_.now();
      cluster_.record(job, {"Normal", "Resumed", "Job resumed", "job-controller", ""});
    }
    if (!job.status.start_time) job.status.start_time = context_.now();
  }

  void finish(batch::Job& job, const JobEnd& end) {
    const bool complete = end.target == "SuccessCriteriaMet";
    set_condition(job, complete ? "Complete" : "Failed", true, end.reason, end.message, context_.now());
    if (complete) job.status.completion_time = context_.now();
  }

  void record_end(const batch::Job& job) {
    if (const batch::JobCondition* const failed = job_condition(job, "Failed")) {
      cluster_.record(job, {"Warning", failed->reason, failed->message, "job-controller", ""});
    } else {
      cluster_.record(job, {"Normal", "Completed", "Job completed", "job-controller", ""});
    }
  }

  Result<JobPtr> write(const batch::Job& old, std::shared_ptr<batch::Job> fresh) {
    if (equal(fresh->status, old.status)) return JobPtr(std::move(fresh));
    const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
    if (!done && done.error().code == Code::kNotFound) return JobPtr{};
    if (!done) return fail(done.error());
    return as<batch::Job>(*done);
  }

  void look_again_at_deadline(const batch::Job& job) {
    if (!job.spec.active_deadline_seconds || is_suspended(job)) return;
    const Time start = job.status.start_time.value_or(context_.now());
    const Time due{start.seconds + *job.spec.active_deadline_seconds};
    queue_.add_after(key_of(job), std::max<Duration>(due.wall() - context_.wall(), std::chrono::milliseconds(1)));
  }

  Result<> after_end(const batch::Job& job) {
    for (const PodPtr& pod : context_.pods.of_controller(job.metadata.uid)) {
      if (holds_tracking(*pod)) TRY(release(*pod));
    }
    if (!job.spec.ttl_seconds_after_finished || job.metadata.deletion_timestamp) return {};
    const batch::JobCondition* const end = job_condition(job, "Complete") ? job_condition(job, "Complete") : job_condition(job, "Failed");
    const Time due{end->last_transition_time.seconds + *job.spec.ttl_seconds_after_finished};
    if (due <= context_.now()) {
      meta::DeleteOptions how;
      how.propagation_policy = "Foreground";
      how.preconditions.ensure().uid = job.metadata.uid;
      Answer answer;
      cluster_.remove(batch::Job::kDescriptor, job.namespace_(), job.name(), how, answer.done());
      return answer.unless_gone();
    }
    queue_.add_after(key_of(job), due.wall() - context_.wall());
    return {};
  }

  Context context_;
  client::Cluster& cluster_;
  PodWriter writer_;
  WorkQueue queue_;
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_job_controller(Context context) { return std::make_unique<JobController>(context); }

}  // namespace dray::controllers
