#include "node/simulated_nodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "api/coordination_v1.h"
#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "node/behaviour.h"
#include "node/pod_claims.h"
#include "node/pod_status.h"
#include "drivers/profile.h"
#include "node/registration.h"

namespace dray::node {
namespace {

constexpr Duration kLeaseRenewal = std::chrono::seconds(10);   // as the kubelet's
constexpr std::string_view kComponent = "kubelet";

enum class Phase : std::uint8_t { kWaiting, kStarting, kRunning, kStopping };

struct NodeState {
  int index;
  const drivers::NodeGroup* group;
  int pods_started = 0;
};

struct PodState {
  std::string uid;
  Phase phase = Phase::kWaiting;
  TimerId timer = 0;
  std::string pod_ip;
  std::vector<std::string> waits_for;  // claims, while kWaiting
};

std::string key_of(const Object& object) { return object.metadata.namespace_ + "/" + object.metadata.name; }

}  // namespace

struct SimulatedNodes::Impl : std::enable_shared_from_this<Impl> {
  Impl(client::Cluster& c, drivers::Fleet f) : cluster(c), fleet(std::move(f)) {
    int index = 0;
    for (const drivers::NodeGroup& group : fleet.groups) {
      for (int i = 0; i < group.count; ++i) {
        nodes.emplace(fmt::format("{}-{}", group.name, i), NodeState{index++, &group});
      }
    }
  }

  client::Cluster& cluster;
  const drivers::Fleet fleet;
  std::map<std::string, NodeState, std::less<>> nodes;
  std::unordered_map<std::string, PodState> pods;               // by "namespace/name", those on our nodes
  std::unordered_map<std::string, std::set<std::string>> waiting;  // claim -> pods that wait for it

  [[nodiscard]] Now now() const { return cluster.executor().clock().now(); }
  [[nodiscard]] Time time() const { return Time::of(now().wall); }

  /// Runs `member` later, unless the nodes are gone by then.
  template <class Function>
  TimerId later(Duration delay, Function function) {
    return cluster.executor().after(delay, [weak = weak_from_this(), function] {
      if (const auto self = weak.lock()) function(*self);
    });
  }

  // -- Registration ---------------------------------------------------------------------------

  void start() {
    register_classes();
    for (const auto& [name, state] : nodes) register_node(name, state);
    renew_leases();
    watch_slices();
    watch_claims();
    watch_pods();
  }

  void register_classes() {
    std::set<std::string> drivers;
    for (const auto& group : fleet.groups) {
      for (const auto& devices : group.devices) drivers.insert(devices.driver);
    }
    for (const std::string& driver : drivers) {
      auto made = drivers::class_of(driver);
      if (made && !cluster.get<resource::DeviceClass>({}, made->metadata.name)) cluster.create(made);
    }
  }

  void register_node(const std::string& name, const NodeState& state) {
    if (const auto known = cluster.get<core::Node>({}, name)) {
      auto fresh = mutable_copy_as(*known);
      fill_status(*fresh, *state.group, state.index, now());
      cluster.update_status(std::move(fresh));
    } else {
      cluster.create(make_node(*state.group, name, state.index, now()));
    }
    for (resource::ResourceSlice& slice : drivers::slices_of(*state.group, name)) publish(std::move(slice));
  }

  void publish(resource::ResourceSlice slice) {
    const std::string& node_name = *slice.spec.node_name;
    const auto node = cluster.get<core::Node>({}, node_name);
    if (!node || cluster.get<resource::ResourceSlice>({}, slice.metadata.name)) return;
    auto& owner = slice.metadata.owner_references.emplace_back();
    owner.api_version = "v1";
    owner.kind = "Node";
    owner.name = node_name;
    owner.uid = node->metadata.uid;
    owner.controller = true;
    cluster.create(std::make_shared<resource::ResourceSlice>(std::move(slice)));
  }

  void renew_leases() {
    for (const auto& [name, state] : nodes) {
      const auto node = cluster.get<core::Node>({}, name);
      if (!node) continue;
      if (const auto lease = cluster.get<coordination::Lease>(kLeaseNamespace, name)) {
        auto fresh = mutable_copy_as(*lease);
        fresh->spec.renew_time = MicroTime::of(now().wall);
        cluster.update(std::move(fresh));
      } else {
        cluster.create(make_lease(*node, now()));
      }
    }
    later(kLeaseRenewal, [](Impl& self) { self.renew_leases(); });
  }

  /// A driver restores a slice of its own that somebody deletes.
  void watch_slices() {
    cluster.informer<resource::ResourceSlice>().add_handler(
        {{}, {}, [weak = weak_from_this()](const ObjectPtr& last) {
           const auto self = weak.lock();
           if (!self) return;
           const auto slice = as<resource::ResourceSlice>(last);
           const auto node = slice->spec.node_name ? self->nodes.find(*slice->spec.node_name) : self->nodes.end();
           if (node == self->nodes.end()) return;
           for (resource::ResourceSlice& own : drivers::slices_of(*node->second.group, node->first)) {
             if (own.metadata.name == slice->metadata.name) self->publish(std::move(own));
           }
         }});
  }

