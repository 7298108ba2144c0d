/// Replays recorded requests of a real API server (tests/data/conformance/api) against the hooks of
/// resource.k8s.io and scheduling.k8s.io: decode, convert, default, prepare, validate, as a server would.
/// Compared: status, causes (in any order), the object answered, warnings and table rows.
/// The layer of the API has no CEL compiler: without one, what the real one said is taken from the recording.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "api/core_v1.h"
#include "api/expression_check.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/resource_replay_match.h"
#include "machinery/codec.h"
#include "machinery/metadata_validation.h"
#include "machinery/validate.h"

namespace dray::api::replay {

inline constexpr std::string_view kRun = "abcde";

// The gates that all cases with gates were recorded with (README of the recordings).
inline constexpr std::string_view kRecordedGates[] = {
    "DRADerivedAttributes", "DRADeviceCompatibilityGroups", "DRAListTypeAttributes",
    "DRANodeAllocatableResources", "DRAOptionalNodeOperations", "DRAPartitionableDevicesType",
    "DRAResourcePoolStatus", "DRAWorkloadResourceClaims", "DRAFractionalCapacityRange",
    "GenericWorkload", "CompositePodGroup", "PodGroupPreemptionPolicy",
    "TopologyAwareWorkloadScheduling", "WorkloadWithJob"};

/// The CEL compiler of the recorded server, as far as its answer to this request tells.
class RecordedExpressions final : public ExpressionCheck {
 public:
  void listen(const Value& response) {
    causes_.clear();
    const Value* causes = at_pointer(response, "/body/details/causes");
    if (!causes) return;
    for (const Value& cause : causes->as_list()) causes_.push_back(text_of(cause, "message"));
  }
  Result<std::uint64_t> device_cost(std::string_view expression, const ExpressionOptions&) const override {
    constexpr std::string_view kInternalError = "Internal error: ";
    const std::string start = "Invalid value: " + go_quoted(expression) + ": ";
    for (const std::string& cause : causes_) {
      if (cause.starts_with(start)) return fail(Code::kInvalid, cause.substr(start.size()));
      if (cause.starts_with(kInternalError)) {
        return fail(Code::kInternal, cause.substr(kInternalError.size()));
      }
      if (cause == "Forbidden: too complex, exceeds cost limit") return 1'000'001;
    }
    return 1;
  }

 private:
  std::vector<std::string> causes_;
};

/// "/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUB?QUERY".
struct Path {
  std::string group, version, namespace_, plural, name, sub, query;

  explicit Path(std::string text) {
    if (text.empty()) return;
    if (const std::size_t mark = text.find('?'); mark != std::string::npos) {
      query = text.substr(mark + 1);
      text.resize(mark);
    }
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, '/');) {
      if (!part.empty()) parts.push_back(part);
    }
    std::size_t next = 1;
    if (parts.size() < 3) return;  // discovery
    if (parts[0] == "apis") group = parts[next++];
    version = parts[next++];
    if (parts.size() > next + 2 && parts[next] == "namespaces") {
      namespace_ = parts[next + 1];
      next += 2;
    }
    if (parts.size() > next) plural = parts[next];
    if (parts.size() > next + 1) name = parts[next + 1];
    if (parts.size() > next + 2) sub = parts[next + 2];
  }
  [[nodiscard]] bool dry_run() const { return query.find("dryRun=All") != std::string::npos; }
};

struct Answer {
  int status = 0;
  Value body;                  // of an object, in the version of the request
  std::vector<Cause> causes;   // of an Invalid error
  std::vector<std::string> warnings;
};

/// Enough of a server to run the hooks.
class Server {
 public:
  /// `compiler` is borrowed; null: the recorded one.
  Server(bool gated, const ExpressionCheck* compiler) : compiler_(compiler) {
    if (gated) {
      for (const std::string_view gate : kRecordedGates) gates_.set(gate, true);
    }
    find_ = [this](const StructDescriptor& type, std::string_view namespace_, std::string_view name) {
      const auto found = objects_.find({std::string(type.name), std::string(namespace_), std::string(name)});
      return found == objects_.end() ? nullptr : found->second;
    };
    auto fallback = std::make_shared<core::Namespace>();
    fallback->metadata.name = "default";
    objects_[{"Namespace", "", "default"}] = fallback;
  }

