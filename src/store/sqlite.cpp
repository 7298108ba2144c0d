#include "store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace dray::store::sqlite {
namespace {

std::unexpected<Error> failure(sqlite3* connection, int code, const std::string& path) {
  const char* const what = connection ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
  std::string hint;
  switch (code & 0xff) {
    case SQLITE_FULL: hint = "; free some space on that disk"; break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: hint = "; the directory and its files must be writable"; break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: hint = "; restore a snapshot, or move the file away to start empty"; break;
    default: break;
  }
  return fail(Code::kInternal, fmt::format("{}: {}{}", path, what, hint));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Connection::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Statement& Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int index, std::int64_t number) {
  sqlite3_bind_int64(statement_.get(), index, number);
  return *this;
}

Result<> Statement::run() {
  TRY_ASSIGN(const bool row, step());
  if (row) sqlite3_reset(statement_.get());
  return {};
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3* const connection = sqlite3_db_handle(statement_.get());
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  auto error = failure(connection, code, path_);
  sqlite3_reset(statement_.get());
  return error;
}

std::string_view Statement::text(int column) const {
  const auto* const data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return {data ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

Result<Connection> Connection::open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Connection out;
  out.connection_.reset(raw);
  out.path_ = path;
  if (code != SQLITE_OK) return failure(raw, code, path);
  sqlite3_extended_result_codes(raw, 1);
  return out;
}

Result<> Connection::run(const char* sql) {
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(connection_.get(), code, path_);
  return {};
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (code != SQLITE_OK) return failure(connection_.get(), code, path_);
  Statement out;
  out.statement_.reset(raw);
  out.path_ = path_;
  return out;
}

}  // namespace dray::store::sqlite
