/// The wire format of protobuf: varints, tags and lengths. Private to machinery.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray::wire {

enum class Type : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

inline void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
inline void append_tag(std::string& out, std::uint32_t field, Type type) {
  append_varint(out, std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type));
}
inline void append_int(std::string& out, std::uint32_t field, std::int64_t value) {
  append_tag(out, field, Type::kVarint);
  append_varint(out, static_cast<std::uint64_t>(value));
}
inline void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  append_tag(out, field, Type::kBytes);
  append_varint(out, bytes.size());
  out += bytes;
}
/// A message whose content `write` appends.
template <class Write>
void append_message(std::string& out, std::uint32_t field, Write write) {
  append_tag(out, field, Type::kBytes);
  const std::size_t start = out.size();
  write(out);
  std::string length;
  append_varint(length, out.size() - start);
  out.insert(start, length);
}

/// One field of a message: `number` of a varint or fixed one, `bytes` of the others.
struct Field {
  std::uint32_t tag = 0;
  Type type = Type::kVarint;
  std::uint64_t number = 0;
  std::string_view bytes;
};

/// Takes fields off a message until it is empty, or no message.
class Reader {
 public:
  explicit Reader(std::string_view message) : rest_(message) {}

  /// False at the end, and for bytes that are no field: then `failed`.
  bool next(Field& out) {
    if (rest_.empty()) return false;
    std::uint64_t key = 0;
    if (!varint(key) || key >> 3 == 0 || key >> 3 > 0x1FFFFFFF) return fail();
    out.tag = static_cast<std::uint32_t>(key >> 3);
    out.type = static_cast<Type>(key & 7);
    switch (out.type) {
      case Type::kVarint: return varint(out.number) || fail();
      case Type::kFixed64: return fixed(8, out) || fail();
      case Type::kFixed32: return fixed(4, out) || fail();
      case Type::kBytes: break;
      default: return fail();
    }
    std::uint64_t size = 0;
    if (!varint(size) || size > rest_.size()) return fail();
    out.bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  [[nodiscard]] bool failed() const { return failed_; }

  /// A number by itself, as in packed lists.
  bool varint(std::uint64_t& out) {
    out = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (rest_.empty()) return false;
      const auto byte = static_cast<unsigned char>(rest_[0]);
      rest_.remove_prefix(1);
      if (shift < 64) out |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  bool fail() {
    failed_ = true;
    return false;
  }
  bool fixed(std::size_t size, Field& out) {
    if (rest_.size() < size) return false;
    out.number = 0;
    for (std::size_t i = size; i > 0; --i) {
      out.number = out.number << 8 | static_cast<unsigned char>(rest_[i - 1]);
    }
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace dray::wire
