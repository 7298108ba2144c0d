/// Manifest files and folders, read as strictly as `kubectl apply` reads them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/kind.h"
#include "base/error.h"
#include "machinery/object.h"

namespace dray::cli {

struct Manifest {
  std::string file;
  Position at;                      // of the document
  std::shared_ptr<const api::Kind> kind;
  std::shared_ptr<Object> object;   // of the stored version, without defaults
  std::string hint;                 // what a guide got wrong, where we know it
};

/// Everything in `paths` (files; folders: their *.yaml, *.yml and *.json, sorted by name), in order.
/// Error kInvalid with a cause per problem: `field` is "FILE:LINE:COLUMN: path", all files are read before it is given.
[[nodiscard]] Result<std::vector<Manifest>> load_manifests(const api::Registry& registry,
                                                           std::span<const std::string> paths);

/// "deployment.yaml:12:9: " for messages about a place in a file.
[[nodiscard]] std::string place(const std::string& file, Position at);

/// One line per cause, or the message where there is none.
[[nodiscard]] std::string render(const Error& error);

}  // namespace dray::cli
