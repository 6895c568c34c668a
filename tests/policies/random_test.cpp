// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include "policies/every_option.hpp"
#include "reference/model.hpp"

namespace ratereplay {
namespace {

/// Whole numbers from 0 to n - 1, the same on every platform.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : words_(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(words_() % static_cast<std::uint64_t>(n));
  }

 private:
  std::mt19937_64 words_;
};

template <Policy P>
void compare(const P& policy, const Options& options, Duration unit, std::int64_t start, int length,
             std::uint64_t seed) {
  Draw draw(seed);
  Tracked<P> key;
  reference::Model model(P::kName, policy.limit(), options, reference::Search::kBisect);
  const std::int64_t window = policy.limit().window.count();
  const Duration tick = draw.below(2) == 0 ? unit : Duration{1};
  std::int64_t now = start;
  for (int i = 0; i < length; ++i) {
    switch (draw.below(8)) {
      case 0:
        break;
      case 1:
        now += window;
        break;
      case 2:
        now += window - 1 + draw.below(3);
        break;
      case 3:
        now += draw.below(3 * window);
        break;
      case 4:
        now -= draw.below(window / 4 + 1);
        break;
      default:
        now += draw.below(window / policy.limit().count + 2);
        break;
    }
    const auto cost =
        static_cast<Cost>(draw.below(3) == 0 ? draw.below(policy.capacity() + 2) : draw.below(3));
    const Decision got = admit(policy, key, Instant{Duration{now}}, cost, tick);
    const Decision want = model.admit(Instant{Duration{now}}, cost, tick);
    REQUIRE_MESSAGE(got == want, testing::described(policy)
                                     << " seed " << seed << " request " << i << ": " << cost
                                     << " at " << now << "\n  got  " << got << "\n  want " << want);
  }
}

TEST_CASE_TEMPLATE("random traces get the answers of the reference", P, FixedWindow, SlidingLog,
                   SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  std::uint64_t seed = 1;
  for (const Duration unit : {Duration{1}, Duration{1'000'000}, Duration{1'000'000'000}}) {
    for (const Limit limit : {Limit{5, 10 * unit}, Limit{3, 7 * unit},
                              Limit{7, Duration{999'999'937}}, Limit{100, 60 * unit}}) {
      for (const Options& options :
           testing::every_option<P>({1, limit.count + 2}, {Duration{3 * unit}})) {
        for (const std::int64_t start :
             {-5 * unit.count(), std::int64_t{1'716'723'772'601'480'700}})
          compare(P(limit, options), options, unit, start, 40, seed++);
      }
    }
  }
}

TEST_CASE_TEMPLATE("a long random trace gets the answers of the reference", P, FixedWindow,
                   SlidingLog, SlidingCounter, Gcra, TokenBucket, LeakyBucket) {
  const Limit limit{10, std::chrono::milliseconds{100}};
  std::uint64_t seed = 1000;
  for (const Options& options : testing::every_option<P>({15}, {std::chrono::milliseconds{30}}))
    compare(P(limit, options), options, std::chrono::milliseconds{1}, 0, 300, seed++);
}

}  // namespace
}  // namespace ratereplay
