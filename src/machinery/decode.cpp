#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "machinery/base64.h"
#include "machinery/codec.h"

namespace dray {
namespace {

/// A step of the way to a value; lives on the stack of the walk.
struct Step {
  const Step* owner = nullptr;
  std::string_view name;  // of a field or key
  int index = -1;         // of a list's element
};

/// "spec.ports[0].name", or without indices as Go's decoder says it.
void render(const Step* step, bool with_indices, std::string& out) {
  if (step == nullptr) return;
  render(step->owner, with_indices, out);
  if (step->index >= 0) {
    if (with_indices) out += fmt::format("[{}]", step->index);
  } else {
    if (!out.empty()) out += '.';
    out += step->name;
  }
}

std::string path_of(const Step* step, bool with_indices = true) {
  std::string out;
  render(step, with_indices, out);
  return out;
}

class Decoder {
 public:
  explicit Decoder(std::vector<StrictProblem>* problems) : problems_(problems) {}

  Result<> structure(const Value& value, const StructDescriptor& descriptor, void* out,
                     const Step* at) {
    const auto& members = value.as_map();
    std::size_t guess = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto& [name, member] = members[i];
      if (problems_ && repeats(members, i)) problem("duplicate field", name, member, at);
      auto [field, owner_offset] = find(descriptor, name, guess);
      if (!field) {
        const bool known = descriptor.is_kind() && (name == "apiVersion" || name == "kind");
        if (!known && problems_) problem("unknown field", name, member, at);
        continue;
      }
      const Step step{at, name, -1};
      const Context context{descriptor.name, &step};
      TRY(any(member, *field->type, field->in(static_cast<char*>(out) + owner_offset), context));
    }
    return {};
  }

 private:
  struct Context {
    std::string_view owner;  // the struct that Go would name
    const Step* at;
  };

  /// Members mostly come in the schema's order: try the field after the last one found.
  static StructDescriptor::Found find(const StructDescriptor& descriptor, std::string_view name,
                                      std::size_t& guess) {
    const auto fields = descriptor.fields;
    for (std::size_t i = guess; i < fields.size(); ++i) {
      if (!fields[i].is_inline() && fields[i].name == name) {
        guess = i + 1;
        return {&fields[i], 0};
      }
    }
    return descriptor.find(name);
  }

  static bool repeats(const Value::Map& members, std::size_t index) {
    for (std::size_t i = 0; i < index; ++i) {
      if (members[i].first == members[index].first) return true;
    }
    return false;
  }

  void problem(std::string_view what, std::string_view name, const Value& member, const Step* at) {
    const Step step{at, name, -1};
    problems_->push_back({fmt::format("{} \"{}\"", what, path_of(&step)), member.at});
  }

  static std::string_view go_word(const Value& value) {
    switch (value.type()) {
      case Value::Type::kNull: return "null";
      case Value::Type::kBool: return "bool";
      case Value::Type::kInt:
      case Value::Type::kDouble: return "number";
      case Value::Type::kString: return "string";
      case Value::Type::kList: return "array";
      case Value::Type::kMap: return "object";
    }
    return "";
  }

  static std::unexpected<Error> refuse(std::string message, const Value& value, const Context& context) {
    Error error{Code::kBadRequest, std::move(message), {}, {}, {}, {}, {}, 0};
    error.causes.push_back({path_of(context.at), "FieldValueInvalid", error.message, value.at});
    return std::unexpected(std::move(error));
  }

  static std::unexpected<Error> mismatch(const Value& value, std::string_view detail,
                                         const TypeDescriptor& type, const Context& context) {
    return refuse(fmt::format("json: cannot unmarshal {}{} into Go struct field {}.{} of type {}",
                              go_word(value), detail, context.owner, path_of(context.at, false),
                              type.go_name),
                  value, context);
  }

  Result<> any(const Value& value, const TypeDescriptor& type, void* out, const Context& context) {
    if (value.is_null() && type.kind != TypeKind::kRaw) return {};
    switch (type.kind) {
      case TypeKind::kString:
        if (!value.is_string()) return mismatch(value, "", type, context);
        *static_cast<std::string*>(out) = value.as_string();
        return {};
      case TypeKind::kBool:
        if (!value.is_bool()) return mismatch(value, "", type, context);
        *static_cast<bool*>(out) = value.as_bool();
        return {};
      case TypeKind::kInt32: return integer<std::int32_t>(value, type, out, context);
      case TypeKind::kInt64: return integer<std::int64_t>(value, type, out, context);
      case TypeKind::kDouble:
        if (!value.is_number()) return mismatch(value, "", type, context);
        *static_cast<double*>(out) = value.as_double();
        return {};
      case TypeKind::kBytes: return bytes(value, type, out, context);
      case TypeKind::kQuantity: return quantity(value, type, out, context);
      case TypeKind::kTime: return parsed<Time>(value, type, out, context);
      case TypeKind::kMicroTime: return parsed<MicroTime>(value, type, out, context);
      case TypeKind::kDuration: return parsed<GoDuration>(value, type, out, context);
      case TypeKind::kIntOrString: return int_or_string(value, type, out, context);
      case TypeKind::kRaw:
        static_cast<RawExtension*>(out)->value = value;
        return {};
      case TypeKind::kStruct:
        if (!value.is_map()) return mismatch(value, "", type, context);
        return structure(value, *type.structure, out, context.at);
      case TypeKind::kList: return list(value, type, out, context);
      case TypeKind::kMap: return map(value, type, out, context);
      case TypeKind::kOptional: {
        void* const present =
            type.ops->size(out) ? const_cast<void*>(type.ops->at(out, 0)) : type.ops->add(out, {});
        return any(value, *type.element, present, context);
      }
    }
    return {};
  }

