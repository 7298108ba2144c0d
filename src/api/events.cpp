/// Event, in core and in events.k8s.io: one stored object under two names.
#include "api/core_v1.h"
#include "api/events_v1.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr std::string_view kFields[] = {
    "involvedObject.kind",            "involvedObject.namespace",  "involvedObject.name",
    "involvedObject.uid",             "involvedObject.apiVersion", "involvedObject.resourceVersion",
    "involvedObject.fieldPath",       "reason",                    "reportingComponent",
    "source",                         "type",
};

std::optional<std::string> field(const Object& object, std::string_view path) {
  const auto& event = cast<core::Event>(object);
  const auto& involved = event.involved_object;
  if (path == "involvedObject.kind") return involved.kind;
  if (path == "involvedObject.namespace") return involved.namespace_;
  if (path == "involvedObject.name") return involved.name;
  if (path == "involvedObject.uid") return involved.uid;
  if (path == "involvedObject.apiVersion") return involved.api_version;
  if (path == "involvedObject.resourceVersion") return involved.resource_version;
  if (path == "involvedObject.fieldPath") return involved.field_path;
  if (path == "reason") return event.reason;
  if (path == "reportingComponent") return event.reporting_component;
  if (path == "source") return event.source.component.empty() ? event.reporting_component : event.source.component;
  if (path == "type") return event.type;
  return std::nullopt;
}

std::shared_ptr<Object> from_events(const Object& served) {
  const auto& in = cast<events::Event>(served);
  auto out = std::make_shared<core::Event>();
  out->metadata = in.metadata;
  out->event_time = in.event_time;
  if (in.series) {
    out->series.emplace();
    out->series->count = in.series->count;
    out->series->last_observed_time = in.series->last_observed_time;
  }
  out->reporting_component = in.reporting_controller;
  out->reporting_instance = in.reporting_instance;
  out->action = in.action;
  out->reason = in.reason;
  out->involved_object = in.regarding;
  out->related = in.related;
  out->message = in.note;
  out->type = in.type;
  out->source = in.deprecated_source;
  out->first_timestamp = in.deprecated_first_timestamp;
  out->last_timestamp = in.deprecated_last_timestamp;
  out->count = in.deprecated_count;
  return out;
}

std::shared_ptr<Object> to_events(const Object& stored) {
  const auto& in = cast<core::Event>(stored);
  auto out = std::make_shared<events::Event>();
  out->metadata = in.metadata;
  out->event_time = in.event_time;
  if (in.series) {
    out->series.emplace();
    out->series->count = in.series->count;
    out->series->last_observed_time = in.series->last_observed_time;
  }
  out->reporting_controller = in.reporting_component;
  out->reporting_instance = in.reporting_instance;
  out->action = in.action;
  out->reason = in.reason;
  out->regarding = in.involved_object;
  out->related = in.related;
  out->note = in.message;
  out->type = in.type;
  out->deprecated_source = in.source;
  out->deprecated_first_timestamp = in.first_timestamp;
  out->deprecated_last_timestamp = in.last_timestamp;
  out->deprecated_count = in.count;
  return out;
}

constexpr Conversion kConversions[] = {{"v1", from_events, to_events}};

}  // namespace

std::span<const KindHooks> event_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &core::Event::kDescriptor,
       .hooks = {.validate_create = validate_core_event_create,
                 .validate_update = validate_core_event_update,
                 .field = field,
                 .row = event_row},
       .columns = kEventColumns,
       .selectable_fields = kFields,
       .create_on_update = true},
      {.stored = &core::Event::kDescriptor,
       .hooks = {.validate_create = validate_event_create,
                 .validate_update = validate_event_update,
                 .field = field,
                 .row = event_row},
       .columns = kEventColumns,
       .selectable_fields = kFields,
       .conversions = kConversions,
       .create_on_update = true,
       .served_as_group = "events.k8s.io"},
  };
  return kHooks;
}

}  // namespace dray::api
