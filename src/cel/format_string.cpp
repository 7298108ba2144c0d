#include "cel/format_string.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "cel/ops.h"
#include "cel/source.h"
#include "cel/text.h"

namespace dray::cel {
namespace {

constexpr int kDefaultPrecision = 6;
/// Beyond it the reference's printer gives up.
constexpr int kPrecisionMax = 1'000'000;
constexpr const char* kGivenUp = "%!(NOVERB)";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads ".3" if it is there.
bool parse_precision(std::string_view& rest, std::optional<int>& out, std::string& error) {
  if (!rest.starts_with('.')) return true;
  std::size_t end = 1;
  while (end < rest.size() && is_digit(rest[end])) ++end;
  if (end == rest.size()) return error = "could not find end of precision specifier", false;
  const std::string_view digits = rest.substr(1, end - 1);
  std::int64_t value = 0;
  const auto [ptr, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc{}) {
    error = fmt::format("error while converting precision to integer: strconv.Atoi: parsing {}: {}",
                        go_quote(digits), digits.empty() ? "invalid syntax" : "value out of range");
    return false;
  }
  out = static_cast<int>(std::min<std::int64_t>(value, kPrecisionMax + 1));
  rest.remove_prefix(end);
  return true;
}

}  // namespace

bool walk_format(std::string_view format, std::size_t arg_count,
                 const std::function<bool(const FormatClause&, std::string&, std::string&)>& put,
                 std::string& out, std::string& error) {
  FormatClause clause;
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      out += format[i++];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%';
      i += 2;
      continue;
    }
    if (clause.index >= arg_count)
      return error = fmt::format("index {} out of range", clause.index), false;
    if (i + 1 >= format.size()) return error = "unexpected end of string", false;
    std::string_view rest = format.substr(i + 1);
    std::string why;
    clause.precision.reset();
    if (!parse_precision(rest, clause.precision, why)) {
      error = "could not parse formatting clause: error while parsing precision: " + why;
      return false;
    }
    clause.verb = rest[0];
    if (!std::string_view("sdfebxXo").contains(clause.verb)) {
      std::string shown;
      append_utf8(shown, static_cast<unsigned char>(clause.verb));
      error = fmt::format(
          "could not parse formatting clause: unrecognized formatting clause \"{}\"", shown);
      return false;
    }
    if (!put(clause, out, why)) return error = "error during formatting: " + why, false;
    i = format.size() - rest.size() + 1;
    ++clause.index;
  }
  return true;
}

std::string refuse_clause(char verb, std::string_view type) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), type) != names.end();
  };
  const char* rule = nullptr;
  switch (verb) {
    case 'b':
      if (!is({"int", "uint", "bool"}))
        rule = "only integers and bools can be formatted as binary, was given ";
      break;
    case 'd':
      if (!is({"int", "uint"})) rule = "decimal clause can only be used on integers, was given ";
      break;
    case 'f':
      if (!is({"double"})) rule = "fixed-point clause can only be used on doubles, was given ";
      break;
    case 'e':
      if (!is({"double"})) rule = "scientific clause can only be used on doubles, was given ";
      break;
    case 'x':
    case 'X':
      if (!is({"int", "uint", "string", "bytes"}))
        rule = "only integers, byte buffers, and strings can be formatted as hex, was given ";
      break;
    case 'o':
      if (!is({"int", "uint"})) rule = "octal clause can only be used on integers, was given ";
      break;
    default:
      if (!is({"list", "map", "int", "uint", "double", "bool", "string",
               "google.protobuf.Timestamp", "bytes", "google.protobuf.Duration", "type",
               "null_type"}))
        rule =
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
            "types, durations, and timestamps, was given ";
  }
  return rule == nullptr ? std::string{} : rule + std::string(type);
}

namespace {

std::string based(const Val& v, int base, bool upper) {
  const bool negative = v.is(ValKind::kInt) && v.integer < 0;
  const std::uint64_t magnitude = negative ? 0 - v.natural : v.natural;
  char buffer[72];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), magnitude, base);
  std::string out(buffer, result.ptr);
  if (upper)
    for (char& c : out)
      if (c >= 'a') c = static_cast<char>(c - 0x20);
  return (negative ? "-" : "") + out;
}

