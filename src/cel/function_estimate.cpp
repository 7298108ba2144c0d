#include "cel/function_estimate.h"

#include <cmath>

#include "cel/cost_range.h"

namespace dray::cel {
namespace {

using Estimate = std::optional<CallEstimate>;
using Args = std::span<const Operand>;

class Functions {
 public:
  Functions(const SizeBounds& bounds, const Operand* target, Args args)
      : bounds_(bounds), target_(target), args_(args) {}

  Estimate list_library(const std::string& overload) const {
    if (overload == "list_slice") {
      if (target_ == nullptr || args_.size() != 2) return {};
      const std::uint64_t start = literal(args_[0], 0), end = literal(args_[1], size(*target_).max);
      return allocating(1, fixed(end - start));
    }
    if (overload == "lists_range") {
      if (target_ != nullptr || args_.size() != 1) return {};
      return allocating(1, fixed(literal(args_[0], kNoBound)));
    }
    if (target_ == nullptr) return {};
    if (overload == "list_reverse") return allocating(1, size(*target_));
    if (overload == "list_flatten" || overload == "list_flatten_int") {
      const std::uint64_t depth = args_.size() == 1 ? literal(args_[0], kNoBound) : 1;
      return allocating(static_cast<double>(depth), size(*target_));
    }
    if (overload == "list_distinct") return allocating(2, size(*target_) * size(*target_));
    const bool scans = overload.starts_with("list_string_") || overload.starts_with("list_bytes_");
    const double factor = scans ? 2 + kScanFactor : 2;
    if (overload.ends_with("_sort")) return allocating(factor, size(*target_) * size(*target_));
    if (overload.ends_with("_sortByAssociatedKeys") && args_.size() == 1)
      return allocating(factor, size(args_[0]) * size(args_[0]));
    return {};
  }

  Estimate sets(const std::string& overload) const {
    if (args_.size() != 2) return {};
    const double factor = overload == "list_sets_equivalent_list" ? 2 : 1;
    return CallEstimate{size(args_[0]) * size(args_[1]) * factor + fixed(1), {}};
  }

