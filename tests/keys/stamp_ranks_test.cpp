// SPDX-License-Identifier: Apache-2.0
#include "keys/stamp_ranks.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace ratereplay;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

void add(RowBatch& batch, std::int64_t at, std::size_t key) {
  char* const text = batch.scratch(1);
  *text = static_cast<char>('a' + key);
  batch.add(Instant{Duration{at}}, {text, 1}, 1);
}

/// The instants of the stamps, in blocks of that size, keys taken in turn.
std::vector<std::int64_t> spread(const std::vector<std::int64_t>& stamps, std::size_t block,
                                 std::size_t keys) {
  StampRanks ranks;
  RowBatch batch;
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> some;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    if (batch.rows() == block) {
      ranks.rank(batch, some);
      all.insert(all.end(), some.begin(), some.end());
      batch.clear();
    }
    add(batch, stamps[i], i % keys);
  }
  ranks.rank(batch, some);
  all.insert(all.end(), some.begin(), some.end());
  std::vector<std::int64_t> at;
  for (std::size_t i = 0; i < stamps.size(); ++i) at.push_back(ranks.spread(stamps[i], all[i]));
  return at;
}

}  // namespace

TEST_CASE("spread: the i-th of n requests on a stamp lies i/n of the resolution later") {
  const std::vector<std::int64_t> stamps = {kSecond,     kSecond, 2 * kSecond, kSecond,
                                            5 * kSecond, kSecond, 2 * kSecond, 2 * kSecond};
  const std::vector<std::int64_t> expected = {
      kSecond,     1'250'000'000, 2 * kSecond,   1'500'000'000,  // thirds are rounded down
      5 * kSecond, 1'750'000'000, 2'333'333'333, 2'666'666'666};
  for (const std::size_t block : {1U, 2U, 3U, 8U}) {
    for (const std::size_t keys : {1U, 3U, 8U}) {
      CAPTURE(block);
      CAPTURE(keys);
      CHECK(spread(stamps, block, keys) == expected);
    }
  }
}

TEST_CASE("spread: the resolution is what every stamp is a multiple of") {
  CHECK(spread({1'000'000, 1'000'000}, 8, 1) == std::vector<std::int64_t>{1'000'000, 1'500'000});
  CHECK(spread({0, 0, 60 * kSecond}, 8, 1) ==
        std::vector<std::int64_t>{0, 30 * kSecond, 60 * kSecond});
  CHECK(spread({-kSecond, -kSecond}, 8, 1) == std::vector<std::int64_t>{-kSecond, -kSecond / 2});
  CHECK(spread({1, 1, 1}, 8, 1) == std::vector<std::int64_t>{1, 1, 1});
  // The last instant that 64 bits hold has no room behind it.
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() / kSecond * kSecond;
  CHECK(spread({kLast, kLast}, 8, 1).back() == kLast + 500'000'000);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  CHECK(spread({kMax, kMax}, 8, 1) == std::vector<std::int64_t>{kMax, kMax});
}
