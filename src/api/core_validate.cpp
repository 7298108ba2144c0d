#include "api/core_validate.h"

#include "api/internal_text.h"

namespace dray::api {

void validate_object_metadata(const meta::ObjectMeta& metadata, bool namespaced, NameCheck name_check,
                              const FieldPath& at, Causes& out) {
  validate_metadata(metadata, namespaced, name_check, at, out);
  validate_finalizer_names(metadata, out);
}

void validate_finalizer_names(const meta::ObjectMeta& metadata, Causes& out) {
  const FieldPath at("metadata"), list = at / "finalizers";
  for (std::size_t i = 0; i < metadata.finalizers.size(); ++i) {
    const std::string& name = metadata.finalizers[i];
    const bool standard = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
    if (!standard && name.find('/') == std::string::npos)
      out.invalid(list / i, name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void validate_dns1123_label(std::string_view value, const FieldPath& at, Causes& out) {
  out.invalid_each(at, value, check_dns1123_label(value));
}

void validate_dns1123_subdomain(std::string_view value, const FieldPath& at, Causes& out) {
  out.invalid_each(at, value, check_dns1123_subdomain(value));
}

void validate_qualified_name(std::string_view value, const FieldPath& at, Causes& out) {
  out.invalid_each(at, value, check_qualified_name(value));
}

void validate_name(NameCheck check, std::string_view value, const FieldPath& at, Causes& out) {
  out.invalid_each(at, value, check(value, false));
}

void validate_positive(std::int64_t value, const FieldPath& at, Causes& out) {
  if (value <= 0) out.invalid(at, value, kNotPositive);
}

void validate_port_number(std::int64_t port, const FieldPath& at, Causes& out) {
  out.invalid_each(at, port, check_port_number(port));
}

void validate_port(const IntOrString& port, const FieldPath& at, Causes& out) {
  if (port.is_string) {
    out.invalid_each(at, port.text, check_port_name(port.text));
  } else {
    validate_port_number(port.number, at, out);
  }
}

void validate_no_backsteps(std::string_view path, const FieldPath& at, Causes& out) {
  for (std::string_view rest = path;;) {
    const auto slash = rest.find('/');
    if (rest.substr(0, slash) == "..") return out.invalid(at, path, "must not contain '..'");
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void validate_local_path(std::string_view path, const FieldPath& at, Causes& out) {
  if (path.starts_with('/')) out.invalid(at, path, "must be a relative path");
  validate_no_backsteps(path, at, out);
}

void validate_local_unreserved_path(std::string_view path, const FieldPath& at, Causes& out) {
  validate_local_path(path, at, out);
  if (path.starts_with("..") && !path.starts_with("../")) out.invalid(at, path, "must not start with '..'");
}

BadValue bad_struct(const StructDescriptor& descriptor, const void* value) {
  return BadValue(internal_value(descriptor, value));
}

}  // namespace dray::api
