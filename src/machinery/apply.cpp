#include "machinery/apply.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "machinery/codec.h"
#include "machinery/typed.h"
#include "machinery/validate.h"

namespace dray {
namespace {

constexpr std::size_t kUpdateManagersMax = 10;
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// What tells entries of managedFields apart. An Apply entry's version does not.
struct ManagerId {
  std::string manager, operation, api_version, subresource;
  auto operator<=>(const ManagerId&) const = default;
};
struct Entry {
  FieldSet fields;
  std::string api_version;
  Time time;
};
using Managed = std::map<ManagerId, Entry>;

std::string text_of(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found != nullptr && found->is_string() ? found->as_string() : "";
}

const Value* managed_fields_of(const Value& object) {
  const Value* metadata = object.find("metadata");
  return metadata == nullptr ? nullptr : metadata->find("managedFields");
}

/// False for entries that are none: then nothing of the list counts.
bool decode(const Value* list, Managed& out) {
  if (list == nullptr || !list->is_list()) return true;
  for (const Value& each : list->as_list()) {
    const std::string operation = text_of(each, "operation");
    const std::string version = text_of(each, "apiVersion");
    if ((operation != "Apply" && operation != "Update") || version.empty() || text_of(each, "fieldsType") != "FieldsV1") {
      out.clear();
      return false;
    }
    Entry entry{{}, version, {}};
    if (const Value* fields = each.find("fieldsV1")) entry.fields = FieldSet::from_fields_v1(*fields);
    if (const auto time = Time::parse(text_of(each, "time"))) entry.time = *time;
    out[{text_of(each, "manager"), operation, operation == "Apply" ? "" : version, text_of(each, "subresource")}] =
        std::move(entry);
  }
  return true;
}

/// An empty list, or one empty entry, asks for a reset.
bool is_reset(const Value* list) {
  if (list == nullptr || !list->is_list()) return false;
  const Value::List& entries = list->as_list();
  return entries.empty() || (entries.size() == 1 && entries[0].is_map() && entries[0].as_map().empty());
}

Value encode(const Managed& managed) {
  std::vector<const Managed::value_type*> sorted;
  for (const auto& each : managed) sorted.push_back(&each);
  std::ranges::sort(sorted, {}, [](const Managed::value_type* each) {
    const auto& [id, entry] = *each;
    return std::tuple(id.operation, entry.time.is_zero() ? 0 : entry.time.seconds, id.manager, entry.api_version,
                      id.subresource);
  });
  Value out = Value::list();
  for (const auto* each : sorted) {
    const auto& [id, entry] = *each;
    Value::Map map;
    if (!id.manager.empty()) map.emplace_back("manager", id.manager);
    map.emplace_back("operation", id.operation);
    map.emplace_back("apiVersion", entry.api_version);
    if (!entry.time.is_zero()) map.emplace_back("time", entry.time.str());
    map.emplace_back("fieldsType", "FieldsV1");
    map.emplace_back("fieldsV1", entry.fields.to_fields_v1());
    if (!id.subresource.empty()) map.emplace_back("subresource", id.subresource);
    out.as_list().emplace_back(std::move(map));
  }
  return out;
}

Value without_managed_fields(Value object) {
  if (Value* metadata = object.find("metadata")) metadata->erase("managedFields");
  return object;
}

Value with_managed_fields(Value object, const Managed& managed) {
  object = without_managed_fields(std::move(object));
  if (!managed.empty()) object["metadata"].set("managedFields", encode(managed));
  return object;
}

/// Never tracked: who an object is.
const FieldSet& identity_fields() {
  static const FieldSet fields = [] {
    FieldSet out;
    for (const char* name : {"f:apiVersion", "f:kind", "f:metadata"}) out.insert({name});
    for (const char* name : {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:clusterName",
                             "f:generation", "f:managedFields", "f:resourceVersion"}) {
      out.insert({"f:metadata", name});
    }
    return out;
  }();
  return fields;
}

FieldSet reset_fields_of(const FieldWriter& writer) {
  FieldSet out;
  for (const std::string& name : writer.reset_fields) out.insert({"f:" + name});
  return out;
}

/// The tree of a fresh object: what a create is compared with.
Value empty_object(const StructDescriptor& descriptor) {
  return descriptor.is_kind() ? without_managed_fields(to_value(*descriptor.make())) : Value::map();
}

void drop_empty(Managed& managed) {
  std::erase_if(managed, [](const auto& each) { return each.second.fields.empty(); });
}

/// Takes what changed from everybody else. Returns who had what of it.
Managed take_changes(Managed& managed, const typed::Comparison& changes, const ManagerId* self) {
  FieldSet changed = changes.modified;
  changed.add(changes.added);
  Managed conflicts;
  for (auto& [id, entry] : managed) {
    if (self != nullptr && id == *self) continue;
    FieldSet taken = entry.fields.intersection(changed);
    entry.fields.remove(taken);
    entry.fields.remove(changes.removed);
    if (!taken.empty()) conflicts[id] = {std::move(taken), entry.api_version, entry.time};
  }
  drop_empty(managed);
  return conflicts;
}

typed::Comparison compare(const Value& before, const Value& after, const typed::Ref& ref, const FieldWriter& writer) {
  typed::Comparison out = typed::compare(before, after, ref);
  const FieldSet ignored = reset_fields_of(writer);
  for (FieldSet* set : {&out.added, &out.modified, &out.removed}) set->remove_recursively(ignored);
  return out;
}

/// Folds the oldest updates into one entry a version.
void cap_updates(Managed& managed) {
  std::vector<std::pair<Time, ManagerId>> updates;
  for (const auto& [id, entry] : managed) {
    if (id.operation == "Update") updates.emplace_back(entry.time.is_zero() ? Time{0} : entry.time, id);
  }
  if (updates.size() <= kUpdateManagersMax) return;
  std::ranges::sort(updates);
  std::size_t count = updates.size();
  std::map<std::string, ManagerId> first_of_version;
  for (const auto& [time, id] : updates) {
    if (count <= kUpdateManagersMax) return;
    const Entry entry = managed[id];
    const ManagerId bucket{"ancient-changes", "Update", entry.api_version, ""};
    const auto [first, fresh] = first_of_version.emplace(entry.api_version, id);
    if (fresh) continue;
    if (!managed.contains(bucket)) {
      managed[bucket] = managed[first->second];
      if (first->second != bucket) managed.erase(first->second);
    }
    managed.erase(id);
    managed[bucket].fields.add(entry.fields);
    managed[bucket].time = entry.time;
    --count;
  }
}

void record_update(Managed& managed, const Value& before, const Value& after, const typed::Ref& ref,
                   const FieldWriter& writer) {
  const typed::Comparison changes = compare(before, after, ref, writer);
  take_changes(managed, changes, nullptr);
  FieldSet owned = changes.modified;
  owned.add(changes.added);
  owned.remove(identity_fields());
  if (!owned.empty()) {
    const std::string manager = writer.manager.empty() ? "unknown" : writer.manager;
    Entry& entry = managed[{manager, "Update", writer.api_version, writer.subresource}];
    entry.fields.add(owned);
    entry.api_version = writer.api_version;
    entry.time = writer.now;
  }
  cap_updates(managed);
}

std::string manager_text(const ManagerId& id) {
  std::string out = go_quoted(id.manager);
  if (!id.subresource.empty()) out += " with subresource " + go_quoted(id.subresource);
  if (id.operation == "Update") out += " using " + id.api_version;
  return out;
}

Error conflict_error(const Managed& conflicts) {
  Error error;
  error.code = Code::kConflict;
  std::string several;
  for (const auto& [id, entry] : conflicts) {
    several += (several.empty() ? "" : "\n") + fmt::format("conflicts with {}:", manager_text(id));
    for (const ElementPath& path : entry.fields.paths()) {
      const std::string text = field_path_text(path);
      several += "\n- " + text;
      error.causes.push_back({text, "FieldManagerConflict", "conflict with " + manager_text(id), {}});
    }
  }
  error.message = fmt::format("Apply failed with {} conflicts: {}", error.causes.size(), several);
  if (error.causes.size() == 1) {
    const Cause& cause = error.causes[0];
    error.message = fmt::format("Apply failed with 1 conflict: {}: {}", cause.message, cause.field);
  }
  return error;
}

/// The fields that the manager applied before and does not name any more go, unless somebody else
/// manages them.
Value prune(const Value& merged, const Managed& managed, const FieldSet& last, const typed::Ref& ref) {
  if (last.empty()) return merged;
  const FieldSet last_named = typed::with_named_fields(last, ref);
  Value pruned = typed::remove_items(merged, last_named, ref);
  const FieldSet merged_set = typed::with_named_fields(typed::field_set_of(merged, ref), ref);
  FieldSet owned;
  for (const auto& [id, entry] : managed) owned.add(entry.fields);
  FieldSet kept = typed::with_named_fields(typed::field_set_of(pruned, ref), ref);
  kept.add(typed::with_named_fields(owned, ref));
  FieldSet gone = merged_set;
  gone.remove(kept);
  pruned = typed::remove_items(merged, gone, ref);
  // What only hung below a removed field comes back, if the manager had not applied it.
  FieldSet dangling = merged_set;
  dangling.remove(typed::with_named_fields(typed::field_set_of(pruned, ref), ref));
  return typed::remove_items(merged, dangling.intersection(last_named), ref);
}

/// Conflicts are no conflicts where kubectl's own last client-side apply set what stands there.
FieldSet last_applied_fields(const Value& live, const typed::Ref& ref) {
  const Value* metadata = live.find("metadata");
  const Value* annotations = metadata == nullptr ? nullptr : metadata->find("annotations");
  if (annotations == nullptr) return {};
  const auto config = parse_json(text_of(*annotations, kLastApplied));
  if (!config || !config->is_map()) return {};
  FieldSet out = typed::field_set_of(*config, ref);
  const typed::Comparison changes = typed::compare(live, *config, ref);
  for (const FieldSet* set : {&changes.modified, &changes.added, &changes.removed}) out.remove(*set);
  return out;
}

/// kubectl keeps the annotation of client-side apply up to date, where there is one.
void update_last_applied(Value& object, const Value& config) {
  Value* metadata = object.find("metadata");
  Value* annotations = metadata == nullptr ? nullptr : metadata->find("annotations");
  if (annotations == nullptr || annotations->find(kLastApplied) == nullptr) return;
  annotations->set(kLastApplied, print_json(config, true) + "\n");
}

}  // namespace

Value track_update(const Value& live, Value fresh, const StructDescriptor& descriptor, const FieldWriter& writer) {
  const typed::Ref ref = typed::Ref::root(descriptor);
  const bool exists = live.is_map();
  const Value* given = managed_fields_of(fresh);
  Managed managed;
  const Value* kept = exists ? managed_fields_of(live) : nullptr;
  if (!writer.subresource.empty()) {
    decode(kept, managed);
  } else if (!is_reset(given) && (!decode(given, managed) || managed.empty())) {
    decode(kept, managed);
  }
  // An object that is not tracked stays so until it is applied.
  if (managed.empty() && exists) return without_managed_fields(std::move(fresh));
  fresh = without_managed_fields(std::move(fresh));
  record_update(managed, exists ? without_managed_fields(live) : empty_object(descriptor), fresh, ref, writer);
  return with_managed_fields(std::move(fresh), managed);
}

Result<Value> server_side_apply(const Value& live, const Value& config, const StructDescriptor& descriptor,
                                const FieldWriter& writer, bool force) {
  const typed::Ref ref = typed::Ref::root(descriptor);
  const std::string version = text_of(config, "apiVersion");
  if (version != writer.api_version) {
    return fail(Code::kBadRequest,
                fmt::format("Incorrect version specified in apply patch. Specified patch version: {}, expected: {}",
                            version, writer.api_version));
  }
  const Value* given = managed_fields_of(config);
  if (given != nullptr && !given->is_null()) {
    return fail(Code::kBadRequest, "metadata.managedFields must be nil");
  }
  if (auto checked = typed::check_lists(config, ref); !checked) {
    const Value* metadata = config.find("metadata");
    const auto slash = version.find('/');
    const std::string group_version =
        slash == std::string::npos ? "/" + version : version;
    return fail(Code::kInternal,
                fmt::format("failed to create typed patch object ({}/{}; {}, Kind={}): {}",
                            metadata == nullptr ? "" : text_of(*metadata, "namespace"),
                            metadata == nullptr ? "" : text_of(*metadata, "name"), group_version,
                            text_of(config, "kind"), checked.error().message));
  }

  const bool exists = live.is_map();
  const Value before = exists ? without_managed_fields(live) : empty_object(descriptor);
  Managed managed;
  if (exists) decode(managed_fields_of(live), managed);
  if (managed.empty() && exists) {
    FieldWriter unknown = writer;
    unknown.manager = "before-first-apply";
    record_update(managed, empty_object(descriptor), before, ref, unknown);
  }

  const ManagerId self{writer.manager, "Apply", "", writer.subresource};
  const auto previous = managed.find(self);
  const Entry last = previous == managed.end() ? Entry{} : previous->second;
  FieldSet set = typed::field_set_of(config, ref);
  set.remove_recursively(reset_fields_of(writer));
  managed[self] = {set, writer.api_version, last.time};

  Value after = prune(typed::merge(before, config, ref), managed, last.fields, ref);
  const typed::Comparison changes = compare(before, after, ref, writer);
  Managed conflicts = take_changes(managed, changes, &self);
  if (!force && !conflicts.empty()) {
    if (writer.manager == "kubectl") {
      const FieldSet allowed = last_applied_fields(before, ref);
      for (auto& [id, entry] : conflicts) entry.fields.remove(allowed);
      drop_empty(conflicts);
    }
    if (!conflicts.empty()) return fail(conflict_error(conflicts));
  }
  if (const auto found = managed.find(self); found != managed.end()) {
    found->second.fields.remove(identity_fields());
    if (before != after) found->second.time = writer.now;
  }
  drop_empty(managed);
  if (writer.manager == "kubectl") update_last_applied(after, config);
  return with_managed_fields(std::move(after), managed);
}

}  // namespace dray