  RecordedExpressions expressions;
  /// What requests say as "<name>": values of earlier answers.
  std::map<std::string, std::string> saved;

  /// Nothing if this server does not know how.
  std::optional<Answer> answer(const Path& path, const std::string& method, const Value& body) {
    kind_ = registry_.find(path.group, path.plural);
    const ServedVersion* version = kind_ ? kind_->version(path.version) : nullptr;
    if (!version) return std::nullopt;
    if (method == "POST") return create(path, *version, body);
    const auto found = objects_.find(key(path, path.name));
    if (found == objects_.end()) return std::nullopt;
    if (method == "GET") return Answer{200, shown(*found->second, *version), {}, {}};
    if (method == "DELETE") return remove(path, *found->second, *version);
    if (method == "PATCH") {
      Value merged = shown(*found->second, *version);
      merge(merged, body);
      return update(path, *version, merged, *found->second);
    }
    if (method == "PUT") return update(path, *version, body, *found->second);
    return std::nullopt;
  }

  [[nodiscard]] const Kind* kind(const Path& path) { return registry_.find(path.group, path.plural).get(); }
  [[nodiscard]] Now now() const { return now_; }
  [[nodiscard]] std::vector<ObjectPtr> all(const Kind& kind, const std::string& namespace_) const {
    std::vector<ObjectPtr> out;
    for (const auto& [at, object] : objects_) {
      if (std::get<0>(at) == kind.name && (namespace_.empty() || std::get<1>(at) == namespace_)) {
        out.push_back(object);
      }
    }
    return out;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  [[nodiscard]] Key key(const Path& path, const std::string& name) const {
    return {kind_->name, path.namespace_, name};
  }
  [[nodiscard]] HookContext context(const ServedVersion& version) const {
    return {gates_, now_, find_, &version, compiler_ ? compiler_ : &expressions};
  }
  static Value shown(const Object& object, const ServedVersion& version) {
    return version.from_stored ? to_value(*version.from_stored(object)) : to_value(object);
  }

  Result<std::shared_ptr<Object>> read(const Value& body, const ServedVersion& version) {
    TRY_ASSIGN(std::shared_ptr<Object> served, decode_object(body, *version.type));
    std::shared_ptr<Object> stored = version.to_stored ? version.to_stored(*served) : served;
    if (kind_->hooks.set_defaults) kind_->hooks.set_defaults(*stored);
    return stored;
  }

  std::optional<Answer> create(const Path& path, const ServedVersion& version, const Value& body) {
    auto read_object = read(body, version);
    if (!read_object) return Answer{400, Value(read_object.error().message), {}, {}};
    Object& object = **read_object;
    const HookContext hooks = context(version);
    if (object.metadata.name.empty() && !object.metadata.generate_name.empty()) {
      object.metadata.name = object.metadata.generate_name + "fghij";
    }
    object.metadata.namespace_ = path.namespace_;
    object.metadata.uid = "00000000-0000-0000-0000-000000000000";
    object.metadata.creation_timestamp = Time::of(now_.wall);
    object.metadata.resource_version.clear();
    if (kind_->hooks.prepare_create) kind_->hooks.prepare_create(hooks, object);
    Causes causes;
    if (kind_->hooks.validate_create) kind_->hooks.validate_create(hooks, object, causes);
    if (!causes.empty()) return Answer{422, {}, causes.take(), {}};
    Answer out{201, {}, {}, {}};
    if (kind_->hooks.warnings) out.warnings = kind_->hooks.warnings(hooks, object, nullptr);
    if (!path.dry_run()) {
      object.metadata.resource_version = next_version();
      objects_[key(path, object.metadata.name)] = *read_object;
    }
    out.body = shown(object, version);
    return out;
  }

  std::optional<Answer> update(const Path& path, const ServedVersion& version, const Value& body,
                               const Object& old) {
    auto read_object = read(body, version);
    if (!read_object) return Answer{400, Value(read_object.error().message), {}, {}};
    Object& object = **read_object;
    const HookContext hooks = context(version);
    const bool status = path.sub == "status";
    object.metadata.namespace_ = path.namespace_;
    object.metadata.creation_timestamp = old.metadata.creation_timestamp;
    object.metadata.deletion_timestamp = old.metadata.deletion_timestamp;
    object.metadata.deletion_grace_period_seconds = old.metadata.deletion_grace_period_seconds;
    object.metadata.generation = old.metadata.generation;
    if (object.metadata.uid.empty()) object.metadata.uid = old.metadata.uid;
    if (object.metadata.resource_version.empty()) {
      if (!kind_->unconditional_update) return std::nullopt;  // the server's own answer
      object.metadata.resource_version = old.metadata.resource_version;
    }
    const auto prepare = status ? kind_->hooks.prepare_status : kind_->hooks.prepare_update;
    const auto validate = status ? kind_->hooks.validate_status : kind_->hooks.validate_update;
    if (prepare) prepare(hooks, object, old);
    Causes causes;  // what every server does first, whatever the kind
    validate_metadata(object.metadata, kind_->namespaced, check_path_segment_name, FieldPath("metadata"), causes);
    validate_metadata_update(object.metadata, old.metadata, FieldPath("metadata"), causes);
    if (validate) validate(hooks, object, old, causes);
    if (!causes.empty()) return Answer{422, {}, causes.take(), {}};
    Answer out{200, {}, {}, {}};
    if (kind_->hooks.warnings) out.warnings = kind_->hooks.warnings(hooks, object, &old);
    if (!path.dry_run()) {
      object.metadata.resource_version = next_version();
      if (object.metadata.deletion_timestamp && object.metadata.finalizers.empty()) {
        objects_.erase(key(path, path.name));
      } else {
        objects_[key(path, path.name)] = *read_object;
      }
    }
    out.body = shown(object, version);
    return out;
  }

  Answer remove(const Path& path, const Object& old, const ServedVersion& version) {
    Answer out{200, shown(old, version), {}, {}};
    if (old.metadata.finalizers.empty()) {
      objects_.erase(key(path, path.name));
      return out;
    }
    const auto marked = mutable_copy(old);
    marked->metadata.deletion_timestamp = Time::of(now_.wall);
    marked->metadata.deletion_grace_period_seconds = 0;
    marked->metadata.resource_version = next_version();
    out.body = shown(*marked, version);
    objects_[key(path, path.name)] = marked;
    return out;
  }

  std::string next_version() { return std::to_string(++version_); }

  const ExpressionCheck* compiler_;
  const Registry registry_ = Registry::built_in();
  FeatureGates gates_;
  Now now_{MonoTime{}, WallTime{std::chrono::hours(24 * 365 * 56)}};
  std::function<ObjectPtr(const StructDescriptor&, std::string_view, std::string_view)> find_;
  std::map<Key, ObjectPtr> objects_;
  std::shared_ptr<const Kind> kind_;
  int version_ = 100;
};

/// What two servers never have in common.
inline void drop_server_fields(Value& object) {
  if (Value* metadata = object.find("metadata")) {
    for (const std::string_view name : {"uid", "creationTimestamp", "resourceVersion", "managedFields"}) {
      metadata->erase(name);
    }
    if (metadata->as_map().empty()) object.erase("metadata");
  }
}

inline std::string cause_text(std::string_view field, std::string_view reason, std::string_view message) {
  return std::string(field) + " | " + std::string(reason) + " | " + std::string(message);
}

/// What differs; empty if nothing does.
class Comparison {
 public:
  explicit Comparison(const Value& response) : response_(response) {}

