#include "apiserver/core.h"

#include "apiserver/authorization.h"
#include "apiserver/status.h"
#include "machinery/codec.h"

namespace dray::apiserver {
namespace {

constexpr std::size_t kWarningBytesMax = 4096;
constexpr std::size_t kWarningRunesMax = 256;

/// `299 - "text"`, quotes and backslashes escaped, unprintable bytes dropped.
std::string warning_header(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) out += c;
  }
  return out + '"';
}

/// Each text once. Where all are too long together, each is cut.
void add_warnings(HttpResponse& response, const std::vector<std::string>& warnings) {
  std::size_t total = 0;
  for (const std::string& text : warnings) total += text.size();
  std::vector<std::string_view> seen;
  for (std::string_view text : warnings) {
    if (total > kWarningBytesMax) text = text.substr(0, kWarningRunesMax);
    if (std::ranges::find(seen, text) != seen.end()) continue;
    seen.push_back(text);
    response.headers.emplace_back("Warning", warning_header(text));
  }
}

}  // namespace

Core::Core(store::Resources& r, Executor& e, const Certificates& certificates, LogSource* l)
    : resources(r),
      executor(e),
      clock(e.clock()),
      logs(l),
      authentication(certificates, e.clock()),
      authorization(std::make_unique<Authorization>()) {}
Core::~Core() = default;

void respond(const CallPtr& call, HttpResponse response) {
  response.headers.emplace_back("Cache-Control", "no-cache, private");
  if (!call->warnings.empty()) add_warnings(response, call->warnings);
  call->exchange->respond(std::move(response));
}

void reply(const CallPtr& call, std::function<HttpResponse()> make) {
  call->exchange->post([call, make = std::move(make)] { respond(call, make()); });
}

void reply_error(const CallPtr& call, Error error) {
  reply(call, [error = std::move(error)] { return error_response(error); });
}

HttpResponse object_response(const CorePtr& core, const CallPtr& call, int status, const ObjectPtr& object) {
  const Representation& wanted = call->representation;
  HttpResponse response{.status = status, .content_type = std::string(content_type_of(wanted.format)), .headers = {},
                        .body = core->encoder.encode(call->resource, object, wanted.format)};
  if (wanted.format == Format::kJson) response.body = shared(*response.body + "\n");
  return response;
}

HttpResponse value_response(const CallPtr& call, int status, std::string json) {
  const bool yaml = call->representation.format == Format::kYaml;
  if (!yaml) return json_response(status, std::move(json));
  return {.status = status, .content_type = "application/yaml", .headers = {}, .body = shared(reformat(std::move(json), call->representation))};
}

void reply_written(const CorePtr& core, const CallPtr& call, int status, Result<store::Written> written) {
  if (!written) return reply_error(call, std::move(written).error());
  auto finish = [core, call, status, written = std::move(*written)]() mutable {
    call->exchange->post([core, call, status, written = std::move(written)] {
      call->warnings.insert(call->warnings.end(), written.warnings.begin(), written.warnings.end());
      respond(call, shaped_response(core, call, status, written.object));
    });
  };
  if (written->revision == 0) return finish();
  core->resources.store().when_durable(written->revision, std::move(finish));
}

store::WriteOptions write_options(const Call& call) {
  store::WriteOptions options;
  options.dry_run = !call.query.get("dryRun").empty();
  options.user = call.user.name;
  options.field_manager = call.query.get("fieldManager");
  if (options.field_manager.empty()) {
    const std::string_view agent = call.request().header("User-Agent");
    options.field_manager = agent.substr(0, std::min<std::size_t>(agent.find('/'), 128));
  }
  options.subresource = call.info.subresource;
  options.version = call.resource.version;
  return options;
}

}  // namespace dray::apiserver
