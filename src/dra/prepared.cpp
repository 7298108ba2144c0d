#include "dra/prepared.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/resource_v1.h"
#include "dra/extended_resource.h"
#include "dra/prepare.h"

namespace dray::dra {

namespace {

using Kind = AllocateError::Kind;

/// An exact request or an alternative, as far as they are alike.
struct RequestFields {
  const std::string& name;
  const std::string& device_class_name;
  const std::vector<resource::DeviceSelector>& selectors;
  const std::string& allocation_mode;
  std::int64_t count;
  const bool* admin_access;
  const std::vector<resource::DeviceToleration>& tolerations;
  const resource::CapacityRequirements* capacity;
  const std::vector<resource::DeviceDerivedAttribute>& derived;
};

class Preparation {
 public:
  Preparation(Inventory::Impl& inventory, const DeviceClasses& classes)
      : inventory_(inventory), classes_(classes), pod_(std::make_unique<Prepared::Impl>()) {}

  std::unique_ptr<Prepared::Impl> run(
      std::vector<std::shared_ptr<const resource::ResourceClaim>> claims) {
    for (auto& claim : claims) {
      PodClaim& to = pod_->claims.emplace_back();
      to.text = claim->metadata.namespace_.empty()
                    ? claim->metadata.name
                    : claim->metadata.namespace_ + "/" + claim->metadata.name;
      to.object = std::move(claim);
    }
    for (std::uint32_t i = 0; i < pod_->claims.size(); ++i) {
      if (!prepare_claim(i)) break;
    }
    finish();
    return std::move(pod_);
  }

 private:
  /// Always false.
  bool refuse(Kind kind, std::string message) {
    pod_->error = AllocateError{kind, true, std::move(message)};
    pod_->checks.push_back({Check::Kind::kError, 0});
    return false;
  }

  bool prepare_claim(std::uint32_t index) {
    PodClaim& claim = pod_->claims[index];
    const auto& spec = claim.object->spec.devices;
    claim.first_request = static_cast<std::uint32_t>(pod_->requests.size());
    claim.first_constraint = static_cast<std::uint32_t>(pod_->constraints.size());
    for (const auto& request : spec.requests) {
      if (!prepare_request(index, request)) return false;
    }
    claim.request_count = static_cast<std::uint32_t>(pod_->requests.size()) - claim.first_request;
    for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
      const auto& from = spec.constraints[i];
      if (!from.match_attribute && !from.distinct_attribute)
        return refuse(Kind::kUnsupported,
                      fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                                  claim.text, i));
      const auto id = static_cast<std::uint32_t>(pod_->constraints.size());
      pod_->constraints.push_back({index, from.match_attribute.has_value(),
                                   from.match_attribute ? *from.match_attribute : *from.distinct_attribute});
      for (Want& want : pod_->wants) {
        if (want.claim == index && concerns(from.requests, want)) want.constraints.push_back(id);
      }
    }
    claim.constraint_count = static_cast<std::uint32_t>(pod_->constraints.size()) - claim.first_constraint;
    return true;
  }

