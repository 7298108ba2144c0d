#include "apiserver/encoder.h"

#include "machinery/codec.h"
#include "machinery/protobuf.h"
#include "machinery/value.h"

namespace dray::apiserver {

std::size_t Encoder::KeyHash::operator()(const Key& key) const {
  const auto mix = [](std::size_t h) { return (h ^ (h >> 32)) * 0x9E3779B97F4A7C15ULL; };
  return mix(reinterpret_cast<std::size_t>(key.object) ^ mix(reinterpret_cast<std::size_t>(key.version)) ^
             static_cast<std::size_t>(key.format));
}

SharedBytes Encoder::encode(const Resource& resource, const ObjectPtr& object, Format format) {
  const Key key{object.get(), resource.version, format};
  Shard& shard = shards_[KeyHash{}(key) >> 8 & (kShards - 1)];
  {
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.entries.find(key);
    if (found != shard.entries.end()) return found->second.bytes;
  }
  SharedBytes bytes = shared(encode_object(*served(resource, object), format));
  if (bytes->size() > kBytesMax) return bytes;
  const std::scoped_lock lock(shard.mutex);
  const auto [at, fresh] = shard.entries.try_emplace(key, Entry{object, resource.kind, bytes});
  if (!fresh) return at->second.bytes;
  shard.order.push_back(key);
  if (shard.order.size() > kEntriesPerShard) {
    shard.entries.erase(shard.order.front());
    shard.order.pop_front();
  }
  return bytes;
}

ObjectPtr served(const Resource& resource, const ObjectPtr& stored) {
  return resource.version->from_stored ? resource.version->from_stored(*stored) : stored;
}

std::string encode_object(const Object& object, Format format) {
  switch (format) {
    case Format::kJson: return encode_json(object);
    case Format::kYaml: return print_yaml(to_value(object));
    case Format::kProtobuf: return encode_protobuf(object);
  }
  return "";
}

std::string reformat(std::string json, const Representation& wanted) {
  if (wanted.format != Format::kYaml) return json;
  const auto value = parse_json(json);
  return value ? print_yaml(*value) : json;
}

std::string_view item_of(std::string_view json) {
  // {"kind":"Pod","apiVersion":"v1","metadata":{...: both texts are plain identifiers.
  constexpr std::string_view kMark = "\"metadata\":";
  const auto at = json.find(kMark);
  return at == std::string_view::npos ? json : json.substr(at);
}

}  // namespace dray::apiserver
