#include "machinery/descriptor.h"

namespace dray {

std::string StructDescriptor::api_version() const {
  if (group.empty()) return std::string(version);
  std::string text(group);
  text += '/';
  text += version;
  return text;
}

StructDescriptor::Found StructDescriptor::find(std::string_view json_name) const {
  for (const FieldDescriptor& field : fields) {
    if (field.is_inline()) {
      if (Found inner = field.type->structure->find(json_name)) {
        inner.owner_offset += field.offset;
        return inner;
      }
    } else if (field.name == json_name) {
      return {&field, 0};
    }
  }
  return {};
}

}  // namespace dray
