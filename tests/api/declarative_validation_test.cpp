#include "api/declarative_validation.h"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "api/declarative_rules.h"
#include "api/feature_gates.h"
#include "api/resource_v1.h"
#include "api/scheduling_v1beta1.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

using resource::ResourceClaim;
using resource::ResourceSlice;
using scheduling_v1beta1::PodGroup;
using scheduling_v1beta1::Workload;

template <class T>
T read(std::string_view yaml) {
  const auto documents = parse_yaml(yaml);
  EXPECT_TRUE(documents.has_value()) << yaml;
  auto object = decode_as<T>(documents->at(0));
  EXPECT_TRUE(object.has_value()) << yaml;
  return *object;
}

/// "field: message" per line, in the order found.
std::string check(const Object& fresh, const Object* old = nullptr, std::string_view gate = "") {
  FeatureGates gates;
  if (!gate.empty()) gates.set(gate, true);
  const std::function<ObjectPtr(const StructDescriptor&, std::string_view, std::string_view)> find;
  Causes causes;
  validate_declaratively(fresh, old, HookContext{gates, {}, find}, causes);
  std::string out;
  for (const Cause& cause : causes.list()) out += cause.field + ": " + cause.message + "\n";
  return out;
}

TEST(Declarative, RequiredAndFormat) {
  const auto slice = read<ResourceSlice>(
      "spec: {sharedCounters: [{name: a}, {name: B_, counters: {ok: {value: 1}, Bad: {value: 1}}}]}");
  EXPECT_EQ(check(slice),
            "spec.sharedCounters[0].counters: Required value\n"
            "spec.sharedCounters[1].name: Invalid value: \"B_\": a lowercase RFC 1123 label must consist of "
            "lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
            "character (e.g. 'my-name',  or '123-abc', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
            "spec.sharedCounters[1].counters: Invalid value: \"Bad\": a lowercase RFC 1123 label must consist "
            "of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
            "character (e.g. 'my-name',  or '123-abc', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n");
}

TEST(Declarative, UnionsCountTheirMembers) {
  const auto slice = read<ResourceSlice>(
      "spec: {devices: [{name: a, attributes: {none: {}, two: {int: 1, string: x}, one: {bool: false}}}]}");
  EXPECT_EQ(check(slice),
            "spec.devices[0].attributes[none]: Invalid value: \"\": must specify one of: `int`, `bool`, "
            "`string`, `version`, `ints`, `bools`, `strings`, `versions`\n"
            "spec.devices[0].attributes[two]: Invalid value: \"{int, string}\": must specify exactly one of: "
            "`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`\n");
}

TEST(Declarative, EnumsAndDefaults) {
  const auto claim = read<ResourceClaim>(
      "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, allocationMode: Some, "
      "tolerations: [{key: k, effect: Never}]}}]}}");
  EXPECT_EQ(check(claim),
            "spec.devices.requests[0].exactly.allocationMode: Unsupported value: \"Some\": supported values: "
            "\"All\", \"ExactCount\"\n"
            // Has a default, so it is never absent where this is called.
            "spec.devices.requests[0].exactly.tolerations[0].operator: Required value\n"
            "spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: \"Never\": supported "
            "values: \"NoExecute\", \"NoSchedule\", \"None\"\n");
}

TEST(Declarative, RepeatedItemsShowTheWhole) {
  const auto claim = read<ResourceClaim>(
      "spec: {devices: {requests: [{name: r}, {name: q}, {name: r}], "
      "constraints: [{requests: [r, r], matchAttribute: a.example.com/x}]}}");
  EXPECT_EQ(check(claim),
            "spec.devices.requests[2]: Duplicate value: {\"name\":\"r\"}\n"
            "spec.devices.constraints[0].requests[1]: Duplicate value: \"r\"\n");
}

TEST(Declarative, TooManyItemsEndTheCheckOfAList) {
  ResourceClaim claim;
  for (int i = 0; i < 33; ++i) claim.spec.devices.requests.emplace_back();  // all have the same name, too
  EXPECT_EQ(check(claim), "spec.devices.requests: Too many: 33: must have at most 32 items\n");
}

TEST(Declarative, ImmutableFields) {
  const auto old = read<PodGroup>("spec: {schedulingPolicy: {gang: {minCount: 2}}, priorityClassName: a, "
                                  "disruptionMode: {single: {}}}");
  PodGroup fresh = old;
  EXPECT_EQ(check(fresh, &old), "");
  fresh.spec.scheduling_policy.gang->min_count = 3;
  EXPECT_EQ(check(fresh, &old), "");
  fresh.spec.priority_class_name = "b";
  EXPECT_EQ(check(fresh, &old), "spec.priorityClassName: Invalid value: null: field is immutable\n");
}

