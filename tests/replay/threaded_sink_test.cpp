// SPDX-License-Identifier: Apache-2.0
#include "replay/threaded_sink.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace ratereplay {
namespace {

struct Numbers final : DecisionSink {
  void write(std::span<const DecisionRow> rows) override {
    for (const DecisionRow& row : rows) {
      if (row.row == fails_at) throw std::runtime_error("no room");
      seen.push_back(row.row);
    }
  }
  std::uint64_t fails_at = 0;
  std::vector<std::uint64_t> seen;
};

std::vector<DecisionRow> numbered(std::uint64_t first, std::size_t count) {
  std::vector<DecisionRow> rows(count);
  for (DecisionRow& row : rows) row.row = first++;
  return rows;
}

}  // namespace

TEST_CASE("threaded sink: every row arrives once, in order") {
  Numbers numbers;
  ThreadedSink sink(numbers);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t first = 1; first < 3000; first += 3) {
    sink.write(numbered(first, 3));
    for (std::uint64_t i = 0; i < 3; ++i) expected.push_back(first + i);
  }
  sink.finish();
  CHECK(numbers.seen == expected);
}

TEST_CASE("threaded sink: a failure of the other sink comes out, and nothing is written after it") {
  Numbers numbers;
  numbers.fails_at = 50;
  ThreadedSink sink(numbers);
  const auto write_all = [&] {
    for (std::uint64_t first = 1; first < 1000; first += 10) sink.write(numbered(first, 10));
    sink.finish();
  };
  CHECK_THROWS_WITH_AS(write_all(), "no room", std::runtime_error);
  CHECK(numbers.seen.size() == 49);
}

TEST_CASE("threaded sink: one that is not finished ends without waiting for what is queued") {
  Numbers numbers;
  { ThreadedSink sink(numbers); }
  CHECK(numbers.seen.empty());
}

}  // namespace ratereplay
