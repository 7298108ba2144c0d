/// Who makes a request. A value.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dray::apiserver {

struct User {
  std::string name, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  [[nodiscard]] bool in(std::string_view group) const { return std::ranges::find(groups, group) != groups.end(); }
};

}  // namespace dray::apiserver
