/// JSON lines about CEL expressions over devices: what compiles, to which value, at which cost.
/// The same lines that the reference's oracle reads and writes.
#pragma once

#include <string>
#include <string_view>

#include "cel/val.h"

namespace dray::cel {

class Eval;

/// Answers one input line, without the line's end:
/// {"id": ..., "kind": "selector", "expression": ..., "device": {...}, "environment": "new"}.
/// What can't be read is answered {"id": ..., "error": ...}. Never throws. Thread-safe.
[[nodiscard]] std::string answer_line(std::string_view line);

/// Appends the value with its type: {"int64Value": "1"}, {"listValue": {"values": [...]}}.
/// False if the value has no such form.
bool append_typed_json(Eval& eval, const Val& value, std::string& out);

}  // namespace dray::cel
