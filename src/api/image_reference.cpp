#include <algorithm>
#include <cctype>

#include "api/core_defaults.h"

namespace dray::api {
namespace {

constexpr std::size_t kNameLengthMax = 255;
constexpr std::size_t kTagLengthMax = 128;

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

/// Lower-case words joined by ".", "_", "__" or any number of "-".
bool is_path_component(std::string_view text) {
  std::size_t i = 0;
  const auto word = [&] {
    const std::size_t from = i;
    while (i < text.size() && is_lower_alnum(text[i])) ++i;
    return i > from;
  };
  if (!word()) return false;
  while (i < text.size()) {
    const std::size_t from = i;
    while (i < text.size() && !is_lower_alnum(text[i])) ++i;
    const std::string_view joint = text.substr(from, i - from);
    const bool dashes = std::ranges::all_of(joint, [](char c) { return c == '-'; });
    if (!dashes && joint != "." && joint != "_" && joint != "__") return false;
    if (!word()) return false;
  }
  return true;
}

bool is_domain(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon != std::string_view::npos && !text.ends_with(']')) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; })) return false;
    text = text.substr(0, colon);
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    const std::string_view address = text.substr(1, text.size() - 2);
    return !address.empty() && std::ranges::all_of(address, [](char c) { return is_hex(c) || c == ':'; });
  }
  while (true) {
    const std::string_view label = text.substr(0, text.find('.'));
    if (label.empty() || !is_alnum(label.front()) || !is_alnum(label.back())) return false;
    if (!std::ranges::all_of(label, [](char c) { return is_alnum(c) || c == '-'; })) return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

bool looks_like_domain(std::string_view first) {
  return first.find_first_of(".:") != std::string_view::npos || first == "localhost" ||
         std::ranges::any_of(first, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_name(std::string_view name) {
  if (name.empty() || name.size() > kNameLengthMax) return false;
  if (name.size() == 64 && std::ranges::all_of(name, [](char c) { return is_hex(c) && !std::isupper(c); }))
    return false;  // an identifier, not a name
  const auto slash = name.find('/');
  if (slash != std::string_view::npos && looks_like_domain(name.substr(0, slash))) {
    if (!is_domain(name.substr(0, slash))) return false;
    name.remove_prefix(slash + 1);
  }
  while (true) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (!is_path_component(part)) return false;
    if (part.size() == name.size()) return true;
    name.remove_prefix(part.size() + 1);
  }
}

bool is_tag(std::string_view tag) {
  const auto word = [](char c) { return is_alnum(c) || c == '_'; };
  return !tag.empty() && tag.size() <= kTagLengthMax && word(tag.front()) &&
         std::ranges::all_of(tag, [&](char c) { return word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view digest) {
  const auto colon = digest.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view hex = digest.substr(colon + 1);
  return is_alnum(digest.front()) && hex.size() >= 32 && std::ranges::all_of(hex, is_hex);
}

}  // namespace

std::string_view image_tag(std::string_view reference) {
  std::string_view name = reference, tag, digest;
  if (const auto at = name.find('@'); at != std::string_view::npos) {
    digest = name.substr(at + 1);
    name = name.substr(0, at);
    if (!is_digest(digest)) return {};
  }
  const auto slash = name.rfind('/');
  const auto colon = name.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    tag = name.substr(colon + 1);
    name = name.substr(0, colon);
    if (!is_tag(tag)) return {};
  }
  if (!is_name(name)) return {};
  return tag.empty() && digest.empty() ? "latest" : tag;
}

}  // namespace dray::api
