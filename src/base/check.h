/// A failed CHECK is a bug of ours: it says where and aborts, in every build. Never on input or I/O.
#pragma once

namespace dray {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}

#define CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::dray::check_failed(#condition, __FILE__, __LINE__))