  std::string run(const Answer& got, const Value& request) {
    const std::int64_t status = response_.find("status")->as_int();
    if (status != got.status) {
      std::string text = "status " + std::to_string(status) + ", got " + std::to_string(got.status);
      for (const Cause& cause : got.causes) text += "\n    + " + cause_text(cause.field, cause.reason, cause.message);
      if (got.body.is_string()) text += " " + got.body.as_string();
      return text + expected_causes();
    }
    if (status == 422) return causes(got);
    if (status >= 400) return "";
    return object(got, request) + warnings(got);
  }

 private:
  std::string expected_causes() const {
    std::string text;
    const Value* list = at_pointer(response_, "/body/details/causes");
    for (const Value& cause : list ? list->as_list() : Value::List{}) {
      text += "\n    - " + cause_text(text_of(cause, "field"), text_of(cause, "reason"), text_of(cause, "message"));
    }
    return text;
  }

  std::string causes(const Answer& got) const {
    std::multiset<std::string> want, have;
    const Value* list = at_pointer(response_, "/body/details/causes");
    for (const Value& cause : list ? list->as_list() : Value::List{}) {
      want.insert(cause_text(text_of(cause, "field"), text_of(cause, "reason"), text_of(cause, "message")));
    }
    for (const Cause& cause : got.causes) have.insert(cause_text(cause.field, cause.reason, cause.message));
    std::string text;
    for (const std::string& cause : want) {
      if (have.count(cause) < want.count(cause)) text += "\n    - " + cause;
    }
    for (const std::string& cause : have) {
      if (want.count(cause) < have.count(cause)) text += "\n    + " + cause;
    }
    return text;
  }

