#include "apiserver/read_handlers.h"

#include "apiserver/list_options.h"
#include "apiserver/status.h"
#include "apiserver/table.h"
#include "machinery/protobuf.h"
#include "machinery/value.h"
#include "store/errors.h"

namespace dray::apiserver {
namespace {

std::string key_of(const api::Kind& kind, const Object& object) {
  return kind.namespaced ? object.namespace_() + "/" + object.name() : object.name();
}

std::string list_metadata(const ListAnswer& list) {
  std::string out = R"({"resourceVersion":")" + std::to_string(list.revision) + '"';
  if (!list.continue_.empty()) out += R"(,"continue":")" + list.continue_ + '"';
  if (list.remaining) out += R"(,"remainingItemCount":)" + std::to_string(*list.remaining);
  return out + '}';
}

std::string list_json(const CorePtr& core, const CallPtr& call, const ListAnswer& list) {
  const Representation& wanted = call->representation;
  const bool partial = wanted.shape == Shape::kPartial;
  std::string out = R"({"kind":")";
  out += partial ? "PartialObjectMetadataList" : call->kind().name + "List";
  out += R"(","apiVersion":")" + (partial ? "meta.k8s.io/" + wanted.shape_version : call->resource.group_version());
  out += R"(","metadata":)" + list_metadata(list) + R"(,"items":[)";
  bool first = true;
  for (const ObjectPtr& object : list.items) {
    if (!std::exchange(first, false)) out += ',';
    if (partial) {
      append_partial(object, wanted.shape_version, out);
    } else {
      out += '{';
      out += item_of(*core->encoder.encode(call->resource, object, Format::kJson));
    }
  }
  return out + "]}";
}

void append_field(int tag, std::string_view bytes, std::string& out) {
  out += static_cast<char>((tag << 3) | 2);
  std::size_t size = bytes.size();
  for (; size >= 128; size >>= 7) out += static_cast<char>((size & 127) | 128);
  out += static_cast<char>(size);
  out += bytes;
}

/// Every list has its ListMeta at 1 and its items at 2.
HttpResponse protobuf_list(const CallPtr& call, const ListAnswer& list) {
  meta::ListMeta metadata;
  metadata.resource_version = std::to_string(list.revision);
  metadata.continue_ = list.continue_;
  metadata.remaining_item_count = list.remaining;
  std::string message, raw;
  encode_protobuf(meta::ListMeta::kDescriptor, &metadata, message);
  append_field(1, message, raw);
  for (const ObjectPtr& object : list.items) {
    const ObjectPtr shown = served(call->resource, object);
    message.clear();
    encode_protobuf(*shown->type, shown.get(), message);
    append_field(2, message, raw);
  }
  ProtobufEnvelope envelope{call->resource.group_version(), call->kind().name + "List", std::move(raw), "", ""};
  return {.status = 200, .content_type = std::string(content_type_of(Format::kProtobuf)), .headers = {},
          .body = shared(print_protobuf_envelope(envelope))};
}

HttpResponse table_response(const CallPtr& call, int status, std::span<const ObjectPtr> objects, std::string_view metadata, Now now) {
  const auto include = parse_include_object(call->query);
  if (!include) return error_response(include.error());
  const std::string& version = call->representation.shape_version;
  std::string out = table_head(call->resource, version, metadata, true);
  for (const ObjectPtr& object : objects) {
    if (out.back() != '[') out += ',';
    append_row(call->resource, object, *include, now, version, out);
  }
  out += kTableTail;
  return value_response(call, status, std::move(out));
}

