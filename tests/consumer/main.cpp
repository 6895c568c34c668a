// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "ratereplay/keyed.hpp"

using namespace std::chrono_literals;

int main() {
  // 3 units a second for each key; exact, and at most 3 in any window of 1 s.
  ratereplay::Keyed<ratereplay::SlidingLog> limiter({3, 1s});

  const struct {
    const char* key;
    std::chrono::milliseconds at;
    ratereplay::Cost cost;
  } requests[] = {{"ann", 0ms, 1},   {"ann", 200ms, 2},  {"ann", 300ms, 1},
                  {"bob", 300ms, 1}, {"ann", 1000ms, 1}, {"ann", 1000ms, 4}};

  for (const auto& [key, at, cost] : requests) {
    // Time is an argument. Any clock does, as long as it counts from one origin.
    const ratereplay::Decision d = limiter.admit(key, ratereplay::Instant{at}, cost);
    std::printf("%4lld ms %s %u: ", static_cast<long long>(at.count()), key, cost);
    if (d.admitted())
      std::printf("admitted, %lld remaining\n", static_cast<long long>(d.remaining));
    else if (d.retry_after)
      std::printf("refused, retry after %lld ms\n", static_cast<long long>(*d.retry_after / 1ms));
    else
      std::printf("refused, never admissible\n");
  }

  limiter.purge(ratereplay::Instant{2000ms});  // forgets the keys that are as good as fresh
  std::printf("%zu keys held\n", limiter.size());
}
