/// What a container sees of its devices: the environment variables that a driver injects.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace dray::resource {
struct Device;
struct ResourceClaim;
}  // namespace dray::resource

namespace dray::drivers {

/// Sorted by name, as a shell prints them.
using Environment = std::map<std::string, std::string>;

/// A published device, or null.
using FindDevice = std::function<const resource::Device*(
    std::string_view driver, std::string_view pool, std::string_view device)>;

/// Adds what the drivers of an allocated claim give to a container that uses its `request` (empty: all
/// requests). Opaque configuration of the claim and its class counts, the claim's first, a later one
/// over an earlier one. Pure.
void add_environment(const resource::ResourceClaim& claim, std::string_view request,
                     const FindDevice& find, Environment& out);

}  // namespace dray::drivers
