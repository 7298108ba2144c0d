/// Dense numbers for what the device inventory knows. Each is an index into flat arrays, valid for the
/// Inventory that gave it, and never given to something else.
#pragma once

#include <cstdint>

namespace dray::dra {

/// A node's name. Kept when the node is removed and comes back.
enum class NodeId : std::uint32_t {};
/// A (driver, pool) pair.
enum class PoolId : std::uint32_t {};
/// A (driver, pool, device name) triple, published at the moment or not.
enum class DeviceId : std::uint32_t {};

inline constexpr NodeId kNoNode{UINT32_MAX};
inline constexpr DeviceId kNoDevice{UINT32_MAX};

template <class Id>
[[nodiscard]] constexpr std::uint32_t index_of(Id id) {
  return static_cast<std::uint32_t>(id);
}

}  // namespace dray::dra
