#include "dra/selector_index.h"

#include <algorithm>
#include <optional>

#include "api/resource_v1.h"
#include "base/check.h"
#include "cel/device.h"
#include "dra/device_variable.h"
#include "dra/inventory_impl.h"

namespace dray::dra {

namespace {

/// More expressions, profiles or answers than any cluster has; beyond, the oldest (or all) go.
constexpr std::size_t kProfilesMax = 1024;
constexpr std::size_t kSelectorsMax = 4096;
constexpr std::size_t kAnswersMax = 1 << 17;
constexpr std::size_t kColumnsMax = 256;

void append_text(std::string& key, std::string_view text) {
  key += std::to_string(text.size());
  key.push_back(':');
  key += text;
}

std::string key_of(const std::vector<resource::DeviceSelector>& of_class,
                   const std::vector<resource::DeviceSelector>& of_request,
                   const std::vector<resource::DeviceToleration>& tolerations,
                   const resource::CapacityRequirements* capacity) {
  std::string key;
  for (const auto* selectors : {&of_class, &of_request}) {
    for (const auto& selector : *selectors)
      append_text(key, selector.cel ? std::string_view(selector.cel->expression) : std::string_view());
    key.push_back('|');
  }
  for (const auto& toleration : tolerations) {
    append_text(key, toleration.key);
    append_text(key, toleration.operator_);
    append_text(key, toleration.value);
    append_text(key, toleration.effect);
  }
  key.push_back('|');
  if (capacity != nullptr) {
    for (const auto& [name, quantity] : capacity->requests) {
      append_text(key, name);
      append_text(key, quantity.decimal());
      key.push_back(static_cast<char>('0' + static_cast<int>(quantity.format())));
    }
  }
  return key;
}

bool tolerates_taint(const resource::DeviceToleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_.empty() || toleration.operator_ == "Equal")
    return toleration.value == taint.value;
  return toleration.operator_ == "Exists";
}

}  // namespace

SelectorRef SelectorIndex::selector(const std::string& text, bool derived) {
  auto& known = derived ? derived_ : selectors_;
  if (const auto found = known.find(text); found != known.end()) return found->second;
  if (known.size() >= kSelectorsMax) known.clear();
  auto made = std::make_shared<Selector>();
  made->text = text;
  auto program = cel::compile_selector(
      text, {.vintage = cel::Vintage::kStored,
             .features = {.consumable_capacity = features_.consumable_capacity,
                          .list_type_attributes = features_.list_type_attributes},
             .derived_attribute = derived,
             .estimate_cost = false});
  if (program) {
    made->program = std::move(*program);
  } else {
    made->compile_error = program.error().message;
  }
  known.emplace(text, made);
  return made;
}

ProfilePtr SelectorIndex::profile(const std::vector<resource::DeviceSelector>& of_class,
                                  const std::vector<resource::DeviceSelector>& of_request,
                                  const std::vector<resource::DeviceToleration>& tolerations,
                                  const resource::CapacityRequirements* capacity,
                                  std::shared_ptr<const void> owner) {
  std::string key = key_of(of_class, of_request, tolerations, capacity);
  if (const auto found = profiles_.find(key); found != profiles_.end()) {
    ages_.splice(ages_.begin(), ages_, found->second.age);
    return found->second.profile;
  }
  if (profiles_.size() >= kProfilesMax) {
    profiles_.erase(ages_.back());
    ages_.pop_back();
  }
  auto made = std::make_shared<Profile>();
  const auto append = [&](const std::vector<resource::DeviceSelector>& selectors, bool of) {
    for (std::size_t i = 0; i < selectors.size(); ++i)
      made->steps.push_back({selector(selectors[i].cel ? selectors[i].cel->expression : ""), of, i});
  };
  append(of_class, true);
  append(of_request, false);
  made->tolerations = &tolerations;
  made->capacity = capacity;
  made->owner = std::move(owner);
  ages_.push_front(key);
  profiles_.emplace(std::move(key), Kept{made, ages_.begin()});
  return made;
}

