#include "cel/device.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "cel/program.h"
#include "cel/semver.h"

namespace dray::cel {
namespace {

bool before(const DeviceInput::Entry& a, const DeviceInput::Entry& b) {
  return a.domain != b.domain ? a.domain < b.domain : a.name < b.name;
}

bool same_name(const DeviceInput::Entry& a, const DeviceInput::Entry& b) {
  return a.domain == b.domain && a.name == b.name;
}

/// Sorts; of equal names the last one stays.
void sort_unique(std::vector<DeviceInput::Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), before);
  std::size_t out = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (out > 0 && same_name(entries[out - 1], entries[i])) --out;
    entries[out++] = entries[i];
  }
  entries.resize(out);
}

}  // namespace

DeviceInput::DeviceInput(std::string_view driver, bool allow_multiple_allocations)
    : driver_(driver), allow_multiple_allocations_(allow_multiple_allocations) {}
DeviceInput::DeviceInput(DeviceInput&&) noexcept = default;
DeviceInput& DeviceInput::operator=(DeviceInput&&) noexcept = default;
DeviceInput::~DeviceInput() = default;

std::uint64_t DeviceInput::hash_of(std::string_view domain, std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325u;
  const auto mix = [&](std::string_view text) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    h = (h ^ 0xFF) * 0x100000001b3u;
  };
  mix(domain);
  mix(name);
  return h;
}

DeviceInput::Entry& DeviceInput::add(std::vector<Entry>& to, std::string_view qualified_name,
                                     Kind kind) {
  Entry entry;
  entry.kind = kind;
  const auto slash = qualified_name.find('/');
  entry.domain = slash == std::string_view::npos ? driver_ : qualified_name.substr(0, slash);
  entry.name = slash == std::string_view::npos ? qualified_name : qualified_name.substr(slash + 1);
  entry.hash = hash_of(entry.domain, entry.name);
  return to.emplace_back(entry);
}

void DeviceInput::add_int(std::string_view name, std::int64_t value) {
  add(attributes_, name, Kind::kInt).integer = value;
}
void DeviceInput::add_bool(std::string_view name, bool value) {
  add(attributes_, name, Kind::kBool).integer = value;
}
void DeviceInput::add_string(std::string_view name, std::string_view value) {
  add(attributes_, name, Kind::kString).text = value;
}
void DeviceInput::add_version(std::string_view name, std::string_view value) {
  Entry& entry = add(attributes_, name, Kind::kVersion);
  entry.text = value;
  entry.versions = parse_versions(name, std::span(&value, 1));
}
void DeviceInput::add_ints(std::string_view name, const std::vector<std::int64_t>& values) {
  add(attributes_, name, Kind::kInts).ints = &values;
}
void DeviceInput::add_bools(std::string_view name, const std::vector<bool>& values) {
  add(attributes_, name, Kind::kBools).bools = &values;
}
void DeviceInput::add_strings(std::string_view name, const std::vector<std::string>& values) {
  add(attributes_, name, Kind::kStrings).strings = &values;
}
void DeviceInput::add_versions(std::string_view name, const std::vector<std::string>& values) {
  Entry& entry = add(attributes_, name, Kind::kVersions);
  entry.strings = &values;
  const std::vector<std::string_view> texts(values.begin(), values.end());
  entry.versions = parse_versions(name, texts);
}
void DeviceInput::add_unsupported(std::string_view name) {
  fail(name, "unsupported attribute value");
}
void DeviceInput::add_capacity(std::string_view name, const Quantity& value) {
  add(capacity_, name, Kind::kQuantity).quantity = &value;
}

void DeviceInput::finish() {
  sort_unique(attributes_);
  sort_unique(capacity_);
}

const Semver* DeviceInput::parse_versions(std::string_view name,
                                          std::span<const std::string_view> texts) {
  auto versions = std::make_unique<Semver[]>(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string error;
    if (!parse_semver(texts[i], versions[i], error)) fail(name, "parse semantic version: " + error);
  }
  return versions_.emplace_back(std::move(versions)).get();
}

