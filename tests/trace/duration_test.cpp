// SPDX-License-Identifier: Apache-2.0
// Requests that are stamped when they end.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "error.hpp"
#include "read_text.hpp"
#include "trace/elapsed.hpp"
#include "trace/spelled.hpp"

using namespace ratereplay;
using namespace ratereplay::testing;

namespace {

std::vector<std::string> arrivals(const std::string& text, const std::string& field) {
  ReadFlags flags;
  flags.time_is_end = true;
  flags.duration_field = field;
  std::vector<std::string> shown;
  try {
    const ReadResult result = read_text_in_all_blocks(text, flags);
    for (const ReadRow& row : result.requests) {
      shown.push_back(spelled(Instant{Duration{row.at}}, true));
    }
    shown.insert(shown.end(), result.bad_rows.begin(), result.bad_rows.end());
  } catch (const Error& error) {
    shown.push_back((error.kind() == ErrorKind::kUsage ? "usage: " : "input: ") +
                    error.diagnostic().message);
    if (!error.diagnostic().advice.empty()) shown.push_back(error.diagnostic().advice.front());
  }
  return shown;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("duration: every digit is read, in the unit of the field or of the text") {
  struct Row {
    std::string text;
    std::int64_t nanos;
    std::string wrong;
  };
  const ElapsedReader reader{std::chrono::milliseconds{1}};
  const std::vector<Row> rows = {
      {"0", 0, ""},
      {"12", 12'000'000, ""},
      {"12.5", 12'500'000, ""},
      {"0.000001", 1, ""},
      {"1.5e3", 1'500'000'000, ""},
      {"0.061s", 61'000'000, ""},
      {"12ms", 12'000'000, ""},
      {"250us", 250'000, ""},
      {"250\xC2\xB5s", 250'000, ""},
      {"7ns", 7, ""},
      {"-", 0, "not a duration"},
      {"", 0, "the duration is empty"},
      {"-1", 0, "the duration is negative"},
      {"x", 0, "not a duration"},
      {"5m", 0, "not a duration"},
      {"ms", 0, "the duration is empty"},
      {"1e30", 0, "the duration is above 292 years"},
      {"-1e30", 0, "the duration is negative"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    Duration elapsed{0};
    CHECK(reader.read(row.text, elapsed) == row.wrong);
    CHECK(elapsed.count() == row.nanos);
  }
  Duration elapsed{0};
  CHECK(ElapsedReader{std::nullopt}.read("12", elapsed) == "a duration without a unit");
}

TEST_CASE("duration: the arrival is the stamp less the time the request took") {
  const std::string head = "2026-01-02T03:04:05Z,a,";
  // by the suffix of the name, by what servers call it, by the unit given, by that of the text
  const std::vector<std::vector<std::string>> rows = {
      {"took_s", "0.25", "2026-01-02 03:04:04.75"},
      {"took_ms", "250", "2026-01-02 03:04:04.75"},
      {"took_us", "250000", "2026-01-02 03:04:04.75"},
      {"took_ns", "250000001", "2026-01-02 03:04:04.749999999"},
      {"time-taken", "250", "2026-01-02 03:04:04.75"},
      {"time-taken", "0.250", "2026-01-02 03:04:04.75"},
      {"request_time", "0.250", "2026-01-02 03:04:04.75"},
      {"request_time", "1", "2026-01-02 03:04:04"},
      {"duration", "0.25", "2026-01-02 03:04:04.75"},
      {"elapsed", "250", "2026-01-02 03:04:04.75"},
      {"latency", "0.25s", "2026-01-02 03:04:04.75"},
      {"took_ms", "-", "2:24 duration not a duration"},
      {"took_ms", "", "2:24 duration the duration is empty"},
      {"took_ms", "-5", "2:24 duration the duration is negative"},
  };
  for (const auto& row : rows) {
    CAPTURE(row[0]);
    CAPTURE(row[1]);
    CHECK(arrivals("time,key," + row[0] + "\n" + head + row[1] + "\n", row[0]) == Texts{row[2]});
  }
  CHECK(arrivals("time,key,took_s\n1700-01-01T00:00:00Z,a,900000000\n", "took_s") ==
        Texts{"2:24 duration the request began before 1677-09-21, the first day that can be held"});
  CHECK(arrivals("time,key,taken\n" + head + "250\n", "taken:ms") ==
        Texts{"2026-01-02 03:04:04.75"});
  CHECK(arrivals("time,key,taken:ms\n" + head + "250\n", "taken:ms:us") ==
        Texts{"2026-01-02 03:04:04.99975"});
  CHECK(arrivals("time,key,taken\n" + head + "250\n", "3:ms") == Texts{"2026-01-02 03:04:04.75"});
  CHECK(arrivals("time,key,taken\n" + head + "250\n", "taken") ==
        Texts{"usage: --duration-field taken: the unit is not known",
              "write --duration-field taken:ms (or :s, :us, :ns)"});
  CHECK(arrivals("time,key,duration\n" + head + "250\n", "duration").front() ==
        "usage: --duration-field duration: the unit is not known");
  CHECK(arrivals("time,key,taken\n" + head + "250\n", "tacken").front().find("tacken") !=
        std::string::npos);
}

TEST_CASE("duration: JSON numbers, texts and what is missing") {
  CHECK(arrivals("{\"ts\":1700000000.5,\"key\":\"a\",\"took_ms\":500}\n"
                 "{\"ts\":1700000000.5,\"key\":\"a\",\"took_ms\":\"250\"}\n"
                 "{\"ts\":1700000000.5,\"key\":\"a\",\"took_ms\":null}\n"
                 "{\"ts\":1700000000.5,\"key\":\"a\"}\n",
                 "took_ms")
            .size() == 4);
  // Traefik: whole nanoseconds, and the stamp of the end beside that of the start
  ReadFlags flags;
  flags.time_field = "time";
  flags.time_is_end = true;
  flags.duration_field = "Duration";
  const ReadResult result = read_text_in_all_blocks(
      "{\"Duration\":1500,\"StartUTC\":\"2026-01-02T03:04:04.9Z\",\"time\":\"2026-01-02T03:04:"
      "05Z\","
      "\"ClientHost\":\"a\"}\n",
      flags);
  REQUIRE(result.requests.size() == 1);
  CHECK(spelled(Instant{Duration{result.requests[0].at}}, true) == "2026-01-02 03:04:04.9999985");
}

TEST_CASE("duration: a plan without one and one with it differ in nothing else") {
  std::string text = "ts_ms,key,took_ms\n";
  for (int i = 0; i < 100; ++i) {
    text += std::to_string(1'700'000'000'000 + i * 7) + ",k" + std::to_string(i % 5) + ",3\n";
  }
  ReadFlags flags;
  flags.time_field = "ts_ms";
  const ReadResult start = read_text_in_all_blocks(text, flags);
  flags.time_is_end = true;
  flags.duration_field = "took_ms";
  const ReadResult end = read_text_in_all_blocks(text, flags);
  REQUIRE(start.requests.size() == 100);
  REQUIRE(end.requests.size() == 100);
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(end.requests[i].at == start.requests[i].at - 3'000'000);
    CHECK(end.requests[i].key == start.requests[i].key);
  }
}
