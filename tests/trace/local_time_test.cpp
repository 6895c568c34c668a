// SPDX-License-Identifier: Apache-2.0
// Stamps that lack something: a zone, a year, an order of day and month.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "error.hpp"
#include "read_text.hpp"
#include "trace/spelled.hpp"
#include "trace/time_text.hpp"
#include "trace/zone.hpp"

using namespace ratereplay;
using namespace ratereplay::testing;

namespace {

std::string read_in(const std::string& zone, const std::string& format, std::string_view text) {
  TimeFormat time = parse_time_format(format);
  time.zone = parse_zone(zone);
  TimeReader reader(time);
  Instant at{};
  return reader.read(text, at) ? spelled(at, true) : reader.reason();
}

/// The instants of a table with the columns time and key, or what was said instead.
std::vector<std::string> instants(const std::vector<std::string>& times, const ReadFlags& flags) {
  std::string text = "time;key\n";
  for (const std::string& time : times) text += time + ";a\n";
  std::vector<std::string> shown;
  try {
    const ReadResult result = read_text_in_all_blocks(text, flags);
    for (const ReadRow& row : result.requests) {
      shown.push_back(spelled(Instant{Duration{row.at}}, true));
    }
    shown.insert(shown.end(), result.bad_rows.begin(), result.bad_rows.end());
  } catch (const Error& error) {
    shown.push_back(error.what());
    for (const std::string& line : error.diagnostic().advice) {
      if (line.starts_with("field 'time'")) shown.push_back(line);
    }
  }
  return shown;
}

ReadFlags in_year(int year) {
  ReadFlags flags;
  flags.year = year;
  return flags;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("zone: offsets and names, as they are written and as they are shown") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"UTC", "UTC"},
      {"GMT", "UTC"},
      {"Z", "UTC"},
      {"+00:00", "UTC"},
      {"-00", "UTC"},
      {"+02:00", "+02:00"},
      {"+0530", "+05:30"},
      {"-08", "-08:00"},
      {"-03:30", "-03:30"},
      {"+13:45", "+13:45"},
      {"Europe/Berlin", "Europe/Berlin"},
  };
  for (const auto& [text, name] : rows) {
    CAPTURE(text);
    CHECK(parse_zone(text).name() == name);
    CHECK(parse_zone(text).is_utc() == (name == "UTC"));
  }
}

TEST_CASE("zone: another text is a usage error that says what to write") {
  for (const std::string text :
       {"", "local", "localtime", "Europe/Berlim", "europe/berlin", "CEST", "+24:00", "+02:60", "2",
        "+2", "/usr/share/zoneinfo/UTC", "../../../etc/passwd", "Europe", "Fixed/UTC+01:00:00",
        "file:/etc/localtime", "Europe/Berlin "}) {
    CAPTURE(text);
    try {
      (void)parse_zone(text);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      CHECK(error.diagnostic().message == "--tz " + text + ": no such zone");
      CHECK(error.diagnostic().advice.back() ==
            "write UTC, an offset like +02:00, or a name like Europe/Berlin");
    }
  }
  try {
    (void)parse_zone("Europe/Berlim");
  } catch (const Error& error) {
    CHECK(error.diagnostic().advice.front().find("Europe/Berlin") != std::string::npos);
  }
}

