/// What a user can see after a scenario, in the form in which outcomes are recorded: a translation of
/// tests/conformance/scheduling/replay.py, which explains it.
#pragma once

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "machinery/value.h"
#include "scenario/values.h"

namespace dray::scenario {

inline Value owner(const Value& object) {
  for (const auto& o : many(object, {"metadata", "ownerReferences"})) {
    const Value* controller = o.find("controller");
    if (controller != nullptr && controller->is_bool() && controller->as_bool()) return o;
  }
  return map_of();
}

inline Value owners(const Value& object) {
  Value::List out;
  for (const auto& o : many(object, {"metadata", "ownerReferences"})) {
    std::string text = text_at(o, {"kind"}) + "/" + text_at(o, {"name"});
    for (const char* flag : {"controller", "blockOwnerDeletion"}) {
      const Value* set = o.find(flag);
      if (set != nullptr && set->is_bool() && set->as_bool()) text += std::string(" ") + flag;
    }
    out.emplace_back(text);
  }
  return Value(std::move(out));
}

inline std::string maker_of(const Value& pod) {
  std::string name = text_at(owner(pod), {"name"});
  if (name.empty()) {
    name = text_at(pod, {"metadata", "generateName"});
    while (!name.empty() && name.back() == '-') name.pop_back();
  }
  if (at(pod, {"metadata", "labels", "pod-template-hash"}) != nullptr) {
    const auto dash = name.rfind('-');
    if (dash != std::string::npos) name.resize(dash);
  }
  return name;
}

inline bool placed(const Value& pod) { return !text_at(pod, {"spec", "nodeName"}).empty(); }

inline const Value* refused(const Value& pod) {
  for (const auto& c : many(pod, {"status", "conditions"})) {
    if (text_at(c, {"type"}) == "PodScheduled" && text_at(c, {"status"}) == "False") return &c;
  }
  return nullptr;
}

inline Value conditions(const Value::List& list, const std::set<std::string>& types = {}) {
  Value out = map_of();
  for (const auto& c : list) {
    const std::string type = text_at(c, {"type"});
    if (!types.empty() && !types.contains(type)) continue;
    Value entry = map_of();
    for (const char* key : {"status", "reason", "message"}) set_some(entry, key, or_null(c, {key}));
    out.set(type, std::move(entry));
  }
  return out;
}

inline Value pod_view(const Value& pod, Value told, bool gone = false) {
  Value view = map_of();
  if (gone) {
    view.set("gone", true);
    set_some(view, "events", std::move(told));
    return view;
  }
  view.set("node", text_at(pod, {"spec", "nodeName"}));
  set_some(view, "conditions", conditions(many(pod, {"status", "conditions"}), {"PodScheduled", "DisruptionTarget"}));
  set_some(view, "nominatedNodeName", or_null(pod, {"status", "nominatedNodeName"}));
  Value claims = map_of();
  for (const auto& s : many(pod, {"status", "resourceClaimStatuses"})) {
    claims.set(text_at(s, {"name"}), or_null(s, {"resourceClaimName"}));
  }
  set_some(view, "claims", std::move(claims));
  set_some(view, "extendedResourceClaim", or_null(pod, {"status", "extendedResourceClaimStatus"}));
  set_some(view, "nodeAllocatableResourceClaims", or_null(pod, {"status", "nodeAllocatableResourceClaimStatuses"}));
  set_some(view, "deleting", at(pod, {"metadata", "deletionTimestamp"}) != nullptr);
  set_some(view, "events", std::move(told));
  return view;
}

inline Value device_results(const Value& allocation) {
  Value::List out;
  for (Value r : many(allocation, {"devices", "results"})) {
    if (r.find("shareID") != nullptr) r.set("shareID", true);
    out.push_back(std::move(r));
  }
  return Value(std::move(out));
}

inline Value consumers(const Value& claim) {
  std::vector<std::string> users;
  for (const auto& r : many(claim, {"status", "reservedFor"})) {
    std::string group = text_at(r, {"apiGroup"});
    if (group.empty()) group = "core";
    users.push_back(group + "/" + text_at(r, {"resource"}) + "/" + text_at(r, {"name"}) + " (" + text_at(r, {"uid"}) + ")");
  }
  std::sort(users.begin(), users.end());
  if (users.size() >= 10) return Value(std::to_string(users.size()) + " consumers");
  Value::List out;
  for (auto& user : users) out.emplace_back(std::move(user));
  return Value(std::move(out));
}

inline Value claim_view(const Value& claim) {
  Value view = map_of();
  const Value* allocation = at(claim, {"status", "allocation"});
  const bool extended = text_at(owner(claim), {"kind"}) == "Pod" &&
                        at(claim, {"metadata", "annotations", "resource.kubernetes.io/extended-resource-claim"}) != nullptr;
  const Value made = owners(claim);
  set_some(view, "generateName", or_null(claim, {"metadata", "generateName"}));
  set_some(view, "owners", made);
  if (!made.as_list().empty()) {
    set_some(view, "annotations", or_null(claim, {"metadata", "annotations"}));
    set_some(view, "labels", or_null(claim, {"metadata", "labels"}));
  }
  if (extended) set_some(view, "requests", or_null(claim, {"spec", "devices", "requests"}));
  set_some(view, "finalizers", or_null(claim, {"metadata", "finalizers"}));
  set_some(view, "deleting", at(claim, {"metadata", "deletionTimestamp"}) != nullptr);
  if (allocation != nullptr && !allocation->is_null()) {
    view.set("devices", device_results(*allocation));
    set_some(view, "config", or_null(*allocation, {"devices", "config"}));
    set_some(view, "nodeSelector", or_null(*allocation, {"nodeSelector"}));
    set_some(view, "allocationTimestamp", allocation->find("allocationTimestamp") != nullptr);
  }
  set_some(view, "reservedFor", consumers(claim));
  Value::List devices;
  for (Value d : many(claim, {"status", "devices"})) {
    d.set("conditions", conditions(many(d, {"conditions"})));
    devices.push_back(std::move(d));
  }
  set_some(view, "deviceStatus", Value(std::move(devices)));
  return view;
}

inline Value group_view(const Value& group) {
  Value view = map_of();
  set_some(view, "owners", owners(group));
  set_some(view, "finalizers", or_null(group, {"metadata", "finalizers"}));
  set_some(view, "deleting", at(group, {"metadata", "deletionTimestamp"}) != nullptr);
  set_some(view, "conditions", conditions(many(group, {"status", "conditions"})));
  Value claims = map_of();
  for (const auto& s : many(group, {"status", "resourceClaimStatuses"})) {
    claims.set(text_at(s, {"name"}), or_null(s, {"resourceClaimName"}));
  }
  set_some(view, "claims", std::move(claims));
  if (view.as_map().empty()) view.set("conditions", map_of());
  return view;
}

/// Lines that say where the outcome is not as expected.
inline std::vector<std::string> differences(const Value& expected, const Value& seen, const std::string& where = {}) {
  std::vector<std::string> lines;
  const auto append = [&](std::vector<std::string> more) { lines.insert(lines.end(), more.begin(), more.end()); };
  if (expected.is_map() && expected.as_map().size() == 1 && expected.find("oneOf") != nullptr) {
    for (const auto& e : expected.find("oneOf")->as_list()) {
      if (differences(e, seen).empty()) return {};
    }
    return {where + ": expected one of " + print_json(*expected.find("oneOf")) + ", got " + print_json(seen)};
  }
  if (expected.is_map() && seen.is_map()) {
    for (const auto& [key, value] : expected.as_map()) {
      const std::string path = where.empty() ? key : where + "." + key;
      const Value* other = seen.find(key);
      if (other == nullptr) {
        lines.push_back(path + ": missing, expected " + print_json(value));
      } else {
        append(differences(value, *other, path));
      }
    }
    for (const auto& [key, value] : seen.as_map()) {
      if (expected.find(key) == nullptr) {
        lines.push_back((where.empty() ? key : where + "." + key) + ": unexpected " + print_json(value));
      }
    }
    return lines;
  }
  if (where.ends_with(".events") && expected.is_list() && seen.is_list()) {
    std::vector<std::pair<Value, bool>> must;
    for (Value e : expected.as_list()) {
      const bool optional = e.find("optional") != nullptr;
      e.erase("optional");
      must.emplace_back(std::move(e), optional);
    }
    for (const auto& [e, optional] : must) {
      const bool there = std::any_of(seen.as_list().begin(), seen.as_list().end(),
                                     [&, wanted = &e](const Value& s) { return differences(*wanted, s).empty(); });
      if (!optional && !there) lines.push_back(where + ": missing " + print_json(e));
    }
    for (const auto& s : seen.as_list()) {
      const bool known = std::any_of(must.begin(), must.end(), [&](const auto& e) { return differences(e.first, s).empty(); });
      if (!known) lines.push_back(where + ": unexpected " + print_json(s));
    }
    return lines;
  }
  if (expected.is_list() && seen.is_list() && expected.as_list().size() == seen.as_list().size()) {
    for (std::size_t i = 0; i < expected.as_list().size(); ++i) {
      append(differences(expected.as_list()[i], seen.as_list()[i], where + "[" + std::to_string(i) + "]"));
    }
    return lines;
  }
  if (expected == seen) return {};
  return {where + ": expected " + print_json(expected) + ", got " + print_json(seen)};
}

inline std::vector<std::string> gates_text(const Value& scenario) {
  std::vector<std::string> out;
  const Value* gates = scenario.find("gates");
  if (gates == nullptr) return out;
  for (const auto& [name, on] : gates->as_map()) out.push_back(name + "=" + (on.as_bool() ? "true" : "false"));
  return out;
}

/// Writes generated objects web#1, web#2 ... that differ in nothing but their number as one entry web#1..7.
inline Value merge_equal(const std::map<std::string, Value>& named) {
  struct Key {
    std::string maker;
    long number = 0;
    std::string name;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  for (const auto& [name, view] : named) {
    Key key;
    const auto hash = name.find('#');
    key.maker = name.substr(0, hash);
    if (hash != std::string::npos) key.number = std::atol(name.c_str() + hash + 1);
    key.name = name;
    keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::pair<std::string, Value>> result;
  std::string last, first;
  const auto is_number = [](const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const auto like = [&](const std::string& name, const std::string& maker) {
    return replace_all(print_json(named.at(name)), name, maker);
  };
  for (const auto& key : keys) {
    const auto hash = key.name.find('#');
    const std::string number = hash == std::string::npos ? "" : key.name.substr(hash + 1);
    const auto last_hash = last.find('#');
    if (is_number(number) && !last.empty() && last.substr(0, last_hash) == key.maker &&
        like(first, key.maker) == like(key.name, key.maker)) {
      const std::string merged = first + ".." + number;
      auto value = parse_json(replace_all(print_json(named.at(first)), first, merged));
      result.back() = {merged, std::move(*value)};
    } else {
      result.emplace_back(key.name, named.at(key.name));
      first = key.name;
    }
    last = is_number(number) ? key.name : "";
  }
  Value out = map_of();
  for (auto& [name, view] : result) out.set(name, std::move(view));
  return out;
}

}  // namespace dray::scenario
