/// What can go wrong because of a user or the world, as a value. Bugs are CHECKs (base/check.h);
/// a refusal ("does not fit") is a value of its own domain and never an Error.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray {

/// Kubernetes' status reasons, as far as some caller reacts to exactly that one.
/// Names, HTTP codes: `reason_of`, `http_status_of`.
enum class Code : std::uint8_t {
  kBadRequest,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kMethodNotAllowed,
  kNotAcceptable,
  kAlreadyExists,
  kConflict,
  kGone,
  kExpired,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInvalid,
  kTooManyRequests,
  kInternal,
  kUnavailable,
  kTimeout,
};

/// "AlreadyExists", "Invalid", ...: the `reason` of a Kubernetes Status.
[[nodiscard]] std::string_view reason_of(Code code);
/// 409, 422, ...: the `code` of a Kubernetes Status.
[[nodiscard]] int http_status_of(Code code);

/// A place in a text that a user wrote. Both count from 1; 0 means unknown.
struct Position {
  int line = 0;
  int column = 0;
  bool operator==(const Position&) const = default;
};

/// One reason of an Invalid error. `reason` is Kubernetes' CauseType ("FieldValueInvalid"),
/// `message` its text without the field ("Invalid value: -1: must be at least 0").
struct Cause {
  std::string field;
  std::string reason;
  std::string message;
  Position at{};
  bool operator==(const Cause&) const = default;
};

struct Error {
  Code code = Code::kInternal;
  std::string message;
  std::vector<Cause> causes;
  /// What the error is about, where known: the `details` of a Status.
  std::string group, kind, name, uid;
  int retry_after_seconds = 0;
};

template <class T = void>
using Result = std::expected<T, Error>;

/// `return fail(Code::kNotFound, "...")` from any function that returns a Result.
[[nodiscard]] inline std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message), {}, {}, {}, {}, {}, 0});
}
[[nodiscard]] inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

}  // namespace dray

#define DRAY_CONCAT_(a, b) a##b
#define DRAY_CONCAT(a, b) DRAY_CONCAT_(a, b)
/// `TRY(check(x));` returns check's error from this function.
#define TRY(expression)                                                            \
  do {                                                                             \
    if (auto try_result = (expression); !try_result)                               \
      return std::unexpected<::dray::Error>(std::move(try_result).error());        \
  } while (false)
/// `TRY_ASSIGN(const auto claim, parse(body));` declares claim, or returns parse's error.
#define TRY_ASSIGN(declaration, expression) \
  TRY_ASSIGN_(DRAY_CONCAT(try_result_, __LINE__), declaration, expression)
#define TRY_ASSIGN_(result, declaration, expression)                        \
  auto result = (expression);                                               \
  if (!result) return std::unexpected<::dray::Error>(std::move(result).error()); \
  declaration = std::move(*result)
