#include <gtest/gtest.h>

#include "api/manifest_hints.h"

namespace dray::api {
namespace {

std::string hint(std::string_view yaml) {
  const auto documents = parse_yaml(yaml);
  EXPECT_TRUE(documents.has_value() && documents->size() == 1);
  return hint_for(documents->at(0));
}

TEST(ManifestHints, Table) {
  struct Case {
    const char* name;
    const char* yaml;
    const char* expect;
  };
  const Case cases[] = {
      {"a class of an old version",
       "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}",
       "apiVersion: resource.k8s.io/v1alpha3 has no DeviceClass; write apiVersion: resource.k8s.io/v1"},
      {"a kind that is gone",
       "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: gpu}",
       "kind: ResourceClass is gone since Kubernetes 1.31; write a DeviceClass with apiVersion: "
       "resource.k8s.io/v1, its parameters under spec.config[].opaque"},
      {"a template without requests",
       "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n"
       "spec: {spec: {deviceClassName: gpu.nvidia.com, count: 2}}",
       "spec.spec: a claim's devices are requested in a list; write spec.spec.devices.requests: "
       "[{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]"},
      {"a template without the inner spec",
       "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nspec: {devices: {requests: []}}",
       "spec.devices: a template holds a claim's spec; write spec.spec.devices"},
      {"a request in the shape of v1beta1",
       "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
       "spec: {devices: {requests: [{name: a, deviceClassName: gpu}]}}",
       "spec.devices.requests[0]: since resource.k8s.io/v1beta2 these stand under exactly; write "
       "{name: a, exactly: {deviceClassName: gpu}}"},
      {"that shape is right in v1beta1",
       "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\n"
       "spec: {devices: {requests: [{name: a, deviceClassName: gpu}]}}",
       ""},
      {"a quantity in CEL",
       "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
       "spec: {selectors: [{cel: {expression: memory >= 80Gi}}]}",
       "spec.selectors[0].cel.expression: CEL has no numbers with a suffix, and a device's quantities are "
       "device.capacity['<driver>'].<name>; write "
       "device.capacity['<driver>'].memory.compareTo(quantity('80Gi')) >= 0"},
      {"a quantity beside a full path",
       "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
       "spec: {selectors: [{cel: {expression: \"device.driver == 'a' && "
       "device.capacity['gpu.nvidia.com'].memory < 40Gi\"}}]}",
       "spec.selectors[0].cel.expression: CEL has no numbers with a suffix, and a device's quantities are "
       "device.capacity['<driver>'].<name>; write "
       "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) < 0"},
      {"a quantity in a string is fine",
       "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
       "spec: {selectors: [{cel: {expression: \"device.attributes['a'].size == '>= 80Gi'\"}}]}",
       ""},
      {"a bare attribute",
       "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
       "spec: {selectors: [{cel: {expression: \"productName == 'H100'\"}}]}",
       "spec.selectors[0].cel.expression: an expression sees only the variable device; write "
       "device.attributes['<driver>'].productName in place of productName"},
      {"minCount",
       "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nspec: {minCount: 4}",
       "spec.minCount: write spec.schedulingPolicy.gang.minCount: 4"},
      {"the first shape of a pod group",
       "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nspec: {policy: {gang: {minCount: 3}}}",
       "spec.policy: write spec.schedulingPolicy.gang.minCount: 3"},
      {"the first shape of a workload",
       "apiVersion: scheduling.k8s.io/v1beta1\nkind: Workload\nspec: {podGroups: []}",
       "spec.podGroups: write spec.podGroupTemplates"},
      {"a pod's claim with a source",
       "apiVersion: v1\nkind: Pod\n"
       "spec: {resourceClaims: [{name: g, source: {resourceClaimTemplateName: t}}]}",
       "spec.resourceClaims[0].source: write spec.resourceClaims[0].resourceClaimTemplateName: t"},
      {"in a template, too",
       "apiVersion: apps/v1\nkind: Deployment\n"
       "spec: {template: {spec: {resourceClaims: [{name: g, source: {resourceClaimName: c}}]}}}",
       "spec.template.spec.resourceClaims[0].source: write "
       "spec.template.spec.resourceClaims[0].resourceClaimName: c"},
      {"nothing to say",
       "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
       "spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}",
       ""},
      {"no object", "[1, 2]", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(hint(c.yaml), c.expect);
  }
}

}  // namespace
}  // namespace dray::api
