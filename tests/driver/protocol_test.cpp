// SPDX-License-Identifier: Apache-2.0
#include "driver/protocol.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "text/utf8.hpp"

namespace ratereplay {
namespace {

std::string opening(std::string_view policy, std::size_t unit = 1) {
  return opening_line(parse_policy(policy, "test"), kUnits[unit]);
}

std::string fault_of(std::string_view line) {
  try {
    static_cast<void>(read_answer(line));
  } catch (const NoAnswer& fault) {
    return fault.what();
  }
  return "an answer";
}

TEST_CASE("driver lines: the opening line spells the policy and every parameter in the unit") {
  CHECK(opening("sliding-log:5/1s") ==
        R"({"protocol": "ratereplay.driver/1", "unit": "ms", "policy": "sliding-log:5/1s", )"
        R"("algorithm": "sliding-log", "limit": 5, "window": 1000, "boundary": "half-open", )"
        R"("charge": "admitted", "clock": null})");
  CHECK(opening("mine=gcra:10/1500us,capacity=3,clock=250ns") ==
        R"({"protocol": "ratereplay.driver/1", "unit": "ms", )"
        R"("policy": "gcra:10/1500us,capacity=3,clock=250ns", "algorithm": "gcra", "limit": 10, )"
        R"("window": 1.5, "capacity": 3, "charge": "admitted", "clock": 0.00025})");
  CHECK(opening("leaky-bucket:1k/1m,mode=meter", 0) ==
        R"({"protocol": "ratereplay.driver/1", "unit": "s", )"
        R"("policy": "leaky-bucket:1000/1m,capacity=1000,mode=meter", )"
        R"("algorithm": "leaky-bucket", "limit": 1000, "window": 60, "capacity": 1000, )"
        R"("mode": "meter", "charge": "admitted", "clock": null})");
  CHECK(opening_line(Limit{5, std::chrono::seconds{1}}, std::nullopt, kMilliseconds) ==
        R"({"protocol": "ratereplay.driver/1", "unit": "ms", "policy": null, "limit": 5, )"
        R"("window": 1000})");
  CHECK(opening_line(Limit{5, std::chrono::seconds{1}}, 20, kMilliseconds) ==
        R"({"protocol": "ratereplay.driver/1", "unit": "ms", "policy": null, "limit": 5, )"
        R"("window": 1000, "capacity": 20})");
}

TEST_CASE("driver lines: a request; a key that is not UTF-8 comes with its bytes") {
  CHECK(request_line({-50, "a \"b\"", 3}) == R"({"at":-50,"key":"a \"b\"","cost":3})");
  CHECK(request_line({0, "\xff", 1}) == R"({"at":0,"key":"\\xff","keyBase64":"/w==","cost":1})");
}

TEST_CASE("driver lines: no two keys have the same text") {
  const auto text = [](const std::string& key) {
    const std::string line = request_line({0, key, 1});
    const std::size_t from = line.find("\"key\":") + 6;
    return line.substr(from, line.find(",\"", from) - from);
  };
  CHECK(text("C:\\new") == R"("C:\\new")");
  CHECK(text("\\xff") == R"("\\\\xff")");
  CHECK(text("\xff") == R"("\\xff")");
  std::map<std::string, std::string> seen;
  const std::string alphabet = "\\xf\xff|";
  for (int number = 0; number < 5 * 5 * 5 * 5 * 5 * 5; ++number) {
    std::string key;
    for (int rest = number; rest > 0; rest /= 5) {
      key += alphabet[static_cast<std::size_t>(rest % 5)];
    }
    const auto [known, fresh] = seen.try_emplace(text(key), key);
    REQUIRE((fresh || known->second == key));
  }
}

TEST_CASE("driver lines: an answer tells what it likes, null is never") {
  const Answer bare = read_answer(R"({"admitted":true})");
  CHECK(bare == Answer{.admitted = true});
  const Answer full = read_answer(
      R"( {"delay": 0.0, "admitted": false, "remaining": 4.7, "retryAfter": 333.4,
          "resetAt": null, "fullAt": 1e3} )");
  CHECK(full == Answer{.admitted = false,
                       .remaining = Told{.value = 4},
                       .retry_after = Told{.value = 334},
                       .reset_at = kNever,
                       .full_at = Told{.value = 1000},
                       .delay = Told{.value = 0}});
}

