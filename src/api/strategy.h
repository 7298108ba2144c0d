/// The hooks that most kinds share, as templates over the kind: status is the status subresource's
/// alone, spec is the main resource's alone.
#pragma once

#include "api/hooks.h"
#include "machinery/codec.h"

namespace dray::api {

template <class T>
void reset_status(const HookContext&, Object& object) {
  cast<T>(object).status = {};
}
template <class T>
void keep_status(const HookContext&, Object& fresh, const Object& old) {
  cast<T>(fresh).status = cast<T>(old).status;
}
template <class T>
void keep_spec(const HookContext&, Object& fresh, const Object& old) {
  cast<T>(fresh).spec = cast<T>(old).spec;
}

}  // namespace dray::api
