#include "controllers/cron_job.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "api/batch_v1.h"
#include "api/core_v1.h"
#include "controllers/cron_schedule.h"
#include "controllers/job_plan.h"
#include "controllers/owners.h"
#include "controllers/work_queue.h"
#include "machinery/codec.h"

namespace dray::controllers {
namespace {

constexpr const char* kComponent = "cronjob-controller";
constexpr const char* kScheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp";

using CronPtr = std::shared_ptr<const batch::CronJob>;
using JobPtr = std::shared_ptr<const batch::Job>;

bool is_finished(const batch::Job& job) { return job_condition(job, "Complete") || job_condition(job, "Failed"); }

core::ObjectReference reference_to(const batch::Job& job) {
  core::ObjectReference out;
  out.kind = job.kind();
  out.api_version = job.api_version();
  out.namespace_ = job.namespace_();
  out.name = job.name();
  out.uid = job.metadata.uid;
  out.resource_version = job.metadata.resource_version;
  return out;
}

/// The newest time that is due and was not served, if there is one.
std::optional<Time> due(const batch::CronJob& cron, const CronSchedule& schedule, Time now) {
  Time from = cron.status.last_schedule_time.value_or(cron.metadata.creation_timestamp);
  if (cron.spec.starting_deadline_seconds) from = std::max(from, Time{now.seconds - *cron.spec.starting_deadline_seconds});
  std::optional<Time> out;
  for (Time next = schedule.next(from); !next.is_zero() && next <= now; next = schedule.next(next)) out = next;
  return out;
}

class CronJobController final : public Controller {
 public:
  explicit CronJobController(Context context)
      : context_(context),
        cluster_(context.cluster),
        queue_(cluster_.executor(), "cronjob", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<batch::Job>(cluster_, alive_, [this](const batch::Job* old, const batch::Job* now) {
      const batch::Job& job = now ? *now : *old;
      const auto* owner = controller_of(job);
      if (!owner || owner->kind != "CronJob") return;
      if (now) {
        jobs_[owner->uid].insert(job.name());
      } else {
        jobs_[owner->uid].erase(job.name());
      }
      queue_.add({job.namespace_(), owner->name});
    });
    watch<batch::CronJob>(cluster_, alive_, [this](const batch::CronJob* old, const batch::CronJob* now) {
      if (now) queue_.add(key_of(*now));
      if (!now) jobs_.erase(old->metadata.uid);
    });
  }

 private:
  std::vector<JobPtr> jobs_of(const batch::CronJob& cron) {
    std::vector<JobPtr> out;
    for (const std::string& name : jobs_[cron.metadata.uid]) {
      auto job = cluster_.get<batch::Job>(cron.namespace_(), name);
      if (job && is_controlled_by(*job, cron)) out.push_back(std::move(job));
    }
    return out;
  }

  void record(const batch::CronJob& cron, const char* type, const char* reason, std::string message) {
    cluster_.record(cron, {type, reason, std::move(message), kComponent, ""});
  }

