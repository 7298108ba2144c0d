#include "api/tables_text.h"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "machinery/labels.h"

namespace dray::api {

std::string labels_text(const std::map<std::string, std::string>& labels) {
  std::string out;
  for (const auto& [name, value] : labels) out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, value);
  return or_text(out, kNone);
}

std::string selector_text(const Box<meta::LabelSelector>& selector) {
  if (!selector) return kNone;
  const auto parsed = LabelSelector::from(*selector);
  return parsed ? or_text(parsed->str(), kNone) : "<error>";
}

std::string container_names(const std::vector<core::Container>& containers) {
  std::vector<std::string_view> names;
  for (const core::Container& container : containers) names.push_back(container.name);
  return fmt::format("{}", fmt::join(names, ","));
}

std::string container_images(const std::vector<core::Container>& containers) {
  std::vector<std::string_view> images;
  for (const core::Container& container : containers) images.push_back(container.image);
  return fmt::format("{}", fmt::join(images, ","));
}

std::string access_modes_text(const std::vector<std::string>& modes) {
  static constexpr std::pair<const char*, const char*> kShort[] = {{"ReadWriteOnce", "RWO"},
                                                                  {"ReadOnlyMany", "ROX"},
                                                                  {"ReadWriteMany", "RWX"},
                                                                  {"ReadWriteOncePod", "RWOP"}};
  std::vector<const char*> out;
  for (const auto& [mode, text] : kShort)
    if (std::ranges::find(modes, mode) != modes.end()) out.push_back(text);
  return fmt::format("{}", fmt::join(out, ","));
}

std::string with_more(const std::vector<std::string>& shown, std::size_t total, std::string_view separator) {
  std::string text = fmt::format("{}", fmt::join(shown, separator));
  if (total > shown.size()) text += fmt::format(" + {} more...", total - shown.size());
  return text;
}

}  // namespace dray::api
