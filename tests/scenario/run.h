/// One scenario on a control plane in virtual time: its steps, and what can be seen afterwards. A
/// translation of tests/conformance/scheduling/replay.py, without its pauses.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/executor.h"
#include "scenario/server.h"
#include "scenario/views.h"

namespace dray::scenario {

using std::chrono::milliseconds;

class Run {
 public:
  Run(Server& server, VirtualExecutor& executor, const Value& scenario)
      : server_(server), executor_(executor), scenario_(scenario) {
    namespace_ = text_at(scenario, {"name"}).substr(0, 40) + "-0000";
  }

  Value outcome() {
    Value space = map_of();
    space.set("apiVersion", "v1");
    space.set("kind", "Namespace");
    space["metadata"].set("name", namespace_);
    if (const Value* labels = at(scenario_, {"namespace", "labels"})) space["metadata"].set("labels", *labels);
    apply_one(space);
    std::string verb;
    bool settled = false;
    for (const auto& step : many(scenario_, {"steps"})) {
      verb = step.as_map().front().first;
      const Value& argument = step.as_map().front().second;
      settled = verb == "wait" && (argument.is_string() || seconds(argument, "quiet", 0) >= 1.5);
      if (verb == "apply") apply(argument);
      if (verb == "wait") wait(argument);
      if (verb == "finish") finish(argument);
      if (verb == "delete" || verb == "terminate") remove(argument, verb == "delete");
    }
    if (!settled) wait(Value("settled"));
    return observe();
  }

 private:
  static double seconds(const Value& map, const char* key, double otherwise) {
    const Value* value = map.find(key);
    return value == nullptr ? otherwise : value->as_double();
  }

  // --- steps ---

  void apply(const Value& argument) {
    std::string text = argument.is_string() ? argument.as_string() : text_at(argument, {"text"});
    const std::int64_t times = argument.is_string() ? 1 : at(argument, {"times"})->as_int();
    static const std::set<std::string> kMakers = {"Deployment", "DaemonSet", "StatefulSet", "Job", "ReplicaSet", "Pod"};
    for (std::int64_t i = 0; i < times; ++i) {
      const std::string named = replace_all(replace_all(text, "$NS", namespace_), "$I", std::to_string(i));
      auto docs = parse_yaml(letters_as_texts(named));
      if (!docs) {
        errors_["yaml"] = docs.error().message;
        return;
      }
      std::vector<Value> later;
      for (const auto& doc : *docs) {
        if (kMakers.contains(text_at(doc, {"kind"}))) {
          later.push_back(doc);
        } else {
          apply_one(doc);
        }
      }
      if (later.size() != docs->size()) {
        until([&] { return !new_nodes_tainted(); }, 15);
        sleep(milliseconds(400));
      }
      for (const auto& doc : later) apply_one(doc);
    }
  }

  void apply_one(Value doc) {
    const std::string kind = text_at(doc, {"kind"});
    const std::string name = text_at(doc, {"metadata", "name"});
    const auto served = server_.find(text_at(doc, {"apiVersion"}), kind);
    if (!served) {
      errors_[kind + "/" + name] = "404 not served";
      return;
    }
    std::string space = text_at(doc, {"metadata", "namespace"});
    if (space.empty()) space = namespace_;
    if (kind == "Node") note_ready(doc, name);
    Value status = copy_or_null(doc.find("status"));
    const auto result = [&]() -> Result<> {
      if (!name.empty() && server_.get(served, space, name) != nullptr) {
        Value rest = doc;
        for (const char* key : {"status", "apiVersion", "kind"}) rest.erase(key);
        if (rest.as_map().size() > 1 || doc.find("metadata")->as_map().size() > 1) {
          TRY(server_.patch(served, space, name, rest));
        }
      } else {
        auto created = server_.create(served, doc, space);
        // The service account of a new namespace takes a moment.
        for (int i = 0; i < 100 && !created && created.error().message.contains("service account"); ++i) {
          sleep(milliseconds(100));
          created = server_.create(served, doc, space);
        }
        TRY(created);
        if (kind == "Namespace") namespaces_.push_back(name);
        if (kind == "Node") status = Value();
      }
      if (!status.is_null()) {
        Value patch = map_of();
        patch.set("status", status);
        TRY(server_.patch(served, space, name, patch, "status"));
      }
      return {};
    }();
    if (!result) note_error(kind, name.empty() ? text_at(doc, {"metadata", "generateName"}) : name, result.error());
  }

