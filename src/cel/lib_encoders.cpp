#include "cel/libraries.h"
#include "machinery/base64.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

Val encode(Eval& e, Args a) { return e.string(base64_encode(a[0].text())); }

/// With padding, or without.
Val decode(Eval& e, Args a) {
  std::string text(a[0].text());
  while (text.size() % 4 != 0 && !text.contains('=')) text += '=';
  const auto bytes = base64_decode(text);
  if (!bytes) return Val::error("illegal base64 data");
  return Val::of_bytes(e.arena.copy(*bytes));
}

}  // namespace

void add_encoders(Environment& env) {
  env.declare("base64.decode")
      .global("base64_decode_string", {&types::kString}, &types::kBytes, decode);
  env.declare("base64.encode")
      .global("base64_encode_bytes", {&types::kBytes}, &types::kString, encode);
}

}  // namespace dray::cel
