/// Replays recorded requests of a real API server against the hooks of every group but resource.k8s.io
/// and scheduling.k8s.io, with the little server of resource_replay.h. Besides what that one compares,
/// this one sends strategic and JSON patches, and leaves out what admission adds to objects.
#pragma once

#include "api/resource_replay.h"
#include "machinery/patch.h"

namespace dray::api::replay {

/// What the real server's admission plugins do to a pod, in short.
inline void admit_pod(Value& pod) {
  Value* spec = pod.find("spec");
  if (!spec || !spec->is_map()) return;
  const auto add = [&](std::string_view name, Value value) {
    if (!spec->find(name)) spec->set(std::string(name), std::move(value));
  };
  add("serviceAccountName", "default");
  add("serviceAccount", *spec->find("serviceAccountName"));
  add("priority", 0);
  add("preemptionPolicy", "PreemptLowerPriority");
  add("tolerations", Value::list());
  Value::List& tolerations = spec->find("tolerations")->as_list();
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool there = std::any_of(tolerations.begin(), tolerations.end(), [&](const Value& one) {
      return text_of(one, "key") == key || text_of(one, "key").empty();
    });
    if (there) continue;
    Value toleration = Value::map();
    toleration.set("effect", "NoExecute");
    toleration.set("key", std::string(key));
    toleration.set("operator", "Exists");
    toleration.set("tolerationSeconds", 300);
    tolerations.push_back(std::move(toleration));
  }
}

/// What depends on the server: addresses, ports, what admission and the store add.
inline void drop_added_by_server(const Kind& kind, Value& object) {
  Value* metadata = object.find("metadata");
  Value* spec = object.find("spec");
  if (metadata && (kind.has_generation || kind.name == "Pod")) metadata->erase("generation");
  if (metadata && kind.name == "PersistentVolumeClaim") metadata->erase("finalizers");
  if (!spec || !spec->is_map()) return;
  if (kind.name == "Node") spec->erase("taints");
  if (kind.name == "Service") {
    for (const std::string_view name : {"clusterIP", "clusterIPs"}) spec->erase(name);
    if (Value* ports = spec->find("ports")) {
      for (Value& port : ports->as_list()) port.erase("nodePort");
    }
  }
  if (kind.name != "Pod") return;
  const auto drop = [](Value& owner, std::string_view list) {
    Value* values = owner.find(list);
    if (!values || !values->is_list()) return;
    std::erase_if(values->as_list(),
                  [](const Value& one) { return text_of(one, "name").starts_with("kube-api-access-"); });
    if (values->as_list().empty()) owner.erase(list);
  };
  drop(*spec, "volumes");
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    Value* containers = spec->find(list);
    if (!containers || !containers->is_list()) continue;
    for (Value& container : containers->as_list()) drop(container, "volumeMounts");
  }
}

class CoreRun {
 public:
  explicit CoreRun(const Value& recorded) : server_(recorded.find("gates") != nullptr, nullptr) {}

  /// Nothing if the request is none of ours, else what differs.
  std::optional<std::string> step(const Value& request, const Value* response) {
    std::string path_text = text_of(request, "path");
    for (const auto& [name, value] : server_.saved) {
      path_text = replace_all(std::move(path_text), "<" + name + ">", value);
    }
    const Path path(path_text);
    const Kind* kind = server_.kind(path);
    if (!kind || kind->group == "resource.k8s.io" || kind->group == "scheduling.k8s.io") return std::nullopt;
    if (!path.sub.empty() && path.sub != "status") return std::nullopt;
    if (response && !is_ours(*response)) return std::nullopt;
    const Value* sent = request.find("body");
    std::optional<Value> body;
    if (sent) body = *sent;
    const std::string method = text_of(request, "method");
    const Value* accept = at_pointer(request, "/headers/Accept");
    if (response && accept && accept->is_string() && accept->as_string().find("as=Table") != std::string::npos) {
      const std::string difference = compare_table(server_, path, *response);
      const Value* rows = at_pointer(*response, "/body/rows");
      return rows ? std::optional(difference) : std::nullopt;
    }
    if (method == "DELETE" || (method != "POST" && path.name.empty())) return std::nullopt;
    if (body && kind->name == "Pod" && path.sub.empty() && method != "PATCH") admit_pod(*body);
    const auto got = body && (method == "POST" || method == "PUT") ? server_.answer(path, method, *body)
                     : method == "PATCH" && body                  ? patch(path, *kind, request, *body)
                     : method == "GET"                            ? server_.answer(path, method, Value())
                                                                  : std::nullopt;
    if (!got || !response) return std::nullopt;
    save(request, *got);
    return compare(*kind, request, *response, *got);
  }