  // -- Pods -----------------------------------------------------------------------------------

  void watch_claims() {
    const auto wake = [weak = weak_from_this()](const ObjectPtr& claim) {
      const auto self = weak.lock();
      if (!self) return;
      const auto waiters = self->waiting.find(key_of(*claim));
      if (waiters == self->waiting.end()) return;
      for (const std::string& key : std::set<std::string>(waiters->second)) self->reconsider(key);
    };
    cluster.informer<resource::ResourceClaim>().add_handler(
        {wake, [wake](const ObjectPtr&, const ObjectPtr& claim) { wake(claim); }, {}});
  }

  void watch_pods() {
    const auto changed = [weak = weak_from_this()](const ObjectPtr& pod) {
      if (const auto self = weak.lock()) self->pod_changed(*as<core::Pod>(*pod));
    };
    cluster.informer<core::Pod>().add_handler(
        {changed, [changed](const ObjectPtr&, const ObjectPtr& pod) { changed(pod); },
         [weak = weak_from_this()](const ObjectPtr& pod) {
           if (const auto self = weak.lock()) self->forget(key_of(*pod));
         }});
  }

  void forget(const std::string& key) {
    const auto found = pods.find(key);
    if (found == pods.end()) return;
    cluster.executor().cancel(found->second.timer);
    stop_waiting(key, found->second);
    pods.erase(found);
  }

  void stop_waiting(const std::string& key, PodState& state) {
    for (const std::string& claim : state.waits_for) {
      const auto waiters = waiting.find(claim);
      if (waiters == waiting.end()) continue;
      waiters->second.erase(key);
      if (waiters->second.empty()) waiting.erase(waiters);
    }
    state.waits_for.clear();
  }

  void pod_changed(const core::Pod& pod) {
    if (pod.spec.node_name.empty()) return;
    const auto node = nodes.find(pod.spec.node_name);
    if (node == nodes.end()) return;
    const std::string key = key_of(pod);
    if (const auto known = pods.find(key); known != pods.end() && known->second.uid != pod.metadata.uid) forget(key);
    const auto [entry, is_new] = pods.try_emplace(key);
    PodState& state = entry->second;
    if (is_new) {
      state.uid = pod.metadata.uid;
      state.pod_ip = pod.status.pod_ip.empty() ? pod_ip(node->second.index, node->second.pods_started++)
                                               : pod.status.pod_ip;
      if (pod.status.phase == "Running") resume(key, state, pod);
    }
    if (pod.metadata.deletion_timestamp) {
      begin_stop(key, state, pod);
    } else if (state.phase == Phase::kWaiting && !is_final(pod)) {
      try_start(key, state, pod);
    }
  }

  void reconsider(const std::string& key) {
    const auto slash = key.find('/');
    if (const auto pod = cluster.get<core::Pod>(key.substr(0, slash), key.substr(slash + 1))) pod_changed(*pod);
  }

  Place place_of(const core::Pod& pod, const PodState& state) const {
    return {host_ip(nodes.find(pod.spec.node_name)->second.index), state.pod_ip};
  }

  /// A pod that ran before this process started goes on, for the rest of its time.
  void resume(const std::string& key, PodState& state, const core::Pod& pod) {
    state.phase = Phase::kRunning;
    const auto& statuses = pod.status.container_statuses;
    const Time since = statuses.empty() || !statuses.front().state.running ? time()
                                                                           : statuses.front().state.running->started_at;
    schedule_end(key, state, pod, std::chrono::seconds(time().seconds - since.seconds));
  }

  void try_start(const std::string& key, PodState& state, const core::Pod& pod) {
    stop_waiting(key, state);
    if (const std::string reason = not_ready(cluster, pod); !reason.empty()) {
      for (const std::string& name : claim_names(pod)) {
        state.waits_for.push_back(pod.metadata.namespace_ + "/" + name);
        waiting[state.waits_for.back()].insert(key);
      }
      const bool told = !pod.status.container_statuses.empty();
      if (!told) write(pod, [&](core::Pod& fresh) { set_waiting(fresh, place_of(fresh, state), time(), "ContainerCreating", ""); });
      return;
    }
    state.phase = Phase::kStarting;
    const Behaviour behaviour = behaviour_of(pod.metadata.annotations);
    if (behaviour.start_delay > Duration{}) {
      write(pod, [&](core::Pod& fresh) { set_waiting(fresh, place_of(fresh, state), time(), "ContainerCreating", ""); });
    }
    state.timer = later(behaviour.start_delay, [key](Impl& self) { self.run(key); });
  }

  /// The pod of a state whose timer fired, if it is still the same one.
  std::shared_ptr<const core::Pod> current(const std::string& key, Phase phase) {
    const auto found = pods.find(key);
    if (found == pods.end() || found->second.phase != phase) return nullptr;
    const auto slash = key.find('/');
    auto pod = cluster.get<core::Pod>(key.substr(0, slash), key.substr(slash + 1));
    return pod && pod->metadata.uid == found->second.uid ? pod : nullptr;
  }