TEST_CASE("zone: stamps that name no zone are read in it, and the others are not") {
  struct Row {
    std::string zone;
    std::string text;
    std::string shown;
  };
  // The instants are those that Python's zoneinfo gives (fold=0).
  const std::vector<Row> rows = {
      {"+02:00", "2026-01-02 03:04:05", "2026-01-02 01:04:05"},
      {"-08", "2026-01-02T03:04:05.678", "2026-01-02 11:04:05.678"},
      {"+05:30", "2026-01-02 03:04", "2026-01-01 21:34:00"},
      {"Europe/Berlin", "2026-01-02 12:00:00", "2026-01-02 11:00:00"},
      {"Europe/Berlin", "2026-07-02 12:00:00", "2026-07-02 10:00:00"},
      {"Europe/Berlin", "2026-07-02 12:00:00Z", "2026-07-02 12:00:00"},
      {"Europe/Berlin", "2026-07-02 12:00:00 UTC", "2026-07-02 12:00:00"},
      {"Europe/Berlin", "2026-07-02 12:00:00+09:00", "2026-07-02 03:00:00"},
      {"America/New_York", "2026-07-02 12:00:00", "2026-07-02 16:00:00"},
      {"Asia/Kolkata", "2026-07-02 12:00:00", "2026-07-02 06:30:00"},
      {"Asia/Kathmandu", "2026-07-02 12:00:00", "2026-07-02 06:15:00"},
      // by the rule for the years after the table
      {"Europe/Berlin", "2045-01-02 12:00:00", "2045-01-02 11:00:00"},
      {"Europe/Berlin", "2045-07-02 12:00:00", "2045-07-02 10:00:00"},
      {"America/New_York", "2100-07-02 12:00:00", "2100-07-02 16:00:00"},
      // the last second before the clocks change, and the first after
      {"Europe/Berlin", "2026-03-29 01:59:59.999999999", "2026-03-29 00:59:59.999999999"},
      {"Europe/Berlin", "2026-03-29 03:00:00", "2026-03-29 01:00:00"},
      {"Europe/Berlin", "2026-03-29 02:00:00",
       "the clocks of Europe/Berlin were put forward over this time"},
      {"Europe/Berlin", "2026-03-29 02:59:59.9",
       "the clocks of Europe/Berlin were put forward over this time"},
      {"Europe/Berlin", "2026-10-25 01:59:59", "2026-10-24 23:59:59"},
      {"Europe/Berlin", "2026-10-25 02:00:00", "2026-10-25 00:00:00"},
      {"Europe/Berlin", "2026-10-25 02:59:59", "2026-10-25 00:59:59"},
      {"Europe/Berlin", "2026-10-25 03:00:00", "2026-10-25 02:00:00"},
      {"America/New_York", "2015-11-01 01:00:10", "2015-11-01 05:00:10"},
      // half an hour, and a whole day that never was
      {"Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-04 14:45:00"},
      {"Pacific/Apia", "2011-12-30 12:00:00",
       "the clocks of Pacific/Apia were put forward over this time"},
      // 24:00 and a leap second belong to the zone's clock
      {"Europe/Berlin", "2026-03-28 24:00:00", "2026-03-28 23:00:00"},
      {"Asia/Tokyo", "2017-01-01 08:59:60", "2017-01-01 00:00:00"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.zone);
    CAPTURE(row.text);
    CHECK(read_in(row.zone, "iso", row.text) == row.shown);
    // A blank keeps it off the short path.
    CHECK(read_in(row.zone, "iso", " " + row.text) == row.shown);
  }
  CHECK(read_in("Europe/Berlin", "clf", "02/Jan/2026:12:00:00") == "2026-01-02 11:00:00");
  CHECK(read_in("Europe/Berlin", "clf", "02/Jan/2026:12:00:00 +0000") == "2026-01-02 12:00:00");
  CHECK(read_in("Europe/Berlin", "%d.%m.%Y %T", "02.01.2026 12:00:00") == "2026-01-02 11:00:00");
  CHECK(read_in("Europe/Berlin", "%d.%m.%Y %T %Z", "02.01.2026 12:00:00 UTC") ==
        "2026-01-02 12:00:00");
  CHECK(read_in("Europe/Berlin", "rfc2822", "Fri, 02 Jan 2026 12:00:00") == "2026-01-02 11:00:00");
  CHECK(read_in("Europe/Berlin", "%s", "1767352800") == "2026-01-02 11:20:00");
  CHECK(read_in("Europe/Berlin", "epoch-s", "1767352800") == "2026-01-02 11:20:00");
}