/// Reads a page: on the executor.
Result<ListAnswer> read_page(const CorePtr& core, const CallPtr& call, const ListOptions& options) {
  store::Store& store = core->resources.store();
  const api::Kind& kind = call->kind();
  ContinueToken from;
  if (!options.continue_.empty()) {
    if (!options.resource_version.empty() && options.resource_version != "0") {
      return fail(Code::kBadRequest, "specifying resource version is not allowed when using continue");
    }
    TRY_ASSIGN(from, parse_continue(options.continue_));
  }
  if (options.revision > store.revision()) return fail(too_large_version(options.revision, store.revision()));
  // A cached list is never cut: Kubernetes ignores the limit of resourceVersion=0.
  const std::size_t limit = options.limit > 0 && options.resource_version != "0" ? static_cast<std::size_t>(options.limit) : 0;
  ListAnswer answer;
  std::string after = from.start;
  for (bool more = true; more;) {
    const std::size_t ask = limit == 0 ? 0 : options.selection.empty() ? limit + 1 : std::max<std::size_t>(limit + 1, 500);
    store::Listing page = store.list(kind, call->space(), after, ask);
    answer.revision = page.revision;
    more = ask != 0 && page.items.size() == ask;
    for (ObjectPtr& object : page.items) {
      if (limit != 0 && answer.items.size() == limit) {
        // Something follows: whether it matches is for the next page to see.
        answer.continue_ = print_continue({from.revision ? from.revision : page.revision, key_of(kind, *answer.items.back())});
        more = false;
        break;
      }
      after = key_of(kind, *object);
      if (options.selection.matches(*object)) answer.items.push_back(std::move(object));
    }
  }
  if (!answer.continue_.empty() && options.selection.empty()) {
    const auto rest = store.list(kind, call->space(), key_of(kind, *answer.items.back()));
    answer.remaining = static_cast<std::int64_t>(rest.items.size());
  }
  if (from.revision != 0) answer.revision = from.revision;
  return answer;
}

}  // namespace

HttpResponse list_response(const CorePtr& core, const CallPtr& call, const ListAnswer& list) {
  const Representation& wanted = call->representation;
  if (wanted.shape == Shape::kTable) return table_response(call, 200, list.items, list_metadata(list), core->clock.now());
  if (wanted.format == Format::kProtobuf && wanted.shape == Shape::kObject) return protobuf_list(call, list);
  return value_response(call, 200, list_json(core, call, list));
}

HttpResponse shaped_response(const CorePtr& core, const CallPtr& call, int status, const ObjectPtr& object) {
  const Representation& wanted = call->representation;
  if (wanted.shape == Shape::kTable) {
    const std::string metadata = R"({"resourceVersion":")" + object->metadata.resource_version + "\"}";
    return table_response(call, status, {&object, 1}, metadata, core->clock.now());
  }
  if (wanted.shape == Shape::kPartial) {
    std::string out;
    append_partial(object, wanted.shape_version, out);
    return value_response(call, status, std::move(out));
  }
  return object_response(core, call, status, object);
}

void handle_get(const CorePtr& core, const CallPtr& call) {
  const std::string& version = call->query.get("resourceVersion");
  auto options = version.empty() ? Result<ListOptions>(ListOptions{}) : parse_list_options(call->query, call->resource, true);
  if (!options && !version.empty() && options.error().code != Code::kInternal) options = ListOptions{};
  if (!options) return respond(call, error_response(options.error()));
  core->executor.post([core, call, revision = options->revision] {
    store::Store& store = core->resources.store();
    if (revision > store.revision()) return reply_error(call, too_large_version(revision, store.revision()));
    ObjectPtr object = store.get(call->kind(), call->space(), call->info.name);
    if (!object) return reply_error(call, store::not_found(call->kind(), call->info.name));
    reply(call, [core, call, object = std::move(object)] { return shaped_response(core, call, 200, object); });
  });
}

void handle_list(const CorePtr& core, const CallPtr& call) {
  auto options = parse_list_options(call->query, call->resource, false);
  if (!options) return respond(call, error_response(options.error()));
  core->executor.post([core, call, options = std::move(*options)] {
    auto answer = read_page(core, call, options);
    if (!answer) return reply_error(call, std::move(answer).error());
    reply(call, [core, call, answer = std::move(*answer)] { return list_response(core, call, answer); });
  });
}

}  // namespace dray::apiserver
