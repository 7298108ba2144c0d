/// Kubernetes' semantics of reads and writes over a store: names, uids, generations, defaults, validation,
/// admission, finalizers, graceful deletion. The API server and the parts in the same process write
/// through the same calls.
/// Thread: confined to the control plane's executor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "base/random.h"
#include "machinery/meta_v1.h"
#include "store/store.h"

namespace dray::store {

/// Who writes and how. The defaults are those of a part of the control plane.
struct WriteOptions {
  bool dry_run = false;
  std::string user = "system:apiserver";
  std::string field_manager;
  std::string subresource;  // "", "status", ...: which hooks apply, what admission sees
  const api::ServedVersion* version = nullptr;  // of the request, for field names in errors; null: the stored
  bool create_if_missing = false;               // an update of an unknown name creates it (server-side apply)
};

enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete };

/// What an admission step sees; it may change `object` (create and update).
struct AdmissionRequest {
  Operation operation;
  const api::Kind& kind;
  const WriteOptions& options;
  Object* object;     // null for a delete
  const Object* old;  // null for a create
  std::vector<std::string>& warnings;
};
/// Errors are answered as they are (kForbidden, kInvalid, ...).
using Admission = std::function<Result<>(AdmissionRequest&)>;

/// What a write gave: the object as stored, and `Warning` texts.
struct Written {
  ObjectPtr object;
  Revision revision = 0;  // wait for this one's durability before acknowledging
  std::vector<std::string> warnings;
  bool gone = false;      // the write removed the object (and did not only mark it)
  bool created = false;   // an update that made the object
};

class Resources {
 public:
  Resources(Store& store, const api::Registry& registry, const api::FeatureGates& gates,
            const Clock& clock, Rng rng);
  ~Resources();

  /// Compiles the CEL expressions of what is written; borrowed. Without one they are taken as they are.
  void set_expressions(const api::ExpressionCheck* check);
  /// Admission steps run in the order in which they were added, before validation.
  void add_admission(Admission step);
  /// These run after validation, last before the write (and never on a delete); they do not change the object.
  void add_validating_admission(Admission step);

  [[nodiscard]] Result<Written> create(const api::Kind& kind, std::shared_ptr<Object> object,
                                       const WriteOptions& options = {});
  /// The object's own resourceVersion is the expected one, if it has one. An object whose last
  /// finalizer went away while it is being deleted is removed.
  [[nodiscard]] Result<Written> update(const api::Kind& kind, std::shared_ptr<Object> object,
                                       const WriteOptions& options = {});
  /// Reads, changes, writes: `change` gets a copy of the newest state. It is called once, since
  /// nothing runs in between.
  [[nodiscard]] Result<Written> modify(const api::Kind& kind, std::string_view namespace_,
                                       std::string_view name,
                                       const std::function<Result<>(Object&)>& change,
                                       const WriteOptions& options = {});
  /// Whether objects may be created in the namespace: `namespaces "x" not found`, or forbidden with the
  /// cause NamespaceTerminating.
  [[nodiscard]] Result<> check_namespace(const api::Kind& kind, std::string_view namespace_,
                                         std::string_view name) const;
  /// Preconditions, grace period, finalizers and propagation policy as Kubernetes has them.
  [[nodiscard]] Result<Written> remove(const api::Kind& kind, std::string_view namespace_,
                                       std::string_view name, const meta::DeleteOptions& how = {},
                                       const WriteOptions& options = {});

  [[nodiscard]] Store& store() { return store_; }
  [[nodiscard]] const api::Registry& registry() const { return registry_; }
  [[nodiscard]] const api::FeatureGates& gates() const { return gates_; }
  [[nodiscard]] Now now() const;

 private:
  struct Impl;
  Store& store_;
  const api::Registry& registry_;
  const api::FeatureGates& gates_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::store
