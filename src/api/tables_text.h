/// Texts that several tables share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/age.h"
#include "api/core_v1.h"
#include "machinery/object.h"

namespace dray::api {

inline constexpr const char* kNone = "<none>";
inline constexpr const char* kUnset = "<unset>";

[[nodiscard]] inline std::string age_of(const Object& object, Now now) {
  return age(object.metadata.creation_timestamp, now);
}
[[nodiscard]] inline std::string or_text(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}
/// "a=1,b=2", or "<none>".
[[nodiscard]] std::string labels_text(const std::map<std::string, std::string>& labels);
/// The selector as a query has it; "<none>" if it is absent or empty, "<error>" if it is malformed.
[[nodiscard]] std::string selector_text(const Box<meta::LabelSelector>& selector);
/// Names and images of containers, each joined by commas.
[[nodiscard]] std::string container_names(const std::vector<core::Container>& containers);
[[nodiscard]] std::string container_images(const std::vector<core::Container>& containers);
/// "RWO,ROX".
[[nodiscard]] std::string access_modes_text(const std::vector<std::string>& modes);
/// The first `shown`, then " + n more..." of `total`.
[[nodiscard]] std::string with_more(const std::vector<std::string>& shown, std::size_t total,
                                    std::string_view separator = ",");

}  // namespace dray::api
