#include "base/error.h"

#include "base/check.h"

namespace dray {
namespace {

struct Row {
  Code code;
  std::string_view reason;
  int status;
};

constexpr Row kTable[] = {
    {Code::kBadRequest, "BadRequest", 400},
    {Code::kUnauthorized, "Unauthorized", 401},
    {Code::kForbidden, "Forbidden", 403},
    {Code::kNotFound, "NotFound", 404},
    {Code::kMethodNotAllowed, "MethodNotAllowed", 405},
    {Code::kNotAcceptable, "NotAcceptable", 406},
    {Code::kAlreadyExists, "AlreadyExists", 409},
    {Code::kConflict, "Conflict", 409},
    {Code::kGone, "Gone", 410},
    {Code::kExpired, "Expired", 410},
    {Code::kRequestEntityTooLarge, "RequestEntityTooLarge", 413},
    {Code::kUnsupportedMediaType, "UnsupportedMediaType", 415},
    {Code::kInvalid, "Invalid", 422},
    {Code::kTooManyRequests, "TooManyRequests", 429},
    {Code::kInternal, "InternalError", 500},
    {Code::kUnavailable, "ServiceUnavailable", 503},
    {Code::kTimeout, "Timeout", 504},
};

const Row& row_of(Code code) {
  const auto index = static_cast<std::size_t>(code);
  CHECK(index < std::size(kTable) && kTable[index].code == code);
  return kTable[index];
}

}  // namespace

std::string_view reason_of(Code code) { return row_of(code).reason; }
int http_status_of(Code code) { return row_of(code).status; }

}  // namespace dray