  void note_error(const std::string& kind, const std::string& name, const Error& error) {
    errors_[kind + "/" + name] = std::to_string(http_status_of(error.code)) + " " + error.message;
  }

  void note_ready(Value& doc, const std::string& name) {
    for (const auto& c : many(doc, {"status", "conditions"})) {
      if (text_at(c, {"type"}) == "Ready" && text_at(c, {"status"}) == "True") ready_nodes_.insert(name);
    }
    if (!ready_nodes_.contains(name) || doc.find("status") == nullptr) return;
    Value ready = map_of();
    ready.set("type", "Ready");
    ready.set("status", "True");
    ready.set("lastHeartbeatTime", Time::of(executor_.clock().wall()).str());
    doc["status"].set("conditions", Value(Value::List{std::move(ready)}));
  }

  void remove(const Value& names, bool at_once) {
    for (const auto& entry : names.as_list()) {
      const std::string kind = entry.as_string().substr(0, entry.as_string().find('/'));
      const std::string name = entry.as_string().substr(kind.size() + 1);
      const auto served = server_.find(kind);
      std::optional<std::int64_t> grace;
      if (kind == "Pod" && at_once) grace = 0;
      if (auto result = server_.remove(served, namespace_, name, grace); !result) {
        note_error(kind, name, result.error());
      } else {
        ready_nodes_.erase(name);
      }
    }
  }

  void finish(const Value& names) {
    for (const auto& pod : server_.list("Pod", namespace_)) {
      const std::string name = text_at(pod, {"metadata", "name"});
      const bool wanted = std::any_of(names.as_list().begin(), names.as_list().end(), [&](const Value& n) {
        return n.as_string() == name || n.as_string() == maker_of(pod);
      });
      if (!placed(pod) || !wanted) continue;
      Value patch = map_of();
      patch["status"].set("phase", "Succeeded");
      (void)server_.patch(server_.find("Pod"), namespace_, name, patch, "status");
    }
  }

  void wait(const Value& what) {
    const Value named = what.is_string() ? map_of() : what;
    const bool settled = what.is_string();
    const MonoTime limit = now() + to_duration(seconds(named, "limit", 30));
    until([&] { return holds(named); }, seconds(named, "limit", 30));
    const double quiet = seconds(named, "quiet", settled ? 1.5 : 0.4);
    std::string last;
    MonoTime since = now();
    while (true) {
      std::string view = print_json(all_views());
      const bool tried = std::all_of(pods_.begin(), pods_.end(), [](const Value& p) { return placed(p) || refused(p) != nullptr; });
      const double enough = tried || !settled ? quiet : std::max(quiet, 3.0);
      if (view != last) {
        last = std::move(view);
        since = now();
      } else if (now() > limit || now() - since >= to_duration(enough)) {
        break;
      }
      sleep(milliseconds(150));
    }
    for (const auto& pod : pods_) {
      if (const Value* c = refused(pod)) {
        said_.insert({text_at(pod, {"metadata", "uid"}), text_at(*c, {"message"}).substr(0, 1000)});
      }
    }
  }

  bool holds(const Value& what) {
    std::map<std::string, Value> pods;
    std::int64_t bound = 0;
    for (auto& pod : server_.list("Pod", namespace_)) {
      bound += placed(pod);
      std::string name = text_at(pod, {"metadata", "name"});
      pods.emplace(std::move(name), std::move(pod));
    }
    for (const auto& n : many(what, {"bound"})) {
      if (!pods.contains(n.as_string()) || !placed(pods[n.as_string()])) return false;
    }
    for (const auto& n : many(what, {"pending"})) {
      if (!pods.contains(n.as_string()) || refused(pods[n.as_string()]) == nullptr) return false;
    }
    for (const auto& n : many(what, {"gone"})) {
      const std::string kind = n.as_string().substr(0, n.as_string().find('/'));
      if (server_.get(server_.find(kind), namespace_, n.as_string().substr(kind.size() + 1)) != nullptr) return false;
    }
    const Value* count = what.find("boundCount");
    return count == nullptr || bound >= count->as_int();
  }

