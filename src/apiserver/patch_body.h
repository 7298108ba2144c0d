/// The body of a PATCH: which kind of patch, and its tree. Pure. Private to apiserver.
#pragma once

#include "apiserver/core.h"
#include "machinery/value.h"

namespace dray::apiserver {

enum class PatchType : std::uint8_t { kJson, kMerge, kStrategic, kApply };

struct PatchBody {
  PatchType type;
  Value tree;
};

/// kube-apiserver's limit on the operations of a JSON patch.
inline constexpr std::size_t kPatchOperationsMax = 10000;

/// Errors kUnsupportedMediaType, kBadRequest.
[[nodiscard]] Result<PatchBody> parse_patch(const Call& call);
/// Any patch but apply. Errors kBadRequest, kInvalid.
[[nodiscard]] Result<Value> apply_patch(Value before, const PatchBody& patch, const StructDescriptor& type, const Call& call);
/// Whether strategic merge is offered: not for custom resources.
[[nodiscard]] bool has_strategic_merge(const Resource& resource);

}  // namespace dray::apiserver
