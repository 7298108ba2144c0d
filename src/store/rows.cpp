#include "store/rows.h"

#include <fmt/format.h>

#include "machinery/codec.h"

namespace dray::store {

Result<ObjectPtr> decode_row(const api::Kind& kind, std::string_view json, std::uint64_t revision) {
  TRY_ASSIGN(const Value tree, parse_json(json));
  const Value* const written = tree.find("apiVersion");
  if (!written || !written->is_string()) return fail(Code::kInternal, "no apiVersion");
  const StructDescriptor* type = kind.stored;
  const api::ServedVersion* from = nullptr;
  if (written->as_string() != type->api_version()) {
    const std::string& text = written->as_string();
    from = kind.version(text.substr(text.find('/') + 1));
    if (!from || !from->to_stored) {
      return fail(Code::kInternal, fmt::format("version {} of {} is not known", text, kind.resource()));
    }
    type = from->type;
  }
  TRY_ASSIGN(std::shared_ptr<Object> object, decode_object(tree, *type));
  if (from) object = from->to_stored(*object);
  object->metadata.resource_version = std::to_string(revision);
  return ObjectPtr(std::move(object));
}

}  // namespace dray::store
