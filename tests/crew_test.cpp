// SPDX-License-Identifier: Apache-2.0
#include "crew.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace ratereplay {

TEST_CASE("crew: every thread does its part of every work, and one work ends before the next") {
  for (const unsigned threads : {1U, 2U, 7U}) {
    CAPTURE(threads);
    Crew crew(threads);
    REQUIRE(crew.threads() == threads);
    std::vector<int> done(threads);
    for (int round = 1; round <= 200; ++round) {
      crew.run([&](unsigned index) { ++done[index]; });
      CHECK(done == std::vector<int>(threads, round));
    }
  }
}

TEST_CASE("crew: the first work is done by the thread that asks") {
  Crew crew(3);
  std::thread::id first;
  crew.run([&](unsigned index) {
    if (index == 0) first = std::this_thread::get_id();
  });
  CHECK(first == std::this_thread::get_id());
}

TEST_CASE("crew: an exception comes out when all are done, and the crew works on") {
  Crew crew(4);
  for (const unsigned failing : {0U, 3U}) {
    std::atomic<int> done{0};
    CHECK_THROWS_WITH_AS(crew.run([&](unsigned index) {
      ++done;
      if (index == failing) throw std::runtime_error("ill");
    }),
                         "ill", std::runtime_error);
    CHECK(done == 4);
  }
  std::atomic<int> done{0};
  crew.run([&](unsigned) { ++done; });
  CHECK(done == 4);
}

}  // namespace ratereplay
