#include "cel/lib_regex.h"

#include <re2/re2.h>

#include "cel/regex.h"
#include "cel/source.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

re2::StringPiece piece(std::string_view s) { return {s.data(), s.size()}; }

/// Finds the leftmost match at or after `from`. False if there is none.
bool find_from(const re2::RE2& regex, std::string_view text, std::size_t from,
               re2::StringPiece& match) {
  return regex.Match(piece(text), from, text.size(), re2::RE2::UNANCHORED, &match, 1);
}

Val find_with(Eval&, Args a, const re2::RE2& regex) {
  if (a.size() != 2) return no_such_overload();
  if (!a[0].is(ValKind::kString)) return maybe_no_such_overload(a[0]);
  re2::StringPiece match;
  if (!find_from(regex, a[0].text(), 0, match)) return Val::of_string("");
  return Val::of_string({match.data() == nullptr ? "" : match.data(), match.size()});
}

/// As Go's FindAllString: empty matches right after another match don't count.
Val find_all_with(Eval& eval, Args a, const re2::RE2& regex) {
  if (!a[0].is(ValKind::kString)) return maybe_no_such_overload(a[0]);
  std::int64_t limit = -1;
  if (a.size() == 3) {
    if (!a[2].is(ValKind::kInt)) return maybe_no_such_overload(a[2]);
    limit = a[2].integer;
  }
  const std::string_view text = a[0].text();
  std::vector<Val> found;
  std::size_t at = 0, previous_end = std::string_view::npos;
  while (at <= text.size() && (limit < 0 || found.size() < static_cast<std::size_t>(limit))) {
    re2::StringPiece match;
    if (!find_from(regex, text, at, match)) break;
    const auto start = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = start + match.size();
    eval.work(1);
    const bool empty_here = end == at;
    if (!empty_here || start != previous_end)
      found.push_back(Val::of_string(text.substr(start, match.size())));
    previous_end = end;
    if (!empty_here) {
      at = end;
    } else if (at < text.size()) {
      next_rune(text, at);
    } else {
      ++at;
    }
  }
  return eval.list_of(found);
}

Val matches_with(Eval&, Args a, const re2::RE2& regex) {
  if (!a[0].is(ValKind::kString)) return no_such_overload();
  return Val::of(re2::RE2::PartialMatch(piece(a[0].text()), regex));
}

template <Val (*With)(Eval&, Args, const re2::RE2&)>
Val compiled(Eval& eval, Args a) {
  if (!a[0].is(ValKind::kString)) return maybe_no_such_overload(a[0]);
  if (!a[1].is(ValKind::kString)) return maybe_no_such_overload(a[1]);
  std::string error;
  const auto regex = compile_regex(a[1].text(), error);
  if (regex == nullptr) return eval.fail("Illegal regex: " + error);
  return With(eval, a, *regex);
}

}  // namespace

Val matches(Eval& eval, Args a) {
  if (!a[1].is(ValKind::kString)) return maybe_no_such_overload(a[1]);
  std::string error;
  const auto regex = compile_regex(a[1].text(), error);
  if (regex == nullptr) return eval.fail(error);
  return matches_with(eval, a, *regex);
}

PatternFn pattern_function(std::string_view function) {
  if (function == "matches") return matches_with;
  if (function == "find") return find_with;
  if (function == "findAll") return find_all_with;
  return nullptr;
}

void add_regex(Environment& env) {
  const TypeRef text = &types::kString, texts = env.pool.list(text);
  env.declare("find").member("string_find_string", {text, text}, text, compiled<find_with>);
  env.declare("findAll")
      .member("string_find_all_string", {text, text}, texts, compiled<find_all_with>)
      .member("string_find_all_string_int", {text, text, &types::kInt}, texts,
              compiled<find_all_with>);
}

}  // namespace dray::cel
