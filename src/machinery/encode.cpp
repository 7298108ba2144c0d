#include <charconv>

#include "machinery/base64.h"
#include "machinery/codec.h"

namespace dray {
namespace {

/// Whether a field that is `omit_empty` is left out.
bool is_empty(const TypeDescriptor& type, const void* in) {
  switch (type.kind) {
    case TypeKind::kString: return static_cast<const std::string*>(in)->empty();
    case TypeKind::kBool: return !*static_cast<const bool*>(in);
    case TypeKind::kInt32: return *static_cast<const std::int32_t*>(in) == 0;
    case TypeKind::kInt64: return *static_cast<const std::int64_t*>(in) == 0;
    case TypeKind::kDouble: return *static_cast<const double*>(in) == 0;
    case TypeKind::kBytes: return static_cast<const Bytes*>(in)->data.empty();
    case TypeKind::kTime: return static_cast<const Time*>(in)->is_zero();
    case TypeKind::kMicroTime: return static_cast<const MicroTime*>(in)->is_zero();
    case TypeKind::kRaw: return static_cast<const RawExtension*>(in)->value.is_null();
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kOptional: return type.ops->size(in) == 0;
    case TypeKind::kQuantity:
    case TypeKind::kDuration:
    case TypeKind::kIntOrString:
    case TypeKind::kStruct: return false;
  }
  return false;
}

/// Writes JSON text.
class TextSink {
 public:
  explicit TextSink(std::string& out) : out_(out) {}
  void null() { out_ += "null"; }
  void boolean(bool b) { out_ += b ? "true" : "false"; }
  void integer(std::int64_t i) {
    char buffer[24];
    out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, i).ptr);
  }
  void number(double d) { append_json_double(out_, d); }
  void string(std::string_view s) { append_json_string(out_, s); }
  void raw(const Value& value) { out_ += print_json(value); }
  void begin_map() { out_ += '{'; first_ = true; }
  void key(std::string_view name) {
    comma();
    append_json_string(out_, name);
    out_ += ':';
  }
  void end_map() { out_ += '}'; first_ = false; }
  void begin_list() { out_ += '['; first_ = true; }
  void element() { comma(); }
  void end_list() { out_ += ']'; first_ = false; }

 private:
  void comma() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

/// Builds a tree.
class ValueSink {
 public:
  void null() { put(Value()); }
  void boolean(bool b) { put(Value(b)); }
  void integer(std::int64_t i) { put(Value(i)); }
  void number(double d) { put(Value(d)); }
  void string(std::string_view s) { put(Value(s)); }
  void raw(const Value& value) { put(value); }
  void begin_map() { open_.push_back({Value::map(), std::exchange(key_, {})}); }
  void key(std::string_view name) { key_ = name; }
  void end_map() { close(); }
  void begin_list() { open_.push_back({Value::list(), std::exchange(key_, {})}); }
  void element() {}
  void end_list() { close(); }
  Value take() { return std::move(done_); }

 private:
  struct Open {
    Value value;
    std::string key;
  };
  void put(Value value) {
    if (open_.empty()) {
      done_ = std::move(value);
    } else if (Value& owner = open_.back().value; owner.is_map()) {
      owner.as_map().emplace_back(std::move(key_), std::move(value));
      key_.clear();
    } else {
      owner.as_list().push_back(std::move(value));
    }
  }
  void close() {
    Open last = std::move(open_.back());
    open_.pop_back();
    key_ = std::move(last.key);
    put(std::move(last.value));
  }
  std::vector<Open> open_;
  std::string key_;
  Value done_;
};

template <class Sink>
class Encoder {
 public:
  explicit Encoder(Sink& sink) : sink_(sink) {}

  void structure(const StructDescriptor& descriptor, const void* in) {
    sink_.begin_map();
    if (descriptor.is_kind()) {
      sink_.key("kind");
      sink_.string(descriptor.name);
      sink_.key("apiVersion");
      sink_.string(descriptor.api_version());
    }
    fields(descriptor, in);
    sink_.end_map();
  }

 private:
  void fields(const StructDescriptor& descriptor, const void* in) {
    for (const FieldDescriptor& field : descriptor.fields) {
      const void* const content = field.in(in);
      if (field.is_inline()) {
        fields(*field.type->structure, content);
      } else if (!field.omit_empty || !is_empty(*field.type, content)) {
        sink_.key(field.name);
        any(*field.type, content);
      }
    }
  }

  void any(const TypeDescriptor& type, const void* in) {
    switch (type.kind) {
      case TypeKind::kString: return sink_.string(*static_cast<const std::string*>(in));
      case TypeKind::kBool: return sink_.boolean(*static_cast<const bool*>(in));
      case TypeKind::kInt32: return sink_.integer(*static_cast<const std::int32_t*>(in));
      case TypeKind::kInt64: return sink_.integer(*static_cast<const std::int64_t*>(in));
      case TypeKind::kDouble: return sink_.number(*static_cast<const double*>(in));
      case TypeKind::kBytes: return sink_.string(base64_encode(static_cast<const Bytes*>(in)->data));
      case TypeKind::kQuantity: return sink_.string(static_cast<const Quantity*>(in)->str());
      case TypeKind::kTime: return time(*static_cast<const Time*>(in));
      case TypeKind::kMicroTime: return time(*static_cast<const MicroTime*>(in));
      case TypeKind::kDuration: return sink_.string(static_cast<const GoDuration*>(in)->str());
      case TypeKind::kIntOrString: {
        const auto& value = *static_cast<const IntOrString*>(in);
        return value.is_string ? sink_.string(value.text) : sink_.integer(value.number);
      }
      case TypeKind::kRaw: return sink_.raw(static_cast<const RawExtension*>(in)->value);
      case TypeKind::kStruct: return structure(*type.structure, in);
      case TypeKind::kList: return list(type, in);
      case TypeKind::kMap: return map(type, in);
      case TypeKind::kOptional:
        return type.ops->size(in) ? any(*type.element, type.ops->at(in, 0)) : sink_.null();
    }
  }

  template <class T>
  void time(const T& value) {
    value.is_zero() ? sink_.null() : sink_.string(value.str());
  }

  void list(const TypeDescriptor& type, const void* in) {
    const std::size_t size = type.ops->size(in);
    if (size == 0) return sink_.null();  // Go's nil slice
    sink_.begin_list();
    for (std::size_t i = 0; i < size; ++i) {
      sink_.element();
      any(*type.element, type.ops->at(in, i));
    }
    sink_.end_list();
  }

  void map(const TypeDescriptor& type, const void* in) {
    if (type.ops->size(in) == 0) return sink_.null();
    sink_.begin_map();
    struct Visit {
      Encoder* encoder;
      const TypeDescriptor* element;
    } visit{this, type.element};
    type.ops->each(in, &visit, [](void* context, const std::string& key, const void* element) {
      const auto& v = *static_cast<Visit*>(context);
      v.encoder->sink_.key(key);
      v.encoder->any(*v.element, element);
      return true;
    });
    sink_.end_map();
  }

  Sink& sink_;
};

}  // namespace

void encode_json(const StructDescriptor& descriptor, const void* in, std::string& out) {
  TextSink sink(out);
  Encoder(sink).structure(descriptor, in);
}

std::string encode_json(const Object& object) {
  std::string out;
  encode_json(*object.type, &object, out);
  return out;
}

Value to_value(const StructDescriptor& descriptor, const void* in) {
  ValueSink sink;
  Encoder(sink).structure(descriptor, in);
  return sink.take();
}

Value to_value(const Object& object) { return to_value(*object.type, &object); }

}  // namespace dray
