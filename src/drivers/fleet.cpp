#include "drivers/fleet.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "drivers/profile.h"
#include "machinery/codec.h"
#include "machinery/value.h"

namespace dray::drivers {
namespace {

constexpr std::string_view kSample = R"(# The fleet that `dray up` starts with: 3 nodes with the DRA example driver's GPUs, 4 NVIDIA-like nodes.
groups:
- name: example
  count: 3
  cpu: 16
  memory: 64Gi
  devices:
  - profile: example-gpu
- name: a100
  cpu: 96
  memory: 1Ti
  labels: {accelerator: a100}
  devices:
  - profile: nvidia-a100
- name: h100
  count: 2
  cpu: 192
  memory: 2Ti
  labels: {accelerator: h100}
  devices:
  - profile: nvidia-h100
- name: h200
  cpu: 192
  memory: 2Ti
  labels: {accelerator: h200}
  devices:
  - profile: nvidia-h200
)";

constexpr int kNodesMax = 100'000;
constexpr int kDevicesMax = 128;  // of a slice, in Kubernetes

/// Reads maps member by member, collects what is wrong, and refuses what nobody asked for.
class Reader {
 public:
  using Member = std::function<void(const Value&, const std::string& path)>;

  void map(const Value& value, const std::string& path,
           std::initializer_list<std::pair<std::string_view, Member>> members) {
    if (!value.is_map()) return wrong(value, path, "must be an object");
    for (const auto& [name, member] : value.as_map()) {
      const std::string below = path.empty() ? name : path + "." + name;
      const auto known = std::ranges::find(members, name, [](const auto& m) { return m.first; });
      if (known != members.end()) {
        known->second(member, below);
      } else {
        std::vector<std::string_view> names;
        for (const auto& m : members) names.push_back(m.first);
        wrong(member, below, fmt::format("unknown field; known are {}", fmt::join(names, ", ")));
      }
    }
  }
  void list(const Value& value, const std::string& path, const Member& element) {
    if (!value.is_list()) return wrong(value, path, "must be a list");
    int index = 0;
    for (const Value& item : value.as_list()) element(item, fmt::format("{}[{}]", path, index++));
  }
  Member text(std::string& out) {
    return [this, &out](const Value& value, const std::string& path) {
      if (!value.is_string()) return wrong(value, path, "must be a string");
      out = value.as_string();
    };
  }
  Member number(int& out, int least, int most) {
    return [this, &out, least, most](const Value& value, const std::string& path) {
      if (!value.is_int() || value.as_int() < least || value.as_int() > most) {
        return wrong(value, path, fmt::format("must be an integer from {} to {}", least, most));
      }
      out = static_cast<int>(value.as_int());
    };
  }
  Member quantity(Quantity& out) {
    return [this, &out](const Value& value, const std::string& path) {
      auto parsed = Quantity::parse(value.is_string() ? value.as_string() : print_json(value));
      if (!parsed || parsed->sign() < 0) return wrong(value, path, "must be a quantity such as 16 or 64Gi");
      out = *std::move(parsed);
    };
  }
  template <class T>
  Member structure(T& out) {
    return [this, &out](const Value& value, const std::string& path) {
      std::vector<StrictProblem> problems;
      auto decoded = decode_as<T>(value, &problems);
      if (!decoded) return wrong(value, path, decoded.error().message);
      if (!problems.empty()) return wrong(value, path, problems.front().text);
      out = *std::move(decoded);
    };
  }
  void wrong(const Value& value, const std::string& path, std::string_view what) {
    const std::string shown = value.is_map() || value.is_list() ? std::string(value.type_name()) : print_json(value);
    causes_.push_back({path, "FieldValueInvalid", fmt::format("Invalid value: {}: {}", shown, what), value.at});
  }
  std::vector<Cause> take() { return std::move(causes_); }

