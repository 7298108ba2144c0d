#include "store/errors.h"

#include <fmt/format.h>

namespace dray::store {
namespace {

Error about(Code code, const api::Kind& kind, std::string_view name, std::string message) {
  return Error{code, std::move(message), {}, kind.group, kind.plural, std::string(name), {}, 0};
}

}  // namespace

Error not_found(const api::Kind& kind, std::string_view name) {
  return about(Code::kNotFound, kind, name, fmt::format("{} {} not found", kind.resource(), quoted(name)));
}

Error already_exists(const api::Kind& kind, std::string_view name) {
  return about(Code::kAlreadyExists, kind, name,
               fmt::format("{} {} already exists", kind.resource(), quoted(name)));
}

Error conflict(const api::Kind& kind, std::string_view name, std::string_view why) {
  return about(Code::kConflict, kind, name,
               fmt::format("Operation cannot be fulfilled on {} {}: {}", kind.resource(), quoted(name), why));
}

Error modified(const api::Kind& kind, std::string_view name) {
  return conflict(kind, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

Error forbidden(const api::Kind& kind, std::string_view name, std::string_view why) {
  return about(Code::kForbidden, kind, name,
               name.empty() ? fmt::format("{} is forbidden: {}", kind.resource(), why)
                            : fmt::format("{} {} is forbidden: {}", kind.resource(), quoted(name), why));
}

Error internal(std::string_view why) {
  return Error{Code::kInternal, fmt::format("Internal error occurred: {}", why), {}, {}, {}, {}, {}, 0};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

}  // namespace dray::store
