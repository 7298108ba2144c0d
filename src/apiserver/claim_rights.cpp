#include "apiserver/claim_rights.h"

#include "api/resource_status_rights.h"
#include "api/resource_v1.h"
#include "apiserver/authorization.h"

namespace dray::apiserver {
namespace {

class RequestRights final : public api::WriterRights {
 public:
  RequestRights(const Authorization& authorization, const Call& call) : authorization_(authorization), call_(call) {}

  [[nodiscard]] std::string_view verb() const override { return call_.info.verb; }
  [[nodiscard]] std::string_view node() const override {
    if (!call_.user.name.starts_with("system:serviceaccount:")) return "";
    const auto node = call_.user.extra.find("authentication.kubernetes.io/node-name");
    return node != call_.user.extra.end() && node->second.size() == 1 ? std::string_view(node->second[0]) : "";
  }
  [[nodiscard]] std::string refusal(const api::Right& right) const override {
    Attributes asked = attributes_of(call_.info);
    asked.verb = right.verb;
    asked.subresource = right.subresource;
    asked.namespace_ = right.namespace_;
    asked.name = right.name;
    const Result<> allowed = authorization_.check(call_.user, asked);
    return allowed ? "" : allowed.error().message;
  }

 private:
  const Authorization& authorization_;
  const Call& call_;
};

}  // namespace

Result<> check_claim_rights(const Core& core, const Call& call, const Object* live, const Object& fresh) {
  if (call.info.subresource != "status" || !live) return {};
  const auto* claim = as<resource::ResourceClaim>(fresh);
  const auto* old = as<resource::ResourceClaim>(*live);
  if (!claim || !old) return {};
  Causes causes;
  api::validate_status_rights(core.resources.gates(), RequestRights(*core.authorization, call), *claim, *old, causes);
  if (causes.empty()) return {};
  return fail(invalid_error(call.kind().group, call.kind().name, fresh.name(), std::move(causes)));
}

}  // namespace dray::apiserver