TEST_CASE("driver lines: nonsense is named") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", "wrote a line that is not JSON: an empty line"},
      {"Listening on 8080", "wrote a line that is not JSON: 'Listening on 8080'"},
      {"{\"admitted\":true", "wrote a line that is not JSON: '{\"admitted\":true'"},
      {"{\"admitted\":true}{}", "wrote a line that is not JSON: '{\"admitted\":true}{}'"},
      {"{\"admitted\":true,\"retryAfter\":NaN}",
       "wrote a line that is not JSON: '{\"admitted\":true,\"retryAfter\":NaN}'"},
      {"\x1b[31m\xff", "wrote a line that is not JSON: '\\x1b[31m\\xff'"},
      {"true", "wrote a line that is not an object: 'true'"},
      {"[]", "wrote a line that is not an object: '[]'"},
      {"{}", "did not tell whether it admitted: '{}'"},
      {"{\"ready\":true}", "told an unknown field 'ready': '{\"ready\":true}'"},
      {"{\"admitted\":true,\"admitted\":false}",
       "told 'admitted' twice: '{\"admitted\":true,\"admitted\":false}'"},
      {"{\"delay\":1,\"delay\":1}", "told 'delay' twice: '{\"delay\":1,\"delay\":1}'"},
      {"{\"admitted\":1}", "told an 'admitted' that is neither true nor false: '{\"admitted\":1}'"},
      {"{\"admitted\":true,\"retryafter\":5}",
       "told an unknown field 'retryafter' (did you mean 'retryAfter'?): "
       "'{\"admitted\":true,\"retryafter\":5}'"},
      {"{\"admitted\":true,\"delay\":\"5\"}",
       "told a 'delay' that is no number: '{\"admitted\":true,\"delay\":\"5\"}'"},
      {"{\"admitted\":true,\"remaining\":1e30}",
       "told a 'remaining' beyond 64 bits: '{\"admitted\":true,\"remaining\":1e30}'"},
      {"{\"error\":\"no such policy\\n\"}", "reports an error: no such policy\\n"},
      {"{\"error\":5}", "reports an error: '{\"error\":5}'"},
  };
  for (const auto& [line, fault] : rows) CHECK(fault_of(line) == fault);
  CHECK(fault_of(std::string(40, '[')) ==
        "wrote a line that is not JSON: '" + std::string(40, '[') + "'");
  CHECK(fault_of(std::string(200, 'x')) ==
        "wrote a line that is not JSON: '" + std::string(60, 'x') + "…'");
}

TEST_CASE("driver lines: any bytes are an answer or a fault that names them") {
  CHECK(rc::check("driver lines", [] {
    const std::string whole = R"({"admitted":true,"remaining":4,"retryAfter":null,"delay":1.5e3})";
    std::string line = whole;
    for (int edits = *rc::gen::inRange(0, 6); edits > 0 && !line.empty(); --edits) {
      const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
      const auto byte = static_cast<char>(*rc::gen::inRange(0, 256));
      if (*rc::gen::arbitrary<bool>()) {
        line[at] = byte;
      } else {
        line.erase(at, *rc::gen::inRange<std::size_t>(1, 9));
      }
    }
    const std::string fault = fault_of(line);
    RC_ASSERT(fault == "an answer" || (is_utf8(fault) && fault.size() < 400));
  }));
}

TEST_CASE("driver lines: the opening line is answered by ready alone") {
  CHECK_NOTHROW(read_ready(R"({"ready":true})"));
  CHECK_NOTHROW(read_ready(R"({"ready":true,"library":"governor 0.10"})"));
  for (const char* line : {"{}", R"({"ready":false})", R"({"admitted":true})", "ready", ""}) {
    CHECK_THROWS_AS(read_ready(line), NoAnswer);
  }
}

}  // namespace
}  // namespace ratereplay