 private:
  std::vector<Cause> causes_;
};

resource::DeviceAttribute attribute_of(Reader& reader, const Value& value, const std::string& path) {
  resource::DeviceAttribute attribute;
  switch (value.type()) {
    case Value::Type::kBool: attribute.bool_ = value.as_bool(); break;
    case Value::Type::kInt: attribute.int_ = value.as_int(); break;
    case Value::Type::kString: attribute.string = value.as_string(); break;
    case Value::Type::kMap: reader.structure(attribute)(value, path); break;
    default: reader.wrong(value, path, "must be a string, an integer, a boolean or {version: 1.2.3}");
  }
  return attribute;
}

void read_devices(Reader& reader, const Value& value, const std::string& path, DeviceGroup& out) {
  reader.map(value, path,
             {{"profile", reader.text(out.profile)},
              {"driver", reader.text(out.driver)},
              {"prefix", reader.text(out.prefix)},
              {"count", reader.number(out.count, 1, kDevicesMax)},
              {"attributes",
               [&](const Value& map, const std::string& at) {
                 if (!map.is_map()) return reader.wrong(map, at, "must be an object");
                 for (const auto& [name, member] : map.as_map()) {
                   out.attributes[name] = attribute_of(reader, member, at + "." + name);
                 }
               }},
              {"capacity", [&](const Value& map, const std::string& at) {
                 if (!map.is_map()) return reader.wrong(map, at, "must be an object");
                 for (const auto& [name, member] : map.as_map()) {
                   reader.quantity(out.capacity[name].value)(member, at + "." + name);
                 }
               }}});
  if (!value.is_map()) return;
  if (!out.profile.empty()) {
    const Profile* const profile = find_profile(out.profile);
    if (!profile) {
      std::vector<std::string_view> names;
      for (const Profile& p : profiles()) names.push_back(p.name);
      return reader.wrong(*value.find("profile"), path + ".profile",
                          fmt::format("must be one of {}", fmt::join(names, ", ")));
    }
    if (out.driver.empty()) out.driver = profile->driver;
    if (out.count == 0) out.count = profile->count;
  } else if (out.driver.empty()) {
    reader.wrong(value, path, "must have a profile or a driver");
  }
  out.count = std::max(out.count, 1);
}

void read_group(Reader& reader, const Value& value, const std::string& path, NodeGroup& out) {
  out.capacity = {{"cpu", Quantity::of(16)}, {"memory", Quantity::must_parse("64Gi")},
                  {"pods", Quantity::of(110)}, {"ephemeral-storage", Quantity::must_parse("100Gi")}};
  reader.map(value, path,
             {{"name", reader.text(out.name)},
              {"count", reader.number(out.count, 0, kNodesMax)},
              {"cpu", reader.quantity(out.capacity["cpu"])},
              {"memory", reader.quantity(out.capacity["memory"])},
              {"pods", reader.quantity(out.capacity["pods"])},
              {"capacity",
               [&](const Value& map, const std::string& at) {
                 if (!map.is_map()) return reader.wrong(map, at, "must be an object");
                 for (const auto& [name, member] : map.as_map()) {
                   reader.quantity(out.capacity[name])(member, at + "." + name);
                 }
               }},
              {"labels",
               [&](const Value& map, const std::string& at) {
                 if (!map.is_map()) return reader.wrong(map, at, "must be an object");
                 for (const auto& [name, member] : map.as_map()) {
                   reader.text(out.labels[name])(member, at + "." + name);
                 }
               }},
              {"taints",
               [&](const Value& list, const std::string& at) {
                 reader.list(list, at, [&](const Value& item, const std::string& below) {
                   reader.structure(out.taints.emplace_back())(item, below);
                 });
               }},
              {"devices", [&](const Value& list, const std::string& at) {
                 reader.list(list, at, [&](const Value& item, const std::string& below) {
                   read_devices(reader, item, below, out.devices.emplace_back());
                 });
               }}});
  if (value.is_map() && out.name.empty()) reader.wrong(value, path, "must have a name");
}

}  // namespace

std::string_view sample_fleet() { return kSample; }

Result<Fleet> parse_fleet(std::string_view yaml) {
  TRY_ASSIGN(const auto documents, parse_yaml(yaml));
  Reader reader;
  Fleet fleet;
  for (const Value& document : documents) {
    reader.map(document, "", {{"groups", [&](const Value& list, const std::string& path) {
                                 reader.list(list, path, [&](const Value& item, const std::string& at) {
                                   read_group(reader, item, at, fleet.groups.emplace_back());
                                 });
                               }}});
  }
  std::vector<std::string> names;
  for (const NodeGroup& group : fleet.groups) names.push_back(group.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end() && !twice->empty()) {
    reader.wrong(Value(*twice), "groups", "two groups have this name");
  }
  auto causes = reader.take();
  if (causes.empty()) return fleet;
  Error error{Code::kInvalid, "the fleet file is invalid", std::move(causes), {}, {}, {}, {}, 0};
  return std::unexpected(std::move(error));
}

std::vector<resource::ResourceSlice> slices_of(const NodeGroup& group, std::string_view node) {
  std::vector<resource::ResourceSlice> slices;
  for (const DeviceGroup& devices : group.devices) {
    auto slice = std::ranges::find(slices, devices.driver,
                                   [](const resource::ResourceSlice& s) -> const std::string& { return s.spec.driver; });
    if (slice == slices.end()) {
      slices.emplace_back();
      slice = std::prev(slices.end());
      slice->metadata.name = fmt::format("{}-{}", node, devices.driver);
      slice->spec.driver = devices.driver;
      slice->spec.node_name = std::string(node);
      slice->spec.pool.name = node;
      slice->spec.pool.generation = 1;
      slice->spec.pool.resource_slice_count = 1;
    }
    const Profile* const profile = find_profile(devices.profile);
    for (int i = 0; i < devices.count; ++i) {
      const int index = static_cast<int>(slice->spec.devices.size());
      resource::Device device;
      if (profile) device = make_device(*profile, node, index, devices.count);
      if (!profile) device.name = fmt::format("{}-{}", devices.prefix, index);
      for (const auto& [name, value] : devices.attributes) device.attributes[name] = value;
      for (const auto& [name, value] : devices.capacity) device.capacity[name] = value;
      slice->spec.devices.push_back(std::move(device));
    }
  }
  return slices;
}

}  // namespace dray::drivers
