// SPDX-License-Identifier: Apache-2.0
#include "trace/logfmt.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "trace/read_text.hpp"

namespace ratereplay::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMidnight = 1'767'312'000 * kSecond;  // 2026-01-02

using Rows = std::vector<ReadRow>;
using Bad = std::vector<std::string>;

TEST_CASE("logfmt: pairs are found by their keys, in any order") {
  const ReadResult result = read_text_in_all_blocks(
      "time=2026-01-02T00:00:01Z level=info ip=192.0.2.1 msg=\"said \\\"x\\\"\"\n"
      "level=info debug ip=192.0.2.2  time=2026-01-02T00:00:02Z\tip=192.0.2.9\r\n"
      "\n# a comment\n"
      "time=\"2026-01-02T00:00:03Z\" ip= msg=\"a=b c=d\"",
      {});
  CHECK(result.format == "logfmt");
  CHECK(result.requests == Rows{{1, kMidnight + kSecond, "192.0.2.1", 1},
                                {2, kMidnight + 2 * kSecond, "192.0.2.2", 1},
                                {3, kMidnight + 3 * kSecond, "-", 1}});
}

TEST_CASE("logfmt: quoted values lose their escapes") {
  const auto key = [](const std::string& value) {
    const ReadResult result = read_text_in_all_blocks("ts=1767312000 k=" + value + " n=1\n",
                                                      flags_of("logfmt", "", "", "k", ""));
    REQUIRE(result.requests.size() == 1);
    return result.requests[0].key;
  };
  CHECK(key(R"("a \"b\" \\ \u0041\t\q")") == "a \"b\" \\ A\tq");
  CHECK(key(R"("\u00e9")") == "\u00e9");
  CHECK(key(R"("\u12")") == R"(\u12)");  // no escape that is known: as written
  CHECK(key(R"(a"b)") == R"(a"b)");
  CHECK(key(R"(x=y)") == "x=y");
}

TEST_CASE("logfmt: lines without a pair, a time or a closing quote are bad rows") {
  const ReadResult result = read_text_in_all_blocks(
      "ts=2026-01-02T00:00:01Z user=a n=1\n"
      "panic: no such thing\n"
      "user=a n=1\n"
      "ts=2026-01-02T00:00:02Z user=\"a n=1\n"
      "{\"ts\": 1}\n"
      "ts=2026-01-02T00:00:03Z user=a n=1\n"
      "ts=2026-01-02T00:00:04Z user=a n=1\n",
      {});
  CHECK(result.rows == 7);
  CHECK(result.requests.size() == 3);
  CHECK(result.bad_rows == Bad{"2:1 syntax no key=value pair", "3:1 timestamp the time is missing",
                               "4:30 quote the quote that opens here does not close",
                               "5:1 syntax no key=value pair"});
}

TEST_CASE("logfmt does not claim what others write") {
  const auto score = [](std::string_view text) {
    return logfmt_format().recognise({text, true}).score;
  };
  CHECK(score("192.0.2.1 - - [02/Jan/2026:00:00:01 +0000] \"GET /?a=b&c=d HTTP/1.1\" 200 1\n") ==
        0);
  CHECK(score("a=1,b=2\nc=3,d=4\n") == 0);
  CHECK(score("{\"a\": \"b=c d=e\"}\n") == 0);
  CHECK(score("2026-01-02T00:00:01Z a=1 b=2\n") == 0);
  CHECK(score("time=1 key=a\n") > 900);
}

}  // namespace
}  // namespace ratereplay::testing
