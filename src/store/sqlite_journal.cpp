#include "store/sqlite_journal.h"

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "machinery/codec.h"
#include "store/directory_lock.h"
#include "store/rows.h"
#include "store/sqlite.h"

namespace dray::store {
namespace {

constexpr std::int64_t kFormat = 1;
/// A disk that is full is tried again this often.
constexpr std::chrono::milliseconds kRetry{500};

// FULL: a commit is on the disk before it is reported. EXCLUSIVE: no shared memory beside the file.
// 4,000 pages of log are some 16 MiB between checkpoints.
constexpr const char* kSetUp =
    "PRAGMA auto_vacuum=INCREMENTAL;"
    "PRAGMA locking_mode=EXCLUSIVE;"
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA wal_autocheckpoint=4000;"
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA cache_size=-16000;"
    "CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS objects(resource TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL,"
    " object TEXT NOT NULL, PRIMARY KEY(resource, key));";

Result<std::int64_t> meta(sqlite::Connection& db, std::string_view name, std::int64_t fallback) {
  TRY_ASSIGN(auto query, db.prepare("SELECT value FROM meta WHERE name=?1"));
  query.bind(1, name);
  TRY_ASSIGN(const bool found, query.step());
  return found ? query.number(0) : fallback;
}

Result<> read_rows(sqlite::Connection& db, const api::Registry& registry, Recovered& out) {
  TRY_ASSIGN(auto query, db.prepare("SELECT resource,key,revision,object FROM objects ORDER BY resource,key"));
  std::shared_ptr<const api::Kind> kind;
  std::string resource;
  bool unknown = false;
  for (;;) {
    TRY_ASSIGN(const bool row, query.step());
    if (!row) return {};
    if (query.text(0) != resource) {
      resource = query.text(0);
      const std::size_t dot = resource.find('.');
      kind = registry.find(dot == std::string::npos ? "" : resource.substr(dot + 1), resource.substr(0, dot));
      unknown = kind == nullptr;
      if (unknown) out.unknown.push_back({resource, {}});
    }
    std::string key(query.text(1));
    const auto revision = static_cast<std::uint64_t>(query.number(2));
    if (unknown) {
      out.unknown.back().rows.push_back({std::move(key), revision, std::string(query.text(3))});
      continue;
    }
    Result<ObjectPtr> object = decode_row(*kind, query.text(3), revision);
    if (!object) {
      return fail(Code::kInternal, fmt::format("the stored {} {} cannot be read: {}", resource, key,
                                               object.error().message));
    }
    out.objects.push_back({resource, std::move(key), std::move(*object), revision});
  }
}

Result<Recovered> recover(sqlite::Connection& db, const std::string& path, const api::Registry& registry) {
  TRY_ASSIGN(const std::int64_t format, meta(db, "format", kFormat));
  if (format != kFormat) {
    return fail(Code::kInternal, fmt::format("{}: written in format {}, this program knows format {}", path,
                                             format, kFormat));
  }
  Recovered out;
  TRY_ASSIGN(const std::int64_t revision, meta(db, "revision", 0));
  out.revision = static_cast<std::uint64_t>(revision);
  TRY(read_rows(db, registry, out));
  return out;
}

/// The statements of a commit. Confined to the journal's thread.
struct Writer {
  sqlite::Connection db;
  sqlite::Statement begin, commit, rollback, put, erase, set_meta, vacuum;
  std::string json;  // reused

  Result<> prepare() {
    TRY_ASSIGN(begin, db.prepare("BEGIN IMMEDIATE"));
    TRY_ASSIGN(commit, db.prepare("COMMIT"));
    TRY_ASSIGN(rollback, db.prepare("ROLLBACK"));
    TRY_ASSIGN(put, db.prepare("INSERT INTO objects(resource,key,revision,object) VALUES(?1,?2,?3,?4) "
                               "ON CONFLICT(resource,key) DO UPDATE SET revision=?3,object=?4"));
    TRY_ASSIGN(erase, db.prepare("DELETE FROM objects WHERE resource=?1 AND key=?2"));
    TRY_ASSIGN(set_meta, db.prepare("INSERT INTO meta(name,value) VALUES(?1,?2) "
                                    "ON CONFLICT(name) DO UPDATE SET value=?2"));
    TRY_ASSIGN(vacuum, db.prepare("PRAGMA incremental_vacuum(64)"));
    return set_meta.bind(1, "format").bind(2, kFormat).run();
  }

  Result<> write(const JournalEntry& entry) {
    if (!entry.object) return erase.bind(1, entry.resource).bind(2, entry.key).run();
    json.clear();
    encode_json(*entry.object->type, entry.object.get(), json);
    return put.bind(1, entry.resource)
        .bind(2, entry.key)
        .bind(3, static_cast<std::int64_t>(entry.revision))
        .bind(4, json)
        .run();
  }