  [[nodiscard]] MonoTime now() const { return executor_.clock().mono(); }
  static Duration to_duration(double s) { return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s)); }

  void until(const std::function<bool()>& condition, double limit) {
    executor_.run_ready();
    const MonoTime end = now() + to_duration(limit);
    while (!condition() && now() < end) sleep(milliseconds(100));
  }

  void sleep(Duration span) {
    executor_.run_for(span);
    if (now() < next_heartbeat_) return;
    next_heartbeat_ = now() + std::chrono::seconds(10);
    for (const auto& name : ready_nodes_) heartbeat(name);
  }

  void heartbeat(const std::string& name) {
    const auto served = server_.find("Node");
    const ObjectPtr node = server_.get(served, "", name);
    if (node == nullptr) return;
    Value::List list = many(to_value(*node), {"status", "conditions"});
    for (auto& c : list) {
      if (text_at(c, {"type"}) == "Ready") c.set("lastHeartbeatTime", Time::of(executor_.clock().wall()).str());
    }
    Value patch = map_of();
    patch["status"].set("conditions", Value(std::move(list)));
    (void)server_.patch(served, "", name, patch, "status");
  }

  bool new_nodes_tainted() {
    for (const auto& node : server_.list("Node")) {
      if (!ready_nodes_.contains(text_at(node, {"metadata", "name"}))) continue;
      for (const auto& t : many(node, {"spec", "taints"})) {
        if (text_at(t, {"key"}) == "node.kubernetes.io/not-ready") return true;
      }
    }
    return false;
  }

  // --- what can be seen ---

  std::vector<Value> get(const std::string& kind) {
    std::vector<Value> out;
    for (const auto& space : namespaces_) {
      for (auto& object : server_.list(kind, space)) out.push_back(std::move(object));
    }
    return out;
  }

  using Section = std::map<std::string, Value>;
  using Views = std::vector<std::pair<std::string, Section>>;

  Views views() {
    pods_ = get("Pod");
    claims_ = get("ResourceClaim");
    const auto events = get("Event");
    groups_ = get("PodGroup");
    for (auto& g : get("CompositePodGroup")) groups_.push_back(std::move(g));
    workloads_ = get("Workload");
    for (const auto& p : pods_) pods_seen_[text_at(p, {"metadata", "uid"})] = p;
    for (const auto& c : claims_) claims_seen_[text_at(c, {"metadata", "uid"})] = c;
    Section pods, claims, groups, quotas, rules;
    for (const auto& [uid, p] : pods_seen_) pods[uid] = pod_view(p, told(uid, events), true);
    for (const auto& p : pods_) {
      const std::string uid = text_at(p, {"metadata", "uid"});
      pods[uid] = pod_view(p, told(uid, events));
    }
    for (const auto& c : claims_) claims[text_at(c, {"metadata", "uid"})] = claim_view(c);
    for (const auto& g : groups_) groups[text_at(g, {"metadata", "uid"})] = group_view(g);
    for (const auto& q : get("ResourceQuota")) {
      Value view = map_of();
      const Value* used = at(q, {"status", "used"});
      view.set("used", used == nullptr ? map_of() : *used);
      quotas[text_at(q, {"metadata", "name"})] = std::move(view);
    }
    if (scenario_.find("ruleStatus") != nullptr) {
      for (const auto& r : server_.list("DeviceTaintRule")) {
        Value view = map_of();
        view.set("conditions", conditions(many(r, {"status", "conditions"})));
        rules[text_at(r, {"metadata", "name"})] = std::move(view);
      }
    }
    return {{"pods", pods}, {"claims", claims}, {"groups", groups}, {"quotas", quotas}, {"taintRules", rules}};
  }

  Value all_views() {
    Value out = map_of();
    for (auto& [section, objects] : views()) {
      Value map = map_of();
      for (auto& [uid, view] : objects) map.set(uid, std::move(view));
      out.set(section, std::move(map));
    }
    return out;
  }

  Value told(const std::string& uid, const std::vector<Value>& events) {
    Value::List out;
    const std::string name = text_at(pods_seen_[uid], {"metadata", "name"});
    static const std::regex kSuffix("\"([a-z0-9.-]+-)[a-z0-9]{5}\" is forbidden");
    for (const auto& e : events) {
      const std::string about = text_at(e, {"involvedObject", "uid"});
      if ((!about.empty() && about != uid) || text_at(e, {"involvedObject", "name"}) != name) continue;
      std::string text = text_at(e, {"message"});
      static const std::string kCombined = "(combined from similar events): ";
      if (text.starts_with(kCombined)) text = text.substr(kCombined.size());
      const std::string reason = text_at(e, {"reason"});
      if (reason == "FailedScheduling" && !said_.contains({uid, text.substr(0, 1000)})) continue;
      Value entry = map_of();
      entry.set("reason", reason);
      entry.set("message", std::regex_replace(text, kSuffix, "\"$1*\" is forbidden"));
      if (std::find(out.begin(), out.end(), entry) == out.end()) out.push_back(std::move(entry));
    }
    return Value(std::move(out));
  }

  Value observe() {
    const Views seen = views();
    name_objects(seen);
    std::vector<std::string> longest_first;
    for (const auto& [name, stable] : real_) longest_first.push_back(name);
    std::sort(longest_first.begin(), longest_first.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    const std::function<std::string(std::string)> text = [&](std::string value) {
      for (const auto& name : longest_first) value = replace_all(value, name, real_[name]);
      value = replace_all(value, namespace_, "$NS");
      static const std::regex kUid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
      std::string out;
      auto begin = std::sregex_iterator(value.begin(), value.end(), kUid);
      std::size_t from = 0;
      for (auto m = begin; m != std::sregex_iterator(); ++m) {
        out += value.substr(from, static_cast<std::size_t>(m->position()) - from);
        const auto known = uids_.find(m->str());
        out += "<" + (known == uids_.end() ? "uid" : known->second) + ">";
        from = static_cast<std::size_t>(m->position() + m->length());
      }
      out += value.substr(from);
      static const std::regex kNamed("/(.+) \\(<(.+)>\\)$");
      std::smatch match;
      if (std::regex_search(out, match, kNamed) && match[1] == match[2]) {
        out = out.substr(0, static_cast<std::size_t>(match.position())) + "/" + match[1].str();
      } else if (const auto open = out.rfind(" (<"); open != std::string::npos && out.ends_with(">)")) {
        const std::string inner = out.substr(open + 3, out.size() - open - 5);
        if (out.substr(0, open).ends_with("/" + inner)) out.resize(open);
      }
      return out;
    };
    const std::function<Value(const Value&)> stable = [&](const Value& value) -> Value {
      if (value.is_map()) {
        Value out = map_of();
        for (const auto& [key, member] : value.as_map()) out.set(text(key), stable(member));
        return out;
      }
      if (value.is_list()) {
        Value::List out;
        for (const auto& member : value.as_list()) out.push_back(stable(member));
        return Value(std::move(out));
      }
      return value.is_string() ? Value(text(value.as_string())) : value;
    };
    Value result = map_of();
    if (!errors_.empty()) {
      Value errors = map_of();
      for (const auto& [name, message] : errors_) errors.set(name, message);
      result.set("errors", std::move(errors));
    }
    std::set<std::string> alive;
    for (const auto& p : pods_) alive.insert(uids_[text_at(p, {"metadata", "uid"})]);
    for (const auto& [section, objects] : seen) {
      std::map<std::string, Value> named;
      for (const auto& [uid, view] : objects) {
        const auto known = uids_.find(uid);
        const std::string name = known == uids_.end() ? uid : known->second;
        if (view.find("gone") != nullptr && (alive.contains(name) || named.contains(name))) continue;
        named[name] = stable(view);
      }
      if (!named.empty()) result.set(section, merge_equal(named));
    }
    return stable(result);
  }

  std::string local(const Value& object) const {
    const std::string space = text_at(object, {"metadata", "namespace"});
    const std::string name = text_at(object, {"metadata", "name"});
    return space == namespace_ ? name : space + "/" + name;
  }

  void name_objects(const Views& seen) {
    std::map<std::string, std::vector<std::string>> made;
    const Section& pod_views = seen[0].second;
    const Section& claim_views = seen[1].second;
    for (const auto& [uid, pod] : pods_seen_) {
      const std::string maker = maker_of(pod);
      if (maker.empty()) {
        uids_[uid] = local(pod);
      } else {
        made[maker].push_back(uid);
      }
    }
    const auto order = [&](const std::string& uid) {
      const Value& view = pod_views.at(uid);
      std::string key = view.find("gone") != nullptr ? "1" : "0";
      key += " " + (view.find("node") != nullptr ? "a" + text_at(view, {"node"}) : std::string("b")) + " ";
      for (const auto& c : claims_) {
        if (text_at(owner(c), {"uid"}) != uid) continue;
        const Value* devices = claim_views.at(text_at(c, {"metadata", "uid"})).find("devices");
        key += devices == nullptr ? "null" : print_json(*devices);
      }
      return key;
    };
    for (auto& [maker, members] : made) {
      std::stable_sort(members.begin(), members.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
      for (std::size_t i = 0; i < members.size(); ++i) {
        const std::string name = maker + "#" + std::to_string(i + 1);
        uids_[members[i]] = name;
        real_[text_at(pods_seen_[members[i]], {"metadata", "name"})] = name;
      }
    }
    for (const auto& [kind, list] : {std::pair{"group", &groups_}, std::pair{"workload", &workloads_}}) {
      for (const auto& o : *list) {
        const std::string uid = text_at(o, {"metadata", "uid"});
        uids_[uid] = local(o);
        if (const Value made_by = owner(o); !made_by.as_map().empty()) {
          uids_[uid] = text_at(made_by, {"name"}) + "/(" + kind + ")";
          real_[text_at(o, {"metadata", "name"})] = uids_[uid];
        }
      }
    }
    name_claims();
  }

  void name_claims() {
    std::set<std::string> living, taken;
    for (const auto& c : claims_) living.insert(text_at(c, {"metadata", "uid"}));
    for (const auto& [uid, name] : uids_) taken.insert(name);
    std::vector<Value> all;
    for (const auto& [uid, c] : claims_seen_) all.push_back(c);
    std::stable_sort(all.begin(), all.end(), [&](const Value& a, const Value& b) {
      const bool a_dead = !living.contains(text_at(a, {"metadata", "uid"}));
      const bool b_dead = !living.contains(text_at(b, {"metadata", "uid"}));
      if (a_dead != b_dead) return b_dead;
      return text_at(a, {"metadata", "creationTimestamp"}) < text_at(b, {"metadata", "creationTimestamp"});
    });
    for (const auto& c : all) {
      std::string entry = text_at(c, {"metadata", "annotations", "resource.kubernetes.io/pod-claim-name"});
      if (entry.empty() && at(c, {"metadata", "annotations", "resource.kubernetes.io/extended-resource-claim"}) != nullptr) {
        entry = "(extended)";
      }
      const Value made_by = owner(c);
      std::string name = local(c);
      if (!made_by.as_map().empty() && !entry.empty()) {
        const auto known = uids_.find(text_at(made_by, {"uid"}));
        name = (known == uids_.end() ? "?" : known->second) + "/" + entry;
      }
      while (taken.contains(name)) name += "'";
      taken.insert(name);
      uids_[text_at(c, {"metadata", "uid"})] = name;
      if (!entry.empty()) real_[text_at(c, {"metadata", "name"})] = name;
    }
    for (const auto& [uid, pod] : pods_seen_) {
      for (const auto& s : many(pod, {"status", "resourceClaimStatuses"})) {
        const std::string claim = text_at(s, {"resourceClaimName"});
        if (claim.starts_with(text_at(pod, {"metadata", "name"}) + "-")) {
          real_.try_emplace(claim, uids_[uid] + "/" + text_at(s, {"name"}));
        }
      }
      const std::string extended = text_at(pod, {"status", "extendedResourceClaimStatus", "resourceClaimName"});
      if (!extended.empty()) real_.try_emplace(extended, uids_[uid] + "/(extended)");
    }
  }

  Server& server_;
  VirtualExecutor& executor_;
  const Value& scenario_;
  std::string namespace_;
  std::vector<std::string> namespaces_;
  std::set<std::string> ready_nodes_;
  std::map<std::string, std::string> errors_;
  std::vector<Value> pods_, claims_, groups_, workloads_;
  std::map<std::string, Value> pods_seen_, claims_seen_;
  std::set<std::pair<std::string, std::string>> said_;
  std::map<std::string, std::string> uids_, real_;
  MonoTime next_heartbeat_{};
};

}  // namespace dray::scenario
