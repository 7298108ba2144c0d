#include "machinery/protobuf.h"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "machinery/quantity.h"
#include "machinery/scalars.h"
#include "machinery/time.h"
#include "machinery/value.h"
#include "machinery/wire.h"

namespace dray {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);

template <class T>
const T& as(const void* in) {
  return *static_cast<const T*>(in);
}

/// The fields that have a place in protobuf, in the order of their tags.
std::vector<const FieldDescriptor*> fields_of(const StructDescriptor& descriptor) {
  std::vector<const FieldDescriptor*> out;
  out.reserve(descriptor.fields.size());
  for (const FieldDescriptor& field : descriptor.fields) {
    if (field.tag != 0) out.push_back(&field);
  }
  std::ranges::sort(out, {}, &FieldDescriptor::tag);
  return out;
}

void append_time(std::string& out, std::int64_t seconds, std::int64_t nanos) {
  wire::append_int(out, 1, seconds);
  wire::append_int(out, 2, nanos);
}

void append_micro_time(std::string& out, const MicroTime& time) {
  if (time.is_zero()) return;
  const std::int64_t micros = (time.microseconds % 1'000'000 + 1'000'000) % 1'000'000;
  append_time(out, (time.microseconds - micros) / 1'000'000, micros * 1000);
}

void append_int_or_string(std::string& out, const IntOrString& value) {
  wire::append_int(out, 1, value.is_string ? 1 : 0);
  wire::append_int(out, 2, value.number);
  wire::append_bytes(out, 3, value.text);
}

void append_value(std::string& out, std::uint32_t tag, const TypeDescriptor& type, const void* in);

struct MapWriter {
  std::string& out;
  std::uint32_t tag;
  const TypeDescriptor& element;
};

bool append_entry(void* context, const std::string& key, const void* element) {
  const auto& writer = *static_cast<MapWriter*>(context);
  wire::append_message(writer.out, writer.tag, [&](std::string& out) {
    wire::append_bytes(out, 1, key);
    if (writer.element.kind != TypeKind::kList) return append_value(out, 2, writer.element, element);
    // A list as a map's value is a message of its own (ExtraValue).
    wire::append_message(out, 2, [&](std::string& items) { append_value(items, 1, writer.element, element); });
  });
  return true;
}

void append_double(std::string& out, std::uint32_t tag, double value) {
  wire::append_tag(out, tag, wire::Type::kFixed64);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(bits >> shift);
}

void append_value(std::string& out, std::uint32_t tag, const TypeDescriptor& type, const void* in) {
  const auto message = [&](auto write) { wire::append_message(out, tag, write); };
  switch (type.kind) {
    case TypeKind::kString: return wire::append_bytes(out, tag, as<std::string>(in));
    case TypeKind::kBool: return wire::append_int(out, tag, as<bool>(in) ? 1 : 0);
    case TypeKind::kInt32: return wire::append_int(out, tag, as<std::int32_t>(in));
    case TypeKind::kInt64: return wire::append_int(out, tag, as<std::int64_t>(in));
    case TypeKind::kDouble: return append_double(out, tag, as<double>(in));
    case TypeKind::kBytes: return wire::append_bytes(out, tag, as<Bytes>(in).data);
    case TypeKind::kQuantity:
      return message([&](std::string& o) { wire::append_bytes(o, 1, as<Quantity>(in).str()); });
    case TypeKind::kTime:
      return message([&](std::string& o) {
        if (!as<Time>(in).is_zero()) append_time(o, as<Time>(in).seconds, 0);
      });
    case TypeKind::kMicroTime: return message([&](std::string& o) { append_micro_time(o, as<MicroTime>(in)); });
    case TypeKind::kDuration:
      return message([&](std::string& o) { wire::append_int(o, 1, as<GoDuration>(in).nanoseconds); });
    case TypeKind::kIntOrString:
      return message([&](std::string& o) { append_int_or_string(o, as<IntOrString>(in)); });
    case TypeKind::kRaw:
      if (as<RawExtension>(in).value.is_null()) return;
      return message([&](std::string& o) { wire::append_bytes(o, 1, print_json(as<RawExtension>(in).value)); });
    case TypeKind::kStruct:
      return message([&](std::string& o) { encode_protobuf(*type.structure, in, o); });
    case TypeKind::kList:
      for (std::size_t i = 0; i < type.ops->size(in); ++i) append_value(out, tag, *type.element, type.ops->at(in, i));
      return;
    case TypeKind::kMap: {
      MapWriter writer{out, tag, *type.element};
      return type.ops->each(in, &writer, append_entry);
    }
    case TypeKind::kOptional:
      if (type.ops->size(in) > 0) append_value(out, tag, *type.element, type.ops->at(in, 0));
      return;
  }
}