  void run(const std::string& key) {
    const auto pod = current(key, Phase::kStarting);
    if (!pod) return;
    PodState& state = pods.at(key);
    state.phase = Phase::kRunning;
    schedule_end(key, state, *pod, Duration{});
    write(*pod, [&](core::Pod& fresh) { set_running(fresh, place_of(fresh, pods.at(key)), time()); });
    for (const core::Container& container : pod->spec.containers) {
      cluster.record(*pod, {"Normal", "Started", fmt::format("Container {} started", container.name),
                            std::string(kComponent), ""});
    }
  }

  void schedule_end(const std::string& key, PodState& state, const core::Pod& pod, Duration elapsed) {
    const Behaviour behaviour = behaviour_of(pod.metadata.annotations);
    if (!behaviour.run_time) return;
    state.timer = later(std::max(*behaviour.run_time - elapsed, Duration{}), [key](Impl& self) { self.end(key); });
  }

  void end(const std::string& key) {
    const auto pod = current(key, Phase::kRunning);
    if (!pod) return;
    const Behaviour behaviour = behaviour_of(pod->metadata.annotations);
    write(*pod, [&](core::Pod& fresh) { set_ended(fresh, behaviour.exit_code, time()); });
    if (const auto again = current(key, Phase::kRunning); again && !is_final(*again)) {
      schedule_end(key, pods.at(key), *again, Duration{});
    }
  }

  void begin_stop(const std::string& key, PodState& state, const core::Pod& pod) {
    if (state.phase == Phase::kStopping) return;
    cluster.executor().cancel(state.timer);
    stop_waiting(key, state);
    state.phase = Phase::kStopping;
    const auto grace = std::chrono::seconds(pod.metadata.deletion_grace_period_seconds.value_or(0));
    const Duration wanted = behaviour_of(pod.metadata.annotations).stop_delay;
    // A container that outlives its grace period is killed.
    const int exit_code = wanted > Duration(grace) ? 137 : 0;
    state.timer = later(std::min(wanted, Duration(grace)), [key, exit_code](Impl& self) { self.stop(key, exit_code); });
  }

  void stop(const std::string& key, int exit_code) {
    const auto pod = current(key, Phase::kStopping);
    if (!pod) return;
    if (!is_final(*pod)) write(*pod, [&](core::Pod& fresh) { set_stopped(fresh, exit_code, time()); });
    meta::DeleteOptions now;
    now.grace_period_seconds = 0;
    now.preconditions.emplace().uid = pod->metadata.uid;
    cluster.remove(core::Pod::kDescriptor, pod->metadata.namespace_, pod->metadata.name, now);
  }

  /// Writes the pod's status as `change` makes it of the newest state.
  template <class Change>
  void write(const core::Pod& pod, Change change) {
    const auto newest = cluster.get<core::Pod>(pod.metadata.namespace_, pod.metadata.name);
    if (!newest || newest->metadata.uid != pod.metadata.uid) return;
    auto fresh = mutable_copy_as(*newest);
    change(*fresh);
    cluster.update_status(std::move(fresh));
  }
};

SimulatedNodes::SimulatedNodes(client::Cluster& cluster, drivers::Fleet fleet)
    : impl_(std::make_shared<Impl>(cluster, std::move(fleet))) {}
SimulatedNodes::~SimulatedNodes() = default;

void SimulatedNodes::start() { impl_->start(); }
std::size_t SimulatedNodes::node_count() const { return impl_->nodes.size(); }
std::size_t SimulatedNodes::device_count() const {
  std::size_t count = 0;
  for (const auto& group : impl_->fleet.groups) {
    for (const auto& devices : group.devices) count += static_cast<std::size_t>(group.count * devices.count);
  }
  return count;
}

Result<std::string> SimulatedNodes::log(std::string_view namespace_, std::string_view pod_name,
                                        std::string_view container) const {
  const auto pod = impl_->cluster.get<core::Pod>(namespace_, pod_name);
  if (!pod) return fail(Code::kNotFound, fmt::format("pods \"{}\" not found", pod_name));
  for (const auto* statuses : {&pod->status.init_container_statuses, &pod->status.container_statuses}) {
    const auto status = std::ranges::find(*statuses, container, &core::ContainerStatus::name);
    if (status == statuses->end() || status->container_id.empty()) continue;
    drivers::Environment environment = device_environment(impl_->cluster, *pod, container);
    for (const auto* containers : {&pod->spec.init_containers, &pod->spec.containers}) {
      const auto spec = std::ranges::find(*containers, container, &core::Container::name);
      if (spec == containers->end()) continue;
      for (const core::EnvVar& variable : spec->env) environment[variable.name] = variable.value;
    }
    environment["HOSTNAME"] = pod->metadata.name;
    std::string text;
    for (const auto& [name, value] : environment) text += fmt::format("declare -x {}=\"{}\"\n", name, value);
    return text;
  }
  return fail(Code::kBadRequest, fmt::format("container \"{}\" in pod \"{}\" is waiting to start: ContainerCreating",
                                             container, pod_name));
}

}  // namespace dray::node
