/// The variable `device` of an expression, made for one device of a slice and dropped afterwards.
#pragma once

#include <list>
#include <vector>

#include "cel/device.h"

namespace dray::resource {
struct Device;
}

namespace dray::dra {

/// Borrows the device and the driver's name.
class DeviceVariable {
 public:
  DeviceVariable(std::string_view driver, const resource::Device& device);
  [[nodiscard]] const cel::DeviceInput& input() const { return input_; }

 private:
  std::list<std::vector<bool>> bools_;
  cel::DeviceInput input_;
};

}  // namespace dray::dra