TEST_CASE("zone: only stamps that the clock showed twice are counted") {
  TimeFormat format = parse_time_format("iso");
  format.zone = parse_zone("America/New_York");
  TimeReader reader(format);
  Instant at{};
  for (const std::string text :
       {"2015-11-01 00:59:59", "2015-11-01 01:00:10", " 2015-11-01 01:59:59", "2015-11-01 02:00:00",
        "2015-11-01 01:30:00-04:00", "2015-03-08 02:30:00"}) {
    (void)reader.read(text, at);
  }
  CHECK(reader.take_repeated() == 2);
}

TEST_CASE("zone: a span has one answer for all of its seconds, and the spans leave no gap") {
  std::mt19937_64 random(11);
  for (const std::string name : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
                                 "Africa/Casablanca", "Pacific/Apia", "Asia/Tehran"}) {
    CAPTURE(name);
    const Zone zone = parse_zone(name);
    std::int64_t wall = -2'000'000'000;
    while (wall < 6'000'000'000) {
      const Zone::Span span = zone.span_at(wall);
      CAPTURE(wall);
      REQUIRE(span.from <= wall);
      REQUIRE(span.until > wall);
      const auto width = static_cast<std::uint64_t>(span.until - wall);
      for (const std::int64_t inside :
           {span.until - 1, wall + static_cast<std::int64_t>(random() % width)}) {
        const Zone::Span again = zone.span_at(inside);
        CHECK(again.offset == span.offset);
        CHECK(again.shown == span.shown);
        CHECK(again.until == span.until);
      }
      wall = span.until > 6'000'000'000 ? 6'000'000'000 : span.until;
    }
  }
}

TEST_CASE("year: stamps without one are refused with the flag to give") {
  CHECK(instants({"Jan  2 03:04:05", "Jan  2 03:04:06"}, {}) ==
        Texts{"no time found in text (read as csv)",
              "field 'time': a time without a year; --year says which ('Jan  2 03:04:05')"});
  ReadFlags pinned;
  pinned.time_format = "%b %e %T";
  CHECK(instants({"Jan  2 03:04:05"}, pinned) == Texts{"--time-format '%b %e %T' has no year"});
  pinned.year = 2026;
  CHECK(instants({"Jan  2 03:04:05"}, pinned) == Texts{"2026-01-02 03:04:05"});
}

TEST_CASE("year: the first row is of the year given, and New Year begins the next") {
  CHECK(instants({"Jan  2 03:04:05", "Dec 31 23:59:59"}, in_year(2026)) ==
        Texts{"2026-01-02 03:04:05", "2025-12-31 23:59:59"});  // 2 days late, not 363 days early
  CHECK(instants({"Dec 31 23:59:59", "Jan  1 00:00:00", "Dec 31 23:59:58", "Jan 01 00:00:01.5",
                  "Nov 30 12:00:00"},
                 in_year(2025)) == Texts{"2025-12-31 23:59:59", "2026-01-01 00:00:00",
                                         "2025-12-31 23:59:58", "2026-01-01 00:00:01.5",
                                         "2026-11-30 12:00:00"});
  // The window begins 30 days before the first row.
  CHECK(instants({"Dec 31 12:00:00", "Dec  1 12:00:00"}, in_year(2025)) ==
        Texts{"2025-12-31 12:00:00", "2025-12-01 12:00:00"});
  CHECK(instants({"Feb 28 12:00:00", "Feb 29 12:00:00", "Mar  1 12:00:00"}, in_year(2024)) ==
        Texts{"2024-02-28 12:00:00", "2024-02-29 12:00:00", "2024-03-01 12:00:00"});
  CHECK(instants({"Feb 28 12:00:00", "Feb 29 12:00:00"}, in_year(2025)) ==
        Texts{"2025-02-28 12:00:00", "3:1 timestamp day 29 does not exist in February 2025"});
  // Those that have a year keep it.
  CHECK(instants({"2026-01-02T03:04:05Z"}, in_year(2020)) == Texts{"2026-01-02 03:04:05"});
  CHECK(instants({"Fri Jan  2 03:04:05 2026"}, in_year(2020)) == Texts{"2026-01-02 03:04:05"});
}

