#include "api/batch_validate.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/core.h>

#include "api/apps_validate.h"
#include "api/batch_v1.h"
#include "api/core_pod_validate.h"
#include "api/feature_gates.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::api {
namespace {

constexpr std::int32_t kIndexedParallelismMax = 100'000;
constexpr std::int32_t kFailedIndexesMax = 100'000;
constexpr std::int32_t kManyCompletions = 100'000;
constexpr std::int32_t kManyCompletionsMax = 10'000;  // parallelism, failed indexes
constexpr std::size_t kRulesMax = 20;
constexpr std::size_t kExitCodesMax = 255;
constexpr int kManagedByMax = 63;
constexpr std::size_t kCronNameMax = 52;

BadValue bad_numbers(const std::vector<std::int32_t>& numbers) {
  if (numbers.empty()) return BadValue::raw("null");
  Value::List list;
  for (const std::int32_t number : numbers) list.emplace_back(number);
  return BadValue(Value(std::move(list)));
}

void validate_exit_codes(const batch::PodFailurePolicyOnExitCodesRequirement& codes, const core::PodSpec& pod,
                         const FieldPath& at, Causes& out) {
  if (codes.operator_.empty()) {
    out.required(at / "operator", "valid values: [\"In\" \"NotIn\"]");
  } else if (codes.operator_ != "In" && codes.operator_ != "NotIn") {
    out.not_supported(at / "operator", codes.operator_, {"In", "NotIn"});
  }
  if (codes.container_name) {
    bool known = false;
    for (const auto* list : {&pod.containers, &pod.init_containers})
      for (const core::Container& container : *list) known = known || container.name == *codes.container_name;
    if (!known)
      out.invalid(at / "containerName", *codes.container_name,
                  "must be one of the container or initContainer names in the pod template");
  }
  const FieldPath values = at / "values";
  if (codes.values.empty()) out.invalid(values, bad_numbers(codes.values), "at least one value is required");
  if (codes.values.size() > kExitCodesMax)
    out.too_many(values, static_cast<std::int64_t>(codes.values.size()), kExitCodesMax);
  std::set<std::int32_t> seen;
  for (std::size_t i = 0; i < codes.values.size(); ++i) {
    const std::int32_t code = codes.values[i];
    if (codes.operator_ == "In" && code == 0) out.invalid(values / i, code, "must not be 0 for the In operator");
    if (!seen.insert(code).second) out.duplicate(values / i, code);
  }
  if (!std::ranges::is_sorted(codes.values)) out.invalid(values, bad_numbers(codes.values), "must be ordered");
}

void validate_patterns(const std::vector<batch::PodFailurePolicyOnPodConditionsPattern>& patterns,
                       const FieldPath& at, Causes& out) {
  if (patterns.size() > kRulesMax) out.too_many(at, static_cast<std::int64_t>(patterns.size()), kRulesMax);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const FieldPath here = at / i;
    validate_qualified_name(patterns[i].type, here / "type", out);
    const std::string& status = patterns[i].status;
    if (status.empty()) {
      out.required(here / "status", "valid values: [\"False\" \"True\" \"Unknown\"]");
    } else if (status != "True" && status != "False" && status != "Unknown") {
      out.not_supported(here / "status", status, {"False", "True", "Unknown"});
    }
  }
}

