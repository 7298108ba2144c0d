#include <fmt/format.h>

#include "cel/ip.h"
#include "cel/libraries.h"
#include "cel/text.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

bool parse_ip(std::string_view text, Ip& out, std::string& error) {
  bool zone = false;
  std::string why;
  if (!parse_address(text, out, zone, why)) {
    error = fmt::format("IP Address {} parse error during conversion from string: {}",
                        go_quote(text), why);
    return false;
  }
  if (zone) {
    error = fmt::format("IP address {} with zone value is not allowed", go_quote(text));
    return false;
  }
  if (out.is4in6()) {
    error = fmt::format("IPv4-mapped IPv6 address {} is not allowed", go_quote(text));
    return false;
  }
  return true;
}

bool parse_cidr(std::string_view text, Ip& out, std::string& error) {
  std::string why;
  if (!parse_prefix(text, out, why)) {
    error = "network address parse error during conversion from string: " + why;
    return false;
  }
  if (out.is4in6()) {
    error = fmt::format("IPv4-mapped IPv6 address {} is not allowed", go_quote(text));
    return false;
  }
  return true;
}

Val ip(Eval& e, Args a) {
  Ip out;
  std::string error;
  return parse_ip(a[0].text(), out, error) ? Val::of_ip(e.arena.make<Ip>(out)) : e.fail(error);
}

Val cidr(Eval& e, Args a) {
  Ip out;
  std::string error;
  if (parse_cidr(a[0].text(), out, error)) return Val::of_cidr(e.arena.make<Ip>(out));
  return e.fail("network address parse error during conversion from string: " + error);
}

Val is_ip(Eval&, Args a) {
  Ip out;
  std::string error;
  return Val::of(parse_ip(a[0].text(), out, error));
}
Val is_cidr(Eval&, Args a) {
  Ip out;
  std::string error;
  return Val::of(parse_cidr(a[0].text(), out, error));
}

Val is_canonical(Eval& e, Args a) {
  Ip out;
  std::string error;
  if (!parse_ip(a[0].text(), out, error)) return e.fail(error);
  return Val::of(out.address_text() == a[0].text());
}

Val to_string(Eval& e, Args a) { return e.string(a[0].ip->text()); }
Val family(Eval&, Args a) { return Val::of_int(a[0].ip->is6 ? 6 : 4); }

bool all_zero(const Ip& ip, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i)
    if (ip.bytes[i] != 0) return false;
  return true;
}
bool unspecified(const Ip& ip) { return all_zero(ip, 0, 16); }
bool loopback(const Ip& ip) {
  return ip.is6 ? all_zero(ip, 0, 15) && ip.bytes[15] == 1 : ip.bytes[0] == 127;
}
bool link_local_multicast(const Ip& ip) {
  if (ip.is6) return ip.bytes[0] == 0xFF && (ip.bytes[1] & 0x0F) == 2;
  return ip.bytes[0] == 224 && ip.bytes[1] == 0 && ip.bytes[2] == 0;
}
bool link_local_unicast(const Ip& ip) {
  if (ip.is6) return ip.bytes[0] == 0xFE && (ip.bytes[1] & 0xC0) == 0x80;
  return ip.bytes[0] == 169 && ip.bytes[1] == 254;
}
bool multicast(const Ip& ip) { return ip.is6 ? ip.bytes[0] == 0xFF : (ip.bytes[0] & 0xF0) == 0xE0; }
bool global_unicast(const Ip& ip) {
  const bool broadcast = !ip.is6 && ip.bytes[0] == 255 && ip.bytes[1] == 255 &&
                         ip.bytes[2] == 255 && ip.bytes[3] == 255;
  return !broadcast && !unspecified(ip) && !loopback(ip) && !multicast(ip) &&
         !link_local_unicast(ip);
}

template <bool (*Test)(const Ip&)>
Val test(Eval&, Args a) {
  return Val::of(Test(*a[0].ip));
}

Val contains_ip(Eval& e, Args a) {
  Val other = a[1];
  if (other.is(ValKind::kString)) other = ip(e, a.subspan(1));
  // A text that is no address is no overload either, says the reference.
  if (!other.is(ValKind::kIp)) return no_such_overload();
  return Val::of(a[0].ip->same_prefix(*other.ip, a[0].ip->bits));
}

Val contains_cidr(Eval& e, Args a) {
  Val other = a[1];
  if (other.is(ValKind::kString)) other = cidr(e, a.subspan(1));
  if (!other.is(ValKind::kCidr)) return maybe_no_such_overload(other);
  const Ip& outer = *a[0].ip;
  const Ip& inner = *other.ip;
  return Val::of(outer.bits <= inner.bits && outer.same_prefix(inner, outer.bits));
}

Val address(Eval& e, Args a) {
  Ip out = *a[0].ip;
  out.bits = Ip::kNoPrefix;
  return Val::of_ip(e.arena.make<Ip>(out));
}
Val prefix_length(Eval&, Args a) { return Val::of_int(a[0].ip->bits); }
Val masked(Eval& e, Args a) { return Val::of_cidr(e.arena.make<Ip>(a[0].ip->masked())); }

}  // namespace

void add_ip(Environment& env) {
  const TypeRef address_type = env.pool.opaque("net.IP"), text = &types::kString,
                boolean = &types::kBool;
  env.add_type(address_type);
  env.declare("ip").global("string_to_ip", {text}, address_type, ip);
  env.declare("family").member("ip_family", {address_type}, &types::kInt, family);
  env.declare("ip.isCanonical").global("ip_is_canonical", {text}, boolean, is_canonical);
  const auto add_test = [&](const char* function, const char* id, Fn fn) {
    env.declare(function).member(id, {address_type}, boolean, fn);
  };
  add_test("isUnspecified", "ip_is_unspecified", test<unspecified>);
  add_test("isLoopback", "ip_is_loopback", test<loopback>);
  add_test("isLinkLocalMulticast", "ip_is_link_local_multicast", test<link_local_multicast>);
  add_test("isLinkLocalUnicast", "ip_is_link_local_unicast", test<link_local_unicast>);
  add_test("isGlobalUnicast", "ip_is_global_unicast", test<global_unicast>);
  env.declare("isIP").global("is_ip", {text}, boolean, is_ip);
  env.declare("string").global("ip_to_string", {address_type}, text, to_string);
}

void add_cidr(Environment& env) {
  const TypeRef prefix = env.pool.opaque("net.CIDR"), address_type = env.find_type("net.IP"),
                text = &types::kString, boolean = &types::kBool;
  env.add_type(prefix);
  env.declare("cidr").global("string_to_cidr", {text}, prefix, cidr);
  env.declare("containsIP")
      .member("cidr_contains_ip_string", {prefix, text}, boolean, contains_ip)
      .member("cidr_contains_ip_ip", {prefix, address_type}, boolean, contains_ip);
  env.declare("containsCIDR")
      .member("cidr_contains_cidr_string", {prefix, text}, boolean, contains_cidr)
      .member("cidr_contains_cidr", {prefix, prefix}, boolean, contains_cidr);
  env.declare("ip").member("cidr_ip", {prefix}, address_type, address);
  env.declare("prefixLength").member("cidr_prefix_length", {prefix}, &types::kInt, prefix_length);
  env.declare("masked").member("cidr_masked", {prefix}, prefix, masked);
  env.declare("isCIDR").global("is_cidr", {text}, boolean, is_cidr);
  env.declare("string").global("cidr_to_string", {prefix}, text, to_string);
}

}  // namespace dray::cel