std::unexpected<Error> refuse(std::string text) { return fail(Code::kBadRequest, std::move(text)); }
std::unexpected<Error> cut_off() { return refuse("proto: unexpected EOF or illegal tag"); }

/// Reads messages into structs, down to a depth.
class Decoder {
 public:
  Result<> decode(std::string_view message, const StructDescriptor& descriptor, void* out) {
    if (++depth_ > kDepthMax) return refuse("proto: message nested too deeply");
    wire::Reader reader(message);
    wire::Field field;
    while (reader.next(field)) {
      const auto found = std::ranges::find(descriptor.fields, field.tag, &FieldDescriptor::tag);
      if (found != descriptor.fields.end()) TRY(set(field, *found, found->in(out)));
    }
    --depth_;
    if (reader.failed()) return cut_off();
    return {};
  }

 private:
  static constexpr int kDepthMax = 100;

  template <class T>
  static T& to(void* out) {
    return *static_cast<T*>(out);
  }

  static std::unexpected<Error> wrong_type(const wire::Field& field, std::string_view name) {
    return refuse(fmt::format("proto: wrong wireType = {} for field {}", static_cast<int>(field.type), name));
  }

  Result<> set(const wire::Field& field, const FieldDescriptor& descriptor, void* out) {
    return set(field, *descriptor.type, descriptor.name, out);
  }

  static bool is_number(TypeKind kind) {
    return kind == TypeKind::kBool || kind == TypeKind::kInt32 || kind == TypeKind::kInt64;
  }

  Result<> set(const wire::Field& field, const TypeDescriptor& type, std::string_view name, void* out) {
    if (type.kind == TypeKind::kOptional) return set_optional(field, type, name, out);
    if (type.kind == TypeKind::kList) return add_element(field, type, name, out);
    const wire::Type wanted = is_number(type.kind)               ? wire::Type::kVarint
                              : type.kind == TypeKind::kDouble ? wire::Type::kFixed64
                                                               : wire::Type::kBytes;
    if (field.type != wanted) return wrong_type(field, name);
    switch (type.kind) {
      case TypeKind::kString: to<std::string>(out) = field.bytes; return {};
      case TypeKind::kBool: to<bool>(out) = field.number != 0; return {};
      case TypeKind::kInt32: to<std::int32_t>(out) = static_cast<std::int32_t>(field.number); return {};
      case TypeKind::kInt64: to<std::int64_t>(out) = static_cast<std::int64_t>(field.number); return {};
      case TypeKind::kDouble: to<double>(out) = std::bit_cast<double>(field.number); return {};
      case TypeKind::kBytes: to<Bytes>(out).data = field.bytes; return {};
      case TypeKind::kQuantity: return set_quantity(field.bytes, to<Quantity>(out));
      case TypeKind::kTime: return set_time(field.bytes, to<Time>(out));
      case TypeKind::kMicroTime: return set_micro_time(field.bytes, to<MicroTime>(out));
      case TypeKind::kDuration: return set_duration(field.bytes, to<GoDuration>(out));
      case TypeKind::kIntOrString: return set_int_or_string(field.bytes, to<IntOrString>(out));
      case TypeKind::kRaw: return set_raw(field.bytes, to<RawExtension>(out));
      case TypeKind::kStruct: return decode(field.bytes, *type.structure, out);
      case TypeKind::kMap: return add_entry(field.bytes, type, name, out);
      case TypeKind::kList:
      case TypeKind::kOptional: break;
    }
    return {};
  }