  Result<> write_all(const std::vector<const JournalEntry*>& entries, std::uint64_t revision) {
    TRY(begin.run());
    Result<> done;
    for (const JournalEntry* entry : entries) {
      done = write(*entry);
      if (!done) break;
    }
    if (done) done = set_meta.bind(1, "revision").bind(2, static_cast<std::int64_t>(revision)).run();
    if (done) done = commit.run();
    if (!done) (void)rollback.run();  // SQLite may have done so itself
    return done;
  }
};

class SqliteJournal final : public Journal {
 public:
  SqliteJournal(Executor& executor, DirectoryLock lock, Writer writer)
      : executor_(executor), lock_(std::move(lock)), writer_(std::move(writer)) {}

  ~SqliteJournal() override {
    {
      std::lock_guard guard(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void start(Callbacks callbacks) override {
    callbacks_ = std::make_shared<Callbacks>(std::move(callbacks));
    thread_ = std::thread([this] { run(); });
  }

  void append(JournalEntry entry) override {
    bool idle;
    {
      std::lock_guard guard(mutex_);
      idle = queue_.empty();
      queue_.push_back(std::move(entry));
    }
    if (idle) changed_.notify_one();
  }

 private:
  /// Takes what came meanwhile behind what could not be written. False: nothing is left, and stop.
  bool take(std::vector<JournalEntry>& batch, bool retrying) {
    std::unique_lock guard(mutex_);
    if (retrying) {
      changed_.wait_for(guard, kRetry, [this] { return stopping_; });
      if (stopping_) return false;
    } else {
      changed_.wait(guard, [this] { return stopping_ || !queue_.empty(); });
    }
    for (JournalEntry& entry : queue_) batch.push_back(std::move(entry));
    queue_.clear();
    return !batch.empty();
  }

  void run() {
    std::vector<JournalEntry> batch;
    bool failing = false;
    while (take(batch, failing)) {
      const std::uint64_t revision = batch.back().revision;
      const Result<> done = writer_.write_all(newest(batch), revision);
      if (done) {
        if (std::exchange(failing, false)) spdlog::info("the journal can be written again");
        batch.clear();
        executor_.post([callbacks = callbacks_, revision] { callbacks->durable(revision); });
      } else if (!std::exchange(failing, true)) {
        report(done.error());
      }
    }
    if (failing) spdlog::error("{} writes that were never acknowledged are lost", batch.size());
  }

  void report(const Error& cause) {
    Error error{Code::kUnavailable,
                fmt::format("writes are refused until the journal can be written: {}", cause.message),
                {}, {}, {}, {}, {}, 1};
    spdlog::error("{}", error.message);
    executor_.post([callbacks = callbacks_, error = std::move(error)] { callbacks->failed(error); });
  }

  /// Only the last write of a key matters to the disk.
  static std::vector<const JournalEntry*> newest(const std::vector<JournalEntry>& batch) {
    std::vector<const JournalEntry*> out;
    out.reserve(batch.size());
    std::unordered_set<std::string> seen;
    std::string name;
    for (auto entry = batch.rbegin(); entry != batch.rend(); ++entry) {
      name.assign(entry->resource).append("/").append(entry->key);
      if (seen.insert(name).second) out.push_back(&*entry);
    }
    return out;
  }

  Executor& executor_;
  DirectoryLock lock_;
  Writer writer_;  // confined to thread_ once it runs
  std::shared_ptr<Callbacks> callbacks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<JournalEntry> queue_;  // guarded by mutex_
  bool stopping_ = false;            // guarded by mutex_
  std::thread thread_;
};

Result<> make_directory(const std::string& directory) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory, error);
  // Secrets lie in it.
  if (made) std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  if (error) return fail(Code::kInternal, fmt::format("data directory {}: {}", directory, error.message()));
  return {};
}

}  // namespace

Result<OpenedJournal> open_sqlite_journal(Executor& executor, const api::Registry& registry,
                                          const std::string& directory) {
  TRY(make_directory(directory));
  TRY_ASSIGN(DirectoryLock lock, DirectoryLock::take(directory));
  const std::string path = directory + "/dray.db";
  Writer writer;
  TRY_ASSIGN(writer.db, sqlite::Connection::open(path));
  TRY(writer.db.run(kSetUp));
  TRY_ASSIGN(Recovered recovered, recover(writer.db, path, registry));
  TRY(writer.prepare());
  auto journal = std::make_unique<SqliteJournal>(executor, std::move(lock), std::move(writer));
  return OpenedJournal{std::move(journal), std::move(recovered)};
}

}  // namespace dray::store
