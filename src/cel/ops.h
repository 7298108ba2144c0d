/// What operators and conversions do with values.
/// Source: cel-go common/types.
#pragma once

#include "cel/eval.h"
#include "cel/val.h"

namespace dray::cel {

/// `a == b`: a bool, or an error where the type of `a` refuses `b`.
[[nodiscard]] Val equal(Eval& eval, const Val& a, const Val& b);
/// What the type of `a` says about `b`: as equal, but null is no special case.
[[nodiscard]] Val equal_to(Eval& eval, const Val& a, const Val& b);
/// -1, 0 or 1 as an int, or an error.
[[nodiscard]] Val compare(Eval& eval, const Val& a, const Val& b);

[[nodiscard]] Val add(Eval& eval, const Val& a, const Val& b);
[[nodiscard]] Val subtract(Eval& eval, const Val& a, const Val& b);
[[nodiscard]] Val multiply(Eval& eval, const Val& a, const Val& b);
[[nodiscard]] Val divide(Eval& eval, const Val& a, const Val& b);
[[nodiscard]] Val modulo(Eval& eval, const Val& a, const Val& b);
[[nodiscard]] Val negate(Eval& eval, const Val& a);

/// Of a string (code points), bytes, list, map, IP or CIDR; -1 of anything else.
[[nodiscard]] std::int64_t size_of(const Val& v);
/// Whether the list or map contains `v`.
[[nodiscard]] bool contains(Eval& eval, const Val& container, const Val& v);
/// int(v), string(v), ... for the types of the language; `to` is one of the constant types.
[[nodiscard]] Val convert(Eval& eval, const Val& v, TypeRef to);
[[nodiscard]] bool is_zero_value(const Val& v);
/// Whether an overload that wants `type` takes the value. Of lists and maps the first element counts.
[[nodiscard]] bool fits_at_run_time(Eval& eval, TypeRef type, const Val& v);

/// time.ParseDuration; false if it is none.
bool parse_duration(std::string_view text, std::int64_t& nanoseconds);
/// time.Parse(time.RFC3339); false if it is none.
bool parse_timestamp(std::string_view text, Val& out);

inline constexpr std::int64_t kMinUnixTime = -62135596800, kMaxUnixTime = 253402300799;

}  // namespace dray::cel