  std::string object(const Answer& got, const Value& request) const {
    Value want = *response_.find("body"), have = got.body;
    if (text_of(want, "kind") == "Status") return "";
    if (const Value* only = request.find("only")) {
      for (const Value& pointer : only->as_list()) {
        if (pointer.as_string().find("managedFields") != std::string::npos) continue;
        const Value* a = at_pointer(want, pointer.as_string());
        const Value* b = at_pointer(have, pointer.as_string());
        const Value absent("<absent>");
        // The recording has what it kept under the pointer itself.
        if (const Value* kept = want.find(pointer.as_string())) a = kept;
        if (!a) a = &absent;
        if (a->is_string() && a->as_string() == "<absent>" && !b) continue;
        if (!b || !matches(*a, *b)) {
          return "\n    - " + print_json(*a, true) + "\n    + " + (b ? print_json(*b, true) : "absent");
        }
      }
      return "";
    }
    drop_server_fields(want);
    drop_server_fields(have);
    if (matches(want, have)) return "";
    return "\n    - " + print_json(want, true) + "\n    + " + print_json(have, true);
  }

  std::string warnings(const Answer& got) const {
    const Value* expected = at_pointer(response_, "/headers/Warning");
    const std::string all = expected ? print_json(*expected) : "";
    for (const std::string& warning : got.warnings) {
      std::string quoted;
      append_json_string(quoted, warning);
      if (all.find(quoted.substr(1, 20)) == std::string::npos) return "\n    + warning " + warning;
    }
    if (all.find("driver names should be lowercase") != std::string::npos && got.warnings.empty()) {
      return "\n    - warning " + all;
    }
    return "";
  }

