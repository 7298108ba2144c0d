#include "cel/val.h"

namespace dray::cel {
namespace {

const Type kQuantityType{TypeKind::kStruct, "kubernetes.Quantity"};
const Type kSemverType{TypeKind::kStruct, "kubernetes.Semver"};
const Type kUrlType{TypeKind::kStruct, "kubernetes.URL"};
const Type kIpType{TypeKind::kOpaque, "net.IP"};
const Type kCidrType{TypeKind::kOpaque, "net.CIDR"};
const Type kFormatType{TypeKind::kStruct, "kubernetes.NamedFormat"};
const Type kUnknownType{TypeKind::kOpaque, "unknown"};

}  // namespace

TypeRef type_of(const Val& v) {
  switch (v.kind) {
    case ValKind::kNull: return &types::kNull;
    case ValKind::kBool: return &types::kBool;
    case ValKind::kInt: return &types::kInt;
    case ValKind::kUint: return &types::kUint;
    case ValKind::kDouble: return &types::kDouble;
    case ValKind::kString: return &types::kString;
    case ValKind::kBytes: return &types::kBytes;
    case ValKind::kDuration: return &types::kDuration;
    case ValKind::kTimestamp: return &types::kTimestamp;
    case ValKind::kType: return &types::kType;
    case ValKind::kList: return &types::kListDyn;
    case ValKind::kMap: return &types::kMapDyn;
    case ValKind::kOptional: return &types::kOptional;
    case ValKind::kQuantity: return &kQuantityType;
    case ValKind::kSemver: return &kSemverType;
    case ValKind::kUrl: return &kUrlType;
    case ValKind::kIp: return &kIpType;
    case ValKind::kCidr: return &kCidrType;
    case ValKind::kFormat: return &kFormatType;
    case ValKind::kError: return &types::kError;
    case ValKind::kUnknown: return &kUnknownType;
  }
  return &types::kDyn;
}

std::string_view type_name(const Val& v) { return type_of(v)->name; }

unsigned traits_of(const Val& v) {
  using namespace traits;
  switch (v.kind) {
    case ValKind::kBool: return kComparer | kNegator;
    case ValKind::kInt:
      return kAdder | kComparer | kDivider | kModder | kMultiplier | kNegator | kSubtractor;
    case ValKind::kUint: return kAdder | kComparer | kDivider | kModder | kMultiplier | kSubtractor;
    case ValKind::kDouble:
      return kAdder | kComparer | kDivider | kMultiplier | kNegator | kSubtractor;
    case ValKind::kString: return kAdder | kComparer | kMatcher | kReceiver | kSizer;
    case ValKind::kBytes: return kAdder | kComparer | kSizer;
    case ValKind::kDuration: return kAdder | kComparer | kNegator | kReceiver | kSubtractor;
    case ValKind::kTimestamp: return kAdder | kComparer | kReceiver | kSubtractor;
    case ValKind::kList: return kLister;
    case ValKind::kMap: return kContainer | kIndexer | kIterable | kSizer;
    case ValKind::kSemver:
    case ValKind::kFormat: return kFieldTester | kIndexer;
    default: return 0;
  }
}

}  // namespace dray::cel
