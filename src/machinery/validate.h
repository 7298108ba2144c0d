/// What validation of API objects is written with: where a field is (`FieldPath`), what is wrong with
/// it (`Causes`, with Kubernetes' texts), and the Invalid error made of that. Formats of names are in
/// machinery/formats.h, metadata in machinery/metadata_validation.h.
/// Source: k8s.io/apimachinery/pkg/util/validation/field, pkg/api/errors.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "machinery/formats.h"

namespace dray {

class Quantity;
class Value;

/// A field of an object: "spec.containers[0].ports[1]". A chain of views, made while walking down and
/// rendered only where something is wrong:
///   void validate(const Pod& pod, const FieldPath& at, Causes& out) {
///     const FieldPath containers = at / "spec" / "containers";
///     for (size_t i = 0; ...) validate(pod.spec.containers[i], containers / i, out);
/// A path refers to the *named* path left of its slashes and to the names' characters: both must
/// outlive it. Pass paths down, do not keep or return them.
class FieldPath {
 public:
  /// The empty path: "" ; what is added to it begins without a dot.
  FieldPath() = default;
  explicit FieldPath(std::string_view root) { push({root.data(), root.size(), Kind::kName}); }

  /// A member: ".name".
  [[nodiscard]] FieldPath operator/(std::string_view name) const& { return child(text(name)); }
  [[nodiscard]] FieldPath operator/(std::string_view name) && { return grown(text(name)); }
  [[nodiscard]] FieldPath operator/(const char* name) const& { return child(text(name)); }
  [[nodiscard]] FieldPath operator/(const char* name) && { return grown(text(name)); }
  [[nodiscard]] FieldPath operator/(const std::string& name) const& { return child(text(name)); }
  [[nodiscard]] FieldPath operator/(const std::string& name) && { return grown(text(name)); }
  /// An element of a list: "[3]".
  template <std::integral I>
  [[nodiscard]] FieldPath operator/(I index) const& { return child(number(index)); }
  template <std::integral I>
  [[nodiscard]] FieldPath operator/(I index) && { return grown(number(index)); }
  /// A value of a map: "[key]".
  [[nodiscard]] FieldPath operator[](std::string_view key) const& { return child(key_of(key)); }
  [[nodiscard]] FieldPath operator[](std::string_view key) && { return grown(key_of(key)); }

  [[nodiscard]] std::string str() const;

 private:
  enum class Kind : std::uint8_t { kName, kIndex, kKey };
  struct Segment {
    const char* data = nullptr;
    std::size_t size = 0;  // or the index
    Kind kind = Kind::kName;
  };
  /// More slashes in one expression are a bug.
  static constexpr int kSegmentsMax = 6;

  static Segment text(std::string_view name) { return {name.data(), name.size(), Kind::kName}; }
  static Segment key_of(std::string_view key) { return {key.data(), key.size(), Kind::kKey}; }
  template <std::integral I>
  static Segment number(I index) { return {nullptr, static_cast<std::size_t>(index), Kind::kIndex}; }
  [[nodiscard]] FieldPath child(Segment segment) const;
  [[nodiscard]] FieldPath grown(Segment segment) const;
  void push(Segment segment);
  void render(std::string& out) const;

  const FieldPath* parent_ = nullptr;
  Segment segments_[kSegmentsMax];
  int count_ = 0;
};

/// The offending value as Kubernetes quotes it: strings as Go's %q, numbers and booleans plainly,
/// everything else as JSON.
struct BadValue {
  std::string text;

  BadValue(std::string_view value);
  BadValue(const char* value) : BadValue(std::string_view(value)) {}
  BadValue(const std::string& value) : BadValue(std::string_view(value)) {}
  BadValue(bool value) : text(value ? "true" : "false") {}
  template <std::integral I>
  BadValue(I value) : text(std::to_string(value)) {}
  BadValue(double value);
  BadValue(const Quantity& value);
  BadValue(const Value& value);
  BadValue(const std::vector<std::string>& value);
  /// A pointer in Kubernetes: "null" if absent.
  template <class T>
  BadValue(const std::optional<T>& value) : text(value ? BadValue(*value).text : "null") {}
  /// Text that is already as it shall appear.
  [[nodiscard]] static BadValue raw(std::string text);
  /// Leaves the value out of the message: "Invalid value: detail".
  [[nodiscard]] static BadValue omitted() { return raw(""); }

 private:
  struct Raw {};
  BadValue(Raw, std::string t) : text(std::move(t)) {}
};

/// Go's %q of a string.
[[nodiscard]] std::string go_quoted(std::string_view text);

/// Collects what is wrong, in the order found; never stops at the first.
class Causes {
 public:
  /// "Required value: detail"
  void required(const FieldPath& at, std::string_view detail = "");
  /// "Invalid value: VALUE: detail"
  void invalid(const FieldPath& at, const BadValue& value, std::string_view detail);
  /// One `invalid` for each of the problems that a format check found.
  void invalid_each(const FieldPath& at, const BadValue& value, const Problems& problems);
  /// "Invalid value: VALUE: detail" with the reason FieldValueTypeInvalid.
  void type_invalid(const FieldPath& at, const BadValue& value, std::string_view detail);
  /// "Unsupported value: VALUE: supported values: "a", "b"", in the order given.
  void not_supported(const FieldPath& at, const BadValue& value,
                     std::span<const std::string_view> supported);
  void not_supported(const FieldPath& at, const BadValue& value,
                     std::initializer_list<std::string_view> supported);
  /// "Duplicate value: VALUE"
  void duplicate(const FieldPath& at, const BadValue& value);
  /// "Not found: VALUE"
  void not_found(const FieldPath& at, const BadValue& value);
  /// "Forbidden: detail"
  void forbidden(const FieldPath& at, std::string_view detail);
  /// "Too long: may not be more than N bytes"
  void too_long(const FieldPath& at, int bytes_max);
  /// "Too long: may not be more than N characters"
  void too_long_characters(const FieldPath& at, int characters_max);
  /// "Too short: must be at least N characters"
  void too_short(const FieldPath& at, int characters_min);
  /// "Too many: ACTUAL: must have at most N items"
  void too_many(const FieldPath& at, std::int64_t actual, std::int64_t items_max);
  /// "Too few: ACTUAL: must have at least N items"
  void too_few(const FieldPath& at, std::int64_t actual, std::int64_t items_min);
  /// "Internal error: detail"
  void internal(const FieldPath& at, std::string_view detail);
  /// The value must equal the old one: "Invalid value: VALUE: field is immutable".
  template <class T>
  void immutable(const FieldPath& at, const T& fresh, const T& old) {
    if (!(fresh == old)) invalid(at, fresh, kFieldImmutable);
  }
  void add(Cause cause) { list_.push_back(std::move(cause)); }

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] const std::vector<Cause>& list() const { return list_; }
  [[nodiscard]] std::vector<Cause> take() { return std::move(list_); }

  static constexpr std::string_view kFieldImmutable = "field is immutable";

 private:
  void add(const FieldPath& at, std::string_view reason, std::string_view what, std::string_view value,
           std::string_view detail);

  std::vector<Cause> list_;
};

/// Code kInvalid: `Pod "a" is invalid: spec.x: Required value`, several in brackets, the group after
/// the kind ("Deployment.apps"), each text once.
[[nodiscard]] Error invalid_error(std::string_view group, std::string_view kind, std::string_view name,
                                  Causes causes);

}  // namespace dray
