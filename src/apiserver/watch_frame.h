/// One event as a client asked to see it. Pure; I/O threads.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/core.h"
#include "apiserver/table.h"

namespace dray::apiserver {

/// Makes the bytes of events for one watch: JSON lines, YAML documents or protobuf frames.
class WatchFramer {
 public:
  /// Error kBadRequest: includeObject.
  [[nodiscard]] static Result<WatchFramer> make(const CorePtr& core, const CallPtr& call);

  [[nodiscard]] std::string content_type() const;
  [[nodiscard]] std::string event(std::string_view type, const ObjectPtr& object);
  /// `initial_end`: marks the end of the initial events.
  [[nodiscard]] std::string bookmark(std::uint64_t revision, bool initial_end);
  [[nodiscard]] std::string error(const Error& error) const;

 private:
  WatchFramer(CorePtr core, CallPtr call, IncludeObject include) : core_(std::move(core)), call_(std::move(call)), include_(include) {}
  [[nodiscard]] std::string line(std::string_view type, std::string_view json) const;
  [[nodiscard]] std::string shaped(const ObjectPtr& object);

  CorePtr core_;
  CallPtr call_;
  IncludeObject include_;
  bool columns_sent_ = false;
};

}  // namespace dray::apiserver
