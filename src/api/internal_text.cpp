#include "api/internal_text.h"

#include <cctype>
#include <string_view>
#include <utility>

#include "machinery/codec.h"

namespace dray::api {
namespace {

struct Renamed {
  std::string_view owner, name, go_name;
};
// Where Go's name is not the capitalised JSON name. Source: kubernetes pkg/apis/{resource,core}/types.go.
constexpr Renamed kRenamed[] = {
    {"DeviceSelector", "cel", "CEL"},
    {"DeviceAttribute", "int", "IntValue"},
    {"DeviceAttribute", "bool", "BoolValue"},
    {"DeviceAttribute", "string", "StringValue"},
    {"DeviceAttribute", "version", "VersionValue"},
    {"DeviceAttribute", "ints", "IntValues"},
    {"DeviceAttribute", "bools", "BoolValues"},
    {"DeviceAttribute", "strings", "StringValues"},
    {"DeviceAttribute", "versions", "VersionValues"},
    {"NetworkDeviceData", "ips", "IPs"},
    {"PodSpec", "serviceAccount", "DeprecatedServiceAccount"},
    {"PodSpec", "os", "OS"},
    {"GlusterfsVolumeSource", "endpoints", "EndpointsName"},
    {"GlusterfsPersistentVolumeSource", "endpoints", "EndpointsName"},
    {"RBDVolumeSource", "monitors", "CephMonitors"},
    {"RBDVolumeSource", "image", "RBDImage"},
    {"RBDVolumeSource", "pool", "RBDPool"},
    {"RBDVolumeSource", "user", "RadosUser"},
    {"RBDPersistentVolumeSource", "monitors", "CephMonitors"},
    {"RBDPersistentVolumeSource", "image", "RBDImage"},
    {"RBDPersistentVolumeSource", "pool", "RBDPool"},
    {"RBDPersistentVolumeSource", "user", "RadosUser"},
};

// The same, whoever has the field.
constexpr std::pair<std::string_view, std::string_view> kGoNames[] = {
    {"awsElasticBlockStore", "AWSElasticBlockStore"},
    {"cephfs", "CephFS"},
    {"chapAuthDiscovery", "DiscoveryCHAPAuth"},
    {"chapAuthSession", "SessionCHAPAuth"},
    {"csi", "CSI"},
    {"diskURI", "DataDiskURI"},
    {"dnsConfig", "DNSConfig"},
    {"dnsPolicy", "DNSPolicy"},
    {"fc", "FC"},
    {"fsGroup", "FSGroup"},
    {"fsGroupChangePolicy", "FSGroupChangePolicy"},
    {"fsType", "FSType"},
    {"gcePersistentDisk", "GCEPersistentDisk"},
    {"gmsaCredentialSpec", "GMSACredentialSpec"},
    {"gmsaCredentialSpecName", "GMSACredentialSpecName"},
    {"grpc", "GRPC"},
    {"httpGet", "HTTPGet"},
    {"httpHeaders", "HTTPHeaders"},
    {"iqn", "IQN"},
    {"iscsi", "ISCSI"},
    {"iscsiInterface", "ISCSIInterface"},
    {"nfs", "NFS"},
    {"pdName", "PDName"},
    {"rbd", "RBD"},
    {"seLinuxChangePolicy", "SELinuxChangePolicy"},
    {"seLinuxOptions", "SELinuxOptions"},
    {"sslEnabled", "SSLEnabled"},
    {"storageos", "StorageOS"},
    {"tcpSocket", "TCPSocket"},
    {"tty", "TTY"},
    {"wwids", "WWIDs"},
};

std::string go_name(const StructDescriptor& owner, std::string_view name) {
  for (const Renamed& renamed : kRenamed) {
    if (renamed.owner == owner.name && renamed.name == name) return std::string(renamed.go_name);
  }
  for (const auto& [json, go] : kGoNames) {
    if (json == name) return std::string(go);
  }
  for (const std::string_view id : {"uid", "api", "ip"}) {
    if (name == id || (name.starts_with(id) && name.size() > id.size() &&
                       std::isupper(static_cast<unsigned char>(name[id.size()])) != 0)) {
      std::string out;
      for (const char c : id) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      return out + std::string(name.substr(id.size()));
    }
  }
  std::string out(name);
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

Value render(const TypeDescriptor& type, const void* in);

Value render_list(const TypeDescriptor& type, const void* in) {
  const std::size_t size = type.ops->size(in);
  if (size == 0) return nullptr;
  Value out = Value::list();
  for (std::size_t i = 0; i < size; ++i) {
    out.as_list().push_back(render(*type.element, type.ops->at(in, i)));
  }
  return out;
}

Value render_map(const TypeDescriptor& type, const void* in) {
  if (type.ops->size(in) == 0) return nullptr;
  std::pair<Value, const TypeDescriptor*> state{Value::map(), type.element};
  type.ops->each(in, &state, [](void* context, const std::string& key, const void* element) {
    auto& [out, element_type] = *static_cast<std::pair<Value, const TypeDescriptor*>*>(context);
    out.as_map().emplace_back(key, render(*element_type, element));
    return true;
  });
  return std::move(state.first);
}

/// A scalar prints as in JSON: taken from a struct of one field.
Value render_scalar(const TypeDescriptor& type, const void* in) {
  const FieldDescriptor field{"v", 0, 0, &type, false, "", "", "", {}, {}};
  const StructDescriptor holder{"", "", "", {&field, 1}, {}};
  const Value tree = to_value(holder, in);
  const Value* value = tree.find("v");
  return value ? *value : Value(nullptr);
}

Value render(const TypeDescriptor& type, const void* in) {
  switch (type.kind) {
    case TypeKind::kStruct: return internal_value(*type.structure, in);
    case TypeKind::kList: return render_list(type, in);
    case TypeKind::kMap: return render_map(type, in);
    case TypeKind::kOptional:
      return type.ops->size(in) == 0 ? Value(nullptr) : render(*type.element, type.ops->at(in, 0));
    case TypeKind::kString:
    case TypeKind::kBool:
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kDouble:
    case TypeKind::kBytes:
    case TypeKind::kQuantity:
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kDuration:
    case TypeKind::kIntOrString:
    case TypeKind::kRaw: return render_scalar(type, in);
  }
  return nullptr;
}

}  // namespace

Value internal_value(const StructDescriptor& descriptor, const void* in) {
  Value out = Value::map();
  for (const FieldDescriptor& field : descriptor.fields) {
    const bool is_metadata = field.type->kind == TypeKind::kStruct &&
                             field.type->structure->name == "ObjectMeta";
    Value value = is_metadata ? to_value(*field.type->structure, field.in(in))
                              : render(*field.type, field.in(in));
    if (field.is_inline() || is_metadata) {  // Go prints an embedded struct's fields as the owner's
      for (auto& member : value.as_map()) out.as_map().push_back(std::move(member));
    } else {
      out.as_map().emplace_back(go_name(descriptor, field.name), std::move(value));
    }
  }
  return out;
}

}  // namespace dray::api