TEST_CASE("year: what a row means does not depend on how the file is cut into blocks") {
  Texts times;
  for (int day = 1; day <= 31; ++day) {
    times.push_back("Dec " + std::to_string(day) + " 12:00:00");
    times.push_back("Jan " + std::to_string(day) + " 12:00:00");
  }
  const Texts shown = instants(times, in_year(2025));  // compares blocks of many sizes
  REQUIRE(shown.size() == times.size());
  CHECK(shown[0] == "2025-12-01 12:00:00");
  CHECK(shown[1] == "2026-01-01 12:00:00");
  CHECK(shown[61] == "2026-01-31 12:00:00");
}

TEST_CASE("time: the C library's date, as Apache's error log and others write it") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"Fri Jan  2 03:04:05 2026", "2026-01-02 03:04:05"},
      {"Fri Jan 02 03:04:05.123456 2026", "2026-01-02 03:04:05.123456"},
      {"[Fri Jan 02 03:04:05.123456 2026]", "2026-01-02 03:04:05.123456"},
      {"Jan 2 2026 03:04:05", "2026-01-02 03:04:05"},
      {"2026 Jan  2 03:04:05", "2026-01-02 03:04:05"},
      {"Fri Jan  2 03:04:05 UTC 2026", "2026-01-02 03:04:05"},
      {"Fri Jan 02 03:04:05 +0100 2026", "2026-01-02 02:04:05"},
      {"Fri Jan 02 03:04:05 2026 +0100", "2026-01-02 02:04:05"},
      {"Jan  2 03:04:05", "a time without a year; --year says which"},
      {"Jan  2", "a date without a time of day"},
      {"Feb 30 03:04:05 2026", "day 30 does not exist in February"},
      {"Jan  2 03:04:05 CEST 2026", "a zone must be UTC, GMT or an offset like +01:00"},
      {"Jan  2 03:04:05 20266", "text follows the time"},
      {"[Jan  2 03:04:05 2026", "not a time like Fri Jan  2 03:04:05 2026"},
      {"Jan2 03:04:05 2026", "not a time like Fri Jan  2 03:04:05 2026"},
      {"", "the time is empty"},
  };
  for (const auto& [text, shown] : rows) {
    CAPTURE(text);
    CHECK(read_in("UTC", "ctime", text) == shown);
  }
}

TEST_CASE("time: without separators") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"20260102T030405Z", "2026-01-02 03:04:05"},
      {"20260102T030405.678Z", "2026-01-02 03:04:05.678"},
      {"20260102T030405+0100", "2026-01-02 02:04:05"},
      {"20260102T0304Z", "2026-01-02 03:04:00"},
      {"20260102 03:04:05", "2026-01-02 03:04:05"},
      {"20260102", "a date without a time of day"},
      {"20261302T030405Z", "month 13 does not exist"},
      {"2026010203", "not an RFC 3339 time"},
  };
  for (const auto& [text, shown] : rows) {
    CAPTURE(text);
    CHECK(read_in("UTC", "iso", text) == shown);
  }
}

