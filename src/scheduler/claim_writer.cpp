#include "scheduler/claim_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/resource_v1.h"

namespace dray::scheduler {
namespace {

constexpr std::string_view kFinalizer = "resource.kubernetes.io/delete-protection";
constexpr int kConflictRetries = 5;

using resource::ResourceClaim;

std::string key_of(const ResourceClaim& claim) {
  return claim.metadata.namespace_ + "/" + claim.metadata.name;
}

std::unexpected<Error> explained(const Error& error, const std::string& what) {
  Error out = error;
  out.message = what + ": " + error.message;
  return std::unexpected<Error>(std::move(out));
}

/// The claim as it is now, if it is still the same one.
ClaimPtr current(Core& core, const ResourceClaim& claim) {
  ClaimPtr fresh = core.cluster.get<ResourceClaim>(claim.metadata.namespace_, claim.metadata.name);
  return fresh != nullptr && fresh->metadata.uid == claim.metadata.uid ? fresh : nullptr;
}

/// One try of `reserve_claim`, and the next ones.
struct Reserve : std::enable_shared_from_this<Reserve> {
  std::weak_ptr<Core> core;
  ClaimPtr claim;
  std::shared_ptr<const resource::AllocationResult> allocation;
  resource::ResourceClaimConsumerReference consumer;
  ClaimDone done;
  int tries_left = kConflictRetries;

  void run() {
    const auto& name = key_of(*claim);
    if (claim->metadata.deletion_timestamp) {
      done(fail(Code::kConflict, fmt::format("claim {} got deleted in the meantime", name)));
    } else if (allocation && claim->status.allocation) {
      done(fail(Code::kConflict, fmt::format("claim {} got allocated elsewhere in the meantime", name)));
    } else if (!allocation && !claim->status.allocation) {
      done(fail(Code::kConflict, fmt::format("claim {} got deallocated elsewhere in the meantime", name)));
    } else if (allocation && std::ranges::count(claim->metadata.finalizers, kFinalizer) == 0) {
      add_finalizer();
    } else {
      write_status();
    }
  }

  void add_finalizer() {
    const auto owner = core.lock();
    if (owner == nullptr) return;
    auto fresh = std::make_shared<ResourceClaim>(*claim);
    fresh->metadata.finalizers.emplace_back(kFinalizer);
    owner->cluster.update(fresh, [self = shared_from_this()](const Result<ObjectPtr>& result) {
      self->answered(result, "add finalizer to claim " + key_of(*self->claim), [&] { self->write_status(); });
    });
  }

  void write_status() {
    const auto owner = core.lock();
    if (owner == nullptr) return;
    auto fresh = std::make_shared<ResourceClaim>(*claim);
    if (allocation) fresh->status.allocation = *allocation;
    auto& stamp = fresh->status.allocation->allocation_timestamp;
    if (!stamp) stamp = Time::of(owner->clock().wall());
    fresh->status.reserved_for.push_back(consumer);
    const char* what = allocation ? "add allocation and reservation to claim " : "add reservation to claim ";
    owner->cluster.update_status(fresh, [self = shared_from_this(), what](const Result<ObjectPtr>& result) {
      self->answered(result, what + key_of(*self->claim), [&] { self->done(self->claim); });
    });
  }

  template <class Next>
  void answered(const Result<ObjectPtr>& result, const std::string& what, Next next) {
    if (result) {
      claim = as<ResourceClaim>(*result);
      next();
      return;
    }
    if (result.error().code == Code::kConflict && tries_left-- > 0) {
      retry();
      return;
    }
    done(explained(result.error(), what));
  }

  void retry() {
    const auto owner = core.lock();
    if (owner == nullptr) return;
    owner->cluster.executor().after(
        std::chrono::milliseconds(10), owner->guarded([self = shared_from_this()](Core& again) {
          const ClaimPtr fresh = current(again, *self->claim);
          if (fresh == nullptr) {
            self->done(fail(Code::kNotFound,
                            fmt::format("claim {} got deleted in the meantime", key_of(*self->claim))));
            return;
          }
          self->claim = fresh;
          self->run();
        }));
  }
};

/// Changes the claim's newest status; again after conflicts.
void modify_status(Core& core, const ClaimPtr& claim, const std::function<bool(ResourceClaim&)>& change,
                   int tries_left) {
  const ClaimPtr now = current(core, *claim);
  if (now == nullptr) return;
  auto fresh = std::make_shared<ResourceClaim>(*now);
  if (!change(*fresh)) return;
  core.cluster.update_status(fresh, [weak = core.weak_from_this(), claim, change,
                                     tries_left](const Result<ObjectPtr>& result) {
    const auto owner = weak.lock();
    if (owner == nullptr || result || result.error().code != Code::kConflict || tries_left == 0) return;
    owner->cluster.executor().after(
        std::chrono::milliseconds(10), owner->guarded([claim, change, tries_left](Core& again) {
          modify_status(again, claim, change, tries_left - 1);
        }));
  });
}

}  // namespace

void reserve_claim(Core& core, const ClaimPtr& claim,
                   std::shared_ptr<const resource::AllocationResult> allocation,
                   const resource::ResourceClaimConsumerReference& consumer, ClaimDone done) {
  auto attempt = std::make_shared<Reserve>();
  attempt->core = core.weak_from_this();
  attempt->claim = claim;
  attempt->allocation = std::move(allocation);
  attempt->consumer = consumer;
  attempt->done = std::move(done);
  attempt->run();
}

void unreserve_claim(Core& core, const ClaimPtr& claim, const std::string& consumer_uid) {
  modify_status(core, claim, [consumer_uid](ResourceClaim& fresh) {
    return std::erase_if(fresh.status.reserved_for,
                         [&](const auto& user) { return user.uid == consumer_uid; }) > 0;
  }, kConflictRetries);
}

void deallocate_claim(Core& core, const ClaimPtr& claim) {
  modify_status(core, claim, [](ResourceClaim& fresh) {
    if (!fresh.status.allocation) return false;
    fresh.status.allocation.reset();
    fresh.status.reserved_for.clear();
    fresh.status.devices.clear();
    return true;
  }, kConflictRetries);
}

void create_claim(Core& core, const ClaimPtr& claim, ClaimDone done) {
  auto fresh = std::make_shared<ResourceClaim>(*claim);
  fresh->metadata.name.clear();
  fresh->metadata.uid.clear();
  fresh->metadata.finalizers = {std::string(kFinalizer)};
  core.cluster.create(fresh, [done = std::move(done)](const Result<ObjectPtr>& result) {
    if (result) {
      done(as<ResourceClaim>(*result));
    } else {
      done(explained(result.error(), "create claim for extended resources"));
    }
  });
}

void delete_claim(Core& core, const ClaimPtr& claim) {
  const ClaimPtr now = current(core, *claim);
  if (now == nullptr) return;
  const auto remove = [&core, claim] {
    core.cluster.remove(ResourceClaim::kDescriptor, claim->metadata.namespace_, claim->metadata.name);
  };
  if (std::ranges::count(now->metadata.finalizers, kFinalizer) == 0) {
    remove();
    return;
  }
  auto fresh = std::make_shared<ResourceClaim>(*now);
  std::erase(fresh->metadata.finalizers, std::string(kFinalizer));
  core.cluster.update(fresh, [weak = core.weak_from_this(), claim](const Result<ObjectPtr>& result) {
    const auto owner = weak.lock();
    if (owner == nullptr || !result) return;
    owner->cluster.remove(ResourceClaim::kDescriptor, claim->metadata.namespace_, claim->metadata.name);
  });
}

}  // namespace dray::scheduler
