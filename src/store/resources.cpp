#include "store/resources.h"

#include <utility>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "machinery/codec.h"
#include "machinery/metadata_validation.h"
#include "store/deletion.h"
#include "store/errors.h"
#include "store/object_parts.h"

namespace dray::store {
namespace {

/// Of the 63 characters that most names may have, 5 are the random end.
constexpr std::size_t kGeneratedBaseMax = 58;
constexpr int kGenerateAttempts = 8;

std::string generated_name(Rng& rng, std::string_view base) {
  return std::string(base.substr(0, kGeneratedBaseMax)) + rng.suffix();
}

/// What only the server sets.
void wipe(meta::ObjectMeta& metadata) {
  metadata.creation_timestamp = {};
  metadata.uid.clear();
  metadata.deletion_timestamp.reset();
  metadata.deletion_grace_period_seconds.reset();
  metadata.self_link.clear();
}

/// What an update cannot change, whatever it says.
void keep_server_fields(meta::ObjectMeta& fresh, const meta::ObjectMeta& old) {
  if (fresh.uid.empty()) fresh.uid = old.uid;
  if (!old.creation_timestamp.is_zero()) fresh.creation_timestamp = old.creation_timestamp;
  if (old.deletion_timestamp) fresh.deletion_timestamp = old.deletion_timestamp;
  if (old.deletion_grace_period_seconds && !fresh.deletion_grace_period_seconds) {
    fresh.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
  }
  fresh.self_link.clear();
}

Revision revision_of(const Object& object) {
  return object.metadata.resource_version.empty() ? 0 : std::stoull(object.metadata.resource_version);
}

Error version_required(const api::Kind& kind, const std::string& name) {
  // The kind's place holds the resource, as in Kubernetes.
  Error error{Code::kInvalid, "", {}, kind.group, kind.plural, name, "", 0};
  const std::string text = "Invalid value: 0: must be specified for an update";
  error.message = fmt::format("{} {} is invalid: metadata.resourceVersion: {}", kind.resource(), quoted(name), text);
  error.causes.push_back({"metadata.resourceVersion", "FieldValueInvalid", text, {}});
  return error;
}

Error other_uid(const api::Kind& kind, const Object& fresh, const Object& old) {
  const std::string key = kind.namespaced ? old.namespace_() + "/" + old.name() : old.name();
  return conflict(kind, old.name(),
                  fmt::format("StorageError: invalid object, Code: 4, Key: /registry/{}/{}, ResourceVersion: 0, "
                              "AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object "
                              "meta: {}",
                              kind.plural, key, fresh.metadata.uid, old.metadata.uid));
}

bool is_decimal(std::string_view text) {
  return text.size() <= 19 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

struct Resources::Impl {
  Store& store;
  const api::Registry& registry;
  const api::FeatureGates& gates;
  const Clock& clock;
  Rng rng;
  const api::ExpressionCheck* expressions = nullptr;
  std::vector<Admission> admission, validating;
  std::function<ObjectPtr(const StructDescriptor&, std::string_view, std::string_view)> find;

  api::HookContext context(const WriteOptions& options) const {
    return {gates, clock.now(), find, options.version, expressions};
  }

  Result<> admit(Operation operation, const api::Kind& kind, const WriteOptions& options, Object* object,
                 const Object* old, std::vector<std::string>& warnings) const {
    AdmissionRequest request{operation, kind, options, object, old, warnings};
    for (const Admission& step : admission) TRY(step(request));
    return {};
  }
  Result<> admit_validated(Operation operation, const api::Kind& kind, const WriteOptions& options, Object* object,
                           const Object* old, std::vector<std::string>& warnings) const {
    AdmissionRequest request{operation, kind, options, object, old, warnings};
    for (const Admission& step : validating) TRY(step(request));
    return {};
  }

  void add_warnings(const api::Kind& kind, const api::HookContext& context, const Object& fresh, const Object* old,
                    std::vector<std::string>& out) const {
    if (!kind.hooks.warnings) return;
    for (std::string& text : kind.hooks.warnings(context, fresh, old)) out.push_back(std::move(text));
  }

  Result<std::shared_ptr<Object>> prepared_create(const api::Kind& kind, std::shared_ptr<Object> object,
                                                  const WriteOptions& options,
                                                  std::vector<std::string>& warnings);
  Result<Written> create(const api::Kind& kind, std::shared_ptr<Object> object, const WriteOptions& options);
  Result<Written> create_named(const api::Kind& kind, std::shared_ptr<Object> object, const WriteOptions& options);
  Result<Written> update(const api::Kind& kind, std::shared_ptr<Object> object, const WriteOptions& options);
  Result<> check_expected(const api::Kind& kind, const Object& fresh, const Object& old) const;
  std::shared_ptr<Object> prepared_update(const api::Kind& kind, const api::HookContext& context,
                                          std::shared_ptr<Object> fresh, const Object& old,
                                          const WriteOptions& options) const;
  Result<> validated_update(const api::Kind& kind, const api::HookContext& context, const Object& fresh,
                            const Object& old, const WriteOptions& options) const;
  Result<Written> write(const api::Kind& kind, std::shared_ptr<Object> fresh, const ObjectPtr& old,
                        const WriteOptions& options);
  Result<Written> removed(const api::Kind& kind, const ObjectPtr& object, const WriteOptions& options);
  Result<> check_namespace(const api::Kind& kind, std::string_view namespace_, std::string_view name) const;
};

Resources::Resources(Store& store, const api::Registry& registry, const api::FeatureGates& gates,
                     const Clock& clock, Rng rng)
    : store_(store),
      registry_(registry),
      gates_(gates),
      impl_(new Impl{store, registry, gates, clock, rng, nullptr, {}, {}, {}}) {
  impl_->find = [this](const StructDescriptor& kind, std::string_view namespace_, std::string_view name) {
    return store_.get(registry_.of(kind), namespace_, name);
  };
}
Resources::~Resources() = default;

Now Resources::now() const { return impl_->clock.now(); }

void Resources::set_expressions(const api::ExpressionCheck* check) { impl_->expressions = check; }
void Resources::add_admission(Admission step) { impl_->admission.push_back(std::move(step)); }
void Resources::add_validating_admission(Admission step) { impl_->validating.push_back(std::move(step)); }

Result<> Resources::check_namespace(const api::Kind& kind, std::string_view namespace_,
                                    std::string_view name) const {
  return impl_->check_namespace(kind, namespace_, name);
}

Result<> Resources::Impl::check_namespace(const api::Kind& kind, std::string_view namespace_,
                                          std::string_view name) const {
  const api::Kind& spaces = registry.of<core::Namespace>();
  const auto space = as<core::Namespace>(store.get(spaces, {}, namespace_));
  if (!space) return fail(not_found(spaces, namespace_));
  if (space->status.phase != "Terminating") return {};
  Error error = forbidden(kind, name,
                          fmt::format("unable to create new content in namespace {} because it is being terminated",
                                      namespace_));
  error.causes.push_back({"metadata.namespace", "NamespaceTerminating",
                          fmt::format("namespace {} is being terminated", namespace_), {}});
  return fail(std::move(error));
}

// ---- create

Result<Written> Resources::create(const api::Kind& kind, std::shared_ptr<Object> object,
                                  const WriteOptions& options) {
  return impl_->create(kind, std::move(object), options);
}

Result<Written> Resources::Impl::create(const api::Kind& kind, std::shared_ptr<Object> object,
                                        const WriteOptions& options) {
  if (!object->name().empty() || object->metadata.generate_name.empty()) {
    return create_named(kind, std::move(object), options);
  }
  std::string name;
  for (int attempt = 0; attempt < kGenerateAttempts; ++attempt) {
    auto named = mutable_copy(*object);
    name = named->metadata.name = generated_name(rng, object->metadata.generate_name);
    Result<Written> written = create_named(kind, std::move(named), options);
    if (written || written.error().code != Code::kAlreadyExists) return written;
  }
  Error error = already_exists(kind, name);
  error.message += ", the server was not able to generate a unique name for the object";
  error.retry_after_seconds = 1;
  return fail(std::move(error));
}

Result<Written> Resources::Impl::create_named(const api::Kind& kind, std::shared_ptr<Object> object,
                                              const WriteOptions& options) {
  const std::string version = std::exchange(object->metadata.resource_version, {});
  Written out;
  out.created = true;
  TRY_ASSIGN(object, prepared_create(kind, std::move(object), options, out.warnings));
  if (!version.empty() && version != "0") {
    return fail(Code::kInternal, "resourceVersion should not be set on objects to be created");
  }
  if (const ObjectPtr there = store.get(kind, object->namespace_(), object->name())) {
    Error error = already_exists(kind, object->name());
    if (there->metadata.deletion_timestamp) error.message = "object is being deleted: " + error.message;
    return fail(std::move(error));
  }
  if (options.dry_run) {
    out.object = std::move(object);
    return out;
  }
  TRY_ASSIGN(out.object, store.create(kind, std::move(object)));
  out.revision = store.revision();
  return out;
}

/// Everything up to the write: what Kubernetes calls admission, strategy and validation.
Result<std::shared_ptr<Object>> Resources::Impl::prepared_create(const api::Kind& kind,
                                                                 std::shared_ptr<Object> object,
                                                                 const WriteOptions& options,
                                                                 std::vector<std::string>& warnings) {
  meta::ObjectMeta& metadata = object->metadata;
  if (!kind.namespaced) metadata.namespace_.clear();
  if (kind.namespaced && !metadata.namespace_.empty()) {
    TRY(check_namespace(kind, metadata.namespace_, metadata.name));
  }
  wipe(metadata);
  if (kind.hooks.set_defaults) kind.hooks.set_defaults(*object);
  TRY(admit(Operation::kCreate, kind, options, object.get(), nullptr, warnings));
  metadata.creation_timestamp = Time::of(clock.wall());
  metadata.uid = rng.uuid();
  const api::HookContext hooks = context(options);
  if (kind.hooks.prepare_create) {
    kind.hooks.prepare_create(hooks, *object);
  } else if (kind.has_status) {
    object = with_status_of(*object, *kind.stored->make());
  }
  if (kind.has_generation) object->metadata.generation = 1;
  Causes causes;
  if (kind.hooks.validate_create) kind.hooks.validate_create(hooks, *object, causes);
  if (causes.empty()) {
    validate_metadata(object->metadata, kind.namespaced, check_path_segment_name, FieldPath("metadata"), causes);
  }
  if (!causes.empty()) return fail(invalid_error(kind.group, kind.name, object->name(), std::move(causes)));
  add_warnings(kind, hooks, *object, nullptr, warnings);
  TRY(admit_validated(Operation::kCreate, kind, options, object.get(), nullptr, warnings));
  return object;
}

// ---- update

Result<Written> Resources::update(const api::Kind& kind, std::shared_ptr<Object> object,
                                  const WriteOptions& options) {
  return impl_->update(kind, std::move(object), options);
}

Result<Written> Resources::modify(const api::Kind& kind, std::string_view namespace_, std::string_view name,
                                  const std::function<Result<>(Object&)>& change, const WriteOptions& options) {
  const ObjectPtr old = store_.get(kind, namespace_, name);
  if (!old) return fail(not_found(kind, name));
  auto fresh = mutable_copy(*old);
  TRY(change(*fresh));
  return impl_->update(kind, std::move(fresh), options);
}

Result<Written> Resources::Impl::update(const api::Kind& kind, std::shared_ptr<Object> fresh,
                                        const WriteOptions& options) {
  if (!kind.namespaced) fresh->metadata.namespace_.clear();
  const ObjectPtr old = store.get(kind, fresh->namespace_(), fresh->name());
  if (!old) {
    const bool creates = options.subresource.empty() && (kind.create_on_update || options.create_if_missing);
    if (!creates || !fresh->metadata.uid.empty()) return fail(not_found(kind, fresh->name()));
    return create(kind, std::move(fresh), options);
  }
  TRY(check_expected(kind, *fresh, *old));
  fresh->metadata.resource_version = old->metadata.resource_version;
  Written out;
  if (kind.hooks.set_defaults) kind.hooks.set_defaults(*fresh);
  TRY(admit(Operation::kUpdate, kind, options, fresh.get(), old.get(), out.warnings));
  const api::HookContext hooks = context(options);
  fresh = prepared_update(kind, hooks, std::move(fresh), *old, options);
  TRY(validated_update(kind, hooks, *fresh, *old, options));
  add_warnings(kind, hooks, *fresh, old.get(), out.warnings);
  TRY(admit_validated(Operation::kUpdate, kind, options, fresh.get(), old.get(), out.warnings));
  if (update_removes(*fresh, *old)) {
    TRY_ASSIGN(Written gone, removed(kind, old, options));
    out.revision = gone.revision;
    out.gone = true;
    out.object = std::move(fresh);  // what was asked for, as Kubernetes answers
    return out;
  }
  TRY_ASSIGN(Written written, write(kind, std::move(fresh), old, options));
  written.warnings = std::move(out.warnings);
  return written;
}

/// The revision and the uid that the writer believes in.
Result<> Resources::Impl::check_expected(const api::Kind& kind, const Object& fresh, const Object& old) const {
  if (!fresh.metadata.uid.empty() && fresh.metadata.uid != old.metadata.uid) return fail(other_uid(kind, fresh, old));
  const std::string& version = fresh.metadata.resource_version;
  if (!is_decimal(version)) {
    return fail(Code::kBadRequest, fmt::format("metadata.resourceVersion: Invalid value: {}: must be a decimal number", quoted(version)));
  }
  if (version.empty() || version == "0") {
    if (!kind.unconditional_update) return fail(version_required(kind, fresh.name()));
    return {};
  }
  if (version != old.metadata.resource_version) return fail(modified(kind, fresh.name()));
  return {};
}

std::shared_ptr<Object> Resources::Impl::prepared_update(const api::Kind& kind, const api::HookContext& hooks,
                                                         std::shared_ptr<Object> fresh, const Object& old,
                                                         const WriteOptions& options) const {
  fresh->metadata.generation = old.metadata.generation;
  if (options.subresource == "status") {
    if (kind.hooks.prepare_status) {
      kind.hooks.prepare_status(hooks, *fresh, old);
    } else {
      auto base = mutable_copy(old);
      base->metadata.managed_fields = fresh->metadata.managed_fields;
      fresh = with_status_of(*base, *fresh);
    }
  } else if (auto* space = fresh->type == &core::Namespace::kDescriptor && options.subresource == "finalize"
                               ? static_cast<core::Namespace*>(fresh.get())
                               : nullptr) {
    space->status = static_cast<const core::Namespace&>(old).status;
  } else if (kind.hooks.prepare_update) {
    kind.hooks.prepare_update(hooks, *fresh, old);
  } else if (kind.has_status) {
    fresh = with_status_of(*fresh, old);
  }
  const bool counts = kind.has_generation && options.subresource != "status" &&
                      fresh->metadata.generation == old.metadata.generation;
  if (counts && spec_differs(*fresh, old)) ++fresh->metadata.generation;
  keep_server_fields(fresh->metadata, old.metadata);
  return fresh;
}

Result<> Resources::Impl::validated_update(const api::Kind& kind, const api::HookContext& hooks, const Object& fresh,
                                           const Object& old, const WriteOptions& options) const {
  Causes causes;
  validate_metadata(fresh.metadata, kind.namespaced, check_path_segment_name, FieldPath("metadata"), causes);
  validate_metadata_update(fresh.metadata, old.metadata, FieldPath("metadata"), causes);
  const bool status = options.subresource == "status";
  const auto validate = status ? kind.hooks.validate_status : kind.hooks.validate_update;
  if (validate) validate(hooks, fresh, old, causes);
  if (causes.empty()) return {};
  return fail(invalid_error(kind.group, kind.name, fresh.name(), std::move(causes)));
}

/// A write that changes nothing keeps the revision and sends no event.
Result<Written> Resources::Impl::write(const api::Kind& kind, std::shared_ptr<Object> fresh, const ObjectPtr& old,
                                       const WriteOptions& options) {
  Written out;
  if (same_content(*fresh, *old)) {
    out.object = old;
    out.revision = revision_of(*old);
  } else if (options.dry_run) {
    out.object = std::move(fresh);
  } else {
    TRY_ASSIGN(out.object, store.update(kind, std::move(fresh), revision_of(*old)));
    out.revision = store.revision();
  }
  return out;
}

// ---- delete

Result<Written> Resources::remove(const api::Kind& kind, std::string_view namespace_, std::string_view name,
                                  const meta::DeleteOptions& how, const WriteOptions& options) {
  using Act = DeletePlan::Act;
  const bool immortal = name == "default" || name == "kube-system" || name == "kube-public";
  if (kind.stored == &core::Namespace::kDescriptor && immortal) {
    return fail(forbidden(kind, name, "this namespace may not be deleted"));
  }
  const ObjectPtr old = store_.get(kind, namespace_, name);
  if (!old) return fail(not_found(kind, name));
  TRY_ASSIGN(DeletePlan plan, plan_delete(kind, *old, how, Time::of(impl_->clock.wall())));
  std::vector<std::string> warnings = std::move(plan.warnings);
  TRY(impl_->admit(Operation::kDelete, kind, options, nullptr, old.get(), warnings));
  Written out;
  out.object = old;
  out.revision = revision_of(*old);
  if (plan.act == Act::kMark || plan.act == Act::kMarkAndRemove) {
    TRY_ASSIGN(out, impl_->write(kind, std::move(plan.marked), old, options));
  }
  if (plan.act == Act::kRemove || plan.act == Act::kMarkAndRemove) {
    TRY_ASSIGN(out, impl_->removed(kind, out.object, options));
  }
  out.warnings = std::move(warnings);
  return out;
}

Result<Written> Resources::Impl::removed(const api::Kind& kind, const ObjectPtr& object,
                                         const WriteOptions& options) {
  Written out;
  out.gone = true;
  if (options.dry_run) {
    out.object = object;
    return out;
  }
  TRY_ASSIGN(out.object, store.remove(kind, object->namespace_(), object->name()));
  out.revision = store.revision();
  return out;
}

}  // namespace dray::store
