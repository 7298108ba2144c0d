/// The formats that `format.NAME().validate(text)` knows.
/// Source: apiserver/pkg/cel/library/format.go, apimachinery validation, kube-openapi strfmt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

struct NamedFormat {
  std::string_view function;  // format.<function>()
  std::string_view name;      // "DNS1123Label"
  int regex_size;             // for costs
  std::vector<std::string> (*validate)(std::string_view text);
};

[[nodiscard]] std::span<const NamedFormat> named_formats();

}  // namespace dray::cel