TEST_CASE("detect: stamps of digits alone, day and month told apart by what occurs") {
  const std::vector<std::pair<Texts, Texts>> rows = {
      {{"7/16/2021 1:38:07 AM", "7/6/2021 12:38:07 PM"},
       {"2021-07-16 01:38:07", "2021-07-06 12:38:07"}},
      {{"16/07/2021 01:38:07", "06/07/2021 01:38:07.5"},
       {"2021-07-16 01:38:07", "2021-07-06 01:38:07.5"}},
      {{"06/07/2021 01:38", "16/07/2021 01:38"}, {"2021-07-06 01:38:00", "2021-07-16 01:38:00"}},
      {{"7/16/2021, 1:38:07 PM"}, {"2021-07-16 13:38:07"}},
      {{"16-07-2021 01:38:07 +0200"}, {"2021-07-15 23:38:07"}},
      {{"06.07.2021 01:38:07"}, {"2021-07-06 01:38:07"}},
      {{"20260102030405"}, {"2026-01-02 03:04:05"}},
      {{"20260102030405678"}, {"2026-01-02 03:04:05.678"}},
      {{"07/06/2021 01:38:07", "07/07/2021 01:38:07"},
       {"no time found in text (read as csv)",
        "field 'time': no telling day from month; --time-format '%d/%m/%Y %H:%M:%S' or "
        "'%m/%d/%Y %H:%M:%S' says ('07/06/2021 01:38:07')"}},
      // half a stamp
      {{"20260102", "20260103"},
       {"no time found in text (read as csv)",
        "field 'time': a date without a time of day ('20260102')"}},
      {{"10:05:03", "10:05:04"},
       {"no time found in text (read as csv)",
        "field 'time': a time of day without a date ('10:05:03')"}},
  };
  for (const auto& [times, shown] : rows) {
    CAPTURE(times.front());
    CHECK(instants(times, {}) == shown);
  }
  ReadFlags pinned;
  pinned.time_field = "time";
  CHECK(instants({"2026-01-02", "2026-01-03"}, pinned) ==
        Texts{"field 'time' of text holds no time: a date without a time of day ('2026-01-02')"});
  CHECK(instants({"10:05:03"}, pinned) ==
        Texts{"field 'time' of text holds no time: a time of day without a date ('10:05:03')"});
  CHECK(instants({"Jan  2 10:05:03"}, pinned) ==
        Texts{"field 'time' of text holds no time: a time without a year; --year says which ('Jan "
              " 2 10:05:03')"});
}

TEST_CASE("detect: the unit of numbers is that of their median, never row by row") {
  // One row in seconds among milliseconds is an early instant, not another unit.
  CHECK(instants({"1609009529084", "1609009527", "1609009527013"}, {}) ==
        Texts{"2020-12-26 19:05:29.084", "1970-01-19 14:56:49.527", "2020-12-26 19:05:27.013"});
  CHECK(instants({"1583916406", "1583916407", "0", "-1", "1583916408"}, {}) ==
        Texts{"2020-03-11 08:46:46", "2020-03-11 08:46:47", "1970-01-01 00:00:00",
              "1969-12-31 23:59:59", "2020-03-11 08:46:48"});
  CHECK(instants({"1.7E+12", "1700000000500"}, {}) ==
        Texts{"2023-11-14 22:13:20", "2023-11-14 22:13:20.5"});
  CHECK(instants({"1700000000.5", "1700000001"}, {}) ==
        Texts{"2023-11-14 22:13:20.5", "2023-11-14 22:13:21"});
}

TEST_CASE("zone: a date and a time in two columns are read in it") {
  ReadFlags flags;
  flags.zone = "Europe/Berlin";
  const std::string text = "date,time,ip\n2026-07-02,12:00:00,192.0.2.1\n";
  const ReadResult found = read_text_in_all_blocks(text, flags);
  REQUIRE(found.requests.size() == 1);
  CHECK(spelled(Instant{Duration{found.requests[0].at}}, true) == "2026-07-02 10:00:00");
  flags.time_field = "date+time";
  CHECK(read_text_in_all_blocks(text, flags).requests == found.requests);
  flags.zone.reset();
  const ReadResult odd =
      read_text_in_all_blocks("date,time,ip\n16/07/2021,1:38 PM,192.0.2.1\n", flags);
  REQUIRE(odd.requests.size() == 1);
  CHECK(spelled(Instant{Duration{odd.requests[0].at}}, true) == "2021-07-16 13:38:00");
}
