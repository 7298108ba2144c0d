#include "dra/allocator.h"

#include <bit>
#include <unordered_map>

#include "api/resource_v1.h"
#include "base/check.h"
#include "dra/allocated_state_impl.h"
#include "dra/allocator_impl.h"
#include "dra/explain.h"
#include "dra/extended_resource.h"
#include "dra/prepare.h"
#include "dra/render.h"

namespace dray::dra {

namespace {
using Kind = AllocateError::Kind;
/// Profiles of which node counts are kept.
constexpr std::size_t kCountsMax = 512;
}  // namespace

const char* name_of(AllocateError::Kind kind) {
  switch (kind) {
    case Kind::kInvalidPools: return "invalidPools";
    case Kind::kCelCompile: return "celCompile";
    case Kind::kCelRuntime: return "celRuntime";
    case Kind::kPoolIncomplete: return "poolIncomplete";
    case Kind::kPoolInvalid: return "poolInvalid";
    case Kind::kConstraint: return "constraint";
    case Kind::kClassNotFound: return "classNotFound";
    case Kind::kTooManyDevices: return "tooManyDevices";
    case Kind::kCapacity: return "capacity";
    case Kind::kFeatureDisabled: return "featureDisabled";
    case Kind::kUnsupported: return "unsupported";
    case Kind::kNodeSelector: return "nodeSelector";
  }
  return "other";
}

std::shared_ptr<NodeCounts> Allocator::Impl::counts_of(const ProfilePtr& profile) {
  if (const auto found = counts.find(profile.get()); found != counts.end()) return found->second;
  if (counts.size() >= kCountsMax) counts.clear();
  auto made = std::make_shared<NodeCounts>();
  made->profile = profile;
  counts.emplace(profile.get(), made);
  return made;
}

const NodeCounts::Count& Allocator::Impl::count(NodeCounts& of, NodeId node) {
  if (of.nodes.size() <= index_of(node)) of.nodes.resize(inventory.nodes.size());
  NodeCounts::Count& count = of.nodes[index_of(node)];
  const std::uint64_t epoch = inventory.view_epoch(node) + state.node_epoch(node);
  if (count.epoch == epoch) return count;
  count = {epoch, 0, false, false};
  const bool skips_matter = inventory.features.experimental();
  for (const View::Entry& entry : inventory.view(node).slices) {
    const Slice& slice = *entry.slice;
    const Row& row = inventory.selectors.row(*of.profile, slice, inventory.taint_sets);
    const SliceUse& use = state.slice_use(slice);
    for (std::size_t w = 0; w < row.words; ++w)
      count.usable += static_cast<std::uint32_t>(std::popcount(row.usable()[w] & ~use.used[w]));
    count.special = count.special || row.complex || use.shares || slice.per_device ||
                    (skips_matter && slice.skips_operations);
    count.errors = count.errors || row.errors || slice.bad_selector;
  }
  return count;
}

bool Allocator::Impl::counts_suffice(const Prepared::Impl& pod, NodeId node) {
  bool enough = true;
  for (const PodRequest& request : pod.requests) {
    bool some = false;
    for (std::uint32_t i = 0; i < request.want_count; ++i) {
      const Want& want = pod.wants[request.first_want + i];
      const NodeCounts::Count& have = count(*pod.counts[request.first_want + i], node);
      // An error may be reached whatever the counts say.
      if (have.errors) return true;
      some = some || want.admin || have.usable >= want.count;
    }
    enough = enough && some;
  }
  return enough;
}

std::optional<Outcome> Allocator::Impl::take_first(const Prepared::Impl& pod, NodeId node, const View& view) {
  const Want& want = pod.wants[0];
  const NodeCounts::Count& have = count(*pod.counts[0], node);
  if (have.special || have.errors || have.usable < want.count) return std::nullopt;
  ++work.counted;
  Allocation out;
  out.node = node;
  out.alternatives.assign(pod.requests.size(), 0);
  out.picks.reserve(static_cast<std::size_t>(want.count));
  auto needed = static_cast<std::size_t>(want.count);
  for (const View::Entry& entry : view.slices) {
    const Slice& slice = *entry.slice;
    const Row& row = inventory.selectors.row(*want.profile, slice, inventory.taint_sets);
    const SliceUse& use = state.slice_use(slice);
    for (std::size_t w = 0; w < row.words; ++w) {
      Word word = row.usable()[w] & ~use.used[w];
      for (; word != 0; word &= word - 1) {
        const auto i = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
        out.picks.push_back({slice.devices[i].id, 0, slice.index, i, slice.devices[i].capacity, false});
        if (--needed == 0) return out;
      }
    }
  }
  CHECK(false);
  return out;
}

Outcome Allocator::Impl::refuse(const View& view) const {
  if (view.some_invalid)
    return AllocateError{Kind::kInvalidPools, false, "invalid resource pools were encountered"};
  return Refusal{};
}

Outcome Allocator::Impl::search(const Prepared::Impl& pod, NodeId node, const View& view) {
  ++work.searches;
  const NodeFacts& facts = inventory.nodes[index_of(node)].facts;
  const Sources from{inventory, state, counters};
  if (auto error = problem.build(from, pod, view, facts)) return std::move(*error);
  Search search(problem, from);
  const Search::End end = search.run(pod, facts, limits.steps_max, limits.verify_undo);
  work.steps += search.stats().steps;
  work.devices += search.stats().devices;
  switch (end) {
    case Search::End::kNone: return refuse(view);
    case Search::End::kError: return search.take_error();
    case Search::End::kExhausted: return Refusal{Refusal::Reason::kStepsExhausted};
    case Search::End::kFound: break;
  }
  Allocation out;
  out.node = node;
  search.write(out);
  return out;
}

Outcome Allocator::Impl::allocate(const Prepared::Impl& pod, NodeId node) {
  const View& view = inventory.view(node);
  if (view.error) return AllocateError{Kind::kNodeSelector, true, *view.error};
  if (!pod.lists) {
    if (pod.error) return *pod.error;
    if (!pod.derives && !counts_suffice(pod, node)) {
      ++work.counted;
      return refuse(view);
    }
    if (pod.counted) {
      if (auto taken = take_first(pod, node, view)) {
        if (!view.several_terms) return std::move(*taken);
      }
    }
  }
  Outcome out = search(pod, node, view);
  if (view.several_terms && std::holds_alternative<Allocation>(out)) {
    const auto rendered = dra::render(inventory, pod, std::get<Allocation>(out), [] { return std::string(); });
    if (!rendered) return AllocateError{Kind::kNodeSelector, true, rendered.error().message};
  }
  return out;
}

Allocator::Allocator(Inventory& inventory, AllocatedState& state, const DeviceClasses& classes, Limits limits)
    : impl_(std::make_unique<Impl>(inventory.impl(), state.impl(), classes, limits)) {}
Allocator::~Allocator() = default;

Prepared Allocator::prepare(std::vector<std::shared_ptr<const resource::ResourceClaim>> claims) {
  auto pod = dra::prepare(impl_->inventory, impl_->classes, std::move(claims));
  for (const Want& want : pod->wants) pod->counts.push_back(impl_->counts_of(want.profile));
  return Prepared(std::move(pod));
}

Outcome Allocator::allocate(const Prepared& pod, NodeId node) { return impl_->allocate(pod.impl(), node); }

bool Allocator::may_fit(const Prepared& pod, NodeId node) {
  const Prepared::Impl& of = pod.impl();
  const View& view = impl_->inventory.view(node);
  if (view.error || view.some_invalid || of.lists || of.derives || of.error) return true;
  return impl_->counts_suffice(of, node);
}

std::vector<NodeId> Allocator::candidates(const Prepared& pod) {
  std::vector<NodeId> out;
  for (std::uint32_t i = 0; i < impl_->inventory.nodes.size(); ++i) {
    const auto node = static_cast<NodeId>(i);
    if (impl_->inventory.nodes[i].present && may_fit(pod, node)) out.push_back(node);
  }
  return out;
}

std::vector<resource::AllocationResult> Allocator::render(const Prepared& pod, const Allocation& allocation,
                                                          const ShareIds& share_ids) const {
  auto out = dra::render(impl_->inventory, pod.impl(), allocation, share_ids);
  CHECK(out.has_value());  // `allocate` found it expressible
  return std::move(*out);
}

Explanation Allocator::explain(const Prepared& pod, NodeId node) {
  return dra::explain(*impl_, pod.impl(), node);
}

const Work& Allocator::work() const {
  impl_->work.evaluations = impl_->inventory.selectors.evaluations();
  impl_->work.views = impl_->inventory.views_built;
  return impl_->work;
}

}  // namespace dray::dra
