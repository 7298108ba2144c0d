#include "apiserver/negotiation.h"

#include <algorithm>
#include <charconv>

namespace dray::apiserver {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

std::string_view unquote(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

double quality_of(std::string_view text) {
  // from_chars for doubles is enough: "0.8", "1", "1.000".
  double value = 1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// False if the clause makes no sense.
bool parse_media_type(std::string_view text, MediaType& out) {
  const std::string_view full = trim(text.substr(0, text.find(';')));
  const auto slash = full.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == full.size()) return false;
  out.type = lower(full.substr(0, slash));
  out.subtype = lower(full.substr(slash + 1));
  text.remove_prefix(std::min(text.size(), text.find(';')));
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view one = trim(text.substr(0, text.find(';')));
    text.remove_prefix(std::min(text.size(), text.find(';')));
    if (one.empty()) continue;
    const auto mark = one.find('=');
    if (mark == std::string_view::npos) return false;
    const std::string name = lower(trim(one.substr(0, mark)));
    const std::string_view value = unquote(trim(one.substr(mark + 1)));
    if (name == "q") out.quality = quality_of(value);
    out.parameters.emplace_back(name, value);
  }
  return true;
}

constexpr std::string_view kOffered = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

bool format_of(const MediaType& clause, Format& out) {
  if (clause.type == "*" && clause.subtype == "*") {
    out = Format::kJson;
  } else if (clause.type == "application" && (clause.subtype == "json" || clause.subtype == "*")) {
    out = Format::kJson;
  } else if (clause.is("application/yaml")) {
    out = Format::kYaml;
  } else if (clause.is("application/vnd.kubernetes.protobuf")) {
    out = Format::kProtobuf;
  } else {
    return false;
  }
  return true;
}

/// Whether the clause's as/g/v parameters can be served.
bool shape_of(const MediaType& clause, bool shapes, Representation& out) {
  const std::string_view as = clause.parameter("as");
  if (as.empty()) return true;
  const std::string_view group = clause.parameter("g");
  const std::string_view version = clause.parameter("v");
  if (!shapes || group != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) return false;
  if (as == "Table") {
    out.shape = Shape::kTable;
  } else if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") {
    out.shape = Shape::kPartial;
  } else {
    return false;
  }
  out.shape_version = version;
  return true;
}

}  // namespace

std::string_view MediaType::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &Header::first);
  return found == parameters.end() ? std::string_view{} : std::string_view(found->second);
}

bool MediaType::is(std::string_view full) const {
  return full.size() == type.size() + 1 + subtype.size() && full.starts_with(type) && full[type.size()] == '/' &&
         full.ends_with(subtype);
}

std::vector<MediaType> parse_accept(std::string_view header) {
  std::vector<MediaType> clauses;
  while (!header.empty()) {
    const std::string_view one = header.substr(0, header.find(','));
    header.remove_prefix(std::min(header.size(), one.size() + 1));
    MediaType clause;
    if (parse_media_type(one, clause)) clauses.push_back(std::move(clause));
  }
  std::ranges::stable_sort(clauses, std::greater<>(), &MediaType::quality);
  return clauses;
}

Result<Representation> negotiate(std::string_view accept, bool shapes) {
  if (trim(accept).empty()) return Representation{};
  for (const MediaType& clause : parse_accept(accept)) {
    Representation chosen;
    if (!format_of(clause, chosen.format) || !shape_of(clause, shapes, chosen)) continue;
    chosen.pretty = clause.parameter("pretty") == "1";
    return chosen;
  }
  return fail(Code::kNotAcceptable, "only the following media types are accepted: " + std::string(kOffered));
}

Result<Format> body_format(std::string_view content_type) {
  if (trim(content_type).empty()) return Format::kJson;
  MediaType type;
  if (parse_media_type(content_type, type)) {
    if (type.is("application/json")) return Format::kJson;
    if (type.is("application/yaml")) return Format::kYaml;
    if (type.is("application/vnd.kubernetes.protobuf")) return Format::kProtobuf;
  }
  return fail(Code::kUnsupportedMediaType,
              "the body of the request was in an unknown format - accepted media types include: " + std::string(kOffered));
}

std::string_view content_type_of(Format format) {
  switch (format) {
    case Format::kJson: return "application/json";
    case Format::kYaml: return "application/yaml";
    case Format::kProtobuf: return "application/vnd.kubernetes.protobuf";
  }
  return "";
}

}  // namespace dray::apiserver
