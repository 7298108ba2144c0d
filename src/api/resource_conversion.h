/// resource.k8s.io/v1beta1 to and from v1. The other old versions have v1's shape (hooks.h,
/// `convert_to`). Both return a fresh object, complete with metadata. Pure.
/// Source: kubernetes pkg/apis/resource/v1beta1/conversion.go (1.37).
#pragma once

#include <memory>

#include "machinery/object.h"

namespace dray::api {

[[nodiscard]] std::shared_ptr<Object> claim_from_v1beta1(const Object& served);
[[nodiscard]] std::shared_ptr<Object> claim_to_v1beta1(const Object& stored);
[[nodiscard]] std::shared_ptr<Object> claim_template_from_v1beta1(const Object& served);
[[nodiscard]] std::shared_ptr<Object> claim_template_to_v1beta1(const Object& stored);
[[nodiscard]] std::shared_ptr<Object> slice_from_v1beta1(const Object& served);
[[nodiscard]] std::shared_ptr<Object> slice_to_v1beta1(const Object& stored);

}  // namespace dray::api
