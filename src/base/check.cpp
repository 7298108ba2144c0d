#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace dray {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "dray: bug: %s:%d: CHECK(%s) failed\n", file, line, condition);
  std::abort();
}

}  // namespace dray
