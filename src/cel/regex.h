/// Regular expressions as Go's regexp: RE2's syntax, with Go's texts of errors.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace dray::cel {

/// Null and "error parsing regexp: missing closing ]: `[`".
[[nodiscard]] std::shared_ptr<const re2::RE2> compile_regex(std::string_view pattern,
                                                            std::string& error);

}  // namespace dray::cel
