/// Events. What is asked depends on the group through which they come: core is lenient.
#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/kind_validate.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

constexpr std::size_t kShortMax = 128;
constexpr std::size_t kNoteMax = 1024;

void validate_length(const std::string& text, std::size_t characters_max, const char* field, Causes& out) {
  if (text.size() > characters_max)
    out.invalid(FieldPath(field), "", fmt::format("can have at most {} characters", characters_max));
}

void validate_text(const std::string& text, const char* field, Causes& out) {
  if (text.empty()) out.required(FieldPath(field));
  validate_length(text, kShortMax, field, out);
}

/// `controller`: the name of reportingController in the request's version.
void validate_common(const core::Event& event, const char* controller, Causes& out) {
  static constexpr std::string_view kMismatch = "does not match event.namespace";
  const std::string& space = event.metadata.namespace_;
  const std::string& involved = event.involved_object.namespace_;
  const FieldPath at("involvedObject.namespace");
  if (event.event_time.is_zero()) {
    const bool fits = involved.empty() ? space.empty() || space == "default" : space == involved;
    if (!fits) out.invalid(at, involved, kMismatch);
    return;
  }
  if (involved.empty() && space != "default" && space != "kube-system") out.invalid(at, involved, kMismatch);
  if (event.reporting_component.empty()) out.required(FieldPath(controller));
  validate_qualified_name(event.reporting_component, FieldPath(controller), out);
  validate_text(event.reporting_instance, "reportingInstance", out);
  validate_text(event.action, "action", out);
  validate_text(event.reason, "reason", out);
  validate_length(event.message, kNoteMax, "message", out);
}

void validate_series(const core::Event& event, Causes& out) {
  if (!event.series) return;
  if (event.series->count < 2) out.invalid(FieldPath("series.count"), "", "should be at least 2");
  if (event.series->last_observed_time.is_zero()) out.required(FieldPath("series.lastObservedTime"));
}

template <class T>
bool same_box(const Box<T>& a, const Box<T>& b) {
  return a && b ? equal(*a, *b) : a.has_value() == b.has_value();
}

}  // namespace

void validate_core_event_create(const HookContext&, const Object& object, Causes& out) {
  validate_common(cast<core::Event>(object), "reportingComponent", out);
}

void validate_core_event_update(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_common(cast<core::Event>(fresh), "reportingComponent", out);
}

void validate_event_create(const HookContext&, const Object& object, Causes& out) {
  static constexpr std::string_view kUnset = "needs to be unset";
  const auto& event = cast<core::Event>(object);
  validate_common(event, "reportingController", out);
  validate_object_metadata(event.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_series(event, out);
  if (event.event_time.is_zero()) out.required(FieldPath("eventTime"));
  if (event.type != "Normal" && event.type != "Warning")
    out.invalid(FieldPath("type"), "", fmt::format("has invalid value: {}", event.type));
  if (!event.first_timestamp.is_zero()) out.invalid(FieldPath("firstTimestamp"), "", kUnset);
  if (!event.last_timestamp.is_zero()) out.invalid(FieldPath("lastTimestamp"), "", kUnset);
  if (event.count != 0) out.invalid(FieldPath("count"), "", kUnset);
  if (!event.source.component.empty() || !event.source.host.empty()) out.invalid(FieldPath("source"), "", kUnset);
}

void validate_event_update(const HookContext&, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::Event>(object);
  const auto& old = cast<core::Event>(stored);
  validate_common(fresh, "reportingController", out);
  if (!same_box(fresh.series, old.series)) validate_series(fresh, out);
  if (!equal(fresh.involved_object, old.involved_object))
    out.invalid(FieldPath("involvedObject"), bad_struct(fresh.involved_object), Causes::kFieldImmutable);
  out.immutable(FieldPath("reason"), fresh.reason, old.reason);
  out.immutable(FieldPath("message"), fresh.message, old.message);
  if (!equal(fresh.source, old.source))
    out.invalid(FieldPath("source"), bad_struct(fresh.source), Causes::kFieldImmutable);
  if (fresh.first_timestamp != old.first_timestamp)
    out.invalid(FieldPath("firstTimestamp"), fresh.first_timestamp.str(), Causes::kFieldImmutable);
  if (fresh.last_timestamp != old.last_timestamp)
    out.invalid(FieldPath("lastTimestamp"), fresh.last_timestamp.str(), Causes::kFieldImmutable);
  out.immutable(FieldPath("count"), fresh.count, old.count);
  out.immutable(FieldPath("type"), fresh.type, old.type);
  if (fresh.event_time != old.event_time)
    out.invalid(FieldPath("eventTime"), fresh.event_time.str(), Causes::kFieldImmutable);
  out.immutable(FieldPath("action"), fresh.action, old.action);
  if (!same_box(fresh.related, old.related))
    out.invalid(FieldPath("related"), fresh.related ? bad_struct(*fresh.related) : BadValue::raw("null"),
                Causes::kFieldImmutable);
  out.immutable(FieldPath("reportingController"), fresh.reporting_component, old.reporting_component);
  out.immutable(FieldPath("reportingInstance"), fresh.reporting_instance, old.reporting_instance);
}

}  // namespace dray::api
