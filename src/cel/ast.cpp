#include "cel/ast.h"

namespace dray::cel {

int Ast::new_id(int offset) {
  const int id = next_id_++;
  if (offsets_.size() <= static_cast<std::size_t>(id)) offsets_.resize(static_cast<std::size_t>(id) + 1, -1);
  offsets_[static_cast<std::size_t>(id)] = offset;
  return id;
}

void Ast::drop_id(int id) {
  offsets_[static_cast<std::size_t>(id)] = -1;
  if (id == next_id_ - 1) --next_id_;
}

int Ast::offset_of(int id) const {
  const auto index = static_cast<std::size_t>(id);
  return id >= 0 && index < offsets_.size() ? offsets_[index] : -1;
}

}  // namespace dray::cel
