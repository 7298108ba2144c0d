// A second oracle for tiny clusters: write down every choice in order, check it as a whole, take the first.
#include <map>
#include <optional>
#include <set>

#include "base/random.h"
#include "dra/support.h"

namespace dray::dra {
namespace {

using namespace test;

struct Thing {
  std::string name;
  int kind = 0;
  std::optional<int> numa;
  int draws = 0;    // from the pool's counter
  bool tainted = false;
  int capacity = 0;  // shared if positive
  bool used = false;
};
struct Ask {
  std::string label;
  int count = 1;
  int kind = -1;  // any
  bool tolerates = false;
  int capacity = 0;  // 0: nothing requested, takes all
};
struct Rule {
  bool match = true;
  std::set<std::string> requests;  // labels' main names
};
struct Model {
  std::vector<Thing> things;
  int counter = 0;
  std::vector<std::vector<Ask>> requests;  // alternatives
  std::vector<Rule> rules;
};
struct Chosen {
  const Ask* ask;
  const Thing* thing;
  std::size_t request;
};

bool suits(const Ask& ask, const Thing& thing) {
  if (thing.used || (ask.kind >= 0 && ask.kind != thing.kind)) return false;
  if (thing.tainted && !ask.tolerates) return false;
  return thing.capacity == 0 ? ask.capacity == 0 : ask.capacity <= thing.capacity;
}

bool is_solution(const Model& model, const std::vector<Chosen>& all) {
  std::map<const Thing*, int> times, taken;
  int drawn = 0, drawn_before = 0;
  for (const Thing& thing : model.things) drawn_before += thing.used ? thing.draws : 0;
  bool draws = false;
  for (const Chosen& one : all) {
    if (!suits(*one.ask, *one.thing)) return false;
    if (times[one.thing]++ == 0) {
      drawn += one.thing->draws;
      draws = draws || one.thing->draws > 0;
    }
    if (one.thing->capacity == 0 && times[one.thing] > 1) return false;
    taken[one.thing] += one.ask->capacity > 0 ? one.ask->capacity : one.thing->capacity;
    if (taken[one.thing] > one.thing->capacity) return false;
  }
  if (draws && drawn + drawn_before > model.counter) return false;
  for (const Rule& rule : model.rules) {
    std::vector<int> values;
    for (const Chosen& one : all) {
      if (!rule.requests.empty() && !rule.requests.contains("r" + std::to_string(one.request))) continue;
      if (!one.thing->numa) return false;
      values.push_back(*one.thing->numa);
    }
    const std::set<int> different(values.begin(), values.end());
    if (rule.match ? different.size() > 1 : different.size() < values.size()) return false;
  }
  return true;
}

bool search(const Model& model, std::size_t request, const Ask* ask, int left, std::size_t from,
            std::vector<Chosen>& all) {
  if (request == model.requests.size()) return is_solution(model, all);
  if (ask == nullptr) {
    for (const Ask& alternative : model.requests[request]) {
      if (search(model, request, &alternative, alternative.count, 0, all)) return true;
    }
    return false;
  }
  if (left == 0) return search(model, request + 1, nullptr, 0, 0, all);
  for (std::size_t i = from; i < model.things.size(); ++i) {
    all.push_back({ask, &model.things[i], request});
    if (search(model, request, ask, left - 1, i + 1, all)) return true;
    all.pop_back();
  }
  return false;
}

Model draw(Rng& rng) {
  Model model;
  const auto things = rng.between(2, 5);
  model.counter = static_cast<int>(rng.between(1, 4));
  const bool counters = rng.chance(1, 3), shares = rng.chance(1, 4);
  for (std::int64_t i = 0; i < things; ++i) {
    Thing& thing = model.things.emplace_back();
    thing.name = "d" + std::to_string(i);
    thing.kind = static_cast<int>(rng.below(2));
    if (!rng.chance(1, 10)) thing.numa = static_cast<int>(rng.below(3));
    if (counters) thing.draws = static_cast<int>(rng.below(3));
    thing.tainted = rng.chance(1, 6);
    if (shares && rng.chance(1, 2)) thing.capacity = static_cast<int>(rng.between(1, 4));
    thing.used = rng.chance(1, 8);
  }
  const auto requests = rng.between(1, 3);
  for (std::int64_t r = 0; r < requests; ++r) {
    auto& alternatives = model.requests.emplace_back();
    const auto count = rng.chance(1, 4) ? 2 : 1;
    for (std::int64_t a = 0; a < count; ++a) {
      Ask& ask = alternatives.emplace_back();
      ask.label = "r" + std::to_string(r) + (count > 1 ? "/a" + std::to_string(a) : "");
      ask.count = static_cast<int>(rng.between(1, 2));
      ask.kind = static_cast<int>(rng.between(-1, 1));
      ask.tolerates = rng.chance(1, 3);
      if (shares && rng.chance(1, 2)) ask.capacity = static_cast<int>(rng.between(1, 3));
    }
  }
  const auto rules = rng.below(3);
  for (std::uint64_t i = 0; i < rules; ++i) {
    Rule& rule = model.rules.emplace_back();
    rule.match = rng.chance(2, 3);
    for (std::int64_t r = 0; r < requests; ++r) {
      if (rng.chance(1, 2)) rule.requests.insert("r" + std::to_string(r));
    }
  }
  return model;
}

template <class Request>
void fill(const Ask& ask, Request& to) {
  to.device_class_name = "any";
  to.allocation_mode = "ExactCount";
  to.count = ask.count;
  if (ask.kind >= 0)
    to.selectors.emplace_back().cel.emplace().expression =
        "device.attributes['gpu.example.com'].kind == " + std::to_string(ask.kind);
  if (ask.tolerates) to.tolerations.emplace_back().operator_ = "Exists";
  if (ask.capacity > 0) to.capacity.emplace().requests["memory"] = Quantity::of(ask.capacity);
}

Question as_question(const Model& model) {
  Question q = question();
  std::vector<resource::Device> devices;
  bool draws = false;
  std::vector<std::string> used;
  for (const Thing& thing : model.things) {
    resource::Device d = thing.draws > 0 ? drawing(thing.name, std::to_string(thing.draws).c_str()) : device(thing.name);
    draws = draws || thing.draws > 0;
    d.attributes["kind"] = number(thing.kind);
    if (thing.numa) d.attributes["numa"] = number(*thing.numa);
    if (thing.tainted) {
      auto& taint = d.taints.emplace_back();
      taint.key = "example.com/t";
      taint.effect = "NoSchedule";
    }
    if (thing.capacity > 0) {
      d.allow_multiple_allocations = true;
      d.capacity["memory"].value = Quantity::of(thing.capacity);
    }
    if (thing.used) used.push_back(thing.name);
    devices.push_back(std::move(d));
  }
  q.slices = {slice("s", "n", std::move(devices))};
  if (draws) {
    auto sets = counters("t", "n", std::to_string(model.counter).c_str());
    auto first = std::make_shared<resource::ResourceSlice>(*q.slices[0]);
    first->spec.pool.resource_slice_count = sets->spec.pool.resource_slice_count = 2;
    q.slices = {first, sets};
  }
  if (!used.empty()) q.allocated_claims = {holding("n", used)};
  std::vector<resource::DeviceRequest> requests;
  for (std::size_t r = 0; r < model.requests.size(); ++r) {
    auto& request = requests.emplace_back();
    request.name = "r" + std::to_string(r);
    const auto& alternatives = model.requests[r];
    if (alternatives.size() == 1) {
      fill(alternatives[0], request.exactly.emplace());
      continue;
    }
    for (std::size_t a = 0; a < alternatives.size(); ++a) {
      auto& sub = request.first_available.emplace_back();
      sub.name = "a" + std::to_string(a);
      fill(alternatives[a], sub);
    }
  }
  std::vector<resource::DeviceConstraint> constraints;
  for (const Rule& rule : model.rules) {
    const std::vector<std::string> names(rule.requests.begin(), rule.requests.end());
    constraints.push_back(rule.match ? match("gpu.example.com/numa", names) : distinct("gpu.example.com/numa", names));
  }
  q.claims = {claim(std::move(requests), std::move(constraints))};
  return q;
}

TEST(BruteForce, FirstSolutionOfTinyClusters) {
  int solved = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    const Model model = draw(rng);
    std::vector<Chosen> all;
    std::string want = "refused";
    if (search(model, 0, nullptr, 0, 0, all)) {
      want.clear();
      for (const Chosen& one : all) want += (want.empty() ? "" : " ") + one.ask->label + "=n/" + one.thing->name;
      ++solved;
    } else {
      ++refused;
    }
    ASSERT_EQ(ask(as_question(model)), want) << "seed " << seed;
  }
  EXPECT_GT(solved, 300);
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace dray::dra
