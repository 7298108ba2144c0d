/// Job and CronJob.
#include <limits>

#include "api/apps.h"
#include "api/batch_v1.h"
#include "api/batch_validate.h"
#include "api/feature_gates.h"
#include "api/gated_fields.h"
#include "api/group_hooks.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr const char* kNameLabels[] = {"job-name", "batch.kubernetes.io/job-name"};
constexpr const char* kUidLabels[] = {"controller-uid", "batch.kubernetes.io/controller-uid"};
constexpr GatedField kJobFields[] = {{"WorkloadWithJob", "scheduling"}};

/// Of a Job and of a CronJob's template alike.
void default_pod_failure_policy(batch::JobSpec& spec) {
  if (!spec.pod_failure_policy) return;
  for (auto& rule : spec.pod_failure_policy->rules)
    for (auto& pattern : rule.on_pod_conditions) default_to(pattern.status, "True");
}

void default_job(Object& object) {
  auto& job = cast<batch::Job>(object);
  auto& spec = job.spec;
  if (!spec.completions && !spec.parallelism) spec.completions = 1;
  default_to(spec.parallelism, 1);
  default_to(spec.backoff_limit, spec.backoff_limit_per_index ? std::numeric_limits<std::int32_t>::max() : 6);
  if (job.metadata.labels.empty()) job.metadata.labels = spec.template_.metadata.labels;
  default_to(spec.completion_mode, std::string("NonIndexed"));
  default_to(spec.suspend, false);
  default_to(spec.pod_replacement_policy,
             std::string(spec.pod_failure_policy ? "Failed" : "TerminatingOrFailed"));
  default_to(spec.manual_selector, false);
  default_pod_failure_policy(spec);
  default_pod_spec(spec.template_.spec);
}

/// Labels of the pods and the selector, so that no other Job's pods match.
void generate_selector(batch::Job& job) {
  auto& labels = job.spec.template_.metadata.labels;
  for (const char* name : kNameLabels) labels.try_emplace(name, job.metadata.name);
  for (const char* name : kUidLabels) labels.try_emplace(name, job.metadata.uid);
  job.spec.selector.ensure().match_labels.try_emplace(kUidLabels[1], job.metadata.uid);
}

void prepare_job(const HookContext& context, Object& object) {
  auto& job = cast<batch::Job>(object);
  if (!job.spec.manual_selector.value_or(false)) generate_selector(job);
  // As a default on what the server reads back.
  if (job.metadata.labels.empty()) job.metadata.labels = job.spec.template_.metadata.labels;
  drop_gated<batch::JobSpec>(context.gates, kJobFields, job.spec, nullptr);
  prepare_templated<batch::Job>(context, object);
}

void prepare_job_update(const HookContext& context, Object& object, const Object& old) {
  drop_gated(context.gates, kJobFields, cast<batch::Job>(object).spec, &cast<batch::Job>(old).spec);
  prepare_templated_update<batch::Job>(context, object, old);
}

constexpr std::string_view kFields[] = {"status.successful"};

std::optional<std::string> job_field(const Object& object, std::string_view path) {
  if (path != "status.successful") return std::nullopt;
  return std::to_string(cast<batch::Job>(object).status.succeeded);
}

void default_cron_job(Object& object) {
  auto& spec = cast<batch::CronJob>(object).spec;
  default_to(spec.concurrency_policy, "Allow");
  default_to(spec.suspend, false);
  default_to(spec.successful_jobs_history_limit, 3);
  default_to(spec.failed_jobs_history_limit, 1);
  default_pod_failure_policy(spec.job_template.spec);
  default_pod_spec(spec.job_template.spec.template_.spec);
}

void prepare_cron_job(const HookContext& context, Object& object) {
  auto& cron = cast<batch::CronJob>(object);
  cron.status = {};
  auto& job = cron.spec.job_template.spec;
  drop_gated<batch::JobSpec>(context.gates, kJobFields, job, nullptr);
  drop_disabled_fields(context.gates, job.template_, nullptr);
}

void prepare_cron_job_update(const HookContext& context, Object& object, const Object& stored) {
  auto& cron = cast<batch::CronJob>(object);
  const auto& old = cast<batch::CronJob>(stored);
  cron.status = old.status;
  auto& job = cron.spec.job_template.spec;
  drop_gated(context.gates, kJobFields, job, &old.spec.job_template.spec);
  drop_disabled_fields(context.gates, job.template_, &old.spec.job_template.spec.template_);
}

}  // namespace

std::span<const KindHooks> batch_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &batch::Job::kDescriptor,
       .hooks = {.set_defaults = default_job,
                 .prepare_create = prepare_job,
                 .prepare_update = prepare_job_update,
                 .prepare_status = keep_spec<batch::Job>,
                 .validate_create = validate_job_create,
                 .validate_update = validate_job_update,
                 .warnings = job_warnings,
                 .field = job_field,
                 .row = job_row},
       .columns = kJobColumns,
       .selectable_fields = kFields,
       .has_generation = true},
      {.stored = &batch::CronJob::kDescriptor,
       .hooks = {.set_defaults = default_cron_job,
                 .prepare_create = prepare_cron_job,
                 .prepare_update = prepare_cron_job_update,
                 .prepare_status = keep_spec<batch::CronJob>,
                 .validate_create = validate_cron_job_create,
                 .validate_update = validate_cron_job_update,
                 .warnings = cron_job_warnings,
                 .row = cron_job_row},
       .columns = kCronJobColumns,
       .has_generation = true},
  };
  return kHooks;
}

}  // namespace dray::api
