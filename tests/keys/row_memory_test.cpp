// SPDX-License-Identifier: Apache-2.0
#include "keys/row_memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ratereplay {

TEST_CASE("row memory: arrays of all sizes keep what they hold, after the memory too") {
  struct Filled {
    std::shared_ptr<std::int64_t[]> array;
    std::size_t size;
  };
  std::vector<Filled> all;
  {
    RowMemory memory;
    for (std::size_t i = 0; i < 3'000; ++i) {
      const std::size_t size = i % 1'000 == 0 ? 2'000'000 : i % 700;
      all.push_back({memory.take<std::int64_t>(size), size});
      std::fill_n(all.back().array.get(), size, static_cast<std::int64_t>(i));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::span values(all[i].array.get(), all[i].size);
    CHECK(std::ranges::count(values, static_cast<std::int64_t>(i)) ==
          static_cast<std::ptrdiff_t>(values.size()));
  }
}

TEST_CASE("row memory: an outgrown array is taken again, by those of its size alone") {
  GrowingRowMemory memory;
  GrowingRowMemory::Array array = memory.take(800);
  const std::byte* const begin = array.get();
  memory.give_back(std::move(array), 800);
  memory.give_back(nullptr, 800);
  CHECK(memory.take(400).get() != begin);
  CHECK(memory.take(800).get() == begin);
  const GrowingRowMemory::Array next = memory.take(800);
  CHECK(next != nullptr);
  CHECK(next.get() != begin);
}

}  // namespace ratereplay