  template <class Int>
  static Result<> integer(const Value& value, const TypeDescriptor& type, void* out,
                          const Context& context) {
    if (!value.is_number()) return mismatch(value, "", type, context);
    if (value.is_double()) {
      const double number = value.as_double();
      const std::string text = std::floor(number) == number && std::abs(number) < 1e21
                                   ? fmt::format(" {:.0f}", number)
                                   : fmt::format(" {}", number);
      return mismatch(value, text, type, context);
    }
    const std::int64_t number = value.as_int();
    if (number < std::numeric_limits<Int>::min() || number > std::numeric_limits<Int>::max()) {
      return mismatch(value, fmt::format(" {}", number), type, context);
    }
    *static_cast<Int*>(out) = static_cast<Int>(number);
    return {};
  }

  static Result<> bytes(const Value& value, const TypeDescriptor& type, void* out,
                        const Context& context) {
    if (!value.is_string()) return mismatch(value, "", type, context);
    auto decoded = base64_decode(value.as_string());
    if (!decoded) {
      return refuse(fmt::format("illegal base64 data at {}", path_of(context.at)), value, context);
    }
    static_cast<Bytes*>(out)->data = *std::move(decoded);
    return {};
  }

  static Result<> quantity(const Value& value, const TypeDescriptor& type, void* out,
                           const Context& context) {
    std::string text;
    if (value.is_string()) {
      text = value.as_string();
    } else if (value.is_number()) {
      text = print_json(value);
    } else if (value.is_bool()) {
      text = value.as_bool() ? "true" : "false";  // refused below, in Quantity's own words
    } else {
      return mismatch(value, "", type, context);
    }
    auto parsed = Quantity::parse(text);
    if (!parsed) return refuse(std::move(parsed.error().message), value, context);
    *static_cast<Quantity*>(out) = *std::move(parsed);
    return {};
  }

  template <class T>
  static Result<> parsed(const Value& value, const TypeDescriptor& type, void* out,
                         const Context& context) {
    if (!value.is_string()) return mismatch(value, "", type, context);
    auto result = T::parse(value.as_string());
    if (!result) return refuse(std::move(result.error().message), value, context);
    *static_cast<T*>(out) = *result;
    return {};
  }

  static Result<> int_or_string(const Value& value, const TypeDescriptor& type, void* out,
                                const Context& context) {
    auto& target = *static_cast<IntOrString*>(out);
    if (value.is_string()) {
      target = IntOrString(value.as_string());
      return {};
    }
    static constexpr TypeDescriptor kInt32{TypeKind::kInt32, nullptr, nullptr, nullptr, nullptr, "int32"};
    if (!value.is_number()) return mismatch(value, "", type, context);
    target = IntOrString();
    return integer<std::int32_t>(value, kInt32, &target.number, context);
  }

  Result<> list(const Value& value, const TypeDescriptor& type, void* out, const Context& context) {
    if (!value.is_list()) return mismatch(value, "", type, context);
    type.ops->clear(out);
    int index = 0;
    for (const Value& element : value.as_list()) {
      const Step step{context.at, {}, index++};
      TRY(any(element, *type.element, type.ops->add(out, {}), {context.owner, &step}));
    }
    return {};
  }

  Result<> map(const Value& value, const TypeDescriptor& type, void* out, const Context& context) {
    if (!value.is_map()) return mismatch(value, "", type, context);
    type.ops->clear(out);
    const auto& members = value.as_map();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto& [key, element] = members[i];
      if (problems_ && repeats(members, i)) problem("duplicate field", key, element, context.at);
      // Go names the map, not the key.
      const Step step{context.at, key, -1};
      const bool scalar = type.element->kind != TypeKind::kStruct;
      TRY(any(element, *type.element, type.ops->add(out, key),
              {context.owner, scalar ? context.at : &step}));
    }
    return {};
  }

  std::vector<StrictProblem>* problems_;
};

}  // namespace

Result<> decode(const Value& value, const StructDescriptor& descriptor, void* out,
                std::vector<StrictProblem>* problems) {
  if (!value.is_map()) {
    Error error{Code::kBadRequest,
                fmt::format("json: cannot unmarshal {} into Go value of type {}.{}",
                            value.is_list() ? "array" : value.type_name(), descriptor.version,
                            descriptor.name),
                {}, {}, {}, {}, {}, 0};
    error.causes.push_back({"", "FieldValueInvalid", error.message, value.at});
    return std::unexpected(std::move(error));
  }
  return Decoder(problems).structure(value, descriptor, out, nullptr);
}

Result<std::shared_ptr<Object>> decode_object(const Value& value, const StructDescriptor& kind,
                                              std::vector<StrictProblem>* problems) {
  CHECK(kind.is_kind());
  std::shared_ptr<Object> object = kind.make();
  // A kind derives from Object at offset 0, so that the table's offsets start at the Object.
  TRY(decode(value, kind, object.get(), problems));
  return object;
}

}  // namespace dray
