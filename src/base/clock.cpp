#include "base/clock.h"

namespace dray {

MonoTime RealClock::mono() const { return std::chrono::steady_clock::now(); }
WallTime RealClock::wall() const { return std::chrono::system_clock::now(); }

}  // namespace dray
