/// The cluster in the same process: informers read the store itself, writes go through Resources.
/// Thread: confined to the control plane's executor.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "client/cluster.h"
#include "client/event_recorder.h"
#include "store/resources.h"

namespace dray::client {

/// What is handed in outlives it; handlers run until it is destroyed.
class LocalCluster final : public Cluster {
 public:
  /// `user` is who writes, as admission sees it: "system:kube-scheduler".
  LocalCluster(Executor& executor, store::Resources& resources, Rng rng, std::string user);
  ~LocalCluster() override;

  [[nodiscard]] Executor& executor() override { return executor_; }
  [[nodiscard]] Rng& rng() override { return rng_; }
  [[nodiscard]] const api::Registry& registry() const override { return resources_.registry(); }
  [[nodiscard]] const api::FeatureGates& gates() const override { return resources_.gates(); }
  [[nodiscard]] Informer& informer(const StructDescriptor& kind) override;
  using Cluster::informer;
  void create(std::shared_ptr<Object> object, Done done) override;
  void update(std::shared_ptr<Object> object, Done done) override;
  void update_status(std::shared_ptr<Object> object, Done done) override;
  void remove(const StructDescriptor& kind, std::string_view namespace_, std::string_view name,
              const meta::DeleteOptions& how, Done done) override;
  void finalize(std::shared_ptr<Object> space, Done done) override;
  void bind(const core::Binding& binding, Done done) override;
  void evict(std::string_view namespace_, std::string_view name, const meta::DeleteOptions& how,
             Done done) override;
  void record(const Object& about, const EventNote& note) override;

 private:
  class StoreInformer;

  [[nodiscard]] Time now() const;

  Executor& executor_;
  store::Resources& resources_;
  Rng rng_;
  store::WriteOptions options_, status_options_;
  EventRecorder recorder_;
  std::map<const StructDescriptor*, std::unique_ptr<StoreInformer>> informers_;
};

}  // namespace dray::client