void DeviceInput::fail(std::string_view name, const std::string& why) {
  if (error_.empty()) error_ = fmt::format("attribute {}: {}", name, why);
}

std::span<const DeviceInput::Entry> DeviceInput::domain_of(std::span<const Entry> all,
                                                           std::string_view domain) {
  const auto first = std::find_if(all.begin(), all.end(),
                                  [&](const Entry& e) { return e.domain == domain; });
  const auto last =
      std::find_if(first, all.end(), [&](const Entry& e) { return e.domain != domain; });
  return {first, last};
}

const DeviceInput::Entry* DeviceInput::find(std::span<const Entry> all, std::string_view domain,
                                            std::string_view name, std::uint64_t hash) {
  for (const Entry& e : all)
    if (e.hash == hash && e.name == name && e.domain == domain) return &e;
  return nullptr;
}

namespace {

void append_number(std::string& key, std::uint64_t number) {
  char bytes[8];
  std::memcpy(bytes, &number, sizeof(bytes));
  key.append(bytes, sizeof(bytes));
}

void append_text(std::string& key, std::string_view text) {
  append_number(key, text.size());
  key += text;
}

void append_value(std::string& key, const DeviceInput::Entry& e) {
  key += static_cast<char>('A' + static_cast<int>(e.kind));
  switch (e.kind) {
    case DeviceInput::Kind::kInt:
    case DeviceInput::Kind::kBool: append_number(key, static_cast<std::uint64_t>(e.integer)); break;
    case DeviceInput::Kind::kString:
    case DeviceInput::Kind::kVersion: append_text(key, e.text); break;
    case DeviceInput::Kind::kInts:
      append_number(key, e.ints->size());
      for (const std::int64_t i : *e.ints) append_number(key, static_cast<std::uint64_t>(i));
      break;
    case DeviceInput::Kind::kBools:
      append_number(key, e.bools->size());
      for (const bool b : *e.bools) key += b ? '1' : '0';
      break;
    case DeviceInput::Kind::kStrings:
    case DeviceInput::Kind::kVersions:
      append_number(key, e.strings->size());
      for (const std::string& s : *e.strings) append_text(key, s);
      break;
    case DeviceInput::Kind::kQuantity:
      // Expressions see whether a number is spelled as an integer.
      append_text(key, e.quantity->decimal());
      key += e.quantity->is_integer() ? '1' : '0';
      break;
  }
}

void append_entries(std::string& key, std::span<const DeviceInput::Entry> entries) {
  append_number(key, entries.size());
  for (const DeviceInput::Entry& e : entries) {
    append_text(key, e.domain);
    append_text(key, e.name);
    append_value(key, e);
  }
}

void append_part(std::string& key, std::span<const DeviceInput::Entry> all,
                 const std::vector<QualifiedName>& names, const std::vector<std::string>& domains,
                 bool everything) {
  if (everything) return append_entries(key, all);
  for (const std::string& domain : domains) append_entries(key, DeviceInput::domain_of(all, domain));
  for (const QualifiedName& n : names) {
    const auto* e = DeviceInput::find(all, n.domain, n.name, DeviceInput::hash_of(n.domain, n.name));
    e == nullptr ? static_cast<void>(key += '-') : append_value(key, *e);
  }
}

}  // namespace

void append_read_key(const Reads& reads, const DeviceInput& device, std::string& key) {
  if (!device.error().empty()) {
    key += '!';
    append_text(key, device.error());
    return;
  }
  key += reads.allow_multiple_allocations && device.allow_multiple_allocations() ? '1' : '0';
  if (reads.driver) append_text(key, device.driver());
  append_part(key, device.attributes(), reads.attributes, reads.attribute_domains,
              reads.all_attributes);
  append_part(key, device.capacity(), reads.capacity, reads.capacity_domains, reads.all_capacity);
}

}  // namespace dray::cel
