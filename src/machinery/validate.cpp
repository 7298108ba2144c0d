#include "machinery/validate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "machinery/quantity.h"
#include "machinery/utf8.h"
#include "machinery/value.h"
#include "machinery/yaml_scalar.h"

namespace dray {
namespace {

/// Go's unicode.IsPrint, as far as texts in names and messages need it: spaces other than ' ',
/// controls, formats, surrogates, private and unassigned planes are not.
bool is_print(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) return false;
  if (c == 0x1680 || (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F)) return false;
  if ((c >= 0x205F && c <= 0x206F) || c == 0x3000 || (c >= 0xD800 && c <= 0xF8FF)) return false;
  return c != 0xFEFF && !(c >= 0xFFF0 && c <= 0xFFFB) && (c & 0xFFFE) != 0xFFFE && c < 0xE0000;
}

std::string json_text(std::string_view value) {
  std::string out;
  append_json_string(out, value);
  return out;
}

std::string_view plural(std::int64_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

}  // namespace

FieldPath FieldPath::child(Segment segment) const {
  FieldPath out;
  out.parent_ = this;
  out.push(segment);
  return out;
}

FieldPath FieldPath::grown(Segment segment) const {
  FieldPath out = *this;
  out.push(segment);
  return out;
}

void FieldPath::push(Segment segment) {
  CHECK(count_ < kSegmentsMax);
  segments_[count_++] = segment;
}

void FieldPath::render(std::string& out) const {
  if (parent_ != nullptr) parent_->render(out);
  for (int i = 0; i < count_; ++i) {
    const Segment& segment = segments_[i];
    switch (segment.kind) {
      case Kind::kName:
        if (!out.empty()) out += '.';
        out.append(segment.data, segment.size);
        break;
      case Kind::kIndex: fmt::format_to(std::back_inserter(out), "[{}]", segment.size); break;
      case Kind::kKey: out.append("[").append(segment.data, segment.size).append("]"); break;
    }
  }
}

std::string FieldPath::str() const {
  std::string out;
  render(out);
  return out;
}

BadValue::BadValue(std::string_view value) : text(go_quoted(value)) {}
BadValue::BadValue(double value) : text(yaml::shortest(value)) {}
BadValue::BadValue(const Quantity& value) : text(json_text(value.str())) {}
BadValue::BadValue(const Value& value) : text(print_json(value)) {}
BadValue::BadValue(const std::vector<std::string>& value) : text(value.empty() ? "null" : "[") {
  if (value.empty()) return;
  for (const std::string& element : value) {
    if (text.size() > 1) text += ',';
    text += json_text(element);
  }
  text += ']';
}
BadValue BadValue::raw(std::string text) { return {Raw{}, std::move(text)}; }

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const utf8::Rune rune = utf8::decode(text);
    if (!rune.valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    constexpr std::string_view kEscaped = "\"\\\a\b\f\n\r\t\v";
    constexpr std::string_view kLetters = "\"\\abfnrtv";
    const auto escape = rune.size == 1 ? kEscaped.find(text[0]) : std::string_view::npos;
    if (escape != std::string_view::npos) {
      out += '\\';
      out += kLetters[escape];
    } else if (is_print(rune.code)) {
      out.append(text.substr(0, rune.size));
    } else if (rune.code < 0x80) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(rune.code));
    } else if (rune.code < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(rune.code));
    } else {
      out += fmt::format("\\U{:08x}", static_cast<unsigned>(rune.code));
    }
    text.remove_prefix(rune.size);
  }
  return out + '"';
}

void Causes::add(const FieldPath& at, std::string_view reason, std::string_view what,
                 std::string_view value, std::string_view detail) {
  std::string message(what);
  if (!value.empty()) message.append(": ").append(value);
  if (!detail.empty()) message.append(": ").append(detail);
  list_.push_back({at.str(), std::string(reason), std::move(message), {}});
}

void Causes::required(const FieldPath& at, std::string_view detail) {
  add(at, "FieldValueRequired", "Required value", "", detail);
}
void Causes::invalid(const FieldPath& at, const BadValue& value, std::string_view detail) {
  add(at, "FieldValueInvalid", "Invalid value", value.text, detail);
}
void Causes::invalid_each(const FieldPath& at, const BadValue& value, const Problems& problems) {
  for (const std::string& problem : problems) invalid(at, value, problem);
}
void Causes::type_invalid(const FieldPath& at, const BadValue& value, std::string_view detail) {
  add(at, "FieldValueTypeInvalid", "Invalid value", value.text, detail);
}

void Causes::not_supported(const FieldPath& at, const BadValue& value,
                           std::span<const std::string_view> supported) {
  std::string detail;
  for (const std::string_view each : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += go_quoted(each);
  }
  add(at, "FieldValueNotSupported", "Unsupported value", value.text, detail);
}
void Causes::not_supported(const FieldPath& at, const BadValue& value,
                           std::initializer_list<std::string_view> supported) {
  not_supported(at, value, std::span(supported.begin(), supported.size()));
}

void Causes::duplicate(const FieldPath& at, const BadValue& value) {
  add(at, "FieldValueDuplicate", "Duplicate value", value.text, "");
}
void Causes::not_found(const FieldPath& at, const BadValue& value) {
  add(at, "FieldValueNotFound", "Not found", value.text, "");
}
void Causes::forbidden(const FieldPath& at, std::string_view detail) {
  add(at, "FieldValueForbidden", "Forbidden", "", detail);
}
void Causes::too_long(const FieldPath& at, int bytes_max) {
  add(at, "FieldValueTooLong", "Too long", "",
      fmt::format("may not be more than {} {}", bytes_max, plural(bytes_max, "byte", "bytes")));
}
void Causes::too_long_characters(const FieldPath& at, int characters_max) {
  add(at, "FieldValueTooLong", "Too long", "",
      fmt::format("may not be more than {} {}", characters_max,
                  plural(characters_max, "character", "characters")));
}
void Causes::too_short(const FieldPath& at, int characters_min) {
  add(at, "FieldValueTooShort", "Too short", "",
      fmt::format("must be at least {} {}", characters_min,
                  plural(characters_min, "character", "characters")));
}
void Causes::too_many(const FieldPath& at, std::int64_t actual, std::int64_t items_max) {
  add(at, "FieldValueTooMany", "Too many", std::to_string(actual),
      fmt::format("must have at most {} {}", items_max, plural(items_max, "item", "items")));
}
void Causes::too_few(const FieldPath& at, std::int64_t actual, std::int64_t items_min) {
  add(at, "FieldValueTooFew", "Too few", std::to_string(actual),
      fmt::format("must have at least {} {}", items_min, plural(items_min, "item", "items")));
}
void Causes::internal(const FieldPath& at, std::string_view detail) {
  add(at, "InternalError", "Internal error", "", detail);
}

Error invalid_error(std::string_view group, std::string_view kind, std::string_view name, Causes causes) {
  Error error;
  error.code = Code::kInvalid;
  error.group = group;
  error.kind = kind;
  error.name = name;
  error.message = fmt::format("{}{}{} {} is invalid", kind, group.empty() ? "" : ".", group, go_quoted(name));
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const Cause& cause : causes.list()) {
    std::string text = cause.field + ": " + cause.message;
    if (seen.insert(text).second) texts.push_back(std::move(text));
  }
  if (texts.size() == 1) error.message += ": " + texts[0];
  if (texts.size() > 1) error.message += fmt::format(": [{}]", fmt::join(texts, ", "));
  error.causes = causes.take();
  return error;
}

}  // namespace dray