  const Value& response_;
};

inline std::string compare_table(Server& server, const Path& path, const Value& response) {
  const Kind* kind = server.kind(path);
  const Value* definitions = at_pointer(response, "/body/columnDefinitions");
  const Value* rows = at_pointer(response, "/body/rows");
  if (!kind || !kind->hooks.row || !definitions || !rows) return "";
  Value columns = Value::list();
  for (const Column& column : kind->columns) {
    Value one = Value::map();
    one.set("format", column.format);
    one.set("name", column.name);
    one.set("priority", column.priority);
    one.set("type", column.type);
    columns.as_list().push_back(one);
  }
  if (!matches(*definitions, columns)) return "\n    columns " + print_json(columns, true);
  for (const Value& row : rows->as_list()) {
    const Value& cells = *row.find("cells");
    bool found = false;
    for (const ObjectPtr& object : server.all(*kind, path.namespace_)) {
      if (matches(cells, Value(kind->hooks.row(*object, server.now())))) found = true;
    }
    if (!found) return "\n    - row " + print_json(cells);
  }
  return "";
}

struct Counts {
  int passed = 0, skipped = 0;
  std::vector<std::string> failed;
};

/// Runs a request; nothing if it is none of ours, else what differs.
inline std::optional<std::string> run_step(Server& server, const Value& request, const Value* response) {
  std::string path_text = text_of(request, "path");
  for (const auto& [name, value] : server.saved) {
    path_text = replace_all(std::move(path_text), "<" + name + ">", value);
  }
  const Path path(path_text);
  if (path.group != "resource.k8s.io" && path.group != "scheduling.k8s.io" && response) return std::nullopt;
  const Value none;
  const Value* body = request.find("body");
  const Value* accept = at_pointer(request, "/headers/Accept");
  server.expressions.listen(response ? *response : none);
  const std::string method = text_of(request, "method");
  if (response && accept && accept->is_string() && accept->as_string().find("as=Table") != std::string::npos) {
    return compare_table(server, path, *response);
  }
  const auto got = server.answer(path, method, body ? *body : none);
  if (const Value* save = request.find("save"); save && got) {
    for (const auto& [name, pointer] : save->as_map()) {
      const Value* value = at_pointer(got->body, pointer.as_string());
      if (value && value->is_string()) server.saved[name] = value->as_string();
    }
  }
  if (!got || !response) return std::nullopt;
  const std::int64_t status = response->find("status")->as_int();
  // What admission, the store and the router say is theirs.
  if (status == 403 || status == 404 || status == 405 || status == 409 || status == 415) return std::nullopt;
  return Comparison(*response).run(*got, request);
}

inline void run_case(const Value& recorded, const ExpressionCheck* compiler, Counts& counts) {
  Server server(recorded.find("gates") != nullptr, compiler);
  const std::string name = text_of(recorded, "name");
  if (const Value* setup = recorded.find("setup")) {
    for (const Value& request : setup->as_list()) run_step(server, request, nullptr);
  }
  int number = 0;
  for (const Value& step : recorded.find("steps")->as_list()) {
    ++number;
    const Value* request = step.find("request");
    const auto difference = request ? run_step(server, *request, step.find("response")) : std::nullopt;
    if (!difference) {
      ++counts.skipped;
    } else if (difference->empty()) {
      ++counts.passed;
    } else {
      counts.failed.push_back(name + " step " + std::to_string(number) + ": " + *difference);
    }
  }
}

/// "<filler>" stands for n times a text.
inline std::string fill(const Value& request, std::string line) {
  const Value* filler = request.find("fill");
  if (!filler) return line;
  std::string text;
  for (std::int64_t i = 0; i < filler->as_list()[1].as_int(); ++i) text += filler->as_list()[0].as_string();
  return replace_all(std::move(line), "<filler>", text);
}

inline Counts run_file(const std::string& file, std::string_view only = "",
                       const ExpressionCheck* compiler = nullptr) {
  Counts counts;
  std::ifstream stream(std::string(DRAY_TEST_DATA) + "/conformance/api/" + file + ".jsonl");
  EXPECT_TRUE(stream.is_open()) << file;
  for (std::string line; std::getline(stream, line);) {
    if (line.find(only) == std::string::npos) continue;
    line = replace_all(std::move(line), "<run>", kRun);
    auto recorded = parse_json(line);
    EXPECT_TRUE(recorded.has_value());
    if (const Value* steps = recorded->find("steps"); steps && !steps->as_list().empty()) {
      if (const Value* request = steps->as_list()[0].find("request"); request && request->find("fill")) {
        recorded = parse_json(fill(*request, line));
      }
    }
    run_case(*recorded, compiler, counts);
  }
  return counts;
}

}  // namespace dray::api::replay
