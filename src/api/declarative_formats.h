/// The formats that `+k8s:format=` markers name, with Kubernetes' texts. Pure.
/// Source: k8s.io/apimachinery/pkg/api/validate/strfmt.go (1.37).
#pragma once

#include <string_view>

#include "machinery/validate.h"

namespace dray::api {

/// Adds what is wrong with `value` as `format` ("k8s-short-name").
using FormatCheck = void (*)(std::string_view value, const FieldPath& at, Causes& out);

/// Null for a format that is not known.
[[nodiscard]] FormatCheck find_format(std::string_view format);

/// A DNS subdomain in which letters may be upper-case.
[[nodiscard]] Problems check_subdomain_caseless(std::string_view value);
/// "domain/name", a C identifier after a DNS subdomain. Known gap, there and here: a second slash passes.
void check_fully_qualified_name(std::string_view value, const FieldPath& at, Causes& out);

}  // namespace dray::api
