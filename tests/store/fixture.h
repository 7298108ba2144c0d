/// What the tests of the store share: the built-in kinds, small objects, a directory of their own.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "api/core_v1.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "base/executor.h"
#include "base/random.h"
#include "store/open.h"
#include "store/resources.h"

namespace dray::store {

inline const api::Registry& kinds() {
  static const api::Registry registry = api::Registry::built_in();
  return registry;
}

inline const api::Kind& config_maps() { return kinds().of<core::ConfigMap>(); }

inline std::shared_ptr<core::ConfigMap> config_map(std::string space, std::string name, std::string value = "v") {
  auto out = std::make_shared<core::ConfigMap>();
  out->metadata.namespace_ = std::move(space);
  out->metadata.name = std::move(name);
  out->data["k"] = std::move(value);
  return out;
}

inline std::string value_of(const ObjectPtr& object) { return as<core::ConfigMap>(object)->data.at("k"); }

/// Runs on the executor's thread and waits for the answer.
template <class F>
auto on(Executor& executor, F&& f) -> decltype(f()) {
  std::promise<decltype(f())> promise;
  executor.post([&] {
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      promise.set_value();
    } else {
      promise.set_value(f());
    }
  });
  return promise.get_future().get();
}

class Directory {
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "dray-store-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A store in memory with Kubernetes' semantics, in virtual time.
struct World {
  VirtualExecutor executor{WallTime{std::chrono::seconds(1'800'000'000)}};
  std::unique_ptr<Store> store = open_ephemeral(executor);
  api::FeatureGates gates;
  Resources resources{*store, kinds(), gates, executor.clock(), Rng(1)};

  World() {
    auto space = std::make_shared<core::Namespace>();
    space->metadata.name = "default";
    EXPECT_TRUE(resources.create(kinds().of<core::Namespace>(), space));
  }
  template <class T>
  std::shared_ptr<const T> get(std::string_view name, std::string_view space = "default") {
    return as<T>(store->get(kinds().of<T>(), kinds().of<T>().namespaced ? space : "", name));
  }
};

}  // namespace dray::store
