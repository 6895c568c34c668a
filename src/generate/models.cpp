// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "error.hpp"
#include "generate/arrivals.hpp"
#include "generate/generator.hpp"
#include "generate/random.hpp"
#include "generate/zipf.hpp"
#include "spec/duration_text.hpp"

namespace ratereplay {
namespace {

using namespace std::chrono_literals;

enum class KeyOrder : std::uint8_t { kZipf, kTurns };

/// Gives the arrivals their keys and costs. Each arrival draws, in this order: what its time needs,
/// its key if there are several, its cost if it varies.
template <class Arrivals, KeyOrder kOrder>
class Stream final : public Generator {
 public:
  explicit Stream(const Recipe& recipe)
      : random_(recipe.seed),
        arrivals_(recipe),
        zipf_(kOrder == KeyOrder::kZipf ? recipe.keys : 1),
        keys_(recipe.keys),
        end_(recipe.length.value_or(Duration::max()).count()),
        rows_(recipe.rows.value_or(UINT64_MAX)),
        least_cost_(recipe.least_cost),
        costs_(std::uint64_t{recipe.greatest_cost} - recipe.least_cost + 1) {}

  std::size_t next(std::span<GeneratedEvent> out) override {
    std::size_t made = 0;
    while (made < out.size() && row_ < rows_) {
      const auto at = arrivals_.next(random_);
      if (!at || *at >= end_) {
        rows_ = row_;
        break;
      }
      out[made++] = {Instant{Duration{*at}}, key(), cost()};
      ++row_;
    }
    if (kOrder == KeyOrder::kZipf && keys_ > 1) look_up(out.first(made));
    return made;
  }

 private:
  /// The key, or the word that look_up turns into it.
  std::uint32_t key() {
    if (keys_ == 1) return 0;
    if constexpr (kOrder == KeyOrder::kTurns) return static_cast<std::uint32_t>(row_ % keys_);
    return random_.next();
  }

  /// The tables are larger than the cache: events ahead are fetched meanwhile.
  void look_up(std::span<GeneratedEvent> events) const noexcept {
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i + 2 * kAhead < events.size()) zipf_.prefetch_cell(events[i + 2 * kAhead].key);
      if (i + kAhead < events.size()) zipf_.prefetch_sums(events[i + kAhead].key);
      events[i].key = zipf_.rank(events[i].key);
    }
  }

  Cost cost() {
    if (costs_ == 1) return least_cost_;
    return static_cast<Cost>(least_cost_ + random_.below(costs_));
  }

  Random random_;
  Arrivals arrivals_;
  Zipf zipf_;
  std::uint32_t keys_;
  std::int64_t end_;
  std::uint64_t rows_;
  std::uint64_t row_ = 0;
  Cost least_cost_;
  std::uint64_t costs_;
};

void require(bool holds, const char* message, std::string advice) {
  if (!holds) throw Error(ErrorKind::kUsage, message, {std::move(advice)});
}

constexpr std::int64_t kGreatestRate = 1'000'000'000;

void check(const Recipe& recipe) {
  require(recipe.length || recipe.rows, "the trace would never end", "give a length or rows");
  require(recipe.rate.count >= 1 && recipe.rate.count <= kGreatestRate &&
              recipe.rate.window >= Duration{1},
          "the rate is out of range",
          fmt::format("it is from 1 to {} requests in a time of 1 ns or more", kGreatestRate));
  require(recipe.keys >= 1 && recipe.keys <= Zipf::kGreatest, "the keys are out of range",
          fmt::format("they are from 1 to {}", Zipf::kGreatest));
  require(recipe.step >= Duration{1}, "the step is out of range", "it is 1 ns or more");
  require(recipe.least_cost <= recipe.greatest_cost, "the costs are in the wrong order",
          "write the least first: 1..5");
}

std::unique_ptr<Generator> make_lattice(const Recipe& recipe) {
  check(recipe);
  require(Wide{recipe.rate.count} * recipe.step.count() <= recipe.rate.window.count(),
          "the rate is more than one request a step",
          fmt::format("the step is {}: choose a shorter one, or the model poisson",
                      duration_text(recipe.step)));
  return std::make_unique<Stream<LatticeArrivals, KeyOrder::kZipf>>(recipe);
}

