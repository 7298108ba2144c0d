#include "machinery/validate.h"

#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "machinery/base64.h"
#include "machinery/codec.h"
#include "machinery/meta_v1.h"
#include "machinery/metadata_validation.h"
#include "machinery/quantity.h"

namespace dray {
namespace {

std::vector<Value> lines_of(const std::string& file) {
  std::ifstream in(std::string(DRAY_TEST_DATA "/machinery/") + file);
  std::vector<Value> out;
  for (std::string line; std::getline(in, line);) out.push_back(*parse_json(line));
  return out;
}

std::vector<std::string> strings_of(const Value& list) {
  std::vector<std::string> out;
  for (const Value& each : list.as_list()) out.push_back(each.as_string());
  return out;
}

TEST(Formats, AnswerAsKubernetesDoes) {
  using Check = Problems (*)(std::string_view);
  const std::map<std::string, Check> checks = {
      {"dns1123_label", check_dns1123_label},
      {"dns1123_subdomain", check_dns1123_subdomain},
      {"dns1123_subdomain_with_underscore", check_dns1123_subdomain_with_underscore},
      {"wildcard_dns1123_subdomain", check_wildcard_dns1123_subdomain},
      {"dns1035_label", check_dns1035_label},
      {"qualified_name", check_qualified_name},
      {"label_value", check_label_value},
      {"c_identifier", check_c_identifier},
      {"env_var_name", check_env_var_name},
      {"relaxed_env_var_name", check_relaxed_env_var_name},
      {"config_map_key", check_config_map_key},
      {"http_header_name", check_http_header_name},
      {"port_name", check_port_name},
      {"percent", check_percent},
      {"condition_reason", check_condition_reason},
      {"path_segment_name", [](std::string_view value) { return check_path_segment_name(value); }},
      {"short_name", check_short_name},
      {"long_name", check_long_name},
      {"ip", check_ip},
      {"legacy_ip", check_legacy_ip},
      {"cidr", check_cidr},
      {"interface_address", check_interface_address},
      {"name_prefix", [](std::string_view value) { return check_name_is_subdomain(value, true); }},
      {"uuid", check_uuid},
  };
  int seen = 0;
  for (const Value& line : lines_of("formats.jsonl")) {
    SCOPED_TRACE(print_json(line));
    if (const Value* quote = line.find("quote")) {
      EXPECT_EQ(go_quoted(*base64_decode(quote->as_string())), line.find("quoted")->as_string());
      continue;
    }
    const Check check = checks.at(line.find("check")->as_string());
    EXPECT_EQ(check(line.find("value")->as_string()), strings_of(*line.find("problems")));
    ++seen;
  }
  EXPECT_GT(seen, 2000);
}

TEST(Metadata, AnswersAsKubernetesDoes) {
  for (const Value& line : lines_of("metadata.jsonl")) {
    SCOPED_TRACE(print_json(line).substr(0, 2000));
    const auto fresh = decode_as<meta::ObjectMeta>(*line.find("fresh"));
    ASSERT_TRUE(fresh.has_value()) << fresh.error().message;
    Causes causes;
    const FieldPath at("metadata");
    if (const Value* old = line.find("old")) {
      validate_metadata_update(*fresh, *decode_as<meta::ObjectMeta>(*old), at, causes);
    } else {
      validate_metadata(*fresh, line.find("namespaced")->as_bool(), check_name_is_subdomain, at, causes);
    }
    std::vector<std::string> got;
    for (const Cause& cause : causes.list()) {
      got.push_back(cause.reason + " " + cause.field + ": " + cause.message);
    }
    auto want = strings_of(*line.find("errors"));
    // Kubernetes walks maps in any order.
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    EXPECT_EQ(got, want);
  }
}

TEST(FieldPath, RendersNamesIndicesAndKeys) {
  const FieldPath spec("spec");
  const FieldPath containers = spec / "template" / "spec" / "containers";
  const std::string name = "limits";
  EXPECT_EQ((containers / 3 / "resources" / name)["nvidia.com/gpu"].str(),
            "spec.template.spec.containers[3].resources.limits[nvidia.com/gpu]");
  EXPECT_EQ((FieldPath() / "a" / std::size_t{0}).str(), "a[0]");
  EXPECT_EQ(FieldPath().str(), "");
  EXPECT_EQ(spec.str(), "spec");
}

TEST(Causes, HaveKubernetesTexts) {
  Causes out;
  const FieldPath at("f");
  out.required(at);
  out.required(at, "why");
  out.invalid(at, "a\"b", "bad");
  out.invalid(at, -1, "bad");
  out.invalid(at, true, "bad");
  out.invalid(at, Quantity::must_parse("1500m"), "bad");
  out.invalid(at, BadValue::omitted(), "bad");
  out.invalid(at, std::optional<int>(), "bad");
  out.not_supported(at, "x", {"a", "b"});
  out.not_supported(at, "x", {});
  out.duplicate(at, "x");
  out.not_found(at, "x");
  out.forbidden(at, "no");
  out.too_long(at, 1);
  out.too_long(at, 63);
  out.too_long_characters(at, 5);
  out.too_short(at, 1);
  out.too_many(at, 3, 1);
  out.too_few(at, 0, 2);
  out.internal(at, "oops");
  out.type_invalid(at, Value(Value::Map{{"a", 1}}), "must be x");
  std::vector<std::string> got;
  for (const Cause& cause : out.list()) got.push_back(cause.reason + "|" + cause.message);
  EXPECT_EQ(got, (std::vector<std::string>{
                     "FieldValueRequired|Required value",
                     "FieldValueRequired|Required value: why",
                     "FieldValueInvalid|Invalid value: \"a\\\"b\": bad",
                     "FieldValueInvalid|Invalid value: -1: bad",
                     "FieldValueInvalid|Invalid value: true: bad",
                     "FieldValueInvalid|Invalid value: \"1500m\": bad",
                     "FieldValueInvalid|Invalid value: bad",
                     "FieldValueInvalid|Invalid value: null: bad",
                     "FieldValueNotSupported|Unsupported value: \"x\": supported values: \"a\", \"b\"",
                     "FieldValueNotSupported|Unsupported value: \"x\"",
                     "FieldValueDuplicate|Duplicate value: \"x\"",
                     "FieldValueNotFound|Not found: \"x\"",
                     "FieldValueForbidden|Forbidden: no",
                     "FieldValueTooLong|Too long: may not be more than 1 byte",
                     "FieldValueTooLong|Too long: may not be more than 63 bytes",
                     "FieldValueTooLong|Too long: may not be more than 5 characters",
                     "FieldValueTooShort|Too short: must be at least 1 character",
                     "FieldValueTooMany|Too many: 3: must have at most 1 item",
                     "FieldValueTooFew|Too few: 0: must have at least 2 items",
                     "InternalError|Internal error: oops",
                     "FieldValueTypeInvalid|Invalid value: {\"a\":1}: must be x",
                 }));
}

TEST(InvalidError, JoinsTheCauses) {
  Causes one;
  one.required(FieldPath("spec") / "x");
  one.required(FieldPath("spec") / "x");
  const Error single = invalid_error("", "Pod", "a", one);
  EXPECT_EQ(single.code, Code::kInvalid);
  EXPECT_EQ(single.message, "Pod \"a\" is invalid: spec.x: Required value");
  EXPECT_EQ(single.causes.size(), 2u);
  one.forbidden(FieldPath("spec"), "no");
  const Error two = invalid_error("apps", "Deployment", "a", one);
  EXPECT_EQ(two.message, "Deployment.apps \"a\" is invalid: [spec.x: Required value, spec: Forbidden: no]");
  EXPECT_EQ(two.group, "apps");
  EXPECT_EQ(two.kind, "Deployment");
  EXPECT_EQ(two.name, "a");
  EXPECT_EQ(invalid_error("", "Pod", "", {}).message, "Pod \"\" is invalid");
}

}  // namespace
}  // namespace dray
