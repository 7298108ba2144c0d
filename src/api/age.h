/// Ages in tables, as Kubernetes' server prints them: "90s", "5m30s", "3h", "2d4h", "5y".
/// Source: k8s.io/apimachinery/pkg/util/duration, pkg/printers/internalversion.
#pragma once

#include <string>

#include "base/clock.h"
#include "machinery/time.h"

namespace dray::api {

[[nodiscard]] std::string human_duration(Duration duration);
/// How long ago; "<unknown>" for no time.
[[nodiscard]] std::string age(const Time& since, Now now);

}  // namespace dray::api