  /// An empty time is an absent one; other empty messages mean something.
  Result<> set_optional(const wire::Field& field, const TypeDescriptor& type, std::string_view name, void* out) {
    const bool time = type.element->kind == TypeKind::kTime || type.element->kind == TypeKind::kMicroTime;
    if (time && field.bytes.empty()) return {};
    return set(field, *type.element, name, type.ops->add(out, ""));
  }

  Result<> add_element(const wire::Field& field, const TypeDescriptor& type, std::string_view name, void* out) {
    const bool packed = is_number(type.element->kind) && field.type == wire::Type::kBytes;
    if (!packed) return set(field, *type.element, name, type.ops->add(out, ""));
    wire::Reader reader(field.bytes);
    while (!reader.empty()) {
      wire::Field number{field.tag, wire::Type::kVarint, 0, {}};
      if (!reader.varint(number.number)) return cut_off();
      TRY(set(number, *type.element, name, type.ops->add(out, "")));
    }
    return {};
  }

  Result<> add_entry(std::string_view entry, const TypeDescriptor& type, std::string_view name, void* out) {
    wire::Reader reader(entry);
    wire::Field field, value;
    std::string key;
    while (reader.next(field)) {
      if (field.tag == 1) key = field.bytes;
      if (field.tag == 2) value = field;
    }
    if (reader.failed()) return cut_off();
    void* element = type.ops->add(out, key);
    if (value.tag == 0) return {};
    if (type.element->kind != TypeKind::kList) return set(value, *type.element, name, element);
    wire::Reader items(value.bytes);
    while (items.next(field)) {
      if (field.tag == 1) TRY(add_element(field, *type.element, name, element));
    }
    if (items.failed()) return cut_off();
    return {};
  }

  static Result<> set_quantity(std::string_view message, Quantity& out) {
    wire::Reader reader(message);
    wire::Field field;
    while (reader.next(field)) {
      if (field.tag != 1) continue;
      TRY_ASSIGN(out, Quantity::parse(field.bytes));
    }
    if (reader.failed()) return cut_off();
    return {};
  }

  /// The first two numbers of a message.
  static Result<> read_numbers(std::string_view message, std::int64_t& one, std::int64_t& two) {
    wire::Reader reader(message);
    wire::Field field;
    while (reader.next(field)) {
      if (field.tag == 1) one = static_cast<std::int64_t>(field.number);
      if (field.tag == 2) two = static_cast<std::int64_t>(field.number);
    }
    if (reader.failed()) return cut_off();
    return {};
  }

  /// Years 1 to 9999, as RFC 3339 has them.
  static bool in_range(std::int64_t seconds) { return seconds >= -62135596800 && seconds <= 253402300799; }

  static Result<> set_time(std::string_view message, Time& out) {
    if (message.empty()) return {};
    std::int64_t seconds = 0, nanos = 0;
    TRY(read_numbers(message, seconds, nanos));
    if (!in_range(seconds)) return refuse("proto: time out of range");
    out.seconds = seconds;
    return {};
  }

