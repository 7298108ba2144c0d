#include <algorithm>
#include <tuple>

#include "api/group_hooks.h"
#include "api/hooks.h"
#include "api/kind.h"
#include "api/resource_hooks.h"
#include "api/resources.h"
#include "api/scheduling_hooks.h"
#include "base/check.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

std::vector<std::string> strings(std::span<const std::string_view> texts) {
  return {texts.begin(), texts.end()};
}

using Tables = std::vector<std::span<const KindHooks>>;

Tables all_tables() {
  return {pod_hooks(),     node_hooks(),    config_hooks(),    quota_hooks(),       volume_hooks(),
          event_hooks(),   service_hooks(), apps_hooks(),      batch_hooks(),       autoscaling_hooks(),
          rbac_hooks(),    storage_hooks(), admission_hooks(), small_group_hooks(), networking_hooks(),
          resource_hooks(), scheduling_hooks()};
}

std::string_view group_of(const KindHooks& hooks) {
  return hooks.served_as_group.empty() ? hooks.stored->group : hooks.served_as_group;
}

const KindHooks* hooks_of(const Tables& tables, const ResourceRow& row) {
  for (const auto& table : tables)
    for (const KindHooks& hooks : table)
      if (hooks.stored->name == row.kind && group_of(hooks) == row.group) return &hooks;
  return nullptr;
}

/// v1 where it exists, else the preferred version.
const StructDescriptor* default_stored(const ResourceRow& first) {
  for (const ResourceRow& row : resource_rows())
    if (row.group == first.group && row.plural == first.plural && row.version == "v1") return row.type;
  return first.type;
}

std::shared_ptr<Kind> make_kind(const ResourceRow& row, const KindHooks* hooks) {
  auto kind = std::make_shared<Kind>();
  kind->group = row.group;
  kind->name = row.kind;
  kind->plural = row.plural;
  kind->singular = row.singular;
  kind->namespaced = row.namespaced;
  kind->short_names = strings(row.short_names);
  kind->categories = strings(row.categories);
  kind->verbs = strings(row.verbs);
  for (const SubresourceRow& sub : row.subresources) {
    kind->subresources.push_back({std::string(sub.name), std::string(sub.group), std::string(sub.version),
                                  std::string(sub.kind), strings(sub.verbs)});
    if (sub.name == "status") kind->has_status = true;
  }
  kind->stored = hooks ? hooks->stored : default_stored(row);
  if (!hooks) return kind;
  kind->hooks = hooks->hooks;
  kind->columns = hooks->columns;
  kind->selectable_fields = hooks->selectable_fields;
  kind->has_generation = hooks->has_generation;
  kind->create_on_update = hooks->create_on_update;
  kind->unconditional_update = hooks->unconditional_update;
  if (!hooks->served_as_group.empty()) kind->shares_storage_of = kind->plural;
  return kind;
}

/// False if this version cannot be converted to the stored one: it is not served.
bool add_version(Kind& kind, const ResourceRow& row, const KindHooks* hooks) {
  ServedVersion version{std::string(row.version), row.type, row.served_by_default, nullptr, nullptr};
  if (row.type != kind.stored) {
    if (!hooks) return false;
    const auto found = std::ranges::find(hooks->conversions, row.version, &Conversion::version);
    if (found == hooks->conversions.end()) return false;
    version.to_stored = found->to_stored;
    version.from_stored = found->from_stored;
  }
  kind.versions.push_back(std::move(version));
  return true;
}

/// Built-in groups in Kubernetes' order, then others by name.
std::size_t group_rank(std::string_view group) {
  const auto rows = resource_rows();
  return static_cast<std::size_t>(std::ranges::find(rows, group, &ResourceRow::group) - rows.begin());
}

auto order_of(const Kind& kind) {
  return std::tuple(group_rank(kind.group), std::string_view(kind.group), std::string_view(kind.plural));
}

}  // namespace

const ServedVersion* Kind::version(std::string_view name) const {
  const auto found = std::ranges::find(versions, name, &ServedVersion::version);
  return found == versions.end() ? nullptr : &*found;
}

Registry Registry::built_in() {
  const Tables tables = all_tables();
  std::vector<std::shared_ptr<Kind>> kinds;
  for (const ResourceRow& row : resource_rows()) {
    const KindHooks* hooks = hooks_of(tables, row);
    auto found = std::ranges::find_if(
        kinds, [&](const auto& kind) { return kind->group == row.group && kind->plural == row.plural; });
    if (found == kinds.end()) found = kinds.insert(kinds.end(), make_kind(row, hooks));
    add_version(**found, row, hooks);
  }
  Registry registry;
  for (auto& kind : kinds) registry.add(std::move(kind));
  return registry;
}

std::shared_ptr<const Kind> Registry::find(std::string_view group, std::string_view plural) const {
  for (const auto& kind : kinds_)
    if (kind->plural == plural && kind->group == group) return kind;
  return nullptr;
}

std::shared_ptr<const Kind> Registry::find_kind(std::string_view group, std::string_view name) const {
  for (const auto& kind : kinds_)
    if (kind->name == name && kind->group == group) return kind;
  return nullptr;
}

const Kind& Registry::of(const StructDescriptor& stored) const {
  const auto found = by_stored_.find(&stored);
  CHECK(found != by_stored_.end());
  return *found->second;
}

void Registry::add(std::shared_ptr<const Kind> kind) {
  CHECK(kind->stored != nullptr);
  remove(kind->group, kind->plural);
  if (kind->shares_storage_of.empty()) by_stored_[kind->stored] = kind.get();
  const auto at = std::ranges::upper_bound(kinds_, order_of(*kind), {},
                                           [](const auto& other) { return order_of(*other); });
  kinds_.insert(at, std::move(kind));
}

void Registry::remove(std::string_view group, std::string_view plural) {
  const auto found = std::ranges::find_if(
      kinds_, [&](const auto& kind) { return kind->group == group && kind->plural == plural; });
  if (found == kinds_.end()) return;
  const auto index = by_stored_.find((*found)->stored);
  if (index != by_stored_.end() && index->second == found->get()) by_stored_.erase(index);
  kinds_.erase(found);
}

std::shared_ptr<Object> convert_by_name(const Object& from, const StructDescriptor& to) {
  auto converted = decode_object(to_value(from), to);
  CHECK(converted.has_value());
  return *std::move(converted);
}

}  // namespace dray::api
