/// Semantic versions.
/// Source: github.com/blang/semver/v4 (parsing, errors, order).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

struct Semver {
  struct Part {
    bool numeric = false;
    std::uint64_t number = 0;
    std::string text;
  };
  std::uint64_t major = 0, minor = 0, patch = 0;
  std::vector<Part> pre;
  std::vector<std::string> build;

  [[nodiscard]] std::string text() const;
  /// -1, 0, 1; build metadata plays no part.
  [[nodiscard]] int compare(const Semver& other) const;
};

/// False and the library's text of the error.
bool parse_semver(std::string_view text, Semver& out, std::string& error);
/// Also "v1", "1.2", "01.02.03".
bool parse_semver_tolerant(std::string_view text, Semver& out, std::string& error);

}  // namespace dray::cel
