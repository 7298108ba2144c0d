/// What a plain YAML scalar means to Kubernetes' reader (go.yaml.in/yaml/v2, YAML 1.1). Private to
/// machinery.
#pragma once

#include <string>
#include <string_view>

#include "machinery/value.h"

namespace dray::yaml {

enum class ScalarKind { kNull, kBool, kInt, kFloat, kTimestamp, kString };

/// NaN and infinities are floats, too. Integers beyond int64 have a double as value; the value of a
/// timestamp and of a string is the text. A merge key ("<<") is a string here.
struct Scalar {
  ScalarKind kind = ScalarKind::kString;
  Value value;
};
[[nodiscard]] Scalar resolve(std::string_view text);

/// Whether the text must be quoted to remain a string, also for readers of base-60 numbers.
[[nodiscard]] bool needs_quotes(std::string_view text);

/// Go's strconv.FormatFloat(number, 'g', -1, 64).
[[nodiscard]] std::string shortest(double number);

}  // namespace dray::yaml
