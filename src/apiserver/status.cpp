#include "apiserver/status.h"

#include <charconv>

namespace dray::apiserver {
namespace {

Value failure(int code, std::string_view reason, std::string_view message) {
  Value status = Value::map();
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["metadata"] = Value::map();
  status["status"] = "Failure";
  status["message"] = message;
  if (!reason.empty()) status["reason"] = reason;
  status["code"] = code;
  return status;
}

Value causes_of(const Error& error) {
  Value list = Value::list();
  for (const Cause& cause : error.causes) {
    Value one = Value::map();
    if (!cause.reason.empty()) one["reason"] = cause.reason;
    if (!cause.message.empty()) one["message"] = cause.message;
    if (!cause.field.empty()) one["field"] = cause.field;
    list.as_list().push_back(std::move(one));
  }
  return list;
}

Value details_of(const Error& error) {
  Value details = Value::map();
  const auto set = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) details[key] = text;
  };
  set("name", error.name);
  set("group", error.group);
  set("kind", error.kind);
  set("uid", error.uid);
  if (!error.causes.empty() && error.code != Code::kBadRequest) details["causes"] = causes_of(error);
  if (error.retry_after_seconds > 0) details["retryAfterSeconds"] = error.retry_after_seconds;
  return details;
}

bool is_plain(const Error& error) {
  return error.code == Code::kInternal && !error.message.starts_with("Internal error occurred");
}

HttpResponse empty_details(int code, std::string_view reason, std::string_view message) {
  Value status = failure(code, reason, message);
  status["details"] = Value::map();
  return json_response(code, print_json(status));
}

}  // namespace

Value status_of(const Error& error) {
  Value status = failure(http_status_of(error.code), is_plain(error) ? "" : reason_of(error.code), error.message);
  Value details = details_of(error);
  if (!details.as_map().empty()) status["details"] = std::move(details);
  return status;
}

HttpResponse error_response(const Error& error) {
  HttpResponse response = json_response(http_status_of(error.code), print_json(status_of(error)));
  if (error.retry_after_seconds > 0) response.headers.emplace_back("Retry-After", std::to_string(error.retry_after_seconds));
  return response;
}

HttpResponse unknown_path_response() {
  return empty_details(404, "NotFound", "the server could not find the requested resource");
}

HttpResponse method_not_allowed_response() {
  return empty_details(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

HttpResponse plain_status_response(int code, std::string_view reason, std::string_view message) {
  return json_response(code, print_json(failure(code, reason, message)));
}

std::string success_status(std::string_view name, std::string_view group, std::string_view plural, std::string_view uid) {
  Value status = Value::map();
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["metadata"] = Value::map();
  status["status"] = "Success";
  if (!plural.empty()) {
    Value& details = status["details"] = Value::map();
    details["name"] = name;
    if (!group.empty()) details["group"] = group;
    details["kind"] = plural;
    if (!uid.empty()) details["uid"] = uid;
  }
  return print_json(status);
}

HttpResponse json_response(int status, std::string body) {
  body += '\n';
  return {.status = status, .content_type = "application/json", .headers = {}, .body = shared(std::move(body))};
}

Result<std::int64_t> parse_int64(std::string_view text) {
  std::int64_t value = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const auto failed = [&](std::string_view why) {
    return fail(Code::kBadRequest, "strconv.ParseInt: parsing " + quote(text) + ": " + std::string(why));
  };
  if (error == std::errc::result_out_of_range && end == digits.data() + digits.size()) return failed("value out of range");
  if (error != std::errc{} || end != digits.data() + digits.size()) return failed("invalid syntax");
  return value;
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace dray::apiserver
