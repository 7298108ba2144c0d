/// The identity of an allocated device, or of a share of one.
#pragma once

#include <optional>
#include <string>
#include <tuple>

namespace dray::api {

using DeviceKey = std::tuple<std::string, std::string, std::string, std::string>;

/// Of an allocation result or of an entry of status.devices.
template <class Device>
[[nodiscard]] DeviceKey device_key(const Device& device) {
  return {device.driver, device.pool, device.device, device.share_id.value_or("")};
}

/// As errors show it: "driver/pool/device", and "/share" if it is one.
[[nodiscard]] inline std::string device_key_text(const DeviceKey& key) {
  const auto& [driver, pool, device, share] = key;
  const std::string text = driver + "/" + pool + "/" + device;
  return share.empty() ? text : text + "/" + share;
}

}  // namespace dray::api