 private:
  /// Everything else is said by the store, the router or admission.
  static bool is_ours(const Value& response) {
    const std::int64_t status = response.find("status")->as_int();
    const Value* causes = at_pointer(response, "/body/details/causes");
    if (status == 422 && causes && !causes->as_list().empty()) {
      const std::string field = text_of(causes->as_list()[0], "field");
      return field != "dryRun" && field != "fieldValidation" && field != "fieldManager";
    }
    return status == 200 || status == 201 || status == 422;
  }

  std::optional<Answer> patch(const Path& path, const Kind& kind, const Value& request, const Value& body) {
    const Value* header = at_pointer(request, "/headers/Content-Type");
    const std::string type = header && header->is_string() ? header->as_string() : "";
    Path read = path;
    read.sub.clear();
    const auto old = server_.answer(read, "GET", Value());
    const ServedVersion* version = kind.version(path.version);
    if (!old || old->status != 200 || !version) return std::nullopt;
    auto merged = type.starts_with("application/json-patch")
                            ? apply_json_patch(old->body, body)
                        : type.starts_with("application/strategic-merge-patch")
                            ? apply_strategic_patch(old->body, body, *version->type)
                        : type.starts_with("application/merge-patch") ? apply_merge_patch(old->body, body)
                                                                       : Result<Value>(fail(Code::kBadRequest, ""));
    if (!merged) return std::nullopt;
    if (kind.name == "Pod" && path.sub.empty()) admit_pod(*merged);
    return server_.answer(path, "PUT", *merged);
  }

  void save(const Value& request, const Answer& got) {
    const Value* names = request.find("save");
    if (!names) return;
    for (const auto& [name, pointer] : names->as_map()) {
      const Value* value = at_pointer(got.body, pointer.as_string());
      if (value && value->is_string()) server_.saved[name] = value->as_string();
    }
  }

  static std::optional<std::string> compare(const Kind& kind, const Value& request, const Value& response,
                                            Answer got) {
    const std::int64_t status = response.find("status")->as_int();
    Value masked = response;
    Value* body = masked.find("body");
    if (!body || !body->is_map()) return std::nullopt;
    if (status != 422 && text_of(*body, "kind") != kind.name) return std::nullopt;
    if (!request.find("only")) {
      drop_added_by_server(kind, *body);
      drop_added_by_server(kind, got.body);
    }
    std::string difference = Comparison(masked).run(got, request);
    if (difference.empty()) difference = missing_warnings(response, got);
    return difference;
  }

  /// The other direction of Comparison: every recorded warning is one of ours.
  static std::string missing_warnings(const Value& response, const Answer& got) {
    const Value* expected = at_pointer(response, "/headers/Warning");
    if (!expected) return "";
    const std::string all = print_json(*expected);
    std::size_t count = 0;
    for (const Value& warning : expected->as_list()) {
      const std::string& text = warning.as_string();  // the decoder's are not ours
      if (!text.starts_with("299 - \"unknown field") && !text.starts_with("299 - \"duplicate field")) ++count;
    }
    return count == got.warnings.size() ? "" : "\n    - warnings " + all;
  }

  Server server_;
};

inline Counts run_core_file(const std::string& file) {
  Counts counts;
  std::ifstream stream(std::string(DRAY_TEST_DATA) + "/conformance/api/" + file + ".jsonl");
  EXPECT_TRUE(stream.is_open()) << file;
  for (std::string line; std::getline(stream, line);) {
    const auto recorded = parse_json(replace_all(std::move(line), "<run>", kRun));
    EXPECT_TRUE(recorded.has_value());
    if (!recorded) continue;
    CoreRun run(*recorded);
    if (const Value* setup = recorded->find("setup")) {
      for (const Value& request : setup->as_list()) run.step(request, nullptr);
    }
    int number = 0;
    for (const Value& step : recorded->find("steps")->as_list()) {
      ++number;
      const Value* request = step.find("request");
      const auto difference = request ? run.step(*request, step.find("response")) : std::nullopt;
      if (!difference) {
        ++counts.skipped;
      } else if (difference->empty()) {
        ++counts.passed;
      } else {
        counts.failed.push_back(text_of(*recorded, "name") + " step " + std::to_string(number) + ": " + *difference);
      }
    }
  }
  return counts;
}

}  // namespace dray::api::replay
