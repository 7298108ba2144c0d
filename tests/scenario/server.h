/// What the scenario player needs of an API server, in the same process and without sockets.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "machinery/codec.h"
#include "machinery/patch.h"
#include "scenario/values.h"
#include "store/resources.h"

namespace dray::scenario {

class Server {
 public:
  explicit Server(store::Resources& resources) : resources_(resources) {}

  struct Served {
    const api::Kind* kind = nullptr;
    const api::ServedVersion* version = nullptr;
    explicit operator bool() const { return kind != nullptr; }
  };

  [[nodiscard]] Served find(const std::string& api_version, const std::string& kind) const {
    const auto slash = api_version.find('/');
    const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    const std::string version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    const auto found = resources_.registry().find_kind(group, kind);
    if (found == nullptr) return {};
    const auto* served = found->version(version);
    if (served == nullptr || !is_served(group, kind)) return {};
    return Served{found.get(), served};
  }
  /// By kind alone, as replay.py does.
  [[nodiscard]] Served find(const std::string& kind) const {
    for (const auto& known : resources_.registry().all()) {
      if (known->name == kind && known->group != "events.k8s.io") return {known.get(), &known->versions.front()};
    }
    return {};
  }

  [[nodiscard]] std::vector<Value> list(const std::string& kind, const std::string& namespace_ = {}) const {
    std::vector<Value> out;
    const Served served = find(kind);
    if (!served) return out;
    const auto listing = resources_.store().list(*served.kind, served.kind->namespaced ? namespace_ : "");
    for (const auto& object : listing.items) out.push_back(to_value(*object));
    return out;
  }

  [[nodiscard]] ObjectPtr get(const Served& served, const std::string& namespace_, const std::string& name) const {
    return resources_.store().get(*served.kind, served.kind->namespaced ? namespace_ : "", name);
  }

  Result<> create(const Served& served, Value doc, const std::string& namespace_) {
    if (served.kind->namespaced && at(doc, {"metadata", "namespace"}) == nullptr) {
      doc["metadata"].set("namespace", namespace_);
    }
    TRY_ASSIGN(auto object, stored(served, doc));
    TRY(resources_.create(*served.kind, std::move(object), options(served, "")));
    return {};
  }

  Result<> patch(const Served& served, const std::string& namespace_, const std::string& name, const Value& patch,
                 const std::string& subresource = {}) {
    const ObjectPtr old = get(served, namespace_, name);
    if (old == nullptr) return fail(Code::kNotFound, served.kind->plural + " \"" + name + "\" not found");
    Value tree = served.version->from_stored != nullptr ? to_value(*served.version->from_stored(*old))
                                                        : to_value(*old);
    TRY_ASSIGN(tree, apply_merge_patch(std::move(tree), patch));
    TRY_ASSIGN(auto object, stored(served, tree));
    TRY(resources_.update(*served.kind, std::move(object), options(served, subresource)));
    return {};
  }

  Result<> remove(const Served& served, const std::string& namespace_, const std::string& name,
                  std::optional<std::int64_t> grace = {}, const std::string& propagation = {}) {
    meta::DeleteOptions how;
    how.grace_period_seconds = grace;
    if (!propagation.empty()) how.propagation_policy = propagation;
    TRY(resources_.remove(*served.kind, served.kind->namespaced ? namespace_ : "", name, how, options(served, "")));
    return {};
  }

  [[nodiscard]] store::Resources& resources() { return resources_; }

 private:
  /// Kinds of a gate that is off are not served.
  [[nodiscard]] bool is_served(const std::string& group, const std::string& kind) const {
    const auto& gates = resources_.gates();
    if (group != "scheduling.k8s.io" || kind == "PriorityClass") return true;
    return gates.enabled(kind == "CompositePodGroup" ? "CompositePodGroup" : "GenericWorkload");
  }

  static store::WriteOptions options(const Served& served, const std::string& subresource) {
    store::WriteOptions out;
    out.user = "kubernetes-admin";
    out.subresource = subresource;
    out.version = served.version;
    return out;
  }

  static Result<std::shared_ptr<Object>> stored(const Served& served, const Value& tree) {
    TRY_ASSIGN(auto object, decode_object(tree, *served.version->type));
    if (served.version->to_stored == nullptr) return object;
    return served.version->to_stored(*object);
  }

  store::Resources& resources_;
};

}  // namespace dray::scenario
