// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

/// The four generated reference traces, from their published recipe: an oracle for the program's
/// own generators and the input of the totals test.
namespace reference {

struct Arrival {
  std::int64_t ms;
  std::uint32_t key;
};

inline std::uint32_t mix32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x21f0aaadU;
  x ^= x >> 15;
  x *= 0x735a2d97U;
  return x ^ (x >> 15);
}

/// xoshiro128**, its state drawn from a counter through mix32.
class Words {
 public:
  explicit Words(std::uint32_t seed) {
    for (std::uint32_t& word : state_) word = mix32(seed += 0x9e3779b9U);
  }
  std::uint32_t next() {
    const std::uint32_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint32_t shifted = state_[1] << 9;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 11);
    return result;
  }
  double uniform() { return next() / 4294967296.0; }

 private:
  std::array<std::uint32_t, 4> state_{};
};

inline std::vector<Arrival> recipe_trace(std::string_view name) {
  std::vector<Arrival> trace;
  const auto draw = [&](std::uint32_t seed, std::int64_t length, double p, auto in_play, auto key) {
    Words words(seed);
    for (std::int64_t ms = 0; ms < length; ++ms)
      if (in_play(ms) && words.uniform() < p) trace.push_back({ms, key(words)});
  };
  const auto always = [](std::int64_t) { return true; };
  const auto one_key = [](Words&) { return std::uint32_t{0}; };
  if (name == "steady") draw(50, 60'000, 0.09, always, one_key);
  if (name == "bursty")
    draw(
        51, 60'000, 0.5, [](std::int64_t ms) { return ms % 2000 < 200; }, one_key);
  if (name == "overload") draw(53, 60'000, 0.3, always, one_key);
  if (name == "many-keys") {
    std::vector<double> sums;
    for (int rank = 1; rank <= 10'000; ++rank)
      sums.push_back((sums.empty() ? 0.0 : sums.back()) + 1.0 / rank);
    draw(52, 120'000, 0.5, always, [&](Words& words) {
      const double mark = words.uniform() * sums.back();
      std::uint32_t i = 0;
      while (sums[i] < mark) ++i;
      return i;
    });
  }
  return trace;
}

}  // namespace reference
