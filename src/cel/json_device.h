/// A device out of JSON or YAML, as in a ResourceSlice, with the driver that publishes it.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/error.h"
#include "cel/device.h"
#include "machinery/quantity.h"
#include "machinery/value.h"

namespace dray::cel {

/// Owns what its input borrows.
class JsonDevice {
 public:
  /// Errors kBadRequest: what can't be decoded. `strict`: fields that are not known are errors.
  [[nodiscard]] static Result<std::unique_ptr<JsonDevice>> parse(const Value& device,
                                                                 std::string driver, bool strict);
  [[nodiscard]] const DeviceInput& input() const { return *input_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  JsonDevice() = default;
  JsonDevice(const JsonDevice&) = delete;
  JsonDevice& operator=(const JsonDevice&) = delete;

 private:
  Result<> read(const Value& device, bool strict);
  Result<> read_attribute(const std::string& name, const Value& attribute, bool strict);
  Result<> read_capacity(const std::string& name, const Value& capacity);
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::string driver_, name_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::string>> string_lists_;
  std::deque<std::vector<std::int64_t>> int_lists_;
  std::deque<std::vector<bool>> bool_lists_;
  std::deque<Quantity> quantities_;
  std::unique_ptr<DeviceInput> input_;
};

}  // namespace dray::cel