  static Result<> set_micro_time(std::string_view message, MicroTime& out) {
    if (message.empty()) return {};
    std::int64_t seconds = 0, nanos = 0;
    TRY(read_numbers(message, seconds, nanos));
    if (!in_range(seconds) || nanos < 0 || nanos >= 1'000'000'000) return refuse("proto: time out of range");
    out.microseconds = seconds * 1'000'000 + nanos / 1000;
    return {};
  }

  static Result<> set_duration(std::string_view message, GoDuration& out) {
    std::int64_t unused = 0;
    return read_numbers(message, out.nanoseconds, unused);
  }

  static Result<> set_int_or_string(std::string_view message, IntOrString& out) {
    wire::Reader reader(message);
    wire::Field field;
    while (reader.next(field)) {
      if (field.tag == 1) out.is_string = field.number != 0;
      if (field.tag == 2) out.number = static_cast<std::int32_t>(field.number);
      if (field.tag == 3) out.text = field.bytes;
    }
    if (reader.failed()) return cut_off();
    return {};
  }

  /// JSON, or an envelope around JSON.
  static Result<> set_raw(std::string_view message, RawExtension& out) {
    wire::Reader reader(message);
    wire::Field field;
    std::string raw;
    while (reader.next(field)) {
      if (field.tag == 1) raw = field.bytes;
    }
    if (reader.failed()) return cut_off();
    if (is_protobuf(raw)) {
      TRY_ASSIGN(ProtobufEnvelope envelope, parse_protobuf_envelope(raw));
      raw = std::move(envelope.raw);
    }
    if (raw.empty()) return {};
    TRY_ASSIGN(out.value, parse_json(raw));
    return {};
  }

  int depth_ = 0;
};

}  // namespace

bool is_protobuf(std::string_view body) { return body.starts_with(kMagic); }

Result<ProtobufEnvelope> parse_protobuf_envelope(std::string_view body) {
  if (!is_protobuf(body)) {
    return refuse("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  ProtobufEnvelope out;
  wire::Reader reader(body.substr(kMagic.size()));
  wire::Field field;
  while (reader.next(field)) {
    switch (field.tag) {
      case 1: {
        wire::Reader type_meta(field.bytes);
        wire::Field member;
        while (type_meta.next(member)) {
          if (member.tag == 1) out.api_version = member.bytes;
          if (member.tag == 2) out.kind = member.bytes;
        }
        if (type_meta.failed()) return cut_off();
        break;
      }
      case 2: out.raw = field.bytes; break;
      case 3: out.content_encoding = field.bytes; break;
      case 4: out.content_type = field.bytes; break;
      default: break;
    }
  }
  if (reader.failed()) return cut_off();
  return out;
}

std::string print_protobuf_envelope(const ProtobufEnvelope& envelope) {
  std::string out(kMagic);
  wire::append_message(out, 1, [&](std::string& o) {
    wire::append_bytes(o, 1, envelope.api_version);
    wire::append_bytes(o, 2, envelope.kind);
  });
  wire::append_bytes(out, 2, envelope.raw);
  wire::append_bytes(out, 3, envelope.content_encoding);
  wire::append_bytes(out, 4, envelope.content_type);
  return out;
}

std::string encode_protobuf(const Object& object) {
  ProtobufEnvelope envelope{object.api_version(), std::string(object.kind()), "", "", ""};
  encode_protobuf(*object.type, &object, envelope.raw);
  return print_protobuf_envelope(envelope);
}

void encode_protobuf(const StructDescriptor& descriptor, const void* in, std::string& out) {
  for (const FieldDescriptor* field : fields_of(descriptor)) {
    const void* member = field->in(in);
    // Go leaves absent byte strings out.
    if (field->type->kind == TypeKind::kBytes && as<Bytes>(member).data.empty()) continue;
    append_value(out, field->tag, *field->type, member);
  }
}

Result<> decode_protobuf(std::string_view message, const StructDescriptor& descriptor, void* out) {
  return Decoder().decode(message, descriptor, out);
}

Result<std::shared_ptr<Object>> decode_protobuf_object(std::string_view message, const StructDescriptor& kind) {
  std::shared_ptr<Object> out = kind.make();
  TRY(decode_protobuf(message, kind, out.get()));
  return out;
}

std::string protobuf_watch_frame(std::string_view type, std::string_view object) {
  std::string event;
  wire::append_bytes(event, 1, type);
  wire::append_message(event, 2, [&](std::string& out) { wire::append_bytes(out, 1, object); });
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(event.size() >> shift);
  return out + event;
}

}  // namespace dray
