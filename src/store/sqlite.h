/// SQLite as values: errors are Results, statements are finalised. Private to the store.
/// Thread: a connection and its statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dray::store::sqlite {

class Statement {
 public:
  Statement() = default;
  /// Texts must stay alive until the statement was run.
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::int64_t number);
  /// Runs a statement without rows to its end, and resets it.
  [[nodiscard]] Result<> run();
  /// The next row; false at the end (and the statement is reset).
  [[nodiscard]] Result<bool> step();
  /// Of the current row; valid until the next step.
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string path_;
};

class Connection {
 public:
  /// Makes the file if it is not there. Error kInternal: names the file and what SQLite says.
  [[nodiscard]] static Result<Connection> open(const std::string& path);
  [[nodiscard]] Result<> run(const char* sql);
  [[nodiscard]] Result<Statement> prepare(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> connection_;
  std::string path_;
};

}  // namespace dray::store::sqlite
