/// What makes a store's writes durable: a sink of writes, and what it held when it was opened.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "machinery/object.h"

namespace dray::store {

/// One write, as the journal keeps it: the newest state of a key. `object` is null for a removal.
struct JournalEntry {
  std::string resource;  // Kind::storage()
  std::string key;       // "namespace/name", or "name"
  ObjectPtr object;
  std::uint64_t revision = 0;
};

/// Confined to the control plane's executor; what happens behind it is its own.
class Journal {
 public:
  virtual ~Journal() = default;
  /// How the journal tells what became of writes; both run on the executor.
  struct Callbacks {
    std::function<void(std::uint64_t revision)> durable;  // all writes up to it
    std::function<void(const Error&)> failed;             // what was appended is tried again later
  };
  virtual void start(Callbacks callbacks) = 0;
  /// In the order of revisions. Never blocks.
  virtual void append(JournalEntry entry) = 0;
};

/// A row whose kind is not known (yet): a custom resource before its definition.
struct RawRow {
  std::string key;
  std::uint64_t revision = 0;
  std::string json;
};

/// What a journal held.
struct Recovered {
  std::uint64_t revision = 0;
  std::vector<JournalEntry> objects;  // ordered by (resource, key)
  struct Unknown {
    std::string resource;
    std::vector<RawRow> rows;
  };
  std::vector<Unknown> unknown;
};

}  // namespace dray::store
