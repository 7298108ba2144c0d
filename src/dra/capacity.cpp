#include "dra/capacity.h"

#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "api/resource_v1.h"

namespace dray::dra {

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
using Range = resource::CapacityRequestPolicyRange;

/// The milli value, if that loses nothing.
bool exact_milli(const Quantity& quantity, std::int64_t& out) {
  out = quantity.milli_value();
  return quantity == Quantity::milli(out);
}

bool uses_milli(const Range& range, bool fractional_ranges) {
  if (!fractional_ranges) return false;
  std::int64_t milli = 0;
  if (range.min && !exact_milli(*range.min, milli)) return false;
  if (range.max && !exact_milli(*range.max, milli)) return false;
  if (range.step && (!exact_milli(*range.step, milli) || milli < 1)) return false;
  return true;
}

Result<Quantity> not_representable(const Quantity& request, const char* what) {
  return fail(Code::kInvalid,
              fmt::format("capacity request cannot be represented in the device's range arithmetic: {}",
                          fmt::format(fmt::runtime(what), request.str())));
}

std::int64_t steps_up(std::int64_t added, std::int64_t step) {
  return added / step + (added % step != 0 ? 1 : 0);
}

/// The request raised to the range's minimum, and from there to a whole number of steps.
Result<Quantity> round_up(const Quantity& request, const Range& range, bool fractional_ranges) {
  if (request < *range.min) return *range.min;
  if (!range.step) return request;
  const Quantity::Format format = range.step->format();
  if (uses_milli(range, fractional_ranges)) {
    std::int64_t asked = 0;
    if (!exact_milli(request, asked))
      return not_representable(request, "request {} is not a representable milli value");
    const std::int64_t step = range.step->milli_value();
    const std::int64_t min = range.min->milli_value();
    const std::int64_t n = steps_up(asked - min, step);
    if (n > (kMax - min) / step)
      return not_representable(request, "rounding request {} up to the next step passes the milli-value range");
    const std::int64_t milli = min + step * n;
    return milli % 1000 == 0 ? Quantity::of(milli / 1000, 0, format) : Quantity::of(milli, -3, format);
  }
  if (request > Quantity::of(kMax))
    return not_representable(request, "request {} exceeds MaxInt64");
  const std::int64_t step = range.step->value();
  const std::int64_t min = range.min->value();
  if (step == 0) return request;  // refused at admission
  const std::int64_t n = steps_up(request.value() - min, step);
  if (min >= 0 && n > (kMax - min) / step)
    return not_representable(request, "rounding request {} up to the next step passes MaxInt64");
  return Quantity::of(min + step * n, 0, format);
}

/// Error kInvalid: not representable.
Result<Quantity> consumed(const Quantity* requested, const resource::DeviceCapacity& capacity,
                          bool fractional_ranges) {
  const auto* policy = capacity.request_policy.get();
  if (requested == nullptr)
    return policy != nullptr && policy->default_ ? *policy->default_ : capacity.value;
  if (policy == nullptr) return *requested;
  if (policy->valid_range && policy->valid_range->min)
    return round_up(*requested, *policy->valid_range, fractional_ranges);
  for (const Quantity& valid : policy->valid_values) {
    if (*requested <= valid) return valid;
  }
  return *requested;
}

bool violates(const Quantity& amount, const Range& range, bool fractional_ranges) {
  if (range.max && amount > *range.max) return true;
  if (!range.step) return false;
  const Quantity min = range.min ? *range.min : Quantity();
  if (uses_milli(range, fractional_ranges)) {
    std::int64_t milli = 0;
    return !exact_milli(amount, milli) ||
           (milli - min.milli_value()) % range.step->milli_value() != 0;
  }
  const std::int64_t step = range.step->value();
  return step != 0 && (amount.value() - min.value()) % step != 0;
}

bool violates(const Quantity& amount, const resource::CapacityRequestPolicy* policy,
              bool fractional_ranges) {
  if (policy == nullptr) return false;
  if (policy->default_ && amount == *policy->default_ && amount.format() == policy->default_->format())
    return false;
  if (policy->valid_range) return violates(amount, *policy->valid_range, fractional_ranges);
  if (policy->valid_values.empty()) return false;
  for (const Quantity& valid : policy->valid_values) {
    if (amount == valid) return false;
  }
  return true;
}

const Quantity* requested_of(const resource::CapacityRequirements* request, const std::string& name) {
  if (request == nullptr) return nullptr;
  const auto found = request->requests.find(name);
  return found == request->requests.end() ? nullptr : &found->second;
}

}  // namespace

CapacityDemand capacity_demand(const resource::CapacityRequirements* request,
                               const resource::Device& device, bool fractional_ranges) {
  CapacityDemand demand;
  const auto done = [&demand](CapacityDemand::Status status) {
    demand.status = status;
    demand.amounts.clear();
    return demand;
  };
  if (request != nullptr) {
    for (const auto& [name, quantity] : request->requests) {
      if (!device.capacity.contains(name)) return done(CapacityDemand::Status::kSkip);
    }
  }
  // All amounts come before all tests: an amount that can't be is an error even if some other
  // capacity is too small.
  std::vector<Quantity> amounts;
  for (const auto& [name, capacity] : device.capacity) {
    auto amount = consumed(requested_of(request, name), capacity, fractional_ranges);
    if (!amount || amount->sign() < 0) {
      demand.error = fmt::format("capacity \"{}\": {}", name,
                                 amount ? "capacity value is negative" : amount.error().message);
      return done(CapacityDemand::Status::kError);
    }
    demand.amounts.push_back(amount_of(*amount));
    amounts.push_back(std::move(*amount));
  }
  std::size_t i = 0;
  for (const auto& [name, capacity] : device.capacity) {
    if (violates(amounts[i], capacity.request_policy.get(), fractional_ranges) ||
        amounts[i] > capacity.value)
      return done(CapacityDemand::Status::kSkip);
    ++i;
  }
  return demand;
}

Quantity consumed_quantity(const Quantity* requested, const resource::DeviceCapacity& capacity,
                           bool fractional_ranges) {
  auto amount = consumed(requested, capacity, fractional_ranges);
  return amount ? std::move(*amount) : capacity.value;
}

}  // namespace dray::dra
