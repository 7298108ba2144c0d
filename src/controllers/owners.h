/// Owner references. Pure.
#pragma once

#include <string>

#include "machinery/meta_v1.h"
#include "machinery/object.h"

namespace dray::controllers {

/// The reference with `controller: true`; null if there is none.
[[nodiscard]] const meta::OwnerReference* controller_of(const Object& object);
[[nodiscard]] bool is_controlled_by(const Object& object, const Object& owner);
/// A reference that makes `owner` the controller, and the last to go in a foreground deletion.
[[nodiscard]] meta::OwnerReference controller_reference(const Object& owner);

}  // namespace dray::controllers
