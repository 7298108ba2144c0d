#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cel/answer.h"
#include "cel/eval.h"
#include "cel/ip.h"
#include "cel/named_format.h"
#include "cel/semver.h"
#include "cel/text.h"
#include "cel/url.h"
#include "machinery/base64.h"
#include "machinery/quantity.h"
#include "machinery/value.h"

namespace dray::cel {
namespace {

void append_object(std::string& out, std::string_view type, std::string_view value) {
  out += R"({"objectValue":{"@type":)";
  append_json_string(out, type);
  out += R"(,"value":)";
  append_json_string(out, value);
  out += "}}";
}

void append_double(std::string& out, double d) {
  out += R"({"doubleValue":)";
  if (std::isnan(d)) {
    out += "\"NaN\"";
  } else if (std::isinf(d)) {
    out += d > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    append_json_double(out, d);
  }
  out += "}";
}

std::string seconds_text(std::int64_t nanoseconds) {
  const bool negative = nanoseconds < 0;
  const std::uint64_t n = negative ? 0 - static_cast<std::uint64_t>(nanoseconds)
                                   : static_cast<std::uint64_t>(nanoseconds);
  std::string out = fmt::format("{}{}.{:09}", negative ? "-" : "", n / 1'000'000'000, n % 1'000'000'000);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out + "s";
}

bool append_list(Eval& eval, const Val& v, std::string& out) {
  out += R"({"listValue":{"values":[)";
  for (std::size_t i = 0; i < v.list->size(); ++i) {
    if (i > 0) out += ',';
    eval.work(1);
    if (!append_typed_json(eval, v.list->at(eval.arena, i), out)) return false;
  }
  out += "]}}";
  return true;
}

/// Entries in the order of the text of their keys.
bool append_map(Eval& eval, const Val& v, std::string& out) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t i = 0; i < v.map->size(); ++i) {
    eval.work(1);
    auto& [key, value] = entries.emplace_back();
    if (!append_typed_json(eval, v.map->key_at(eval.arena, i), key)) return false;
    if (!append_typed_json(eval, v.map->value_at(eval.arena, i), value)) return false;
  }
  std::sort(entries.begin(), entries.end());
  out += R"({"mapValue":{"entries":[)";
  for (std::size_t i = 0; i < entries.size(); ++i)
    out += fmt::format(R"({}{{"key":{},"value":{}}})", i > 0 ? "," : "", entries[i].first,
                       entries[i].second);
  out += "]}}";
  return true;
}

}  // namespace

bool append_typed_json(Eval& eval, const Val& v, std::string& out) {
  const Eval::Deeper deeper(eval);
  switch (v.kind) {
    case ValKind::kNull: out += R"({"nullValue":null})"; return true;
    case ValKind::kBool:
      out += v.boolean ? R"({"boolValue":true})" : R"({"boolValue":false})";
      return true;
    case ValKind::kInt: out += fmt::format(R"({{"int64Value":"{}"}})", v.integer); return true;
    case ValKind::kUint: out += fmt::format(R"({{"uint64Value":"{}"}})", v.natural); return true;
    case ValKind::kDouble: append_double(out, v.number); return true;
    case ValKind::kString:
      out += R"({"stringValue":)";
      append_json_string(out, v.text());
      out += "}";
      return true;
    case ValKind::kBytes:
      out += fmt::format(R"({{"bytesValue":"{}"}})", base64_encode(v.text()));
      return true;
    case ValKind::kDuration:
      append_object(out, "type.googleapis.com/google.protobuf.Duration", seconds_text(v.integer));
      return true;
    case ValKind::kTimestamp:
      append_object(out, "type.googleapis.com/google.protobuf.Timestamp", timestamp_text(v, true));
      return true;
    case ValKind::kType:
      out += R"({"typeValue":)";
      append_json_string(out, v.type->name);
      out += "}";
      return true;
    case ValKind::kList: return append_list(eval, v, out);
    case ValKind::kMap: return append_map(eval, v, out);
    case ValKind::kOptional:
      out += R"({"objectValue":{"@type":"optional_type")";
      if (v.inner != nullptr) {
        out += R"(,"value":)";
        if (!append_typed_json(eval, *v.inner, out)) return false;
      }
      out += "}}";
      return true;
    case ValKind::kQuantity: append_object(out, "kubernetes.Quantity", v.quantity->decimal()); return true;
    case ValKind::kSemver: append_object(out, "kubernetes.Semver", v.semver->text()); return true;
    case ValKind::kUrl: append_object(out, "kubernetes.URL", v.url->text()); return true;
    case ValKind::kIp: append_object(out, "net.IP", v.ip->address_text()); return true;
    case ValKind::kCidr: append_object(out, "net.CIDR", v.ip->text()); return true;
    case ValKind::kFormat: append_object(out, "kubernetes.NamedFormat", v.format->name); return true;
    case ValKind::kError:
    case ValKind::kUnknown: return false;
  }
  return false;
}

}  // namespace dray::cel
