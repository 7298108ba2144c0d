#include "controllers/device_taints.h"

#include <algorithm>

namespace dray::controllers {
namespace {

using Result = resource::DeviceRequestAllocationResult;

/// Here only tolerations that name the effect count.
bool tolerates(const resource::DeviceToleration& one, const resource::DeviceTaint& taint) {
  if (one.effect != "NoExecute") return false;
  if (!one.key.empty() && one.key != taint.key) return false;
  return one.operator_ == "Exists" || one.value == taint.value;
}

/// When the taint ends the use of the device; nothing if it is tolerated for good.
std::optional<Time> end_of_use(const resource::DeviceTaint& taint, const Result& allocated) {
  Time when = taint.time_added.value_or(Time{0});
  std::optional<std::int64_t> seconds;
  for (const resource::DeviceToleration& one : allocated.tolerations) {
    if (!tolerates(one, taint)) continue;
    if (!one.toleration_seconds) return std::nullopt;
    const std::int64_t more = std::max<std::int64_t>(0, *one.toleration_seconds);
    seconds = seconds ? std::min(*seconds, more) : more;
  }
  when.seconds += seconds.value_or(0);
  return when;
}

}  // namespace

bool selects(const Rule& rule, const DevicePath& device) {
  if (!rule.spec.device_selector) return false;
  const resource::DeviceTaintSelector& selector = *rule.spec.device_selector;
  const auto fits = [](const std::optional<std::string>& want, const std::string& is) { return !want || *want == is; };
  return fits(selector.driver, device.driver) && fits(selector.pool, device.pool) && fits(selector.device, device.device);
}

void Expulsion::merge(const Expulsion& other) {
  when = std::min(when, other.when);
  rules.insert(other.rules.begin(), other.rules.end());
}

std::optional<std::pair<std::string, std::string>> DeviceTaints::change(const resource::ResourceSlice* old,
                                                                        const resource::ResourceSlice* now) {
  if (old) drop(*old);
  if (now) put(*now);
  const resource::ResourceSlice& slice = now ? *now : *old;
  return std::pair{slice.spec.driver, slice.spec.pool.name};
}

void DeviceTaints::put(const resource::ResourceSlice& slice) {
  Pool& pool = pools_[{slice.spec.driver, slice.spec.pool.name}];
  pool.slices[slice.name()] = mutable_copy_as(slice);
  pool.generation = std::max(pool.generation, slice.spec.pool.generation);
}

void DeviceTaints::drop(const resource::ResourceSlice& slice) {
  const auto found = pools_.find({slice.spec.driver, slice.spec.pool.name});
  if (found == pools_.end()) return;
  Pool& pool = found->second;
  pool.slices.erase(slice.name());
  if (pool.slices.empty()) {
    pools_.erase(found);
    return;
  }
  pool.generation = 0;
  for (const auto& [name, other] : pool.slices) pool.generation = std::max(pool.generation, other->spec.pool.generation);
}

void DeviceTaints::set_rule(const RulePtr& rule) {
  if (rule->spec.taint.effect == "NoExecute") {
    rules_[rule->name()] = rule;
  } else {
    rules_.erase(rule->name());
  }
}

void DeviceTaints::remove_rule(const std::string& name) { rules_.erase(name); }

const resource::Device* DeviceTaints::device_of(const Result& allocated) const {
  const auto found = pools_.find({allocated.driver, allocated.pool});
  if (found == pools_.end()) return nullptr;
  for (const auto& [name, slice] : found->second.slices) {
    if (slice->spec.pool.generation != found->second.generation) continue;
    for (const resource::Device& device : slice->spec.devices) {
      if (device.name == allocated.device) return &device;
    }
  }
  return nullptr;
}

std::optional<Expulsion> DeviceTaints::expulsion(const Result& allocated, const Rule* also) const {
  std::optional<Expulsion> out;
  const auto add = [&](const resource::DeviceTaint& taint, const Rule* rule) {
    const std::optional<Time> when = end_of_use(taint, allocated);
    if (!when) return;
    Expulsion one{*when, {}};
    if (rule) one.rules.insert(rule->metadata.uid);
    if (out) {
      out->merge(one);
    } else {
      out = std::move(one);
    }
  };
  if (const resource::Device* const device = device_of(allocated)) {
    for (const resource::DeviceTaint& taint : device->taints) {
      if (taint.effect == "NoExecute") add(taint, nullptr);
    }
  }
  const DevicePath path{allocated.driver, allocated.pool, allocated.device};
  for (const auto& [name, rule] : rules_) {
    if (selects(*rule, path)) add(rule->spec.taint, rule.get());
  }
  if (also && selects(*also, path)) add(also->spec.taint, also);
  return out;
}

std::size_t DeviceTaints::published(const Rule& rule) const {
  std::size_t count = 0;
  for (const auto& [id, pool] : pools_) {
    for (const auto& [name, slice] : pool.slices) {
      if (slice->spec.pool.generation != pool.generation) continue;
      count += static_cast<std::size_t>(std::ranges::count_if(slice->spec.devices, [&](const resource::Device& device) {
        return selects(rule, {slice->spec.driver, slice->spec.pool.name, device.name});
      }));
    }
  }
  return count;
}

}  // namespace dray::controllers