std::unique_ptr<Generator> make_bursty(const Recipe& recipe) {
  require(recipe.on >= recipe.step && recipe.on % recipe.step == Duration{0},
          "requests must come for a whole number of steps",
          fmt::format("the step is {}", duration_text(recipe.step)));
  return make_lattice(recipe);
}

std::unique_ptr<Generator> make_poisson(const Recipe& recipe) {
  check(recipe);
  return std::make_unique<Stream<PoissonArrivals, KeyOrder::kZipf>>(recipe);
}

std::unique_ptr<Generator> make_onoff(const Recipe& recipe) {
  require(recipe.on >= Duration{1} && recipe.off >= Duration{1},
          "the phases on and off last 1 ns or more", "for requests all the time, choose poisson");
  return make_poisson(recipe);
}

std::unique_ptr<Generator> make_boundary(const Recipe& recipe) {
  check(recipe);
  require(recipe.window >= Duration{1} && recipe.spread <= recipe.window / 2 &&
              recipe.spread >= recipe.step,
          "the spread must be from one step to half a window",
          fmt::format("the step is {}, the window {}", duration_text(recipe.step),
                      duration_text(recipe.window)));
  require(recipe.spread / recipe.step <= (std::int64_t{1} << 32),
          "the spread has more than 2^32 steps", "choose a longer step");
  require(BoundaryArrivals::volley(recipe) <= 100'000'000,
          "more than 100,000,000 requests in one window", "choose a lower rate");
  return std::make_unique<Stream<BoundaryArrivals, KeyOrder::kTurns>>(recipe);
}

constexpr std::array kPhases{RecipeField::kOn, RecipeField::kOff};
constexpr std::array kEdges{RecipeField::kWindow, RecipeField::kSpread};

Recipe recipe(std::uint32_t seed, std::int64_t per_second, Duration length) {
  Recipe made;
  made.seed = seed;
  made.rate.count = per_second;
  made.length = length;
  return made;
}

Recipe with_phases(Recipe made, Duration on, Duration off) {
  made.on = on;
  made.off = off;
  return made;
}

Recipe with_keys(Recipe made, std::uint32_t keys) {
  made.keys = keys;
  return made;
}

Recipe with_edges(Recipe made, Duration window, Duration spread) {
  made.window = window;
  made.spread = spread;
  return made;
}

/// Names beside numbers: user-0, user-1, …
Recipe for_users(Recipe made) {
  made.key_prefix = "user-";
  return made;
}

}  // namespace

std::span<const Model> models() {
  static const std::array<Model, 7> list{{
      {"steady",
       "a draw every step decides on a request; one key",
       recipe(50, 90, 60s),
       {},
       make_lattice},
      {"bursty", "the same for 200 ms, then 1.8 s of silence",
       with_phases(recipe(51, 500, 60s), 200ms, 1800ms), kPhases, make_bursty},
      {"many-keys",
       "10,000 keys, a few of them busy (Zipf)",
       with_keys(recipe(52, 500, 120s), 10'000),
       {},
       make_lattice},
      {"overload",
       "three times what 100/1s admits; one key",
       recipe(53, 300, 60s),
       {},
       make_lattice},
      {"poisson",
       "independent requests, at any rate",
       for_users(recipe(54, 100, 60s)),
       {},
       make_poisson},
      {"onoff", "independent requests in phases of random length",
       for_users(with_phases(recipe(55, 500, 60s), 1s, 4s)), kPhases, make_onoff},
      {"boundary", "volleys on both sides of a window's edge, each within the limit",
       for_users(with_edges(recipe(56, 100, 60s), 1s, 10ms)), kEdges, make_boundary},
  }};
  return list;
}

const Model* find_model(std::string_view name) {
  const auto found = std::ranges::find(models(), name, &Model::name);
  return found == models().end() ? nullptr : &*found;
}

}  // namespace ratereplay