void validate_failure_policy(const batch::JobSpec& spec, const FieldPath& at, Causes& out) {
  const auto& rules = spec.pod_failure_policy->rules;
  if (rules.size() > kRulesMax) out.too_many(at / "rules", static_cast<std::int64_t>(rules.size()), kRulesMax);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto& rule = rules[i];
    const FieldPath here = at / "rules" / i;
    if (rule.action.empty()) {
      out.required(here / "action", "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
    } else if (rule.action == "FailIndex") {
      if (!spec.backoff_limit_per_index)
        out.invalid(here / "action", rule.action, "requires the backoffLimitPerIndex to be set");
    } else if (rule.action != "Count" && rule.action != "FailJob" && rule.action != "Ignore") {
      out.not_supported(here / "action", rule.action, {"Count", "FailIndex", "FailJob", "Ignore"});
    }
    if (rule.on_exit_codes) validate_exit_codes(*rule.on_exit_codes, spec.template_.spec, here / "onExitCodes", out);
    validate_patterns(rule.on_pod_conditions, here / "onPodConditions", out);
    if (rule.on_exit_codes && !rule.on_pod_conditions.empty())
      out.invalid(here, BadValue::omitted(), "specifying both OnExitCodes and OnPodConditions is not supported");
    if (!rule.on_exit_codes && rule.on_pod_conditions.empty())
      out.invalid(here, BadValue::omitted(), "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

void validate_success_policy(const batch::JobSpec& spec, const FieldPath& at, Causes& out) {
  const auto& rules = spec.success_policy->rules;
  if (rules.empty())
    out.required(at / "rules", "at least one rules must be specified when the successPolicy is specified");
  if (rules.size() > kRulesMax) out.too_many(at / "rules", static_cast<std::int64_t>(rules.size()), kRulesMax);
  const std::int32_t completions = spec.completions.value_or(0);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FieldPath here = at / "rules" / i;
    if (!rules[i].succeeded_count && !rules[i].succeeded_indexes)
      out.required(here, "at least one of succeededCount or succeededIndexes must be specified");
    if (!rules[i].succeeded_count) continue;
    validate_nonnegative(*rules[i].succeeded_count, here / "succeededCount", out);
    if (*rules[i].succeeded_count > completions)
      out.invalid(here / "succeededCount", *rules[i].succeeded_count,
                  fmt::format("must be less than or equal to {} (the number of specified completions)", completions));
  }
}

void validate_indexed(const batch::JobSpec& spec, const FieldPath& at, Causes& out) {
  const auto& completions = spec.completions;
  const auto& parallelism = spec.parallelism;
  const auto& failed = spec.max_failed_indexes;
  if (!completions) out.required(at / "completions", "when completion mode is Indexed");
  if (parallelism && *parallelism > kIndexedParallelismMax)
    out.invalid(at / "parallelism", *parallelism,
                fmt::format("must be less than or equal to {} when completion mode is Indexed", kIndexedParallelismMax));
  if (completions && failed && *failed > *completions)
    out.invalid(at / "maxFailedIndexes", *failed, "must be less than or equal to completions");
  if (failed && *failed > kFailedIndexesMax)
    out.invalid(at / "maxFailedIndexes", *failed, fmt::format("must be less than or equal to {}", kFailedIndexesMax));
  if (!completions || *completions <= kManyCompletions || !spec.backoff_limit_per_index) return;
  const std::string text =
      fmt::format("must be less than or equal to {} when completions are above {} and used with backoff limit per index",
                  kManyCompletionsMax, kManyCompletions);
  if (!failed)
    out.required(at / "maxFailedIndexes",
                 fmt::format("must be specified when completions is above {}", kManyCompletions));
  if (parallelism && *parallelism > kManyCompletionsMax) out.invalid(at / "parallelism", *parallelism, text);
  if (failed && *failed > kManyCompletionsMax) out.invalid(at / "maxFailedIndexes", *failed, text);
}

void validate_numbers(const batch::JobSpec& spec, const FieldPath& at, Causes& out) {
  const auto check = [&](const auto& number, const char* name) {
    if (number) validate_nonnegative(*number, at / name, out);
  };
  check(spec.parallelism, "parallelism");
  check(spec.completions, "completions");
  check(spec.active_deadline_seconds, "activeDeadlineSeconds");
  check(spec.backoff_limit, "backoffLimit");
  check(spec.ttl_seconds_after_finished, "ttlSecondsAfterFinished");
  check(spec.backoff_limit_per_index, "backoffLimitPerIndex");
  check(spec.max_failed_indexes, "maxFailedIndexes");
  if (spec.max_failed_indexes && !spec.backoff_limit_per_index)
    out.required(at / "backoffLimitPerIndex", "when maxFailedIndexes is specified");
}

void validate_replacement(const batch::JobSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.pod_replacement_policy) return;
  const std::string& policy = *spec.pod_replacement_policy;
  if (spec.pod_failure_policy) {
    if (policy != "Failed") out.not_supported(at, policy, {"Failed"});
  } else if (policy != "Failed" && policy != "TerminatingOrFailed") {
    out.not_supported(at, policy, {"Failed", "TerminatingOrFailed"});
  }
}

void validate_gang(const batch::JobSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.scheduling || !spec.scheduling->scheduling_policy || !spec.scheduling->scheduling_policy->gang) return;
  const auto& least = spec.scheduling->scheduling_policy->gang->min_count;
  const std::int32_t parallelism = spec.parallelism.value_or(1);
  if (least && *least > parallelism)
    out.invalid(at / "schedulingPolicy" / "gang" / "minCount", *least,
                fmt::format("must not be greater than parallelism ({})", parallelism));
}

