#include "controllers/resource_quota.h"

#include <set>

#include "api/core_v1.h"
#include "controllers/work_queue.h"
#include "store/quota.h"

namespace dray::controllers {
namespace {

using namespace std::chrono_literals;
using store::quota::List;
using store::quota::Source;

/// How often everything is counted anew, whatever happens: as often as Kubernetes does.
constexpr Duration kRecount = 5min;

class ResourceQuotas final : public Controller {
 public:
  explicit ResourceQuotas(Context context)
      : context_(context),
        cluster_(context.cluster),
        queue_(cluster_.executor(), "resource quotas", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<core::ResourceQuota>(cluster_, alive_, [this](const core::ResourceQuota* old, const core::ResourceQuota* now) {
      if (!now) return;
      const bool changed = !old || old->spec.hard != now->spec.hard || now->status.hard != now->spec.hard;
      if (!changed) return;
      observe(*now);
      queue_.add(key_of(*now));
    });
  }

 private:
  Source source() const {
    return {cluster_.registry(), cluster_.gates(),
            [this](const StructDescriptor& kind, const std::string& space) { return cluster_.informer(kind).list(space); },
            context_.now()};
  }

  /// Looks at changes of every kind that the quota limits, from the first such quota on.
  void observe(const core::ResourceQuota& quota) {
    for (const auto& kind : cluster_.registry().all()) {
      if (!store::quota::counts(*kind) || observed_.contains(kind->stored)) continue;
      if (store::quota::matching(source(), *kind, quota.spec.hard).empty()) continue;
      observed_.insert(kind->stored);
      const auto changed = [this, kind, token = alive_.token()](const ObjectPtr& old, const ObjectPtr& now) {
        if (*token) on_change(*kind, *old, now.get());
      };
      cluster_.informer(*kind->stored).add_handler({
          {},
          changed,
          [changed](const ObjectPtr& last) { changed(last, nullptr); },
      });
    }
  }

  void on_change(const api::Kind& kind, const Object& old, const Object* now) {
    const auto quotas = cluster_.informer<core::ResourceQuota>().list(old.namespace_());
    if (quotas.empty()) return;
    const Source from = source();
    if (now && store::quota::usage(from, kind, old) == store::quota::usage(from, kind, *now)) return;
    for (const ObjectPtr& quota : quotas) {
      if (!store::quota::matching(from, kind, as<core::ResourceQuota>(quota)->spec.hard).empty()) queue_.add(key_of(*quota));
    }
  }

  Result<> sync(const ObjectKey& key) {
    const auto quota = cluster_.get<core::ResourceQuota>(key.namespace_, key.name);
    if (!quota) return {};
    queue_.add_after(key, kRecount);
    List used = store::quota::recount(source(), *quota);
    if (quota->status.hard == quota->spec.hard && quota->status.used == used) return {};
    auto fresh = mutable_copy_as(*quota);
    fresh->status.hard = quota->spec.hard;
    fresh->status.used = std::move(used);
    const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  Context context_;
  client::Cluster& cluster_;
  WorkQueue queue_;
  std::set<const StructDescriptor*> observed_;  // by address: looked up only
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_resource_quota_controller(Context context) {
  return std::make_unique<ResourceQuotas>(context);
}

}  // namespace dray::controllers
