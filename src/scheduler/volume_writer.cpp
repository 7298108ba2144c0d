#include "scheduler/volume_writer.h"

#include <algorithm>

#include "api/core_v1.h"
#include "api/storage_v1.h"
#include "scheduler/binding.h"

namespace dray::scheduler {
namespace {

using core::PersistentVolume;
using core::PersistentVolumeClaim;

struct Steps : std::enable_shared_from_this<Steps> {
  std::weak_ptr<Core> core;
  std::vector<placement::VolumeMatch> matches;
  std::function<void(const Result<>&)> done;
  std::size_t next = 0;

  void run() {
    const auto owner = core.lock();
    if (owner == nullptr) return;
    if (next == matches.size()) {
      done({});
      return;
    }
    const auto& [claim, volume] = matches[next];
    auto fresh = std::make_shared<PersistentVolume>(*volume);
    auto& ref = fresh->spec.claim_ref.emplace();
    ref.kind = "PersistentVolumeClaim";
    ref.api_version = "v1";
    ref.namespace_ = claim->metadata.namespace_;
    ref.name = claim->metadata.name;
    ref.uid = claim->metadata.uid;
    fresh->metadata.annotations["pv.kubernetes.io/bound-by-controller"] = "yes";
    owner->cluster.update(fresh, [self = shared_from_this()](const Result<ObjectPtr>& result) {
      self->answered(result, [&] { self->write_claim(); });
    });
  }

  void write_claim() {
    const auto owner = core.lock();
    if (owner == nullptr) return;
    const auto& [claim, volume] = matches[next];
    auto fresh = std::make_shared<PersistentVolumeClaim>(*claim);
    fresh->spec.volume_name = volume->metadata.name;
    fresh->metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
    fresh->metadata.annotations["pv.kubernetes.io/bound-by-controller"] = "yes";
    owner->cluster.update(fresh, [self = shared_from_this()](const Result<ObjectPtr>& result) {
      self->answered(result, [&] {
        ++self->next;
        self->run();
      });
    });
  }

  template <class Next>
  void answered(const Result<ObjectPtr>& result, Next then) {
    if (result) {
      then();
    } else {
      done(fail(result.error()));
    }
  }
};

bool is_promised(const Core& core, const std::string& volume) {
  return std::ranges::any_of(core.bindings, [&](const auto& entry) {
    return std::ranges::any_of(entry.second->decision.volumes, [&](const auto& match) {
      return match.volume->metadata.name == volume;
    });
  });
}

}  // namespace

placement::VolumeSource volume_source(Core& core) {
  placement::VolumeSource source;
  source.claim = [&core](const std::string& namespace_, const std::string& name) {
    return core.cluster.get<PersistentVolumeClaim>(namespace_, name);
  };
  source.volume = [&core](const std::string& name) { return core.cluster.get<PersistentVolume>("", name); };
  source.volumes = [&core] {
    std::vector<placement::VolumePtr> out;
    for (const auto& object : core.cluster.informer<PersistentVolume>().list()) {
      out.push_back(as<PersistentVolume>(object));
    }
    return out;
  };
  source.storage_class = [&core](const std::string& name) {
    return core.cluster.get<storage::StorageClass>("", name);
  };
  source.promised = [&core](const std::string& volume) { return is_promised(core, volume); };
  return source;
}

void bind_volumes(Core& core, std::vector<placement::VolumeMatch> matches,
                  std::function<void(const Result<>&)> done) {
  auto steps = std::make_shared<Steps>();
  steps->core = core.weak_from_this();
  steps->matches = std::move(matches);
  steps->done = std::move(done);
  steps->run();
}

}  // namespace dray::scheduler
