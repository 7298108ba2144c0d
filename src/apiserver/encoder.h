/// Objects to bytes. The bytes of one version of an object are made once per format, whoever asks; the
/// newest few thousand are kept. Thread-safe.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "apiserver/catalog.h"
#include "apiserver/http.h"
#include "apiserver/negotiation.h"
#include "machinery/object.h"

namespace dray::apiserver {

class Encoder {
 public:
  /// `object` is of the stored version; it is converted to the resource's version.
  [[nodiscard]] SharedBytes encode(const Resource& resource, const ObjectPtr& object, Format format);

 private:
  struct Key {
    const Object* object;
    const api::ServedVersion* version;
    Format format;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Entry {
    ObjectPtr object;  // keeps the address taken
    std::shared_ptr<const api::Kind> kind;
    SharedBytes bytes;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<Key, Entry, KeyHash> entries;
    std::deque<Key> order;
  };
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kEntriesPerShard = 512;
  /// Larger objects are encoded anew each time.
  static constexpr std::size_t kBytesMax = 64 * 1024;
  std::array<Shard, kShards> shards_;
};

/// The object in the resource's version.
[[nodiscard]] ObjectPtr served(const Resource& resource, const ObjectPtr& stored);
/// Not cached.
[[nodiscard]] std::string encode_object(const Object& object, Format format);
/// JSON as the format asks: itself, YAML, or pretty-printed.
[[nodiscard]] std::string reformat(std::string json, const Representation& wanted);
/// {"metadata":...}: an object's JSON as an item of a list, without kind and apiVersion.
[[nodiscard]] std::string_view item_of(std::string_view json);

}  // namespace dray::apiserver