  bool concerns(const std::vector<std::string>& names, const Want& want) const {
    if (names.empty()) return true;
    const auto among = [&names](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    return among(pod_->requests[want.request].name) || among(want.label);
  }

  bool prepare_request(std::uint32_t claim, const resource::DeviceRequest& request) {
    const std::string& text = pod_->claims[claim].text;
    const auto id = static_cast<std::uint32_t>(pod_->requests.size());
    const bool alternatives = !request.first_available.empty();
    pod_->requests.push_back({claim, request.name, static_cast<std::uint32_t>(pod_->wants.size()), 0, alternatives});
    const Features& features = inventory_.features;
    if (alternatives && !features.prioritized_list)
      return refuse(Kind::kFeatureDisabled,
                    fmt::format("claim {}, request {}: has subrequests, but the DRAPrioritizedList feature is disabled",
                                text, request.name));
    if (!features.consumable_capacity) {
      if (request.exactly && request.exactly->capacity)
        return refuse(Kind::kFeatureDisabled,
                      fmt::format("claim {}, request {}: has capacity requests, but the DRAConsumableCapacity "
                                  "feature is disabled", text, request.name));
      for (const auto& sub : request.first_available) {
        if (sub.capacity)
          return refuse(Kind::kFeatureDisabled,
                        fmt::format("claim {}, subrequest {}: has capacity requests, but the "
                                    "DRAConsumableCapacity feature is disabled", text, sub.name));
      }
    }
    if (alternatives) {
      for (const auto& sub : request.first_available) {
        const RequestFields fields{sub.name, sub.device_class_name, sub.selectors, sub.allocation_mode,
                                   sub.count, nullptr, sub.tolerations, sub.capacity.get(),
                                   sub.derived_attributes};
        if (!prepare_want(fields, request.name + "/" + sub.name)) return false;
      }
    } else if (request.exactly) {
      const auto& exact = *request.exactly;
      const RequestFields fields{request.name, exact.device_class_name, exact.selectors,
                                 exact.allocation_mode, exact.count,
                                 exact.admin_access ? &*exact.admin_access : nullptr,
                                 exact.tolerations, exact.capacity.get(), exact.derived_attributes};
      if (!prepare_want(fields, request.name)) return false;
    } else {
      return refuse(Kind::kUnsupported,
                    fmt::format("claim {}, request {}: missing device class name (unsupported request type?)",
                                text, request.name));
    }
    pod_->checks.push_back({Check::Kind::kLimit, id});
    return true;
  }

  bool prepare_want(const RequestFields& from, std::string label) {
    PodRequest& request = pod_->requests.back();
    const std::string where = fmt::format("claim {}, request {}", pod_->claims[request.claim].text, from.name);
    const Features& features = inventory_.features;
    if (!from.derived.empty() && !features.derived_attributes)
      return refuse(Kind::kFeatureDisabled,
                    where + ": cannot handle request with derived attributes, the feature is disabled");
    for (std::size_t i = 0; i < from.selectors.size(); ++i) {
      if (!from.selectors[i].cel)
        return refuse(Kind::kUnsupported,
                      fmt::format("{}, selector #{}: CEL expression empty (unsupported selector type?)", where, i));
    }
    if (!features.admin_access && from.admin_access != nullptr)
      return refuse(Kind::kFeatureDisabled, where + ": admin access is requested, but the feature is disabled");
    if (from.device_class_name.empty())
      return refuse(Kind::kUnsupported, where + ": missing device class name (unsupported request type?)");
    Want want;
    want.device_class = classes_.find(from.device_class_name);
    if (want.device_class == nullptr)
      return refuse(Kind::kClassNotFound,
                    fmt::format("{}: could not retrieve device class {}: deviceclass.resource.k8s.io \"{}\" not found",
                                where, from.device_class_name, from.device_class_name));
    want.claim = request.claim;
    want.request = static_cast<std::uint32_t>(pod_->requests.size()) - 1;
    want.alternative = request.want_count++;
    want.name = from.name;
    want.label = std::move(label);
    want.admin = from.admin_access != nullptr && *from.admin_access;
    want.tolerations = &from.tolerations;
    want.capacity = from.capacity;
    for (const auto& attribute : from.derived) {
      const SelectorRef expression = inventory_.selectors.selector(attribute.expression, true);
      const auto known = std::ranges::find(want.derived, attribute.name,
                                           &std::pair<std::string, SelectorRef>::first);
      if (known == want.derived.end()) {
        want.derived.emplace_back(attribute.name, expression);
      } else {
        known->second = expression;
      }
    }
    want.profile = inventory_.selectors.profile(want.device_class->spec.selectors, from.selectors,
                                                from.tolerations, from.capacity,
                                                pod_->claims[request.claim].object);
    pod_->admin = pod_->admin || want.admin;
    pod_->derives = pod_->derives || !want.derived.empty();
    if (from.allocation_mode == "ExactCount") {
      want.count = from.count;
    } else if (from.allocation_mode == "All") {
      want.all = true;
      pod_->lists = true;
      pod_->checks.push_back({Check::Kind::kList, static_cast<std::uint32_t>(pod_->wants.size())});
    } else {
      return refuse(Kind::kUnsupported, fmt::format("{}: unsupported count mode {}", where, from.allocation_mode));
    }
    pod_->wants.push_back(std::move(want));
    return true;
  }

  void finish() {
    Prepared::Impl& pod = *pod_;
    std::vector<std::int64_t> most(pod.claims.size(), 0);
    for (const PodRequest& request : pod.requests) {
      std::int64_t count = 0;
      for (std::uint32_t i = 0; i < request.want_count; ++i) {
        const Want& want = pod.wants[request.first_want + i];
        count = std::max(count, want.all ? kResultsMax + 1 : std::min(want.count, kResultsMax + 1));
      }
      most[request.claim] += count;
    }
    pod.limit_impossible = std::ranges::all_of(most, [](std::int64_t n) { return n <= kResultsMax; });
    if (pod.lists) return;
    std::vector<std::int64_t> counts;
    for (const Want& want : pod.wants) counts.push_back(want.count);
    for (const Check& check : pod.checks) {
      if (check.kind != Check::Kind::kLimit) continue;
      if (auto error = check_limit(pod, check.index, counts)) {
        pod.error = std::move(error);
        break;
      }
    }
    pod.counted = !pod.error && pod.wants.size() == 1 && !pod.wants[0].admin && pod.constraints.empty() &&
                  pod.wants[0].count > 0;
  }

  Inventory::Impl& inventory_;
  const DeviceClasses& classes_;
  std::unique_ptr<Prepared::Impl> pod_;
};

}  // namespace

