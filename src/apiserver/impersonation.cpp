#include "apiserver/authorization.h"
#include "apiserver/pipeline.h"
#include "machinery/validate.h"

namespace dray::apiserver {
namespace {

constexpr std::string_view kExtra = "Impersonate-Extra-";

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

/// A user as Go prints the struct.
std::string go_text(const User& user) {
  std::string groups = "[]string(nil)";
  if (!user.groups.empty()) {
    groups = "[]string{";
    for (const std::string& group : user.groups) groups += (groups.back() == '{' ? "" : ", ") + go_quoted(group);
    groups += "}";
  }
  return "&user.DefaultInfo{Name:" + go_quoted(user.name) + ", UID:" + go_quoted(user.uid) + ", Groups:" + groups + ", Extra:map[string][]string(nil)}";
}

void add_groups(User& user) {
  constexpr std::string_view kServiceAccount = "system:serviceaccount:";
  if (user.name.starts_with(kServiceAccount) && user.groups.empty()) {
    const std::string_view rest = std::string_view(user.name).substr(kServiceAccount.size());
    user.groups = {"system:serviceaccounts", "system:serviceaccounts:" + std::string(rest.substr(0, rest.find(':')))};
  }
  if (user.name == "system:anonymous") {
    if (!user.in("system:unauthenticated")) user.groups.emplace_back("system:unauthenticated");
  } else if (!user.in("system:authenticated")) {
    user.groups.emplace_back("system:authenticated");
  }
}

}  // namespace

Result<User> impersonated(const Core& core, const HttpRequest& request, const User& user, const Attributes& asked) {
  User wanted;
  bool any = false;
  for (const auto& [name, value] : request.headers) {
    if (!starts_with_ignoring_case(name, "Impersonate-")) continue;
    any = true;
    if (equal_ignoring_case(name, "Impersonate-User")) wanted.name = value;
    if (equal_ignoring_case(name, "Impersonate-Uid")) wanted.uid = value;
    if (equal_ignoring_case(name, "Impersonate-Group")) wanted.groups.push_back(value);
    if (starts_with_ignoring_case(name, kExtra)) wanted.extra[lower(percent_decode(name.substr(kExtra.size()), false))].push_back(value);
  }
  if (!any) return user;
  if (wanted.name.empty()) return fail(Code::kBadRequest, "requested " + go_text(wanted) + " without impersonating a user name");
  const auto may = [&](std::string_view group, std::string_view resource, std::string_view name, std::string_view subresource = "") {
    Attributes attributes{"impersonate", std::string(group), "v1", std::string(resource), std::string(subresource), "", std::string(name), "", true};
    return core.authorization->decide(user, attributes).allowed;
  };
  bool allowed = may("", "users", wanted.name);
  for (const std::string& group : wanted.groups) allowed = allowed && may("", "groups", group);
  if (!wanted.uid.empty()) allowed = allowed && may("authentication.k8s.io", "uids", wanted.uid);
  for (const auto& [key, values] : wanted.extra) {
    for (const std::string& value : values) allowed = allowed && may("authentication.k8s.io", "userextras", value, key);
  }
  if (!allowed) {
    // What is refused is told as the constrained form, the first that is tried.
    Attributes constrained = asked;
    constrained.verb = "impersonate-on:user-info:" + asked.verb;
    return fail(forbidden_error(user, constrained, ""));
  }
  add_groups(wanted);
  return wanted;
}

}  // namespace dray::apiserver
