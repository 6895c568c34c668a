// SPDX-License-Identifier: Apache-2.0
#include "keys/partition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ratereplay {
namespace {

struct Row {
  std::int64_t at;
  Cost cost;
  std::uint64_t row;
  friend bool operator==(const Row&, const Row&) = default;
};

/// What group() makes of all partitions, by key.
std::map<std::string, std::vector<Row>> grouped_rows(const std::vector<Partition>& partitions) {
  std::map<std::string, std::vector<Row>> all;
  GroupedRows grouped;
  for (const Partition& partition : partitions) {
    partition.group(Order::kSort, grouped);
    REQUIRE(grouped.keys.size() == partition.keys());
    for (std::size_t key = 0; key < grouped.keys.size(); ++key) {
      std::vector<Row>& rows = all[std::string(grouped.keys[key].text())];
      CHECK(rows.empty());
      for (std::uint64_t i = grouped.first[key]; i < grouped.first[key + 1]; ++i) {
        rows.push_back({grouped.at[i], grouped.cost.empty() ? 1 : grouped.cost[i],
                        grouped.row.empty() ? 0 : grouped.row[i]});
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("partitions: every row is found at its whole key, in time order, after many waves") {
  std::mt19937_64 random(5);
  for (const std::size_t kinds : {1U, 50U, 30'000U}) {
    for (const bool keep_rows : {false, true}) {
      CAPTURE(kinds);
      CAPTURE(keep_rows);
      std::vector<Partition> partitions(RowBatch::kPartitions);
      RowMemory memory;
      std::map<std::string, std::vector<Row>> expected;
      std::uint64_t row = 0;
      for (int wave = 0; wave < 4; ++wave) {
        std::vector<RowBatch> batches;
        std::vector<Partition::Piece> pieces;
        for (int block = 0; block < 3; ++block) batches.emplace_back(keep_rows);
        // In one wave the stamps are far apart, in one there are costs.
        const std::int64_t unit = wave == 1 ? 1'000'000'000'000'000 : 1'000'000;
        for (RowBatch& batch : batches) {
          pieces.push_back({&batch, row});
          for (int i = 0; i < 5'000; ++i, ++row) {
            const std::uint64_t number = random() % kinds;
            std::string key = std::to_string(number);
            if (number % 3 == 0) key.insert(0, 10 + number % 40, 'k');
            char* const text = batch.scratch(key.size());
            std::ranges::copy(key, text);
            const std::int64_t at = static_cast<std::int64_t>(random() % 9'000) * unit;
            const Cost cost = wave == 2 && i % 5 == 0 ? static_cast<Cost>(random() % 9) : 1;
            batch.add(Instant{Duration{at}}, {text, key.size()}, cost);
            expected[key].push_back({at, cost, keep_rows ? row : 0});
          }
        }
        for (std::size_t i = 0; i < partitions.size(); ++i) {
          partitions[i].absorb(pieces, i, keep_rows, memory);
        }
      }
      std::uint64_t costs = 0;
      for (auto& [key, rows] : expected) {
        std::ranges::stable_sort(rows, {}, &Row::at);
        for (const Row& each : rows) costs += each.cost;
      }
      CHECK(grouped_rows(partitions) == expected);
      for (const Partition& partition : partitions) costs -= partition.cost_total();
      CHECK(costs == 0);
    }
  }
}

}  // namespace ratereplay
