#include "cel/collections.h"
#include "cel/libraries.h"
#include "cel/url.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

Val parse(Eval& e, Args a) {
  Url url;
  std::string error;
  if (!parse_request_uri(a[0].text(), url, error) || !parse_url(a[0].text(), url, error))
    return e.fail("URL parse error during conversion from string: " + error);
  return Val::of_url(e.arena.own<Url>(std::move(url)));
}

Val is_url(Eval&, Args a) {
  Url url;
  std::string error;
  return Val::of(parse_request_uri(a[0].text(), url, error));
}

Val scheme(Eval&, Args a) { return Val::of_string(a[0].url->scheme); }
Val host(Eval&, Args a) { return Val::of_string(a[0].url->host); }
Val hostname(Eval& e, Args a) { return e.string(a[0].url->hostname()); }
Val port(Eval& e, Args a) { return e.string(a[0].url->port()); }
Val escaped_path(Eval& e, Args a) { return e.string(a[0].url->escaped_path()); }

Val query(Eval& e, Args a) {
  auto* map = e.arena.make<HashMap>();
  for (const auto& [name, values] : a[0].url->query())
    map->set(e.arena, e.string(name), e.list_of_strings(values));
  return Val::of_map(map);
}

}  // namespace

void add_url(Environment& env) {
  const TypeRef url = env.pool.structure("kubernetes.URL"), text = &types::kString,
                texts = env.pool.list(text);
  env.declare("url").global("string_to_url", {text}, url, parse);
  env.declare("getScheme").member("url_get_scheme", {url}, text, scheme);
  env.declare("getHost").member("url_get_host", {url}, text, host);
  env.declare("getHostname").member("url_get_hostname", {url}, text, hostname);
  env.declare("getPort").member("url_get_port", {url}, text, port);
  env.declare("getEscapedPath").member("url_get_escaped_path", {url}, text, escaped_path);
  env.declare("getQuery").member("url_get_query", {url}, env.pool.map(text, texts), query);
  env.declare("isURL").global("is_url_string", {text}, &types::kBool, is_url);
}

}  // namespace dray::cel
