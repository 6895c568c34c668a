// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "report/grid.hpp"
#include "report/sample_result.hpp"
#include "text/utf8.hpp"

namespace ratereplay {
namespace {

std::size_t widest(std::string_view text) {
  std::size_t most = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    most = std::max(most, text_columns(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return most;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Without the codes for a terminal.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = text.find('m', at);
    } else {
      out += text[at];
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the table is never wider than 100 columns") {
  for (const Result& result :
       {test::sample_result(), test::hostile_result(), test::extreme_result()}) {
    const std::string text = table_text(result);
    CAPTURE(text);
    CHECK(widest(text) <= kTableColumns);
    CHECK(is_utf8(text));
    CHECK(text.find_first_of("\x1b\t\r") == std::string::npos);
  }
}

TEST_CASE("memory stands beside the rest when that fits") {
  Result result = test::sample_result();
  for (PolicyResult& policy : result.policies) policy.name = policy.spec.substr(8, 3);
  const std::string text = table_text(result);
  CHECK(contains(text, "RETRY p50     p99  RESERVED  LIVE PEAK\n"));
  CHECK_FALSE(contains(text, "PER KEY"));
  CHECK(widest(text) <= kTableColumns);
}

TEST_CASE("a name in the table is explained by its spec") {
  Result result = test::sample_result();
  result.policies[0].name = "api";
  result.reference = "api";
  const std::string text = table_text(result);
  CHECK(contains(text, "\nPOLICIES\n  api  sliding-log:30/1s\n"));
  CHECK(contains(text, "\nAGREEMENT with api "));
}

TEST_CASE("a long policy is shortened visibly and given whole below") {
  Result result = test::sample_result();
  PolicyResult& policy = result.policies[1];
  const PolicyResult spelt = test::sample_policy(
      "token-bucket:1234567/1ms,capacity=7654321,refill=interval,charge=attempted,clock=123456us");
  policy.spec = spelt.spec;
  policy.policy = spelt.policy;
  const std::string text = table_text(result);
  CAPTURE(text);
  CHECK(contains(text, "… [2]  "));
  CHECK(contains(text, "\nPOLICIES\n  [2]  token-bucket:1234567/1ms,capacity=7654321,"));
  CHECK(widest(text) <= kTableColumns);
}

TEST_CASE("counts that do not fit are rounded, and the table says so") {
  CHECK(contains(table_text(test::extreme_result()), "Counts are rounded"));
  CHECK_FALSE(contains(table_text(test::sample_result()), "Counts are rounded"));
}

TEST_CASE("colour changes nothing but colour") {
  for (const Result& result : {test::sample_result(), test::hostile_result()}) {
    const std::string coloured = table_text(result, true);
    CHECK(coloured != table_text(result));
    CHECK(plain(coloured) == table_text(result));
  }
  CHECK(contains(table_text(test::hostile_result(), true), "\n  \x1b[1;31mFAIL\x1b[0m"));
}

TEST_CASE("instants are shown as dates, or as milliseconds of a relative trace") {
  CHECK(instant_text(Instant{}, true) == "1970-01-01T00:00:00Z");
  CHECK(instant_text(Instant{Duration{-1}}, true) == "1969-12-31T23:59:59.999999999Z");
  CHECK(instant_text(Instant{Duration{1'755'734'401'052'000'000}}, true) ==
        "2025-08-21T00:00:01.052Z");
  CHECK(instant_text(Instant{Duration{1'500'000}}, false) == "1.5 ms");
  CHECK(instant_text(Instant::max(), true) == "2262-04-11T23:47:16.854775807Z");
  CHECK(instant_text(Instant::min(), true) == "1677-09-21T00:12:43.145224192Z");
}

TEST_CASE("a shortened text fits and shows that something is missing") {
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdef", 5) == "abcd…");
  CHECK(shortened("abcdef", 5, Cut::kMiddle) == "ab…ef");
  CHECK(shortened("abcdef", 1) == "…");
  CHECK(shortened("日本語日本語", 7) == "日本語…");
  CHECK(text_columns("日本") == 4);
}

}  // namespace ratereplay