Selector::Answer SelectorIndex::ask(Selector& selector, const cel::DeviceInput& input) {
  if (selector.program == nullptr) return Selector::Answer::kError;
  const auto run = [&] {
    ++evaluations_;
    const auto result = cel::evaluate_selector(*selector.program, input);
    if (!result) return Selector::Answer::kError;
    return *result ? Selector::Answer::kYes : Selector::Answer::kNo;
  };
  if (!input.error().empty()) return run();
  static thread_local std::string key;
  key.clear();
  cel::append_read_key(selector.program->reads(), input, key);
  if (const auto found = selector.answers.find(key); found != selector.answers.end())
    return found->second;
  if (selector.answers.size() >= kAnswersMax) selector.answers.clear();
  const Selector::Answer answer = run();
  selector.answers.emplace(key, answer);
  return answer;
}

SelectorIndex::Verdict SelectorIndex::evaluate(Profile& profile, const Slice& slice,
                                               const DeviceInfo& device) {
  Verdict verdict;
  std::optional<DeviceVariable> variable;
  for (; verdict.step < profile.steps.size(); ++verdict.step) {
    if (!variable) variable.emplace(slice.object->spec.driver, *device.api);
    verdict.answer = ask(*profile.steps[verdict.step].selector, variable->input());
    if (verdict.answer != Selector::Answer::kYes) break;
  }
  return verdict;
}

std::string SelectorIndex::error_of(const Selector& selector, const Slice& slice,
                                    const DeviceInfo& device) const {
  if (selector.program == nullptr) return selector.compile_error;
  const DeviceVariable variable(slice.object->spec.driver, *device.api);
  const auto result = cel::evaluate_selector(*selector.program, variable.input());
  return result ? "" : result.error().message;
}

const CapacityDemand& SelectorIndex::demand_of(Profile& profile, const DeviceInfo& device) {
  const auto found = profile.demands_.find(device.capacity);
  if (found != profile.demands_.end()) return found->second;
  return profile.demands_
      .emplace(device.capacity, capacity_demand(profile.capacity, *device.api,
                                                features_.fractional_capacity_range))
      .first->second;
}

bool SelectorIndex::tolerates(Profile& profile, std::uint32_t set,
                              const std::vector<std::vector<Taint>>& sets) {
  if (set == 0) return true;
  if (profile.tolerated_.size() <= set) profile.tolerated_.resize(sets.size());
  std::uint8_t& known = profile.tolerated_[set];
  if (known == 0) {
    const bool all = std::ranges::all_of(sets[set], [&profile](const Taint& taint) {
      return std::ranges::any_of(*profile.tolerations, [&taint](const auto& toleration) {
        return tolerates_taint(toleration, taint);
      });
    });
    known = all ? 1 : 2;
  }
  return known == 1;
}

const Row& SelectorIndex::make_row(Profile& profile, const Slice& slice,
                                   const std::vector<std::vector<Taint>>& taint_sets) {
  Row row;
  row.words = words_for(slice.devices.size());
  row.bits.assign(Row::kSets * row.words, 0);
  const auto set = [&row](std::size_t which, std::size_t i) {
    row.bits[which * row.words + i / 64] |= Word{1} << (i % 64);
  };
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    const DeviceInfo& device = slice.devices[i];
    if (device.conditions && !features_.device_binding_and_status) continue;
    const Verdict verdict = evaluate(profile, slice, device);
    if (verdict.answer == Selector::Answer::kError) {
      set(3, i);
      row.errors = true;
    }
    if (verdict.answer != Selector::Answer::kYes) continue;
    set(0, i);
    if (features_.consumable_capacity) {
      const CapacityDemand& demand = demand_of(profile, device);
      if (demand.status == CapacityDemand::Status::kError) {
        set(4, i);
        row.errors = true;
      }
      if (demand.status != CapacityDemand::Status::kFits) continue;
    }
    set(1, i);
    row.complex = row.complex || device.multiple || device.consumes;
    if (device.consumes && !features_.partitionable_devices) continue;
    if (tolerates(profile, device.taints, taint_sets)) set(2, i);
  }
  std::string key(reinterpret_cast<const char*>(row.bits.data()), row.bits.size() * sizeof(Word));
  key.push_back(row.complex ? 1 : 0);
  const auto [known, fresh] =
      profile.row_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(profile.rows_.size()));
  if (fresh) profile.rows_.push_back(std::make_unique<Row>(std::move(row)));
  if (profile.slots_.size() <= slice.index) profile.slots_.resize(slice.index + 1);
  profile.slots_[slice.index] = {slice.stamp, known->second};
  return *profile.rows_[known->second];
}

