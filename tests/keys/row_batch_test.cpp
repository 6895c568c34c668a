// SPDX-License-Identifier: Apache-2.0
#include "keys/row_batch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace ratereplay {

TEST_CASE("row batch: what it knows of its times is what a look at each of them tells") {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kSecond = 1'000'000'000;
  const char key[32] = "key";
  std::mt19937_64 random(11);
  RowBatch batch;
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    const std::int64_t unit = std::vector<std::int64_t>{1, 1000, kSecond}[random() % 3];
    const std::int64_t start = std::vector<std::int64_t>{kLeast,
                                                         kLeast + kSecond,
                                                         -kSecond,
                                                         0,
                                                         1'700'000'000 * kSecond,
                                                         kMost - 6 * kSecond}[random() % 6];
    std::vector<std::int64_t> times(1 + random() % 12);
    for (std::int64_t& time : times) {
      time = start + static_cast<std::int64_t>(random() % 5'000'000'000) / unit * unit;
    }
    if (round % 2 == 0) std::ranges::sort(times);

    batch.clear();
    for (const std::int64_t time : times) batch.add(Instant{Duration{time}}, {key, 3}, 1);
    const RowBatch::Times known = batch.times();
    CHECK(known.first == times.front());
    CHECK(known.last == times.back());
    CHECK(known.earliest == *std::ranges::min_element(times));
    CHECK(known.latest == *std::ranges::max_element(times));
    std::uint64_t late = 0;
    std::uint64_t back = 0;
    std::int64_t latest = kLeast;
    std::map<std::int64_t, std::uint64_t> seconds;
    for (std::size_t i = 0; i < times.size(); ++i) {
      late += i > 0 && times[i] < times[i - 1];
      latest = std::max(latest, times[i]);
      if (i > 0 && times[i] < times[i - 1]) {
        back = std::max(back,
                        static_cast<std::uint64_t>(latest) - static_cast<std::uint64_t>(times[i]));
      }
      const std::int64_t rest = (times[i] % kSecond + kSecond) % kSecond;
      ++seconds[times[i] < kLeast + rest ? kLeast : times[i] - rest];
    }
    CHECK(known.out_of_order == late);
    CHECK(known.max_back == back);
    std::map<std::int64_t, std::uint64_t> counted;
    batch.for_each_second(
        [&](const RowBatch::SecondCount& count) { counted[count.second] += count.requests; });
    CHECK(counted == seconds);
  }
}

TEST_CASE("row batch: costs are known from the first that is not 1, row numbers when kept") {
  constexpr std::size_t kRows = 5'000;
  std::vector<char> texts(8 * kRows + 16);
  for (const bool keep_rows : {false, true}) {
    RowBatch batch(keep_rows);
    for (const std::size_t first : {std::size_t{0}, std::size_t{1'000}, kRows}) {
      CAPTURE(keep_rows);
      CAPTURE(first);
      batch.clear();
      std::map<std::size_t, Cost> costs;
      for (std::size_t i = 0; i < kRows; ++i) {
        char* const key = texts.data() + 8 * i;
        std::memcpy(key, &i, 8);
        const Cost cost = i >= first && i % 3 == 0 ? static_cast<Cost>(i) : 1;
        if (i == 10) batch.add_filtered();
        batch.add(Instant{}, {key, 8}, cost);
        costs[i] = cost;
      }
      CHECK(batch.unit_costs() == (first == kRows));
      std::size_t seen = 0;
      for (std::size_t p = 0; p < RowBatch::kPartitions; ++p) {
        const auto rows = batch.partition(p);
        const auto details = batch.details(p);
        if (first == kRows && !keep_rows) {
          CHECK(details.empty());
          seen += rows.size();
          continue;
        }
        REQUIRE(details.size() == rows.size());
        for (std::size_t j = 0; j < rows.size(); ++j, ++seen) {
          std::size_t i = 0;
          std::memcpy(&i, rows[j].key.text().data(), 8);
          CHECK(details[j].cost == costs[i]);
          if (keep_rows) CHECK(details[j].row == i + (i >= 10 ? 1 : 0));
        }
      }
      CHECK(seen == kRows);
    }
  }
}

}  // namespace ratereplay
