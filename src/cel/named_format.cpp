#include "cel/named_format.h"

#include <re2/re2.h>

#include <fmt/format.h>

#include "cel/libraries.h"
#include "cel/ops.h"
#include "cel/url.h"

namespace dray::cel {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr const char* kSubdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr const char* kLabel1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr const char* kName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr const char* kLabelValue = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
constexpr std::string_view kUuid =
    "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
constexpr std::string_view kTime =
    "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
constexpr std::string_view kBase64 =
    "^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$";

re2::StringPiece piece(std::string_view s) { return {s.data(), s.size()}; }

/// Patterns of ours are compiled once and never fail.
template <const auto& Pattern>
bool fits(std::string_view text) {
  static const re2::RE2 kRegex{std::string(Pattern)};
  return re2::RE2::FullMatch(piece(text), kRegex);
}

std::string too_long(std::size_t bytes) { return fmt::format("must be no more than {} bytes", bytes); }

std::string no_match(std::string_view message, std::string_view pattern,
                     std::initializer_list<std::string_view> examples) {
  std::string out = std::string(message) + " (e.g. ";
  for (const std::string_view example : examples)
    out += fmt::format("{}'{}', ", example == *examples.begin() ? "" : " or ", example);
  return out + fmt::format("regex used for validation is '{}')", pattern);
}

/// A prefix may end with a dash: something will follow.
std::string masked(std::string_view name, bool prefix) {
  std::string out(name);
  if (prefix && out.size() > 1 && out.ends_with('-')) out = out.substr(0, out.size() - 2) + "a";
  return out;
}

template <bool Prefix>
Texts label(std::string_view text) {
  const std::string name = masked(text, Prefix);
  Texts out;
  if (name.size() > 63) out.push_back(too_long(63));
  if (fits<kLabel>(name)) return out;
  if (fits<kSubdomain>(name)) {
    out.emplace_back("must not contain dots");
  } else {
    out.push_back(no_match(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character",
        kLabel, {"my-name", "123-abc"}));
  }
  return out;
}

template <bool Prefix>
Texts subdomain(std::string_view text) {
  const std::string name = masked(text, Prefix);
  Texts out;
  if (name.size() > 253) out.push_back(too_long(253));
  if (!fits<kSubdomain>(name))
    out.push_back(no_match(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        kSubdomain, {"example.com"}));
  return out;
}

template <bool Prefix>
Texts label_1035(std::string_view text) {
  const std::string name = masked(text, Prefix);
  Texts out;
  if (name.size() > 63) out.emplace_back("must be no more than 63 characters");
  if (!fits<kLabel1035>(name))
    out.push_back(no_match(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        kLabel1035, {"my-name", "abc-123"}));
  return out;
}

Texts qualified_name(std::string_view text) {
  const std::string rule = no_match(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      kName, {"MyName", "my.name", "123-abc"});
  Texts out;
  std::string_view name = text;
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    if (text.find('/', slash + 1) != std::string_view::npos)
      return {"a valid label key " + rule +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    name = text.substr(slash + 1);
    if (slash == 0) {
      out.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& why : subdomain<false>(text.substr(0, slash)))
        out.push_back("prefix part " + why);
    }
  }
  if (name.empty()) {
    out.emplace_back("name part must be non-empty");
  } else if (name.size() > 63) {
    out.push_back("name part " + too_long(63));
  }
  if (!fits<kName>(name)) out.push_back("name part " + rule);
  return out;
}

Texts label_value(std::string_view text) {
  Texts out;
  if (text.size() > 63) out.push_back(too_long(63));
  if (!fits<kLabelValue>(text))
    out.push_back(no_match(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        kLabelValue, {"MyValue", "my_value", "12345"}));
  return out;
}

Texts uri(std::string_view text) {
  Url url;
  std::string error;
  return parse_request_uri(text, url, error) ? Texts{} : Texts{error};
}

Texts when(bool ok, const char* why) { return ok ? Texts{} : Texts{why}; }

bool is_date(std::string_view text) {
  Val ignored;
  return text.size() == 10 && parse_timestamp(std::string(text) + "T00:00:00Z", ignored);
}

bool is_datetime(std::string_view text) {
  if (text.size() < 4) return false;
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
  const auto t = lower.find('t');
  if (t == std::string::npos || !is_date(std::string_view(lower).substr(0, t))) return false;
  const std::string time = lower.substr(t + 1, lower.find('t', t + 1) - t - 1);
  return fits<kTime>(time) && time.substr(0, 2) <= "23" && time.substr(3, 2) <= "59" &&
         time.substr(6, 2) <= "59";
}

Texts uuid(std::string_view text) { return when(fits<kUuid>(text), "does not match the UUID format"); }
Texts byte(std::string_view text) { return when(fits<kBase64>(text), "invalid base64"); }
Texts date(std::string_view text) { return when(is_date(text), "invalid date"); }
Texts datetime(std::string_view text) { return when(is_datetime(text), "invalid datetime"); }

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", "DNS1123Label", 30, label<false>},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, subdomain<false>},
    {"dns1035Label", "DNS1035Label", 30, label_1035<false>},
    {"qualifiedName", "QualifiedName", 60, qualified_name},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, label<true>},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, subdomain<true>},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, label_1035<true>},
    {"labelValue", "LabelValue", 40, label_value},
    {"uri", "URI", 1103, uri},
    {"uuid", "uuid", kUuid.size(), uuid},
    {"byte", "byte", 84, byte},
    {"date", "date", kTime.size(), date},
    {"datetime", "datetime", kTime.size(), datetime},
};

using Args = std::span<const Val>;

template <std::size_t Index>
Val constant(Eval&, Args) {
  return Val::of_format(&kFormats[Index]);
}

Val named(Eval& e, Args a) {
  for (const NamedFormat& f : kFormats)
    if (f.function == a[0].text()) return e.optional_of(Val::of_format(&f));
  return Val::none();
}

Val validate_text(Eval& e, Args a) {
  const Texts problems = a[0].format->validate(a[1].text());
  return problems.empty() ? Val::none() : e.optional_of(e.list_of_strings(problems));
}

template <std::size_t... Index>
void add_constants(Environment& env, TypeRef type, std::index_sequence<Index...>) {
  const auto add = [&](std::string_view name, Fn fn) {
    const std::string full = "format." + std::string(name);
    env.declare(full).global(full, {}, type, fn, Shape::kMany);
  };
  (add(kFormats[Index].function, constant<Index>), ...);
}

}  // namespace

std::span<const NamedFormat> named_formats() { return kFormats; }

void add_named_formats(Environment& env) {
  const TypeRef type = env.pool.structure("kubernetes.NamedFormat"), text = &types::kString;
  env.declare("validate").member("format-validate", {type, text},
                                 env.pool.optional(env.pool.list(text)), validate_text);
  env.declare("format.named").global("format-named", {text}, env.pool.optional(type), named);
  add_constants(env, type, std::make_index_sequence<std::size(kFormats)>{});
}

}  // namespace dray::cel
