/// metav1.Status answers. Pure.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/http.h"
#include "base/error.h"
#include "machinery/value.h"

namespace dray::apiserver {

/// The Status of a failure. An internal error whose text does not say "Internal error occurred" has no
/// reason, as where Go's plain errors end.
[[nodiscard]] Value status_of(const Error& error);
/// The answer: always JSON, with Retry-After where the error has one.
[[nodiscard]] HttpResponse error_response(const Error& error);
/// Of a path or method that nothing is behind: `details` is there and empty.
[[nodiscard]] HttpResponse unknown_path_response();
[[nodiscard]] HttpResponse method_not_allowed_response();
/// Any code and reason; no details.
[[nodiscard]] HttpResponse plain_status_response(int code, std::string_view reason, std::string_view message);
/// {"kind":"Status","status":"Success","details":{name,group,kind,uid}}; details are left out if empty.
[[nodiscard]] std::string success_status(std::string_view name, std::string_view group, std::string_view plural,
                                         std::string_view uid);
/// Appends a line break, as Kubernetes' JSON answers have.
[[nodiscard]] HttpResponse json_response(int status, std::string body);

/// "strconv.ParseInt: parsing \"abc\": invalid syntax".
[[nodiscard]] Result<std::int64_t> parse_int64(std::string_view text);
/// Go's %q.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace dray::apiserver
