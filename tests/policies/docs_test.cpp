// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ratereplay/policies.hpp"

/// The worked example of each page in docs/policies is what the policy answers.
namespace ratereplay {
namespace {

using namespace std::chrono_literals;

struct Request {
  std::chrono::milliseconds after_nine;
  Cost cost;
};

struct Example {
  std::string_view spec;  ///< as the page writes it
  AnyPolicy policy;
  std::vector<Request> requests;
};

std::string clock_time(Instant at) {
  const long long ms = at.time_since_epoch() / 1ms;
  char text[32];
  std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld.%03lld", ms / 3'600'000, ms / 60'000 % 60,
                ms / 1000 % 60, ms % 1000);
  return text;
}

std::string line(Instant at, Cost cost, const Decision& d) {
  std::string text = clock_time(at) + "  cost " + std::to_string(cost);
  if (d.admitted()) {
    text += "  admitted  remaining " + std::to_string(d.remaining);
    if (d.delay > 0ns) text += "  delay " + std::to_string(d.delay / 1ms) + " ms";
  } else if (d.retry_after) {
    text += "  refused   retryAfter " + std::to_string(*d.retry_after / 1ms) + " ms, at " +
            clock_time(at + *d.retry_after);
  } else {
    text += "  refused   retryAfter never";
  }
  return text + "\n";
}

std::string worked(const Example& example) {
  std::string text = "```\n" + std::string(example.spec) + "\n";
  std::visit(
      [&]<Policy P>(const P& policy) {
        Tracked<P> key;
        for (const auto& [after_nine, cost] : example.requests) {
          const Instant at{9h + after_nine};
          text += line(at, cost, admit(policy, key, at, cost));
        }
      },
      example.policy);
  return text + "```\n";
}

TEST_CASE("the worked example on each policy's page is what the policy answers") {
  const Limit five{5, 1s};
  const Example examples[] = {
      {"fixed-window:5/1s", FixedWindow(five), {{900ms, 5}, {950ms, 1}, {1000ms, 5}, {1001ms, 1}}},
      {"sliding-log:5/1s",
       SlidingLog(five),
       {{0ms, 3}, {400ms, 2}, {900ms, 1}, {900ms, 4}, {1000ms, 3}, {1100ms, 6}}},
      {"sliding-counter:5/1s",
       SlidingCounter(five),
       {{800ms, 5}, {1000ms, 1}, {1001ms, 1}, {1001ms, 1}, {1500ms, 1}, {2000ms, 3}}},
      {"gcra:10/1s,capacity=3",
       Gcra({10, 1s}, {.capacity = 3}),
       {{0ms, 1}, {0ms, 2}, {0ms, 1}, {99ms, 1}, {100ms, 1}, {100ms, 4}, {5000ms, 3}}},
      {"token-bucket:5/1s,capacity=10,refill=interval",
       TokenBucket(five, {.capacity = 10, .refill = Refill::kInterval}),
       {{500ms, 10}, {1499ms, 1}, {1500ms, 4}, {1500ms, 7}, {2500ms, 6}}},
      {"leaky-bucket:10/1s,capacity=3",
       LeakyBucket({10, 1s}, {.capacity = 3}),
       {{0ms, 1}, {0ms, 1}, {0ms, 1}, {0ms, 1}, {50ms, 1}, {100ms, 1}, {5000ms, 1}}},
  };
  for (const Example& example : examples) {
    const std::string path = std::string(RATEREPLAY_SOURCE_DIR) + "/docs/policies/" +
                             std::string(policy_name(example.policy)) + ".md";
    std::ostringstream page;
    page << std::ifstream(path).rdbuf();
    const std::string expected = worked(example);
    INFO(path << " does not show\n" << expected);
    CHECK(page.str().find(expected) != std::string::npos);
  }
}

}  // namespace
}  // namespace ratereplay