  Result<> sync(const ObjectKey& key) {
    const CronPtr cron = cluster_.get<batch::CronJob>(key.namespace_, key.name);
    if (!cron) return {};
    const std::vector<JobPtr> jobs = jobs_of(*cron);
    auto fresh = mutable_copy_as(*cron);
    note_jobs(*cron, jobs, *fresh);
    TRY(clean_up(*cron, jobs));
    if (!cron->metadata.deletion_timestamp && !cron->spec.suspend.value_or(false)) TRY(schedule(*cron, *fresh));
    if (equal(fresh->status, cron->status)) return {};
    const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  /// Who still runs, and who ended.
  void note_jobs(const batch::CronJob& cron, const std::vector<JobPtr>& jobs, batch::CronJob& fresh) {
    std::erase_if(fresh.status.active, [&](const core::ObjectReference& active) {
      const auto job = std::ranges::find_if(jobs, [&](const JobPtr& one) { return one->metadata.uid == active.uid; });
      if (job == jobs.end()) {
        record(cron, "Normal", "MissingJob", fmt::format("Active job went missing: {}", active.name));
        return true;
      }
      if (!is_finished(**job)) return false;
      const bool complete = job_condition(**job, "Complete") != nullptr;
      record(cron, "Normal", "SawCompletedJob",
             fmt::format("Saw completed job: {}, condition: {}", active.name, complete ? "Complete" : "Failed"));
      return true;
    });
    for (const JobPtr& job : jobs) {
      if (!job_condition(*job, "Complete") || !job->status.completion_time) continue;
      auto& last = fresh.status.last_successful_time;
      if (!last || *last < *job->status.completion_time) last = job->status.completion_time;
    }
  }

  /// The oldest ended jobs beyond the limits go.
  Result<> clean_up(const batch::CronJob& cron, const std::vector<JobPtr>& jobs) {
    TRY(keep_newest(cron, jobs, "Complete", cron.spec.successful_jobs_history_limit));
    return keep_newest(cron, jobs, "Failed", cron.spec.failed_jobs_history_limit);
  }

  Result<> keep_newest(const batch::CronJob& cron, const std::vector<JobPtr>& jobs, std::string_view condition,
                       std::optional<std::int32_t> limit) {
    if (!limit) return {};
    std::vector<JobPtr> ended;
    for (const JobPtr& job : jobs) {
      if (job_condition(*job, condition) && !job->metadata.deletion_timestamp) ended.push_back(job);
    }
    std::ranges::sort(ended, {}, [](const JobPtr& job) {
      return std::pair(job->status.start_time.value_or(Time{}), job->name());
    });
    for (std::size_t i = 0; i + static_cast<std::size_t>(*limit) < ended.size(); ++i) TRY(remove_job(cron, *ended[i]));
    return {};
  }

  Result<> remove_job(const batch::CronJob& cron, const batch::Job& job) {
    TRY(remove(cluster_, job));
    record(cron, "Normal", "SuccessfulDelete", fmt::format("Deleted job {}", job.name()));
    return {};
  }

  Result<> schedule(const batch::CronJob& cron, batch::CronJob& fresh) {
    const auto schedule = CronSchedule::parse(cron.spec.schedule);
    const std::string zone = cron.spec.time_zone.value_or("");
    if (!zone.empty() && zone != "UTC" && zone != "Etc/UTC") {
      record(cron, "Warning", "UnknownTimeZone", fmt::format("invalid timeZone: \"{}\": only UTC is known here", zone));
      return {};
    }
    if (!schedule) {
      record(cron, "Warning", "UnparseableSchedule", fmt::format("unparseable schedule: \"{}\"", cron.spec.schedule));
      return {};
    }
    const Time now = context_.now();
    const auto time = due(cron, *schedule, now);
    const Time next = schedule->next(now);
    if (!next.is_zero()) queue_.add_after(key_of(cron), next.wall() - context_.wall());
    return time ? start_job(cron, *time, fresh) : Result<>{};
  }

  Result<> start_job(const batch::CronJob& cron, Time at, batch::CronJob& fresh) {
    if (cron.spec.concurrency_policy == "Forbid" && !fresh.status.active.empty()) {
      record(cron, "Normal", "JobAlreadyActive",
             "Not starting job because prior execution is running and concurrency policy is Forbid");
      return {};
    }
    if (cron.spec.concurrency_policy == "Replace") {
      for (const core::ObjectReference& active : fresh.status.active) {
        const auto job = cluster_.get<batch::Job>(cron.namespace_(), active.name);
        if (job) TRY(remove_job(cron, *job));
      }
      fresh.status.active.clear();
    }
    auto job = std::make_shared<batch::Job>();
    job->metadata.namespace_ = cron.namespace_();
    job->metadata.name = fmt::format("{}-{}", cron.name(), at.seconds / 60);
    job->metadata.labels = cron.spec.job_template.metadata.labels;
    job->metadata.annotations = cron.spec.job_template.metadata.annotations;
    job->metadata.annotations[kScheduledAt] = at.str();
    job->metadata.owner_references.push_back(controller_reference(cron));
    job->spec = cron.spec.job_template.spec;
    const Result<ObjectPtr> made = create(cluster_, std::move(job));
    if (!made && made.error().code != Code::kAlreadyExists) {
      record(cron, "Warning", "FailedCreate", fmt::format("Error creating job: {}", made.error().message));
      return fail(made.error());
    }
    fresh.status.last_schedule_time = at;
    if (!made || !*made) return {};
    record(cron, "Normal", "SuccessfulCreate", fmt::format("Created job {}", (*made)->name()));
    jobs_[cron.metadata.uid].insert((*made)->name());
    fresh.status.active.push_back(reference_to(static_cast<const batch::Job&>(**made)));
    return {};
  }

  Context context_;
  client::Cluster& cluster_;
  WorkQueue queue_;
  std::map<std::string, std::set<std::string>> jobs_;  // names, by the CronJob's uid
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_cron_job_controller(Context context) {
  return std::make_unique<CronJobController>(context);
}

}  // namespace dray::controllers
