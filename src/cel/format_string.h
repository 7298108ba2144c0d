/// "%s and %d".format([...]): the clauses, and their checks before anything runs.
/// Source: cel-go ext/formatting.go (Kubernetes' version), ext/formatting_v2.go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cel/eval.h"

namespace dray::cel {

struct FormatClause {
  char verb = 's';
  std::optional<int> precision;
  std::size_t index = 0;  // of the argument
};

/// Walks over the clauses of `format`; `put` appends what one of them gives, or says why it can't.
/// False and the text of the error.
bool walk_format(std::string_view format, std::size_t arg_count,
                 const std::function<bool(const FormatClause&, std::string& out, std::string& error)>& put,
                 std::string& out, std::string& error);

/// With `newest`, as the public suite has it; else as Kubernetes' environment, which writes numbers
/// for people ("1,234.500", "1.052033×10⁰³").
bool format_string(Eval& eval, std::string_view format, const ListObj& args, bool newest,
                   std::string& out, std::string& error);

/// Why a value of a type can't be written with a verb, or empty. `type` is its name at run time.
[[nodiscard]] std::string refuse_clause(char verb, std::string_view type);

}  // namespace dray::cel
