#include "store/memory_store.h"

#include <charconv>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/check.h"
#include "machinery/codec.h"
#include "store/errors.h"
#include "store/rows.h"
#include "store/watch_hub.h"

namespace dray::store {
namespace {

std::string key_of(const api::Kind& kind, std::string_view namespace_, std::string_view name) {
  if (!kind.namespaced) return std::string(name);
  std::string key;
  key.reserve(namespace_.size() + name.size() + 1);
  return key.append(namespace_).append("/").append(name);
}

struct Stored {
  ObjectPtr object;
  Revision revision;
};

/// The objects of one kind, and of those that share its storage.
struct Shelf {
  std::string resource;
  std::map<std::string, Stored, std::less<>> objects;
  WatchHub::Topic* topic = nullptr;
};

/// Which shelf a kind has. Found by address; the names tell whether it is still that kind.
struct ShelfOf {
  std::string group, plural;
  Shelf* shelf = nullptr;
};

struct Waiting {
  Task task;
  std::function<void(const Error&)> failed;
};

}  // namespace

struct MemoryStore::Impl : std::enable_shared_from_this<MemoryStore::Impl> {
  Executor& executor;
  std::unique_ptr<Journal> journal;
  Revision revision = 0;
  Revision durable = 0;
  std::optional<Error> journal_error;
  std::shared_ptr<WatchHub> hub;
  std::map<std::string, std::unique_ptr<Shelf>, std::less<>> shelves;
  std::unordered_map<const api::Kind*, ShelfOf> shelf_of_kind;
  std::map<std::string, std::vector<RawRow>, std::less<>> unknown;
  std::multimap<Revision, Waiting> waiting;

  Impl(Executor& e, StoreOptions options, std::unique_ptr<Journal> j, Revision start)
      : executor(e),
        journal(std::move(j)),
        revision(start),
        durable(start),
        hub(std::make_shared<WatchHub>(e, options.history_max, start)) {}

  Shelf& shelf_named(const std::string& resource) {
    auto& slot = shelves[resource];
    if (!slot) {
      slot = std::make_unique<Shelf>();
      slot->resource = resource;
      slot->topic = hub->new_topic();
    }
    return *slot;
  }

  Shelf& shelf(const api::Kind& kind) {
    ShelfOf& known = shelf_of_kind[&kind];
    if (!known.shelf || known.plural != kind.plural || known.group != kind.group) {
      known = {kind.group, kind.plural, &shelf_named(kind.storage())};
      adopt(kind, *known.shelf);
    }
    return *known.shelf;
  }

  /// Rows that were read before their kind was known.
  void adopt(const api::Kind& kind, Shelf& shelf) {
    const auto rows = unknown.find(shelf.resource);
    if (rows == unknown.end()) return;
    for (const RawRow& row : rows->second) {
      Result<ObjectPtr> object = decode_row(kind, row.json, row.revision);
      if (object) {
        shelf.objects.emplace(row.key, Stored{std::move(*object), row.revision});
      } else {
        spdlog::error("the stored {} {} cannot be read and is left aside: {}", shelf.resource, row.key,
                      object.error().message);
      }
    }
    unknown.erase(rows);
  }

  Result<> writable() const {
    if (journal_error) return fail(*journal_error);
    return {};
  }

  ObjectPtr commit(Shelf& shelf, std::string key, EventType type, std::shared_ptr<Object> object,
                   ObjectPtr old) {
    object->metadata.resource_version = std::to_string(++revision);
    ObjectPtr done = std::move(object);
    if (journal) {
      journal->append({shelf.resource, key, type == EventType::kDeleted ? nullptr : done, revision});
    } else {
      durable = revision;
    }
    if (type == EventType::kDeleted) {
      shelf.objects.erase(key);
    } else {
      shelf.objects.insert_or_assign(std::move(key), Stored{done, revision});
    }
    hub->publish(*shelf.topic, std::make_shared<Event>(Event{type, revision, done, std::move(old)}));
    return done;
  }

  void on_durable(Revision up_to) {
    durable = up_to;
    journal_error.reset();
    while (!waiting.empty() && waiting.begin()->first <= up_to) {
      const Waiting next = std::move(waiting.extract(waiting.begin()).mapped());
      next.task();
    }
  }

