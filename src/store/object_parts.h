/// The parts of any object, by its descriptor: its spec, its status, all but its metadata.
/// Pure. Private to the store.
#pragma once

#include "machinery/object.h"

namespace dray::store {

/// Whether anything but metadata and status differs.
[[nodiscard]] bool spec_differs(const Object& a, const Object& b);
/// `base` with the status of another object of its kind.
[[nodiscard]] std::shared_ptr<Object> with_status_of(const Object& base, const Object& other);
/// Whether the objects are equal but for resourceVersion and the times of managed fields.
[[nodiscard]] bool same_content(const Object& fresh, const Object& old);

}  // namespace dray::store
