#include "api/resource_table.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "api/age.h"
#include "api/hooks.h"
#include "api/resource_v1.h"
#include "api/resource_v1alpha3.h"

namespace dray::api {
namespace {

constexpr Column kName = {"Name", "string", "name"};
constexpr Column kAge = {"Age"};
constexpr Column kClaimColumns[] = {kName, {"State"}, kAge};
constexpr Column kSliceColumns[] = {kName, {"Node"}, {"Driver"}, {"Pool"}, kAge};
constexpr Column kRuleColumns[] = {kName, {"Key"}, {"Value"}, {"Effect"}, {"TimeAdded"}, kAge};
constexpr Column kPoolRequestColumns[] = {
    kName,         {"Driver"},      {"Total"},  {"Available"},        {"Allocated"},
    {"Unavailable"}, {"Errors"}, {"Pools", "integer"}, {"Status"}, {"Completed"}};

std::string created(const Object& object, Now now) {
  return age(object.metadata.creation_timestamp, now);
}

std::string claim_state(const resource::ResourceClaim& claim) {
  std::string state = claim.metadata.deletion_timestamp ? "deleted" : "";
  const auto add = [&](std::string_view word) {
    if (!state.empty()) state += ",";
    state += word;
  };
  if (claim.status.allocation) {
    add("allocated");
    if (!claim.status.reserved_for.empty()) add("reserved");
  } else if (state.empty()) {
    add("pending");
  }
  return state;
}

using PoolRequest = resource_v1alpha3::ResourcePoolStatusRequest;

/// The first condition that says how it ended, or null.
const meta::Condition* outcome_of(const resource_v1alpha3::ResourcePoolStatusRequestStatus& status) {
  for (const meta::Condition& condition : status.conditions) {
    if (condition.status == "True" && (condition.type == "Complete" || condition.type == "Failed")) {
      return &condition;
    }
  }
  return nullptr;
}

/// Total, Available, Allocated, Unavailable, Errors.
void append_counts(const resource_v1alpha3::ResourcePoolStatusRequestStatus& status, Value::List& row) {
  std::int64_t total = 0, available = 0, allocated = 0, unavailable = 0, errors = 0;
  for (const resource_v1alpha3::PoolStatus& pool : status.pools) {
    total += pool.total_devices.value_or(0);
    available += pool.available_devices.value_or(0);
    allocated += pool.allocated_devices.value_or(0);
    unavailable += pool.unavailable_devices.value_or(0);
    errors += pool.validation_error ? 1 : 0;
  }
  for (const std::int64_t count : {total, available, allocated, unavailable, errors}) {
    row.emplace_back(std::to_string(count));
  }
}

}  // namespace

std::span<const Column> claim_columns() { return kClaimColumns; }
std::span<const Column> slice_columns() { return kSliceColumns; }
std::span<const Column> taint_rule_columns() { return kRuleColumns; }
std::span<const Column> pool_status_request_columns() { return kPoolRequestColumns; }

Value::List claim_row(const Object& object, Now now) {
  return {object.name(), claim_state(cast<resource::ResourceClaim>(object)), created(object, now)};
}

Value::List slice_row(const Object& object, Now now) {
  const auto& spec = cast<resource::ResourceSlice>(object).spec;
  return {object.name(), spec.node_name.value_or(""), spec.driver, spec.pool.name, created(object, now)};
}

Value::List taint_rule_row(const Object& object, Now now) {
  const auto& taint = cast<resource::DeviceTaintRule>(object).spec.taint;
  return {object.name(), taint.key, taint.value, taint.effect,
          taint.time_added ? age(*taint.time_added, now) : "", created(object, now)};
}

Value::List pool_status_request_row(const Object& object, Now now) {
  const auto& request = cast<PoolRequest>(object);
  Value::List row = {object.name(), request.spec.driver};
  std::string status = "Pending", completed = "<none>";
  std::int64_t pools = 0;
  const meta::Condition* outcome = request.status ? outcome_of(*request.status) : nullptr;
  const bool failed = outcome && outcome->type == "Failed";
  if (request.status) pools = request.status->pool_count.value_or(0);
  if (request.status && !failed) {
    append_counts(*request.status, row);
  } else {
    row.insert(row.end(), 5, Value("-"));
  }
  if (failed) status = "Failed";
  if (outcome && !failed) {
    completed = age(outcome->last_transition_time, now);
    const auto shown = static_cast<std::int64_t>(request.status->pools.size());
    status = pools > shown ? fmt::format("Complete ({}/{} pools)", shown, pools) : "Complete";
  }
  row.emplace_back(pools);
  row.emplace_back(status);
  row.emplace_back(completed);
  return row;
}

}  // namespace dray::api