  void on_failed(const Error& error) {
    journal_error = error;
    for (auto& [revision_, waiting_] : std::exchange(waiting, {})) {
      if (waiting_.failed) waiting_.failed(error);
    }
  }
};

MemoryStore::MemoryStore(Executor& executor, StoreOptions options)
    : MemoryStore(executor, options, nullptr, {}) {}

MemoryStore::MemoryStore(Executor& executor, StoreOptions options, std::unique_ptr<Journal> journal,
                         Recovered recovered)
    : impl_(std::make_shared<Impl>(executor, options, std::move(journal), recovered.revision)) {
  for (JournalEntry& entry : recovered.objects) {
    auto& objects = impl_->shelf_named(entry.resource).objects;
    objects.emplace_hint(objects.end(), std::move(entry.key), Stored{std::move(entry.object), entry.revision});
  }
  for (auto& [resource, rows] : recovered.unknown) impl_->unknown[resource] = std::move(rows);
  if (!impl_->journal) return;
  const std::weak_ptr<Impl> weak = impl_;
  impl_->journal->start({
      [weak](Revision revision) {
        if (const auto impl = weak.lock()) impl->on_durable(revision);
      },
      [weak](const Error& error) {
        if (const auto impl = weak.lock()) impl->on_failed(error);
      },
  });
}

MemoryStore::~MemoryStore() = default;

Revision MemoryStore::revision() const { return impl_->revision; }
Revision MemoryStore::durable_revision() const { return impl_->durable; }

ObjectPtr MemoryStore::get(const api::Kind& kind, std::string_view namespace_, std::string_view name) const {
  const auto& objects = impl_->shelf(kind).objects;
  const auto found = objects.find(key_of(kind, namespace_, name));
  return found == objects.end() ? nullptr : found->second.object;
}

Listing MemoryStore::list(const api::Kind& kind, std::string_view namespace_, std::string_view after,
                          std::size_t limit) const {
  const auto& objects = impl_->shelf(kind).objects;
  const std::string prefix = kind.namespaced && !namespace_.empty() ? std::string(namespace_) + "/" : "";
  auto it = after.empty() || after < prefix ? objects.lower_bound(prefix) : objects.upper_bound(after);
  Listing out;
  out.revision = impl_->revision;
  if (prefix.empty() && after.empty() && limit == 0) out.items.reserve(objects.size());
  for (; it != objects.end() && it->first.starts_with(prefix); ++it) {
    if (limit != 0 && out.items.size() == limit) break;
    out.items.push_back(it->second.object);
  }
  return out;
}

std::size_t MemoryStore::count(const api::Kind& kind) const { return impl_->shelf(kind).objects.size(); }

Result<ObjectPtr> MemoryStore::create(const api::Kind& kind, std::shared_ptr<Object> object) {
  TRY(impl_->writable());
  Shelf& shelf = impl_->shelf(kind);
  std::string key = key_of(kind, object->namespace_(), object->name());
  if (shelf.objects.contains(key)) return fail(already_exists(kind, object->name()));
  return impl_->commit(shelf, std::move(key), EventType::kAdded, std::move(object), nullptr);
}

Result<ObjectPtr> MemoryStore::update(const api::Kind& kind, std::shared_ptr<Object> object,
                                      Revision expected) {
  TRY(impl_->writable());
  Shelf& shelf = impl_->shelf(kind);
  std::string key = key_of(kind, object->namespace_(), object->name());
  const auto found = shelf.objects.find(key);
  if (found == shelf.objects.end()) return fail(not_found(kind, object->name()));
  if (expected != 0 && expected != found->second.revision) return fail(modified(kind, object->name()));
  return impl_->commit(shelf, std::move(key), EventType::kModified, std::move(object), found->second.object);
}

Result<ObjectPtr> MemoryStore::remove(const api::Kind& kind, std::string_view namespace_,
                                      std::string_view name, Revision expected) {
  TRY(impl_->writable());
  Shelf& shelf = impl_->shelf(kind);
  std::string key = key_of(kind, namespace_, name);
  const auto found = shelf.objects.find(key);
  if (found == shelf.objects.end()) return fail(not_found(kind, name));
  if (expected != 0 && expected != found->second.revision) return fail(modified(kind, name));
  const ObjectPtr old = found->second.object;
  return impl_->commit(shelf, std::move(key), EventType::kDeleted, mutable_copy(*old), old);
}

Result<std::unique_ptr<Watch>> MemoryStore::watch(const api::Kind& kind, Revision from,
                                                  std::function<void(const EventPtr&)> on_event) {
  return impl_->hub->watch(*impl_->shelf(kind).topic, from, impl_->revision, std::move(on_event));
}

void MemoryStore::when_durable(Revision revision, Task task, std::function<void(const Error&)> failed) {
  if (revision <= impl_->durable) return task();
  if (impl_->journal_error) {
    if (failed) failed(*impl_->journal_error);
    return;
  }
  impl_->waiting.emplace(revision, Waiting{std::move(task), std::move(failed)});
}

}  // namespace dray::store
