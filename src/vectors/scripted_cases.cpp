// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "spec/option_text.hpp"
#include "vectors/generate.hpp"
#include "vectors/script.hpp"

namespace ratereplay {
namespace {

constexpr Duration kMonth = std::chrono::days{30};

/// What the policy is, as far as the scripts go by it.
struct Setting {
  Unit unit;
  bool attempted = false;  ///< a refusal moves the edge, so that one case cannot ask on both sides
  std::int64_t clock = 0;  ///< in units; 0 = none
};

struct Recipe {
  std::string_view name;
  std::string_view note;
  void (*write)(Script& script, const Setting& setting);
};

std::int64_t three_fifths(std::int64_t units) {
  return std::max<std::int64_t>(1, saturate(Wide{units} * 3 / 5));
}

void fills(Script& script, const Setting&) {
  script.fill(0);
  script.ask(0);
  script.ask(0);
}

void edge(Script& script, const Setting&) {
  script.fill(script.late());
  script.ask_around_due(1, true);
}

void edge_alone(Script& script, const Setting&) {
  script.fill(script.late());
  script.ask_around_due(1, false);
  script.ask_around_due(1, false);
}

void past_edge(Script& script, const Setting&) {
  script.fill(script.late());
  if (const auto due = script.due(1)) script.ask(*due + 1);
}

void whole_refill(Script& script, const Setting&) {
  script.fill(script.late());
  script.ask_around_due(script.capacity(), true);
  script.ask_around_due(script.capacity(), false);
}

void above_capacity(Script& script, const Setting&) {
  script.ask(0, script.capacity());
  script.ask(0, 1);
  script.ask(0, script.capacity() + 1, "b");
  script.ask(0, script.capacity(), "b");
  script.ask(1, script.capacity() + 1, "b");
}

void several_places(Script& script, const Setting&) {
  const std::int64_t most = script.capacity() / 2 + 1;
  script.ask(0, most);
  script.ask(1, most);
  script.ask(1, std::max<std::int64_t>(1, script.capacity() - most));
  script.ask(1, 1);
  script.ask_around_due(most, false);
  script.ask_around_due(most, true);
}

void pace(Script& script, const Setting& setting) {
  script.fill(script.late());
  const std::int64_t rounds = std::min<std::int64_t>(script.capacity(), 7) + 1;
  for (std::int64_t i = 0; i < rounds; ++i) script.ask_around_due(1, !setting.attempted);
}

void idle(Script& script, const Setting& setting) {
  script.fill(0);
  const Wide month = kMonth.count() / setting.unit.nanos;
  const Wide later = std::max(month, Wide{script.window()} * 3);
  script.ask(later, script.capacity());
  script.ask(later);
  script.ask(later + script.window(), script.capacity());
  script.ask(later + 3 * Wide{script.window()}, script.capacity());
  script.ask(later + 3 * Wide{script.window()});
}

void wraps(Script& script, const Setting&) {
  const Wide window = script.window();
  const std::int64_t most = three_fifths(script.capacity());
  const std::int64_t rest = std::max<std::int64_t>(1, script.capacity() - most);
  script.ask(0, script.capacity());
  script.ask(window, most);
  script.ask(window + window / 2, rest);
  script.ask(window + window / 2);
  script.ask(2 * window, most);
  script.ask(2 * window + window / 2, rest);
  script.ask(2 * window + window / 2);
  script.ask(3 * window, script.capacity());
}

void two_windows(Script& script, const Setting& setting) {
  const Wide window = script.window();
  const std::int64_t most = three_fifths(script.capacity());
  script.ask(window / 5, most);
  script.ask(window + window / 5, std::max<std::int64_t>(1, script.capacity() / 3));
  script.ask_until_refused(window + window / 5);
  for (int i = 0; i < 4; ++i) script.ask_around_due(1, !setting.attempted);
}

void on_edge(Script& script, const Setting&) {
  const Wide window = script.window();
  const std::int64_t most = three_fifths(script.capacity());
  script.ask(script.late(), most);
  script.ask(window, std::max<std::int64_t>(1, script.capacity() - most));
  script.ask_until_refused(window + window / 2);
}

void trickle(Script& script, const Setting&) {
  const Wide window = script.window();
  const std::int64_t cost = std::max<std::int64_t>(1, script.capacity() / 3);
  for (int i = 0; i < 12; ++i) script.ask(i * window / 4 + i, cost);
}

void insists(Script& script, const Setting&) {
  script.fill(0);
  for (int i = 0; i < 3; ++i) script.ask(0);
  script.ask(script.window() / 2, script.capacity() + 1);
  script.ask_around_due(1, false);
  script.ask_around_due(1, true);
}

void asks_too_much(Script& script, const Setting&) {
  script.ask(0);
  script.ask(0, saturate(Wide{script.limit()} * 2 + script.capacity()));
  script.ask(1);
  script.ask_around_due(1, true);
}

void zero_cost(Script& script, const Setting&) {
  script.ask(0, 0);
  script.fill(script.late());
  script.ask(script.late(), 0);
  script.ask(script.late());
  script.ask_around_due(1, false);
  script.ask_around_due(0, false);
  if (const auto now = script.due(0)) {
    script.ask(*now, 0, "b");
    script.ask(*now, script.capacity(), "b");
  }
}

void many_keys(Script& script, const Setting&) {
  // Alike to those that fold case, trim, split, hash or cut keys.
  constexpr std::array<std::string_view, 8> kOthers{"A",   "a ", " a",       "ab",
                                                    "a:b", "",   "\xc3\xa4", "a\xcc\x88"};
  script.fill(0, "a");
  for (const std::string_view key : kOthers) script.ask(0, 1, key);
  script.ask(0, 1, "a");
  script.ask(1, script.capacity(), "b");
  script.ask(1, 1, "a");
}

void time_back(Script& script, const Setting&) {
  const Wide window = script.window();
  script.ask(window + 1, std::max<std::int64_t>(1, script.capacity() - 1));
  script.ask(window - 1, 1);
  script.ask(0, 1);
  script.ask(window / 2, script.capacity());
  script.ask(window + 1, 1);
  script.ask_around_due(1, true);
}

void time_back_after_silence(Script& script, const Setting&) {
  script.fill(script.late());
  if (const auto due = script.due(1)) script.ask(*due, 0);
  script.ask(script.late(), 1);
}

void again_later(Script& script, const Setting&) {
  const Wide window = script.window();
  script.fill(script.late());
  script.fill(script.late() + window + window / 3);
  script.ask_around_due(1, true);
  script.ask_around_due(script.capacity(), true);
}

void before_epoch(Script& script, const Setting&) {
  const Wide window = script.window();
  script.fill(-window + script.late());
  script.ask(-1);
  script.ask(0);
  script.ask_around_due(1, true);
  script.ask_around_due(1, true);
}

void first_instants(Script& script, const Setting& setting) {
  // A step of the clock that begins before all time is seen otherwise.
  const std::int64_t step = std::max<std::int64_t>(setting.clock, 1);
  const std::int64_t first = kInt64Min / setting.unit.nanos / step * step;
  script.ask(first, script.capacity());
  script.ask(first);
  script.ask_around_due(1, true);
}

void last_instants(Script& script, const Setting& setting) {
  const std::int64_t last = kInt64Max / setting.unit.nanos;
  script.ask(last - 1, script.capacity());
  script.ask(last - 1);
  script.ask(last);
  script.ask(last, 0);
}

void coarse_clock(Script& script, const Setting& setting) {
  if (setting.clock == 0) return;
  const Wide clock = setting.clock;
  script.fill(3 * clock + clock / 2);
  script.ask(4 * clock - 1);
  script.ask(4 * clock);
  for (int i = 0; i < 3; ++i) script.ask_around_due(1, !setting.attempted);
}

constexpr std::array<Recipe, 24> kRecipes{{
    {"fills, then refuses", "the capacity at one instant, and not one unit more", fills},
    {"the edge", "one unit of time before it is due, and when it is due", edge},
    {"the edge, reached in silence", "when it is due, nothing having been refused", edge_alone},
    {"past the edge", "one unit of time after it was due", past_edge},
    {"the whole refill", "when the whole capacity is due, and one unit of time earlier",
     whole_refill},
    {"capacity and one more", "a cost above the capacity is never admitted", above_capacity},
    {"a cost takes several places", "a cost is admitted whole or not at all", several_places},
    {"pace", "unit after unit as each is due: no fraction is lost on the way", pace},
    {"idle", "long silence brings the capacity back, not one unit more", idle},
    {"again, later", "what comes in steps comes on the grid of the first request", again_later},
    {"wraps around", "parts of the capacity leave and come for several windows", wraps},
    {"two windows", "what two windows in a row leave room for", two_windows},
    {"on the edge of a window", "the first instant of a window belongs to it", on_edge},
    {"a trickle", "a third of the capacity every quarter of a window", trickle},
    {"insists", "what refused requests cost", insists},
    {"asks too much", "what a request costs that can never be admitted", asks_too_much},
    {"zero cost", "a probe is admitted, changes nothing and opens nothing", zero_cost},
    {"many keys", "keys are whole strings and do not touch each other", many_keys},
    {"time goes back", "an earlier instant is answered as the latest one", time_back},
    {"time goes back after silence", "what the key has seen is not undone",
     time_back_after_silence},
    {"before the epoch", "negative instants: divisions go towards minus infinity", before_epoch},
    {"a coarse clock", "seen time stands still between steps of the clock", coarse_clock},
    {"the first instants", "near -2^63 ns", first_instants},
    {"the last instants", "near 2^63 ns", last_instants},
}};

/// Where time went back, others may count what is full already from either instant.
void forget_full(VectorCase& one) {
  std::int64_t latest = kInt64Min;
  for (VectorStep& step : one.steps) {
    if (step.request.at < latest && step.expect.full_at == kNever) step.expect.full_at.reset();
    latest = std::max(latest, step.request.at);
  }
}

}  // namespace

std::vector<std::string_view> scripted_names() {
  std::vector<std::string_view> names;
  for (const Recipe& recipe : kRecipes) names.push_back(recipe.name);
  return names;
}

std::vector<VectorCase> scripted_cases(const PolicySpec& spec, Unit unit) {
  const Options& options = options_of(spec.policy);
  const Setting setting{unit, options.charge == Charge::kAttempted,
                        options.clock.value_or(Duration{0}).count() / unit.nanos};
  std::vector<VectorCase> cases;
  const auto write = [&](const Recipe& recipe) {
    Script script(spec, unit, std::string(recipe.name), std::string(recipe.note));
    recipe.write(script, setting);
    if (script.empty()) return;
    cases.push_back(script.take());
    forget_full(cases.back());
  };
  std::for_each(kRecipes.begin(), kRecipes.end(), write);
  return cases;
}

}  // namespace ratereplay
