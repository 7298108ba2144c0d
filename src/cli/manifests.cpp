#include "cli/manifests.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "api/manifest_hints.h"
#include "machinery/codec.h"
#include "machinery/value.h"

namespace dray::cli {
namespace {

namespace fs = std::filesystem;

/// The files behind a path; a cause where there is nothing to read.
std::vector<std::string> files_of(const std::string& path, std::vector<Cause>& causes) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    causes.push_back({path, "FieldValueNotFound", "no such file or folder", {}});
    return {};
  }
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const auto extension = entry.path().extension();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  if (files.empty()) causes.push_back({path, "FieldValueNotFound", "no *.yaml, *.yml or *.json in this folder", {}});
  return files;
}

class Loader {
 public:
  Loader(const api::Registry& registry) : registry_(registry) {}

  void read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) return refuse(file, {}, "", "cannot be read");
    auto documents = parse_yaml(text.str());
    if (!documents) return refuse(file, {}, "", documents.error().message);
    for (const Value& document : *documents) one(file, document);
  }

  std::vector<Manifest> manifests;
  std::vector<Cause> causes;

 private:
  void refuse(const std::string& file, Position at, std::string_view field, std::string_view message) {
    causes.push_back({place(file, at) + std::string(field), "FieldValueInvalid", std::string(message), at});
  }

  void one(const std::string& file, const Value& document) {
    if (document.is_null()) return;
    if (!document.is_map()) return refuse(file, document.at, "", "must be an object");
    const std::string api_version = text_of(document, "apiVersion"), kind = text_of(document, "kind");
    if (kind.empty()) return refuse(file, document.at, "kind", "Required value: Object 'Kind' is missing");
    if (api_version.empty()) return refuse(file, document.at, "apiVersion", "Required value");
    if (kind == "List" && api_version == "v1") {
      const Value* const items = document.find("items");
      for (const Value& item : items && items->is_list() ? items->as_list() : Value::List{}) one(file, item);
      return;
    }
    const std::size_t before = causes.size();
    decode(file, document, api_version, kind);
    const std::string hint = causes.size() > before ? api::hint_for(document) : "";
    if (!hint.empty()) causes.push_back({place(file, document.at), "", "hint: " + hint, document.at});
  }

  void decode(const std::string& file, const Value& document, const std::string& api_version, const std::string& kind_name) {
    const auto slash = api_version.find('/');
    const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    const std::string version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    const auto kind = registry_.find_kind(group, kind_name);
    const api::ServedVersion* const served = kind ? kind->version(version) : nullptr;
    if (!served) {
      const Value* const where = document.find("kind");
      std::string message = fmt::format("no matches for kind \"{}\" in version \"{}\"", kind_name, api_version);
      if (kind) message += fmt::format("; served: {}", versions_of(*kind));
      return refuse(file, where->at, "kind", message);
    }
    std::vector<StrictProblem> problems;
    auto object = decode_object(document, *served->type, &problems);
    if (!object) {
      const Cause* const cause = object.error().causes.empty() ? nullptr : &object.error().causes.front();
      return refuse(file, cause ? cause->at : document.at, "", object.error().message);
    }
    for (const StrictProblem& problem : problems) refuse(file, problem.at, "", problem.text);
    if (!problems.empty()) return;
    auto stored = served->to_stored ? served->to_stored(**object) : *object;
    manifests.push_back({file, document.at, kind, std::move(stored), api::hint_for(document)});
  }

  static std::string text_of(const Value& document, std::string_view key) {
    const Value* const value = document.find(key);
    return value && value->is_string() ? value->as_string() : "";
  }

  static std::string versions_of(const api::Kind& kind) {
    std::vector<std::string> names;
    for (const api::ServedVersion& version : kind.versions) {
      names.push_back(kind.group.empty() ? version.version : kind.group + "/" + version.version);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const api::Registry& registry_;
};

}  // namespace

std::string place(const std::string& file, Position at) {
  return at.line ? fmt::format("{}:{}:{}: ", file, at.line, at.column) : file + ": ";
}

std::string render(const Error& error) {
  if (error.causes.empty()) return error.message;
  std::string text;
  for (const Cause& cause : error.causes) {
    if (!text.empty()) text += '\n';
    text += cause.field;
    if (!cause.field.empty() && !cause.field.ends_with(' ')) text += ": ";
    text += cause.message;
  }
  return text;
}

Result<std::vector<Manifest>> load_manifests(const api::Registry& registry, std::span<const std::string> paths) {
  Loader loader(registry);
  for (const std::string& path : paths) {
    for (const std::string& file : files_of(path, loader.causes)) loader.read(file);
  }
  if (loader.causes.empty()) return std::move(loader.manifests);
  Error error;
  error.code = Code::kInvalid;
  error.message = "the manifests are invalid";
  error.causes = std::move(loader.causes);
  return std::unexpected(std::move(error));
}

}  // namespace dray::cli