std::uint32_t SelectorIndex::element(char type, std::string_view text) {
  std::string key(1, type);
  key += text;
  return element_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(element_ids_.size()))
      .first->second;
}

ValueId SelectorIndex::intern(AttributeValue value, const std::string& key) {
  const auto [known, fresh] = value_ids_.try_emplace(key, static_cast<ValueId>(values_.size()));
  if (fresh) {
    std::ranges::sort(value.elements);
    value.elements.erase(std::unique(value.elements.begin(), value.elements.end()),
                         value.elements.end());
    values_.push_back(std::move(value));
  }
  return known->second;
}

ValueId SelectorIndex::intern(const resource::DeviceAttribute& a) {
  AttributeValue value;
  std::string key;
  const auto add = [&](char type, std::string_view text) {
    value.elements.push_back(element(type, text));
    key.push_back(type);
    append_text(key, text);
  };
  if (!a.ints.empty()) {
    for (const std::int64_t i : a.ints) add('i', std::to_string(i));
  } else if (!a.bools.empty()) {
    for (const bool b : a.bools) add('b', b ? "1" : "0");
  } else if (!a.strings.empty()) {
    for (const std::string& s : a.strings) add('s', s);
  } else if (!a.versions.empty()) {
    for (const std::string& s : a.versions) add('v', s);
  }
  value.list = true;
  // Without the list feature a scalar beside a list is what counts, so it comes first then.
  if (value.elements.empty() || !features_.list_type_attributes) {
    const std::size_t listed = value.elements.size();
    if (a.string) {
      add('s', *a.string);
    } else if (a.int_) {
      add('i', std::to_string(*a.int_));
    } else if (a.bool_) {
      add('b', *a.bool_ ? "1" : "0");
    } else if (a.version) {
      add('v', *a.version);
    }
    if (value.elements.size() > listed) {
      value.list = false;
      value.elements = {value.elements.back()};
    }
  }
  key.push_back(value.list ? 'L' : 'S');
  return intern(std::move(value), key);
}

Result<ValueId> SelectorIndex::derive(const Selector& selector, const Slice& slice,
                                      const DeviceInfo& device) {
  CHECK(selector.program != nullptr);
  const DeviceVariable variable(slice.object->spec.driver, *device.api);
  ++evaluations_;
  TRY_ASSIGN(const cel::DerivedValue value, cel::evaluate_derived(*selector.program, variable.input()));
  resource::DeviceAttribute attribute;
  struct Visitor {
    resource::DeviceAttribute& to;
    void operator()(std::int64_t v) const { to.int_ = v; }
    void operator()(bool v) const { to.bool_ = v; }
    void operator()(const std::string& v) const { to.string = v; }
    void operator()(const cel::Version& v) const { to.version = v.text; }
    void operator()(const std::vector<std::int64_t>& v) const { to.ints = v; }
    void operator()(const std::vector<bool>& v) const { to.bools.assign(v.begin(), v.end()); }
    void operator()(const std::vector<std::string>& v) const { to.strings = v; }
    void operator()(const std::vector<cel::Version>& v) const {
      for (const cel::Version& version : v) to.versions.push_back(version.text);
    }
  };
  std::visit(Visitor{attribute}, value);
  return intern(attribute);
}

const std::vector<ValueId>& SelectorIndex::column(const std::string& attribute, const Slice& slice) {
  if (columns_.size() >= kColumnsMax && !columns_.contains(attribute)) columns_.clear();
  Column& column = columns_[attribute];
  if (column.slots.size() <= slice.index) column.slots.resize(slice.index + 1);
  Column::Slot& slot = column.slots[slice.index];
  if (slot.stamp == slice.stamp) return slot.values;
  slot.stamp = slice.stamp;
  slot.values.assign(slice.devices.size(), kNoValue);
  const std::size_t slash = attribute.find('/');
  const bool own_domain = slash != std::string::npos &&
                          std::string_view(attribute).substr(0, slash) == slice.object->spec.driver;
  const std::string bare = own_domain ? attribute.substr(slash + 1) : std::string();
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    const auto& attributes = slice.devices[i].api->attributes;
    auto found = attributes.find(attribute);
    if (found == attributes.end() && own_domain) found = attributes.find(bare);
    if (found != attributes.end()) slot.values[i] = intern(found->second);
  }
  return slot.values;
}

}  // namespace dray::dra
