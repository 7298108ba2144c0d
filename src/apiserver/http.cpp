#include "apiserver/http.h"

#include <algorithm>

namespace dray::apiserver {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return {};
}

std::vector<std::string_view> HttpRequest::headers_of(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto& [key, value] : headers) {
    if (equal_ignoring_case(key, name)) found.push_back(value);
  }
  return found;
}

bool HttpRequest::wants_websocket() const {
  return equal_ignoring_case(header("Upgrade"), "websocket") && !header("Sec-WebSocket-Key").empty();
}

std::string_view HttpRequest::path() const {
  const std::string_view all = target;
  return all.substr(0, all.find('?'));
}

std::string_view HttpRequest::query() const {
  const auto mark = target.find('?');
  return mark == std::string::npos ? std::string_view{} : std::string_view(target).substr(mark + 1);
}

HttpResponse text_response(int status, std::string text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .headers = {}, .body = shared(std::move(text))};
}

std::string_view phrase_of(int status) {
  switch (status) {
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 301: return "Moved Permanently";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Request Entity Too Large";
    case 415: return "Unsupported Media Type";
    case 422: return "Unprocessable Entity";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Status";
  }
}

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

Query::Query(std::string_view text) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (one.empty()) continue;
    const auto mark = one.find('=');
    parameters_.emplace_back(percent_decode(one.substr(0, mark), true),
                             mark == std::string_view::npos ? "" : percent_decode(one.substr(mark + 1), true));
  }
}

const std::string& Query::get(std::string_view name) const {
  static const std::string kNone;
  const auto found = std::ranges::find(parameters_, name, &Header::first);
  return found == parameters_.end() ? kNone : found->second;
}

bool Query::has(std::string_view name) const {
  return std::ranges::find(parameters_, name, &Header::first) != parameters_.end();
}

std::vector<std::string> Query::all(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : parameters_) {
    if (key == name) found.push_back(value);
  }
  return found;
}

bool Query::boolean(std::string_view name) const {
  if (!has(name)) return false;
  const std::string& value = get(name);
  return value != "0" && !equal_ignoring_case(value, "false");
}

}  // namespace dray::apiserver