void validate_restart_policy(const batch::JobSpec& spec, const FieldPath& at, Causes& out) {
  const std::string& policy = spec.template_.spec.restart_policy;
  if (policy.empty() || policy == "Always") {
    out.required(at, "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    out.not_supported(at, policy, {"OnFailure", "Never"});
  } else if (spec.pod_failure_policy && policy != "Never") {
    out.invalid(at, policy, "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

/// What Jobs and the templates of CronJobs share.
void validate_job_spec(const batch::JobSpec& spec, const batch::JobSpec* old, const FeatureGates& gates,
                       const FieldPath& at, Causes& out) {
  validate_numbers(spec, at, out);
  if (spec.managed_by) {
    validate_domain_prefixed_path(*spec.managed_by, at / "managedBy", out);
    if (spec.managed_by->size() > static_cast<std::size_t>(kManagedByMax)) out.too_long(at / "managedBy", kManagedByMax);
  }
  const std::string mode = spec.completion_mode.value_or("NonIndexed");
  if (mode != "NonIndexed" && mode != "Indexed") out.not_supported(at / "completionMode", mode, {"NonIndexed", "Indexed"});
  if (mode == "Indexed") validate_indexed(spec, at, out);
  if (mode == "NonIndexed") {
    if (spec.backoff_limit_per_index)
      out.invalid(at / "backoffLimitPerIndex", *spec.backoff_limit_per_index, "requires indexed completion mode");
    if (spec.max_failed_indexes)
      out.invalid(at / "maxFailedIndexes", *spec.max_failed_indexes, "requires indexed completion mode");
  }
  if (spec.pod_failure_policy) validate_failure_policy(spec, at / "podFailurePolicy", out);
  if (spec.success_policy && mode != "Indexed") {
    out.invalid(at / "successPolicy", bad_struct(*spec.success_policy), "requires indexed completion mode");
  } else if (spec.success_policy) {
    validate_success_policy(spec, at / "successPolicy", out);
  }
  validate_replacement(spec, at / "podReplacementPolicy", out);
  validate_gang(spec, at / "scheduling", out);
  validate_pod_template(spec.template_, old == nullptr ? nullptr : &old->template_, gates, at / "template", out);
  validate_restart_policy(spec, at / "template" / "spec" / "restartPolicy", out);
}

void validate_selector(const batch::JobSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.selector) return out.required(at / "selector");
  validate_label_selector(*spec.selector, at / "selector", out);
  const auto selector = LabelSelector::from(*spec.selector);
  const auto& labels = spec.template_.metadata.labels;
  if (selector && !selector->matches(labels))
    out.invalid(at / "template" / "metadata" / "labels", bad_labels(labels),
                "`selector` does not match template `labels`");
}

void validate_generated_selector(const batch::Job& job, Causes& out) {
  if (job.spec.manual_selector == true || !job.spec.selector) return;
  const FieldPath at("spec"), labels_at = at / "template" / "metadata" / "labels";
  const std::pair<const char*, const std::string*> expected[] = {
      {"controller-uid", &job.metadata.uid},
      {"job-name", &job.metadata.name},
      {"batch.kubernetes.io/controller-uid", &job.metadata.uid},
      {"batch.kubernetes.io/job-name", &job.metadata.name},
  };
  const auto& labels = job.spec.template_.metadata.labels;
  Labels wanted;
  for (const auto& [key, value] : expected) {
    wanted[key] = *value;
    const auto label = labels.find(key);
    const std::string text = fmt::format("must be '{}'", *value);
    if (label == labels.end()) {
      out.required(labels_at[key], text);
    } else if (label->second != *value) {
      out.invalid(labels_at[key], bad_labels(labels), text);
    }
  }
  const auto selector = LabelSelector::from(*job.spec.selector);
  if (selector && !selector->matches(wanted))
    out.invalid(at / "selector", bad_selector(*job.spec.selector), "`selector` not auto-generated");
}

/// The last pod's host name must be one.
void validate_name_for_completions(const batch::Job& job, Causes& out) {
  const auto& completions = job.spec.completions;
  if (job.spec.completion_mode != "Indexed" || !completions || *completions <= 0) return;
  const std::string host = fmt::format("{}-{}", job.metadata.name, *completions - 1);
  if (!check_dns1123_label(host).empty())
    out.invalid(FieldPath("metadata") / "name", job.metadata.name,
                fmt::format("will not able to create pod with invalid DNS label: {}", host));
}

template <class T>
bool same_box(const Box<T>& a, const Box<T>& b) {
  return a && b ? equal(*a, *b) : a.has_value() == b.has_value();
}

template <class T>
void validate_immutable(const Box<T>& fresh, const Box<T>& old, const FieldPath& at, Causes& out) {
  if (!same_box(fresh, old)) out.invalid(at, fresh ? bad_struct(*fresh) : BadValue::raw("null"), Causes::kFieldImmutable);
}

/// A Job that is suspended, and whose pods are gone, may get other directives and resources.
bool is_at_rest(const batch::Job& job) {
  if (job.spec.suspend != true) return false;
  const auto suspended = std::ranges::find(job.status.conditions, "Suspended", &batch::JobCondition::type);
  const bool known = suspended != job.status.conditions.end() && suspended->status == "True";
  return job.status.active == 0 && (known || !job.status.start_time);
}

void validate_template_update(const FeatureGates& gates, const batch::Job& fresh, const batch::Job& old,
                              const FieldPath& at, Causes& out) {
  const auto& pod = fresh.spec.template_;
  core::PodTemplateSpec before = old.spec.template_;
  const bool rests = is_at_rest(old);
  const bool not_started = old.spec.suspend == true && !old.status.start_time;
  if (gates.enabled("MutableSchedulingDirectivesForSuspendedJobs") ? rests : not_started) {
    if (pod.spec.affinity) {
      before.spec.affinity.ensure().node_affinity = pod.spec.affinity->node_affinity;
    } else if (before.spec.affinity) {
      before.spec.affinity->node_affinity.reset();
      if (!before.spec.affinity->pod_affinity && !before.spec.affinity->pod_anti_affinity) before.spec.affinity.reset();
    }
    before.spec.node_selector = pod.spec.node_selector;
    before.spec.tolerations = pod.spec.tolerations;
    before.metadata.annotations = pod.metadata.annotations;
    before.metadata.labels = pod.metadata.labels;
    before.spec.scheduling_gates = pod.spec.scheduling_gates;
  }
  if (rests && gates.enabled("MutablePodResourcesForSuspendedJobs")) {
    const auto take = [](std::vector<core::Container>& to, const std::vector<core::Container>& from) {
      for (std::size_t i = 0; i < to.size() && i < from.size(); ++i) to[i].resources = from[i].resources;
    };
    take(before.spec.containers, pod.spec.containers);
    take(before.spec.init_containers, pod.spec.init_containers);
  }
  if (!equal(pod, before)) out.invalid(at, bad_struct(pod), Causes::kFieldImmutable);
}

void validate_completions_update(const batch::JobSpec& fresh, const batch::JobSpec& old, const FieldPath& at,
                                 Causes& out) {
  if (fresh.completion_mode != "Indexed") return out.immutable(at, fresh.completions, old.completions);
  if (fresh.completions == old.completions || !fresh.completions) return;
  if (fresh.completions != fresh.parallelism)
    out.invalid(at, *fresh.completions, "can only be modified in tandem with spec.parallelism");
}

void validate_time_zone(const std::optional<std::string>& zone, const FieldPath& at, Causes& out) {
  if (!zone) return;
  if (zone->empty()) return out.invalid(at, *zone, "timeZone must be nil or non-empty string");
  const auto good = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '+' || c == '.' || c == '/';
  };
  if (!std::ranges::all_of(*zone, good) || zone->find("..") != std::string::npos || zone->starts_with('-'))
    return out.invalid(at, *zone, fmt::format("unknown time zone {}", *zone));
  std::string lower = *zone;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "local")
    out.invalid(at, *zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
}

void validate_schedule(const batch::CronJobSpec& spec, const batch::CronJobSpec* old, const FieldPath& at,
                       Causes& out) {
  if (spec.schedule.empty()) return out.required(at);
  const auto zoned = [](const std::string& schedule) { return schedule.find("TZ") != std::string::npos; };
  std::string_view fields = spec.schedule;
  if (zoned(spec.schedule)) fields = fields.substr(std::min(fields.find(' ') + 1, fields.size()));
  if (const std::string problem = cron_problem(fields); !problem.empty()) out.invalid(at, spec.schedule, problem);
  if (!zoned(spec.schedule)) return;
  if (old == nullptr || !zoned(old->schedule)) {
    out.invalid(at, spec.schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec.time_zone) {
    out.invalid(at, spec.schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

void validate_cron_spec(const batch::CronJobSpec& spec, const batch::CronJobSpec* old, const FeatureGates& gates,
                        Causes& out) {
  const FieldPath at("spec"), job = at / "jobTemplate" / "spec";
  validate_schedule(spec, old, at / "schedule", out);
  if (spec.starting_deadline_seconds)
    validate_nonnegative(*spec.starting_deadline_seconds, at / "startingDeadlineSeconds", out);
  if (old == nullptr || old->time_zone != spec.time_zone) validate_time_zone(spec.time_zone, at / "timeZone", out);
  const std::string& policy = spec.concurrency_policy;
  if (policy.empty()) {
    out.required(at / "concurrencyPolicy");
  } else if (policy != "Allow" && policy != "Forbid" && policy != "Replace") {
    out.not_supported(at / "concurrencyPolicy", policy, {"Allow", "Forbid", "Replace"});
  }
  validate_job_spec(spec.job_template.spec, old == nullptr ? nullptr : &old->job_template.spec, gates, job, out);
  if (spec.job_template.spec.selector)
    out.invalid(job / "selector", bad_selector(*spec.job_template.spec.selector), "`selector` will be auto-generated");
  if (spec.job_template.spec.manual_selector == true)
    out.not_supported(job / "manualSelector", true, {"nil", "false"});
  if (spec.successful_jobs_history_limit)
    validate_nonnegative(*spec.successful_jobs_history_limit, at / "successfulJobsHistoryLimit", out);
  if (spec.failed_jobs_history_limit)
    validate_nonnegative(*spec.failed_jobs_history_limit, at / "failedJobsHistoryLimit", out);
}

void warn_job_spec(const batch::JobSpec& spec, const std::string& at, std::vector<std::string>& out) {
  if (spec.completion_mode == "Indexed" && spec.completions.value_or(0) > kManyCompletions &&
      spec.parallelism.value_or(0) > kManyCompletionsMax)
    out.push_back(at +
                  ": In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than "
                  "10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail");
  warn_pod_template(spec.template_, at + ".template", out);
}

}  // namespace

void validate_job_create(const HookContext& context, const Object& object, Causes& out) {
  const auto& job = cast<batch::Job>(object);
  const FieldPath at("spec");
  validate_object_metadata(job.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_generated_selector(job, out);
  validate_job_spec(job.spec, nullptr, context.gates, at, out);
  validate_selector(job.spec, at, out);
  validate_name_for_completions(job, out);
}

void validate_job_update(const HookContext& context, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<batch::Job>(object);
  const auto& old = cast<batch::Job>(stored);
  const FieldPath at("spec");
  validate_job_spec(fresh.spec, &old.spec, context.gates, at, out);
  validate_selector(fresh.spec, at, out);
  validate_completions_update(fresh.spec, old.spec, at / "completions", out);
  if (!same_box(fresh.spec.selector, old.spec.selector))
    out.invalid(at / "selector", fresh.spec.selector ? bad_selector(*fresh.spec.selector) : BadValue::raw("null"),
                Causes::kFieldImmutable);
  validate_template_update(context.gates, fresh, old, at / "template", out);
  out.immutable(at / "completionMode", fresh.spec.completion_mode, old.spec.completion_mode);
  validate_immutable(fresh.spec.pod_failure_policy, old.spec.pod_failure_policy, at / "podFailurePolicy", out);
  out.immutable(at / "backoffLimitPerIndex", fresh.spec.backoff_limit_per_index, old.spec.backoff_limit_per_index);
  out.immutable(at / "managedBy", fresh.spec.managed_by, old.spec.managed_by);
  validate_immutable(fresh.spec.success_policy, old.spec.success_policy, at / "successPolicy", out);
  validate_name_for_completions(fresh, out);
}

void validate_cron_job_create(const HookContext& context, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_cron_spec(cast<batch::CronJob>(object).spec, nullptr, context.gates, out);
  if (object.metadata.name.size() > kCronNameMax)
    out.invalid(FieldPath("metadata") / "name", object.metadata.name, "must be no more than 52 characters");
}

void validate_cron_job_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_cron_spec(cast<batch::CronJob>(fresh).spec, &cast<batch::CronJob>(old).spec, context.gates, out);
}

std::vector<std::string> job_warnings(const HookContext&, const Object& fresh, const Object* old) {
  std::vector<std::string> out;
  if (old == nullptr) warn_name(fresh.metadata.name, "Pod names and hostnames", out);
  if (old == nullptr || old->metadata.generation != fresh.metadata.generation)
    warn_job_spec(cast<batch::Job>(fresh).spec, "spec", out);
  return out;
}

std::vector<std::string> cron_job_warnings(const HookContext&, const Object& fresh, const Object* old) {
  std::vector<std::string> out;
  const auto& spec = cast<batch::CronJob>(fresh).spec;
  if (old == nullptr) warn_name(fresh.metadata.name, "Pod names and hostnames", out);
  if (old == nullptr || old->metadata.generation != fresh.metadata.generation)
    warn_job_spec(spec.job_template.spec, "spec.jobTemplate.spec", out);
  if (old != nullptr && spec.schedule.find("TZ") != std::string::npos)
    out.push_back(
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
        "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
  return out;
}

}  // namespace dray::api
