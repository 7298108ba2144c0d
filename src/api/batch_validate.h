/// Validation of Jobs and CronJobs.
/// Source: pkg/apis/batch/validation of Kubernetes 1.37. Pure.
#pragma once

#include "api/hooks.h"

namespace dray::api {

void validate_job_create(const HookContext& context, const Object& object, Causes& out);
void validate_job_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_cron_job_create(const HookContext& context, const Object& object, Causes& out);
void validate_cron_job_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
[[nodiscard]] std::vector<std::string> job_warnings(const HookContext& context, const Object& fresh,
                                                    const Object* old);
[[nodiscard]] std::vector<std::string> cron_job_warnings(const HookContext& context, const Object& fresh,
                                                         const Object* old);

/// Why a schedule of five fields (or "@daily", "@every 1h") is none; empty if it is one.
[[nodiscard]] std::string cron_problem(std::string_view schedule);

}  // namespace dray::api
