/// Time zones by name, from the system's database (TZif files).
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cel/lib_time.h"

namespace dray::cel {
namespace {

struct Zone {
  struct Change {
    std::int64_t from;
    std::int64_t offset;
  };
  std::vector<Change> changes;
  std::int64_t first_offset = 0;
};

class Reader {
 public:
  explicit Reader(std::string data) : data_(std::move(data)) {}

  bool read(Zone& out) {
    if (!data_.starts_with("TZif") || data_.size() < 44) return false;
    const bool wide = data_[4] >= '2';
    std::size_t at = 0;
    if (wide) at = block_end(0, 4);
    return block(at, wide ? 8 : 4, out);
  }

 private:
  [[nodiscard]] std::int64_t number(std::size_t at, std::size_t bytes) const {
    if (at + bytes > data_.size()) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(data_[at + i]);
    return bytes == 8 ? static_cast<std::int64_t>(value) : static_cast<std::int32_t>(value);
  }
  [[nodiscard]] std::size_t count(std::size_t header, std::size_t index) const {
    const std::int64_t n = number(header + 20 + 4 * index, 4);
    return n < 0 || n > 100'000 ? 0 : static_cast<std::size_t>(n);
  }
  [[nodiscard]] std::size_t block_end(std::size_t h, std::size_t width) const {
    return h + 44 + count(h, 3) * (width + 1) + count(h, 4) * 6 + count(h, 5) +
           count(h, 2) * (width + 4) + count(h, 1) + count(h, 0);
  }
  bool block(std::size_t h, std::size_t width, Zone& out) const {
    const std::size_t times = count(h, 3), types = count(h, 4);
    const std::size_t start = h + 44, indices = start + times * width, infos = indices + times;
    if (infos + types * 6 > data_.size() || types == 0) return false;
    const auto offset = [&](std::size_t type) { return number(infos + type * 6, 4); };
    out.first_offset = offset(0);
    for (std::size_t i = 0; i < times; ++i) {
      const auto type = static_cast<unsigned char>(data_[indices + i]);
      if (type >= types) return false;
      out.changes.push_back({number(start + i * width, width), offset(type)});
    }
    return true;
  }

  std::string data_;
};

bool safe_name(std::string_view name) {
  if (name.empty() || name.starts_with('/') || name.contains("..")) return false;
  for (const char c : name) {
    const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '/' || c == '_' || c == '-' || c == '+';
    if (!ok) return false;
  }
  return true;
}

std::shared_ptr<const Zone> load(const std::string& name) {
  std::ifstream file("/usr/share/zoneinfo/" + name, std::ios::binary);
  if (!file) return nullptr;
  Reader reader(std::string(std::istreambuf_iterator<char>(file), {}));
  auto zone = std::make_shared<Zone>();
  return reader.read(*zone) ? zone : nullptr;
}

}  // namespace

bool zone_offset(std::string_view name, std::int64_t seconds, std::int64_t& offset) {
  offset = 0;
  if (name.empty() || name == "UTC") return true;
  if (!safe_name(name) || name.size() > 64) return false;
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Zone>, std::less<>> zones;
  std::shared_ptr<const Zone> zone;
  {
    const std::lock_guard lock(mutex);
    auto it = zones.find(name);
    if (it == zones.end() && zones.size() < 1000)
      it = zones.emplace(name, load(std::string(name))).first;
    if (it != zones.end()) zone = it->second;
  }
  if (zone == nullptr) return false;
  offset = zone->first_offset;
  for (const Zone::Change& change : zone->changes)
    if (change.from <= seconds) offset = change.offset;
  return true;
}

}  // namespace dray::cel
