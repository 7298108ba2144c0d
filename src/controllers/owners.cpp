#include "controllers/owners.h"

namespace dray::controllers {

const meta::OwnerReference* controller_of(const Object& object) {
  for (const meta::OwnerReference& owner : object.metadata.owner_references) {
    if (owner.controller.value_or(false)) return &owner;
  }
  return nullptr;
}

bool is_controlled_by(const Object& object, const Object& owner) {
  const meta::OwnerReference* const reference = controller_of(object);
  return reference && reference->uid == owner.metadata.uid;
}

meta::OwnerReference controller_reference(const Object& owner) {
  meta::OwnerReference out;
  out.api_version = owner.api_version();
  out.kind = owner.kind();
  out.name = owner.name();
  out.uid = owner.metadata.uid;
  out.controller = true;
  out.block_owner_deletion = true;
  return out;
}

}  // namespace dray::controllers