std::optional<AllocateError> check_limit(const Prepared::Impl& pod, std::uint32_t request,
                                         const std::vector<std::int64_t>& counts) {
  const auto fewest = [&](const PodRequest& of) {
    std::int64_t least = INT64_MAX;
    for (std::uint32_t i = 0; i < of.want_count; ++i)
      least = std::min(least, counts[of.first_want + i]);
    return least;
  };
  const PodRequest& of = pod.requests[request];
  const PodClaim& claim = pod.claims[of.claim];
  std::int64_t before = 0;
  for (std::uint32_t i = claim.first_request; i < request; ++i) before += fewest(pod.requests[i]);
  const std::int64_t count = fewest(of);
  if (count <= kResultsMax - before) return std::nullopt;
  return AllocateError{Kind::kTooManyDevices, true,
                       fmt::format("claim {}, request {}: adding {} devices exceeds the claim limit of {}, "
                                   "with {} already accounted for", claim.text, of.name, count,
                                   kResultsMax, before)};
}

HoldingsPtr holdings_of(const Inventory::Impl& inventory, const Prepared::Impl& pod,
                        const Allocation& allocation) {
  auto out = std::make_shared<Holdings>();
  for (const Pick& pick : allocation.picks) {
    const Want& want = pod.wants[pick.want];
    if (want.admin) continue;
    Holding& holding = out->emplace_back();
    holding.device = pick.device;
    holding.share = pick.share;
    const std::vector<Symbol>& names = inventory.capacity_names[pick.capacity];
    if (!pick.share || names.empty()) continue;
    holding.has_capacity = true;
    const CapacityDemand& demand = want.profile->demand(pick.capacity);
    for (std::size_t i = 0; i < names.size(); ++i)
      holding.capacity.emplace_back(names[i], demand.amounts[i]);
  }
  return out;
}

std::unique_ptr<Prepared::Impl> prepare(
    Inventory::Impl& inventory, const DeviceClasses& classes,
    std::vector<std::shared_ptr<const resource::ResourceClaim>> claims) {
  return Preparation(inventory, classes).run(std::move(claims));
}

Prepared::Prepared(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;
std::size_t Prepared::claim_count() const { return impl_->claims.size(); }
const AllocateError* Prepared::error() const { return impl_->error ? &*impl_->error : nullptr; }
std::string Prepared::request_name(const Pick& pick) const { return impl_->wants[pick.want].label; }
std::size_t Prepared::claim_of(const Pick& pick) const { return impl_->wants[pick.want].claim; }

}  // namespace dray::dra
