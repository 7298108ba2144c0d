/// What the control plane knows of one kind, beyond its fields: names, versions, hooks, columns.
/// Everything that serves, stores or prints objects goes through this table and has no branch per kind.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "machinery/object.h"
#include "machinery/value.h"

namespace dray {
class Causes;  // machinery/validate.h: collects the causes of an Invalid error
}

namespace dray::api {

class ExpressionCheck;  // api/expression_check.h
class FeatureGates;
struct ServedVersion;

/// What hooks may look at. Borrowed for the call.
struct HookContext {
  const FeatureGates& gates;
  Now now;
  /// Looks up another object (a PriorityClass, a Namespace); null if there is none.
  const std::function<ObjectPtr(const StructDescriptor& kind, std::string_view namespace_,
                                std::string_view name)>& find;
  /// The version of the request, whose field names some errors use; null: the stored one.
  const ServedVersion* version = nullptr;
  /// Compiles CEL expressions; null: they are taken as they are.
  const ExpressionCheck* expressions = nullptr;
};

/// A column of the Table answer. `type`, `format`, `priority` as in metav1.TableColumnDefinition.
struct Column {
  std::string_view name;
  std::string_view type = "string";
  std::string_view format = "";
  int priority = 0;
};

struct Subresource {
  std::string name;                  // "status", "scale", ...
  std::string group, version, kind;  // of its body; empty group and version: the kind's own
  std::vector<std::string> verbs;
};

/// One version of a kind as it is served. Versions other than the stored one convert.
struct ServedVersion {
  std::string version;
  const StructDescriptor* type = nullptr;
  bool served_by_default = true;
  /// Null where `type` is the stored type.
  std::shared_ptr<Object> (*to_stored)(const Object& served) = nullptr;
  std::shared_ptr<Object> (*from_stored)(const Object& stored) = nullptr;
};

/// What the schema cannot say. Null: nothing to do. All pure.
struct Hooks {
  /// Fills defaults of the stored version; also on what is read from a patch's result.
  void (*set_defaults)(Object&) = nullptr;
  /// Before validation of a create: resets status, drops fields of gates that are off, ...
  void (*prepare_create)(const HookContext&, Object&) = nullptr;
  /// Before validation of an update of everything but status (generation, dropped fields, ...).
  void (*prepare_update)(const HookContext&, Object& fresh, const Object& old) = nullptr;
  /// The same for the status subresource: everything but status comes from `old`.
  void (*prepare_status)(const HookContext&, Object& fresh, const Object& old) = nullptr;
  void (*validate_create)(const HookContext&, const Object&, Causes&) = nullptr;
  void (*validate_update)(const HookContext&, const Object& fresh, const Object& old, Causes&) = nullptr;
  void (*validate_status)(const HookContext&, const Object& fresh, const Object& old, Causes&) = nullptr;
  /// `Warning` headers for a create or update; `old` is null for a create.
  std::vector<std::string> (*warnings)(const HookContext&, const Object& fresh, const Object* old) = nullptr;
  /// A selectable field beyond metadata.name and metadata.namespace ("spec.nodeName"); nothing if the
  /// kind has no such field.
  std::optional<std::string> (*field)(const Object&, std::string_view path) = nullptr;
  /// The cells of one row, in the order of `columns`.
  Value::List (*row)(const Object&, Now) = nullptr;
};

/// A kind. Immutable; lives as long as its Registry.
struct Kind {
  std::string group, name, plural, singular;
  bool namespaced = true;
  std::vector<std::string> short_names, categories, verbs;
  std::vector<Subresource> subresources;
  std::vector<ServedVersion> versions;          // in order of preference
  const StructDescriptor* stored = nullptr;     // of the version that is kept
  std::span<const Column> columns;              // empty: Name and Age
  std::span<const std::string_view> selectable_fields;
  bool has_status = false;                      // the status subresource exists
  bool has_generation = false;                  // metadata.generation counts changes of the spec
  bool create_on_update = false;                // PUT of an unknown name creates (Lease, Event, ...)
  bool unconditional_update = true;             // PUT without resourceVersion is allowed
  Hooks hooks;

  /// Of events.k8s.io's Event: "events", since its objects are core's. Empty: its own.
  std::string shares_storage_of;

  /// "pods", "deployments.apps": unique.
  [[nodiscard]] std::string resource() const { return group.empty() ? plural : plural + "." + group; }
  /// The store's name of the kind: `resource()`, unless it shares the objects of another kind.
  [[nodiscard]] std::string storage() const {
    return shares_storage_of.empty() ? resource() : shares_storage_of;
  }
  [[nodiscard]] const ServedVersion* version(std::string_view name) const;
};

/// All kinds that a server knows. Built once from the schema's resource list and the hooks of each
/// group; custom resources are added and removed at run time (by the server's own thread; readers on
/// other threads hold the `shared_ptr` of a Kind).
class Registry {
 public:
  /// Kubernetes' built-in kinds.
  [[nodiscard]] static Registry built_in();

  /// "resourceclaims" of a group, by plural name; null if unknown.
  [[nodiscard]] std::shared_ptr<const Kind> find(std::string_view group, std::string_view plural) const;
  /// By kind name ("ResourceClaim").
  [[nodiscard]] std::shared_ptr<const Kind> find_kind(std::string_view group, std::string_view kind) const;
  /// Of a stored type, in the group of that type; there must be one.
  [[nodiscard]] const Kind& of(const StructDescriptor& stored) const;
  template <class T>
  [[nodiscard]] const Kind& of() const {
    return of(T::kDescriptor);
  }
  /// In Kubernetes' order of groups, then by plural.
  [[nodiscard]] std::span<const std::shared_ptr<const Kind>> all() const { return kinds_; }

  void add(std::shared_ptr<const Kind> kind);
  void remove(std::string_view group, std::string_view plural);

 private:
  std::vector<std::shared_ptr<const Kind>> kinds_;
  std::unordered_map<const StructDescriptor*, const Kind*> by_stored_;
};

}  // namespace dray::api
