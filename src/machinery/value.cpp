#include "machinery/value.h"

#include <algorithm>

#include "base/check.h"

namespace dray {
namespace {

bool equal_numbers(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() == b.as_int();
  if (a.is_double() && b.is_double()) return a.as_double() == b.as_double();
  const double d = a.is_double() ? a.as_double() : b.as_double();
  const std::int64_t i = a.is_int() ? a.as_int() : b.as_int();
  constexpr double kTwoTo63 = 9223372036854775808.0;
  return d >= -kTwoTo63 && d < kTwoTo63 && d == static_cast<double>(static_cast<std::int64_t>(d)) &&
         static_cast<std::int64_t>(d) == i;
}

bool same_keys_in_order(const Value::Map& a, const Value::Map& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

/// The members by key, of duplicates the last.
std::vector<const Value::Member*> sorted_members(const Value::Map& map) {
  std::vector<const Value::Member*> out;
  out.reserve(map.size());
  for (const Value::Member& member : map) out.push_back(&member);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto* x, const auto* y) { return x->first < y->first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i + 1 == out.size() || out[i]->first != out[i + 1]->first) out[kept++] = out[i];
  }
  out.resize(kept);
  return out;
}

bool has_duplicates(const Value::Map& map) {
  constexpr std::size_t kFew = 12;
  if (map.size() > kFew) return sorted_members(map).size() != map.size();
  for (std::size_t i = 1; i < map.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (map[i].first == map[j].first) return true;
    }
  }
  return false;
}

bool equal_maps(const Value::Map& a, const Value::Map& b) {
  // The usual case, without sorting. Values are compared once on every path: twice a level would be
  // exponential in the depth.
  if (same_keys_in_order(a, b) && !has_duplicates(a)) {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [](const auto& x, const auto& y) { return x.second == y.second; });
  }
  const auto left = sorted_members(a);
  const auto right = sorted_members(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto* x, const auto* y) { return *x == *y; });
}

}  // namespace

std::string_view Value::type_name() const {
  constexpr std::string_view kNames[] = {"null",   "boolean", "integer", "number",
                                         "string", "array",   "object"};
  return kNames[static_cast<std::size_t>(type())];
}

double Value::as_double() const {
  return is_int() ? static_cast<double>(as_int()) : std::get<double>(data_);
}

const Value* Value::find(std::string_view key) const {
  const Map* map = std::get_if<Map>(&data_);
  if (map == nullptr) return nullptr;
  for (auto it = map->rbegin(); it != map->rend(); ++it) {
    if (it->first == key) return &it->second;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::operator[](std::string_view key) {
  if (is_null()) data_ = Map{};
  CHECK(is_map());
  if (Value* found = find(key)) return *found;
  return as_map().emplace_back(std::string(key), Value()).second;
}

void Value::set(std::string_view key, Value value) { (*this)[key] = std::move(value); }

bool Value::erase(std::string_view key) {
  Map* map = std::get_if<Map>(&data_);
  if (map == nullptr) return false;
  return std::erase_if(*map, [&](const Member& member) { return member.first == key; }) > 0;
}

bool operator==(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return equal_numbers(a, b);
  if (a.type() != b.type()) return false;
  if (a.is_list()) return a.as_list() == b.as_list();
  if (!a.is_map()) return a.data_ == b.data_;
  return equal_maps(a.as_map(), b.as_map());
}

}  // namespace dray
