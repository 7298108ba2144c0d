/// A cluster in virtual time with all controllers; the test plays scheduler and kubelet.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/apps_v1.h"
#include "api/batch_v1.h"
#include "api/core_v1.h"
#include "api/feature_gates.h"
#include "api/resource_v1.h"
#include "client/local_cluster.h"
#include "controllers/controllers.h"
#include "store/open.h"
#include "store/pod_conditions.h"

namespace dray::controllers {

using namespace std::chrono_literals;

inline const api::Registry& kinds() {
  static const api::Registry registry = api::Registry::built_in();
  return registry;
}

struct World {
  VirtualExecutor executor{WallTime{std::chrono::seconds(1'800'000'000)}};
  std::unique_ptr<store::Store> store = store::open_ephemeral(executor);
  api::FeatureGates gates;
  store::Resources resources{*store, kinds(), gates, executor.clock(), Rng(1)};
  client::LocalCluster cluster{executor, resources, Rng(2), "system:kube-controller-manager"};
  std::unique_ptr<Controllers> controllers;

  explicit World(Options options = {}) {
    controllers = std::make_unique<Controllers>(cluster, std::move(options));
    controllers->start();
    settle();
    make_node("n1");  // where `bind` puts pods
  }

  void settle(Duration span = 100ms) { executor.run_for(span); }

  template <class T>
  std::shared_ptr<const T> get(std::string_view name, std::string_view space = "default") {
    return as<T>(store->get(kinds().of<T>(), kinds().of<T>().namespaced ? space : "", name));
  }
  template <class T>
  std::vector<std::shared_ptr<const T>> list(std::string_view space = "default") {
    std::vector<std::shared_ptr<const T>> out;
    for (const ObjectPtr& object : store->list(kinds().of<T>(), kinds().of<T>().namespaced ? space : "").items) {
      out.push_back(as<T>(object));
    }
    return out;
  }
  template <class T>
  std::shared_ptr<const T> create(std::shared_ptr<T> object) {
    if (kinds().of<T>().namespaced && object->metadata.namespace_.empty()) object->metadata.namespace_ = "default";
    const auto made = resources.create(kinds().of<T>(), object);
    EXPECT_TRUE(made) << made.error().message;
    return made ? as<T>(made->object) : nullptr;
  }
  template <class T>
  void change(const std::string& name, const std::function<void(T&)>& change, const char* subresource = "",
              std::string_view space = "default") {
    const auto done = resources.modify(kinds().of<T>(), kinds().of<T>().namespaced ? space : "", name,
                                       [&](Object& object) -> Result<> {
                                         change(static_cast<T&>(object));
                                         return {};
                                       },
                                       {.subresource = subresource});
    EXPECT_TRUE(done) << done.error().message;
  }
  template <class T>
  void remove(const std::string& name, const char* policy = "Background", std::string_view space = "default") {
    meta::DeleteOptions how;
    how.propagation_policy = policy;
    const auto done = resources.remove(kinds().of<T>(), kinds().of<T>().namespaced ? space : "", name, how);
    EXPECT_TRUE(done) << done.error().message;
  }

  void set_phase(const core::Pod& pod, const std::string& phase, std::int32_t exit_code = 0) {
    change<core::Pod>(pod.name(), [&](core::Pod& fresh) {
      fresh.status.phase = phase;
      store::set_pod_condition(fresh, {"Ready", phase == "Running" ? "True" : "False", "", ""},
                               Time::of(executor.clock().wall()));
      if (phase != "Succeeded" && phase != "Failed") return;
      fresh.status.container_statuses.clear();
      auto& container = fresh.status.container_statuses.emplace_back();
      container.name = fresh.spec.containers.at(0).name;
      auto& end = container.state.terminated.ensure();
      end.exit_code = exit_code;
      end.finished_at = Time::of(executor.clock().wall());
    }, "status", pod.namespace_());
  }
  void bind(const core::Pod& pod, const std::string& node = "n1") {
    core::Binding binding;
    binding.metadata.namespace_ = pod.namespace_();
    binding.metadata.name = pod.name();
    binding.target.name = node;
    cluster.bind(binding, [](const Result<ObjectPtr>& done) { EXPECT_TRUE(done) << done.error().message; });
  }
  void force_remove(const core::Pod& pod) {
    meta::DeleteOptions now;
    now.grace_period_seconds = 0;
    (void)resources.remove(kinds().of<core::Pod>(), pod.namespace_(), pod.name(), now);
  }
  /// Scheduler and kubelet, one round: pods start, and those that are told to go are gone.
  bool run_pods(const std::string& phase = "Running") {
    bool moved = false;
    for (const auto& pod : list<core::Pod>("")) {
      if (pod->metadata.deletion_timestamp) {
        if (!pod->metadata.finalizers.empty() && pod->metadata.deletion_grace_period_seconds == 0) continue;
        force_remove(*pod);
        moved = true;
      } else if (pod->spec.node_name.empty()) {
        bind(*pod);
        set_phase(*get<core::Pod>(pod->name(), pod->namespace_()), phase);
        moved = true;
      }
    }
    settle();
    return moved;
  }
  void run_until_calm() {
    settle();  // what the last change causes
    for (int round = 0; round < 100 && run_pods(); ++round) {
    }
  }
  void make_node(const std::string& name) {
    if (get<core::Node>(name)) return;
    auto node = std::make_shared<core::Node>();
    node->metadata.name = name;
    create(node);
    change<core::Node>(name, [](core::Node& fresh) {
      auto& ready = fresh.status.conditions.emplace_back();
      ready.type = "Ready";
      ready.status = "True";
    }, "status");
    settle();
  }
  /// "reason: message" of all events about an object, in order.
  std::vector<std::string> events_of(const std::string& name) {
    std::vector<std::string> out;
    for (const auto& event : list<core::Event>("")) {
      if (event->involved_object.name == name) out.push_back(event->reason + ": " + event->message);
    }
    return out;
  }
};

inline void fill_template(core::PodTemplateSpec& out, const std::string& app, const std::string& image = "i:1") {
  out.metadata.labels["app"] = app;
  out.spec.containers.resize(1);
  out.spec.containers[0].name = "c";
  out.spec.containers[0].image = image;
}

inline std::shared_ptr<apps::Deployment> deployment(const std::string& name, std::int32_t replicas) {
  auto out = std::make_shared<apps::Deployment>();
  out->metadata.name = name;
  out->spec.replicas = replicas;
  out->spec.selector.ensure().match_labels["app"] = name;
  fill_template(out->spec.template_, name);
  return out;
}

inline std::shared_ptr<core::Pod> pod(const std::string& name) {
  auto out = std::make_shared<core::Pod>();
  out->metadata.name = name;
  out->spec.containers.resize(1);
  out->spec.containers[0].name = "c";
  out->spec.containers[0].image = "i:1";
  return out;
}

}  // namespace dray::controllers
