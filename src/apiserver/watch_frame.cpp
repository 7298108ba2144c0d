#include "apiserver/watch_frame.h"

#include "apiserver/status.h"
#include "machinery/codec.h"
#include "machinery/protobuf.h"

namespace dray::apiserver {

Result<WatchFramer> WatchFramer::make(const CorePtr& core, const CallPtr& call) {
  IncludeObject include = IncludeObject::kMetadata;
  if (call->representation.shape == Shape::kTable) {
    TRY_ASSIGN(include, parse_include_object(call->query));
  }
  return WatchFramer(core, call, include);
}

std::string WatchFramer::content_type() const {
  std::string type(content_type_of(call_->representation.format));
  return call_->representation.format == Format::kJson ? type : type + ";stream=watch";
}

std::string WatchFramer::line(std::string_view type, std::string_view json) const {
  std::string out;
  out.reserve(json.size() + type.size() + 24);
  out += R"({"type":")";
  out += type;
  out += R"(","object":)";
  out += json;
  out += "}\n";
  if (call_->representation.format == Format::kYaml) return "---\n" + reformat(std::move(out), call_->representation);
  return out;
}

std::string WatchFramer::shaped(const ObjectPtr& object) {
  const Representation& wanted = call_->representation;
  std::string out;
  if (wanted.shape == Shape::kPartial) {
    append_partial(object, wanted.shape_version, out);
  } else {
    const std::string metadata = R"({"resourceVersion":")" + object->metadata.resource_version + "\"}";
    out = table_head(call_->resource, wanted.shape_version, metadata, !std::exchange(columns_sent_, true));
    append_row(call_->resource, object, include_, core_->clock.now(), wanted.shape_version, out);
    out += kTableTail;
  }
  return out;
}

std::string WatchFramer::event(std::string_view type, const ObjectPtr& object) {
  const Representation& wanted = call_->representation;
  if (wanted.shape != Shape::kObject) return line(type, shaped(object));
  if (wanted.format == Format::kProtobuf) {
    return protobuf_watch_frame(type, *core_->encoder.encode(call_->resource, object, Format::kProtobuf));
  }
  return line(type, *core_->encoder.encode(call_->resource, object, Format::kJson));
}

std::string WatchFramer::bookmark(std::uint64_t revision, bool initial_end) {
  // Only kind, apiVersion and the revision: an empty object of the stored version would have defaults
  // of its own once converted, so the served type is made as it is.
  const std::shared_ptr<Object> object = call_->resource.version->type->make();
  object->metadata.resource_version = std::to_string(revision);
  if (initial_end) object->metadata.annotations["k8s.io/initial-events-end"] = "true";
  const Representation& wanted = call_->representation;
  if (wanted.shape == Shape::kTable) {
    const std::string metadata = R"({"resourceVersion":")" + object->metadata.resource_version + "\"}";
    std::string out = table_head(call_->resource, wanted.shape_version, metadata, !std::exchange(columns_sent_, true));
    const std::shared_ptr<Object> empty = call_->kind().stored->make();  // rows are made of the stored version
    empty->metadata = object->metadata;
    append_row(call_->resource, empty, IncludeObject::kMetadata, core_->clock.now(), wanted.shape_version, out);
    return line("BOOKMARK", out + std::string(kTableTail));
  }
  if (wanted.shape == Shape::kPartial) return line("BOOKMARK", shaped(object));
  if (wanted.format == Format::kProtobuf) return protobuf_watch_frame("BOOKMARK", encode_protobuf(*object));
  std::string json = R"({"kind":")" + call_->kind().name + R"(","apiVersion":")" + call_->resource.group_version() + R"(","metadata":)";
  encode_json(meta::ObjectMeta::kDescriptor, &object->metadata, json);
  return line("BOOKMARK", json + "}");
}

std::string WatchFramer::error(const Error& error) const {
  const std::string json = print_json(status_of(error));
  if (call_->representation.format != Format::kProtobuf) return line("ERROR", json);
  meta::Status status;
  // The tree was made from the same struct, so it decodes.
  if (const auto tree = parse_json(json); tree) (void)decode(*tree, meta::Status::kDescriptor, &status);
  std::string raw;
  encode_protobuf(meta::Status::kDescriptor, &status, raw);
  return protobuf_watch_frame("ERROR", print_protobuf_envelope({"v1", "Status", raw, "", ""}));
}

}  // namespace dray::apiserver