  Estimate kubernetes(const std::string& f, const std::string& overload) const {
    if (f == "check") return plain(fixed(350'000));
    if (is_one(f)) return plain(fixed(1));
    if (f == "fieldSelector" || f == "labelSelector") {
      // A list of requirements, one for each two characters at most.
      if (args_.size() != 1) return {};
      const Range text = size(args_[0]);
      return plain(fixed(10) + text * kScanFactor + text * 0.5 * 50.0);
    }
    if (f == "isSorted" || f == "sum" || f == "max" || f == "min" || f == "indexOf" ||
        f == "lastIndexOf" || f == "includes")
      return traversal(f);
    if (f == "url" || f == "jsonpatch.escapeKey") {
      if (args_.size() != 1) return {};
      return CallEstimate{size(args_[0]) * kScanFactor, size(args_[0])};
    }
    if (f == "lowerAscii" || f == "upperAscii" || f == "substring" || f == "trim") {
      if (target_ == nullptr) return {};
      return CallEstimate{size(*target_) * kScanFactor, size(*target_)};
    }
    if (f == "replace") return replace();
    if (f == "split") return split();
    if (f == "join") return join();
    if (f == "find" || f == "findAll") {
      if (target_ == nullptr || args_.empty()) return {};
      const Range text = size(*target_);
      const Range cost = (text + fixed(1)) * kScanFactor * (size(args_[0]) * kRegexFactor);
      return CallEstimate{cost, Range{0, text.max}};
    }
    if (f == "ip" && overload == "cidr_ip") return plain(fixed(1));
    if (f == "cidr" || f == "isIP" || f == "isCIDR" || f == "ip" || f == "quantity" ||
        f == "isQuantity" || f == "semver" || f == "isSemver")
      return args_.empty() ? Estimate{} : plain(size(args_[0]) * kScanFactor);
    if (f == "ip.isCanonical")
      return args_.empty() ? Estimate{} : plain(size(args_[0]) * (2 * kScanFactor));
    if (f == "containsIP" || f == "containsCIDR") return contains(f, overload);
    if (f == "validate") {
      constexpr double kRegexSize = 128;
      if (args_.empty()) return {};
      return plain(size(args_[0]) * kScanFactor * (kRegexSize * kRegexFactor));
    }
    if (f == "_==_") return equality();
    return {};
  }

 private:
  static Estimate plain(Range cost) { return CallEstimate{cost, {}}; }

  static bool is_one(const std::string& f) {
    static constexpr std::string_view kNames[] = {
        "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name",
        "allowed", "reason", "error", "errored", "masked", "prefixLength", "family",
        "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast",
        "isGlobalUnicast", "format.named", "sign", "asInteger", "isInteger", "asApproximateFloat",
        "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch",
        "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"};
    return std::find(std::begin(kNames), std::end(kNames), f) != std::end(kNames);
  }

  [[nodiscard]] Range size(const Operand& o) const {
    if (o.size) return *o.size;
    if (const auto bound = bounds_(o.path)) return *bound;
    return unknown_size();
  }

  static std::uint64_t literal(const Operand& o, std::uint64_t otherwise) {
    if (o.expr == nullptr || !o.expr->is_literal(LiteralKind::kInt)) return otherwise;
    return o.expr->literal.integer < 0 ? 0 : static_cast<std::uint64_t>(o.expr->literal.integer);
  }

  static Estimate allocating(double factor, Range size) {
    return CallEstimate{size * factor + fixed(1) + fixed(10), size};
  }

  /// An element of the list; false if the operand is no list.
  static bool element_of(const Operand& list, Operand& out) {
    if (list.type->params.empty()) return false;
    out.type = list.type->params[0];
    out.has_path = list.has_path;
    out.path = list.path;
    if (list.has_path) out.path.push_back("@items");
    return true;
  }

  [[nodiscard]] Estimate traversal(const std::string& f) const {
    if (target_ == nullptr) return {};
    Operand element;
    if (element_of(*target_, element)) {
      Range cost = fixed(1);
      if (element.type->kind == TypeKind::kString || element.type->kind == TypeKind::kBytes)
        cost = cost + size(element) * kScanFactor;
      return plain(size(*target_) * cost);
    }
    if (f == "includes") return plain(size(*target_) * fixed(1));
    return plain(size(*target_) * kScanFactor);
  }

  [[nodiscard]] Estimate replace() const {
    if (target_ == nullptr || args_.size() < 2) return {};
    const Range text = size(*target_), from = size(args_[0]), to = size(args_[1]);
    Range count, kept;
    const auto quotient = [](std::uint64_t a, std::uint64_t b) {
      const double up = std::ceil(static_cast<double>(a) / static_cast<double>(b));
      return up >= 18446744073709551616.0 ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(up);
    };
    if (from.min == 0) {
      count.max = plus(text.max, 1);
      kept.max = text.max;
    } else if (to.max <= from.min) {
      kept.max = text.max;
    } else {
      count.max = quotient(text.max, from.min);
    }
    if (from.max == 0) {
      count.min = plus(text.min, 1);
      kept.min = text.min;
    } else if (from.max <= to.min) {
      kept.min = text.min;
    } else {
      count.min = quotient(text.min, from.max);
    }
    return CallEstimate{text * (2 * kScanFactor), count * to + kept};
  }

  [[nodiscard]] Estimate split() const {
    if (target_ == nullptr) return {};
    const Range text = size(*target_);
    std::uint64_t most = text.max;
    if (args_.size() > 1 && args_[1].expr != nullptr && args_[1].expr->is_literal(LiteralKind::kInt))
      most = static_cast<std::uint64_t>(args_[1].expr->literal.integer);
    return CallEstimate{text * (2 * kScanFactor), Range{0, most}};
  }

  [[nodiscard]] Estimate join() const {
    if (target_ == nullptr) return {};
    const Range list = size(*target_);
    Range out;
    Operand element;
    if (element_of(*target_, element)) out = list * size(element);
    if (!args_.empty()) {
      const Range separators{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
      out = out + size(args_[0]) * separators;
    }
    return CallEstimate{out * kScanFactor, out};
  }

  [[nodiscard]] Estimate contains(const std::string& f, const std::string& overload) const {
    if (args_.empty()) return {};
    const Range bytes{4, 16};
    Range cost = (bytes + bytes) * kScanFactor;
    if (f == "containsCIDR") cost = cost + bytes * kScanFactor + fixed(1);
    if (overload.ends_with("_string")) cost = cost + size(args_[0]) * kScanFactor;
    return plain(cost);
  }

  [[nodiscard]] Estimate equality() const {
    if (args_.size() != 2 || !same_type(args_[0].type, args_[1].type)) return {};
    const std::string& name = args_[0].type->name;
    const TypeKind kind = args_[0].type->kind;
    if (kind == TypeKind::kOpaque && (name == "net.IP" || name == "net.CIDR")) return plain(fixed(1));
    if (kind != TypeKind::kStruct) return {};
    if (name == "kubernetes.Quantity" || name == "kubernetes.Semver") return plain(fixed(1));
    if (name == "kubernetes.NamedFormat") return plain(Range{1, 64} * kScanFactor);
    if (name == "kubernetes.URL")
      return plain(Range{1, args_[1].size ? std::max<std::uint64_t>(1, args_[1].size->max) : 1} *
                   kScanFactor);
    return {};
  }

  static bool same_type(TypeRef a, TypeRef b) { return a->name == b->name; }

  const SizeBounds& bounds_;
  const Operand* target_;
  Args args_;
};

}  // namespace

Estimate estimate_function(const Environment& env, const SizeBounds& bounds,
                           const std::string& function, const std::string& overload,
                           const Operand* target, Args args) {
  const Functions functions(bounds, target, args);
  if (env.set_costs && overload.starts_with("list_sets_")) return functions.sets(overload);
  if (env.list_costs)
    if (Estimate e = functions.list_library(overload)) return e;
  return env.kubernetes_costs ? functions.kubernetes(function, overload) : Estimate{};
}

}  // namespace dray::cel