TEST(Declarative, VariantsAreFrozen) {
  const auto old = read<PodGroup>("spec: {schedulingPolicy: {gang: {minCount: 2}}, "
                                  "disruptionMode: {single: {}}}");
  const auto fresh =
      read<PodGroup>("spec: {schedulingPolicy: {basic: {}}, disruptionMode: {single: {}}}");
  EXPECT_EQ(check(fresh, &old),
            "spec.schedulingPolicy.basic: Invalid value: null: field is immutable\n"
            "spec.schedulingPolicy.gang: Invalid value: null: field cannot be cleared once set\n");
}

TEST(Declarative, ItemsOfAFrozenListStay) {
  const auto old = read<Workload>(
      "spec: {podGroupTemplates: [{name: a, schedulingPolicy: {basic: {}}}, "
      "{name: b, schedulingPolicy: {basic: {}}}]}");
  const auto fresh = read<Workload>(
      "spec: {podGroupTemplates: [{name: a, schedulingPolicy: {basic: {}}}, "
      "{name: c, schedulingPolicy: {basic: {}}}]}");
  EXPECT_EQ(check(fresh, &old),
            "spec.podGroupTemplates[1]: Forbidden: item may not be added\n"
            "spec.podGroupTemplates: Forbidden: item may not be removed\n");
}

TEST(Declarative, WhatIsUnchangedIsNotCheckedAgain) {
  const auto old = read<ResourceSlice>("spec: {devices: [{name: a, taints: [{key: k, effect: Old}]}]}");
  ResourceSlice fresh = old;
  fresh.metadata.labels["x"] = "y";
  EXPECT_EQ(check(fresh, &old), "");
  EXPECT_NE(check(fresh), "");
}

TEST(Declarative, GatesDecide) {
  const auto slice = read<ResourceSlice>("spec: {partitionTypeAttribute: x}");
  EXPECT_EQ(check(slice), "spec.partitionTypeAttribute: Forbidden\n");
  EXPECT_EQ(check(slice, nullptr, "DRAPartitionableDevicesType"),
            "spec.partitionTypeAttribute: Invalid value: \"x\": a fully qualified name must be a domain and a "
            "name separated by a slash\n");
}

TEST(Declarative, AlphaRulesAreNotEnforced) {
  // +k8s:alpha dependentRequired(workloadRef)
  const auto group = read<PodGroup>("spec: {parentCompositePodGroupName: p, schedulingPolicy: {basic: {}}, "
                                    "disruptionMode: {single: {}}}");
  EXPECT_EQ(check(group, nullptr, "CompositePodGroup"), "");
}

void expect_known(const StructDescriptor& descriptor, std::set<const StructDescriptor*>& seen) {
  if (!seen.insert(&descriptor).second) return;
  const auto check_all = [&](std::span<const std::string_view> markers, std::string_view where) {
    for (const std::string_view marker : markers) {
      EXPECT_TRUE(is_known_marker(marker)) << descriptor.name << "." << where << ": " << marker;
    }
  };
  check_all(descriptor.markers, "");
  for (const FieldDescriptor& field : descriptor.fields) {
    check_all(field.markers, field.name);
    const TypeDescriptor* type = field.type;
    while (type->element) type = type->element;
    if (type->alias) check_all(type->alias->markers, type->alias->name);
    if (type->structure) expect_known(*type->structure, seen);
  }
}

TEST(Declarative, UnderstandsEveryMarkerOfTheseGroups) {
  std::set<const StructDescriptor*> seen;
  const Registry registry = Registry::built_in();
  for (const auto& kind : registry.all()) {
    if (kind->group != "resource.k8s.io" && kind->group != "scheduling.k8s.io") continue;
    for (const ServedVersion& version : kind->versions) expect_known(*version.type, seen);
  }
  EXPECT_GE(seen.size(), 150U);
}

TEST(Declarative, CompilesOnceForAllThreads) {
  std::vector<const StructRules*> seen(4);
  std::vector<std::thread> threads;
  for (const StructRules*& rules : seen) {
    threads.emplace_back([&rules] { rules = rules_of(Workload::kDescriptor); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const StructRules* rules : seen) EXPECT_EQ(rules, seen[0]);
  EXPECT_NE(seen[0], nullptr);
}

}  // namespace
}  // namespace dray::api
