#include "client/local_cluster.h"

#include <utility>

#include "api/core_v1.h"
#include "store/subresources.h"

namespace dray::client {
namespace {

void answer(const Cluster::Done& done, Result<store::Written> written) {
  if (!done) return;
  if (written) {
    done(std::move(written->object));
  } else {
    done(fail(std::move(written).error()));
  }
}

void dispatch(const Handler& handler, const store::Event& event) {
  switch (event.type) {
    case store::EventType::kAdded:
      if (handler.added) handler.added(event.object);
      return;
    case store::EventType::kModified:
      if (handler.updated) handler.updated(event.old, event.object);
      return;
    case store::EventType::kDeleted:
      if (handler.deleted) handler.deleted(event.object);
      return;
  }
}

}  // namespace

class LocalCluster::StoreInformer final : public Informer {
 public:
  StoreInformer(Executor& executor, store::Store& store, const api::Kind& kind)
      : executor_(executor), store_(store), kind_(kind), alive_(std::make_shared<bool>(true)) {}
  ~StoreInformer() override { *alive_ = false; }

  [[nodiscard]] ObjectPtr get(std::string_view namespace_, std::string_view name) const override {
    return store_.get(kind_, namespace_, name);
  }
  [[nodiscard]] std::vector<ObjectPtr> list(std::string_view namespace_) const override {
    return store_.list(kind_, namespace_).items;
  }
  [[nodiscard]] bool synced() const override { return true; }

  void add_handler(Handler handler) override {
    auto shared = std::make_shared<Handler>(std::move(handler));
    // List and watch in one task: nothing can happen between them.
    executor_.post([this, alive = alive_, shared = std::move(shared)] {
      if (!*alive) return;
      const store::Listing listing = store_.list(kind_);
      auto watch = store_.watch(kind_, listing.revision, [alive, shared](const store::EventPtr& event) {
        if (*alive) dispatch(*shared, *event);
      });
      watches_.push_back(std::move(watch).value());  // the newest revision is always retained
      if (!shared->added) return;
      for (const ObjectPtr& object : listing.items) {
        if (*alive) shared->added(object);
      }
    });
  }

 private:
  Executor& executor_;
  store::Store& store_;
  const api::Kind& kind_;
  std::shared_ptr<bool> alive_;
  std::vector<std::unique_ptr<store::Watch>> watches_;
};

LocalCluster::LocalCluster(Executor& executor, store::Resources& resources, Rng rng, std::string user)
    : executor_(executor), resources_(resources), rng_(rng), recorder_(executor, resources) {
  options_.user = std::move(user);
  status_options_ = options_;
  status_options_.subresource = "status";
}
LocalCluster::~LocalCluster() = default;

Informer& LocalCluster::informer(const StructDescriptor& kind) {
  auto& slot = informers_[&kind];
  if (!slot) slot = std::make_unique<StoreInformer>(executor_, resources_.store(), registry().of(kind));
  return *slot;
}

Time LocalCluster::now() const { return Time::of(executor_.clock().wall()); }

void LocalCluster::create(std::shared_ptr<Object> object, Done done) {
  const api::Kind& kind = registry().of(*object->type);
  answer(done, resources_.create(kind, std::move(object), options_));
}

void LocalCluster::update(std::shared_ptr<Object> object, Done done) {
  const api::Kind& kind = registry().of(*object->type);
  answer(done, resources_.update(kind, std::move(object), options_));
}

void LocalCluster::update_status(std::shared_ptr<Object> object, Done done) {
  const api::Kind& kind = registry().of(*object->type);
  answer(done, resources_.update(kind, std::move(object), status_options_));
}

void LocalCluster::remove(const StructDescriptor& kind, std::string_view namespace_, std::string_view name,
                          const meta::DeleteOptions& how, Done done) {
  answer(done, resources_.remove(registry().of(kind), namespace_, name, how, options_));
}

void LocalCluster::finalize(std::shared_ptr<Object> space, Done done) {
  store::WriteOptions options = options_;
  options.subresource = "finalize";
  const api::Kind& kind = registry().of(*space->type);
  answer(done, resources_.update(kind, std::move(space), options));
}

void LocalCluster::bind(const core::Binding& binding, Done done) {
  answer(done, store::bind_pod(resources_, binding, now(), options_));
}

void LocalCluster::evict(std::string_view namespace_, std::string_view name, const meta::DeleteOptions& how,
                         Done done) {
  answer(done, store::evict_pod(resources_, namespace_, name, how, now(), options_));
}

void LocalCluster::record(const Object& about, const EventNote& note) { recorder_.record(about, note); }

}  // namespace dray::client