std::string hex_of(std::string_view bytes, bool upper) {
  std::string out;
  for (const char c : bytes)
    out += upper ? fmt::format("{:02X}", static_cast<unsigned char>(c))
                 : fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string printed(const char* format, int precision, double value) {
  std::string out(static_cast<std::size_t>(precision) + 400, '\0');
  const int size = std::snprintf(out.data(), out.size(), format, precision, value);
  out.resize(static_cast<std::size_t>(std::max(size, 0)));
  return out;
}

std::string special(double d, const char* infinity) {
  if (std::isnan(d)) return "NaN";
  return (d < 0 ? "-" : "") + std::string(infinity);
}

/// "1,234.500": groups of thousands.
std::string grouped(double d, int precision) {
  if (!std::isfinite(d)) return special(d, "\u221e");
  if (precision > kPrecisionMax) return kGivenUp;
  // The printer keeps the wanted digits in eight bits.
  std::string digits = printed("%.*f", std::min(precision, 1100), std::fabs(d));
  if (precision > 255) {
    const auto wanted = digits.find('.') + 1 + static_cast<std::size_t>(precision & 255);
    digits.resize(std::max(digits.find_last_not_of('0') + 1, wanted), '0');
  }
  const auto dot = digits.find('.');
  for (std::size_t at = dot == std::string::npos ? digits.size() : dot; at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return (d < 0 ? "-" : "") + digits;
}

/// "1.052033×10⁰³", at least `width` characters wide.
std::string scientific(double d, std::optional<int> width) {
  static constexpr const char* kSuper[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                           "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  if (width.value_or(0) > kPrecisionMax) return kGivenUp;
  std::string out;
  if (!std::isfinite(d)) {
    out = special(d, "\u221e");
  } else {
    const std::string plain = printed("%.*e", kDefaultPrecision, std::fabs(d));
    const auto e = plain.find('e');
    out = (d < 0 ? "-" : "") + plain.substr(0, e) + "\u00d710";
    if (plain[e + 1] == '-') out += "\u207b";
    for (const char c : plain.substr(e + 2)) out += kSuper[c - '0'];
  }
  const std::size_t wanted = static_cast<std::size_t>(width.value_or(kDefaultPrecision) & 0xFFFF);
  const std::size_t have = rune_count(out);
  return have < wanted ? std::string(wanted - have, ' ') + out : out;
}

class Formatter {
 public:
  Formatter(Eval& eval, bool newest) : eval_(eval), newest_(newest) {}

  bool put(const FormatClause& clause, const Val& v, std::string& out, std::string& error) {
    const bool number_verb = clause.verb == 'f' || clause.verb == 'e';
    const bool fits = newest_ ? is_number(v) && (number_verb || clause.verb == 'd')
                              : number_verb && is_special(v);
    error = fits ? "" : refuse_clause(clause.verb, type_name(v));
    if (newest_ && clause.precision.value_or(0) > 100) error = "precision exceeds maximum";
    if (!error.empty()) return false;
    if (newest_ && v.is(ValKind::kDouble) && clause.verb == 'd') return string(v, out, error);
    switch (clause.verb) {
      case 's': return string(v, out, error);
      case 'd': out += based(v, 10, false); return true;
      case 'f':
      case 'e': number(clause, v, out); return true;
      case 'b':
        out += v.is(ValKind::kBool) ? (v.boolean ? "1" : "0") : based(v, 2, false);
        return true;
      case 'o': out += based(v, 8, false); return true;
      default: {
        const bool upper = clause.verb == 'X';
        const bool text = v.is(ValKind::kString) || v.is(ValKind::kBytes);
        out += text ? hex_of(v.text(), upper) : based(v, 16, upper);
        return true;
      }
    }
  }

 private:
  static bool is_number(const Val& v) {
    return v.is(ValKind::kInt) || v.is(ValKind::kUint) || v.is(ValKind::kDouble);
  }

  static bool is_special(const Val& v) {
    if (!v.is(ValKind::kString)) return false;
    const std::string_view t = v.text();
    return t == "NaN" || t == "Infinity" || t == "-Infinity";
  }

  void number(const FormatClause& clause, const Val& v, std::string& out) {
    const double d = v.is(ValKind::kDouble) ? v.number : convert(eval_, v, &types::kDouble).number;
    const int precision = clause.precision.value_or(kDefaultPrecision);
    if (newest_) {
      if (!std::isfinite(d)) {
        out += special(d, "Infinity");
      } else {
        out += printed(clause.verb == 'f' ? "%.*f" : "%.*e", precision, d);
      }
      return;
    }
    out += clause.verb == 'f' ? grouped(d, precision) : scientific(d, clause.precision);
  }

  bool string(const Val& v, std::string& out, std::string& error) {
    const Eval::Deeper deeper(eval_);
    eval_.work(1 + out.size() / 256);
    switch (v.kind) {
      case ValKind::kList: return list(v, out, error);
      case ValKind::kMap: return map(v, out, error);
      case ValKind::kNull: out += "null"; return true;
      case ValKind::kBytes:
        if (newest_) return out += v.text(), true;
        break;
      case ValKind::kDouble:
        if (newest_) {
          out += std::isfinite(v.number) ? go_double_plain(v.number) : special(v.number, "Infinity");
          return true;
        }
        break;
      default: break;
    }
    const Val text = convert(eval_, v, &types::kString);
    if (text.failed()) {
      error = fmt::format("could not convert argument {} to string", go_quote(text.text()));
      return false;
    }
    out += text.text();
    return true;
  }

  /// A value inside a list or map.
  bool inner(const Val& v, std::string& out, std::string& error) {
    if (newest_) return string(v, out, error);
    std::string text;
    switch (v.kind) {
      case ValKind::kInt:
      case ValKind::kUint: out += based(v, 10, false); return true;
      case ValKind::kString: out += go_quote(v.text()); return true;
      case ValKind::kBytes:
        if (!string(v, text, error)) return false;
        out += "b" + go_quote(text);
        return true;
      case ValKind::kTimestamp:
      case ValKind::kDuration:
        if (!string(v, text, error)) return false;
        out += fmt::format("{}({})", v.is(ValKind::kDuration) ? "duration" : "timestamp",
                           go_quote(text));
        return true;
      case ValKind::kDouble:
        if (!std::isfinite(v.number)) {
          out += std::isnan(v.number) ? "\"NaN\"" : v.number > 0 ? "\"+Inf\"" : "\"-Inf\"";
        } else {
          out += printed("%.*f", kDefaultPrecision, v.number);
        }
        return true;
      case ValKind::kBool:
      case ValKind::kNull:
      case ValKind::kType:
      case ValKind::kList:
      case ValKind::kMap: return string(v, out, error);
      default:
        error = fmt::format("no formatting function for {}", type_name(v));
        return false;
    }
  }

  bool list(const Val& v, std::string& out, std::string& error) {
    out += '[';
    for (std::size_t i = 0; i < v.list->size(); ++i) {
      if (i > 0) out += ", ";
      if (!inner(v.list->at(eval_.arena, i), out, error)) return false;
    }
    out += ']';
    return true;
  }

  bool map(const Val& v, std::string& out, std::string& error) {
    std::vector<std::pair<std::string, std::string>> entries;
    for (std::size_t i = 0; i < v.map->size(); ++i) {
      const Val key = v.map->key_at(eval_.arena, i);
      const bool fits = key.is(ValKind::kString) || key.is(ValKind::kBool) ||
                        key.is(ValKind::kInt) || key.is(ValKind::kUint);
      if (!fits) {
        error = fmt::format("no formatting function for map key of type {}", type_name(key));
        return false;
      }
      auto& [k, value] = entries.emplace_back();
      if (!inner(key, k, error)) return false;
      if (!inner(v.map->value_at(eval_.arena, i), value, error)) return false;
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    out += '{';
    for (std::size_t i = 0; i < entries.size(); ++i)
      out += (i > 0 ? ", " : "") + entries[i].first + (newest_ ? ": " : ":") + entries[i].second;
    out += '}';
    return true;
  }

  Eval& eval_;
  bool newest_;
};

}  // namespace

bool format_string(Eval& eval, std::string_view format, const ListObj& args, bool newest,
                   std::string& out, std::string& error) {
  Formatter formatter(eval, newest);
  return walk_format(
      format, args.size(),
      [&](const FormatClause& clause, std::string& to, std::string& why) {
        return formatter.put(clause, args.at(eval.arena, clause.index), to, why);
      },
      out, error);
}

}  // namespace dray::cel
