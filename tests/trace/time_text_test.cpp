// SPDX-License-Identifier: Apache-2.0
#include "trace/time_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "error.hpp"
#include "trace/spelled.hpp"

using namespace ratereplay;

namespace {

struct Row {
  std::string_view text;
  std::string_view shown;  // spelled, or the reason when `good` is false
  bool good = true;
};

std::string read_one(TimeReader& reader, std::string_view text, bool absolute, bool& good) {
  // An own copy, exactly as long: a read past the end shows under the sanitizers.
  const std::vector<char> copy(text.begin(), text.end());
  Instant at{};
  good = reader.read({copy.data(), copy.size()}, at);
  return good ? spelled(at, absolute) : reader.reason();
}

void check_rows(const std::string& format_name, const std::vector<Row>& rows) {
  const TimeFormat format = parse_time_format(format_name);
  CHECK(format.name() == format_name);
  TimeReader shared(format);
  for (const Row& row : rows) {
    CAPTURE(row.text);
    bool good = false;
    TimeReader fresh(format);
    CHECK(read_one(fresh, row.text, format.absolute(), good) == row.shown);
    CHECK(good == row.good);
    // What was read before must not change the answer.
    CHECK(read_one(shared, row.text, format.absolute(), good) == row.shown);
    CHECK(good == row.good);
  }
}

}  // namespace

TEST_CASE("time: RFC 3339 and its relatives give the instant they spell") {
  check_rows(
      "iso",
      {
          {"2026-01-02T03:04:05Z", "2026-01-02 03:04:05"},
          {"2026-01-02t03:04:05z", "2026-01-02 03:04:05"},
          {"2026-01-02 03:04:05", "2026-01-02 03:04:05"},
          {"2026-01-02 03:04:05 UTC", "2026-01-02 03:04:05"},
          {"2026-01-02 03:04:05 GMT", "2026-01-02 03:04:05"},
          {"2026-01-02 03:04:05.5 UTC", "2026-01-02 03:04:05.5"},
          {"2026-01-02T03:04:05,678Z", "2026-01-02 03:04:05.678"},
          {"2026/01/02 03:04:05", "2026-01-02 03:04:05"},
          {"2021-10-11T12:55Z", "2021-10-11 12:55:00"},
          {"2021-10-11T12:55", "2021-10-11 12:55:00"},
          {"  2021-10-11T12:55:01Z ", "2021-10-11 12:55:01"},
          {"2017-03-04 05:06:07.123 +0000 UTC", "2017-03-04 05:06:07.123"},
          // offsets go to UTC: hours alone, with and without a colon, odd ones
          {"2020-01-01T00:00:00-08", "2020-01-01 08:00:00"},
          {"2020-01-01T00:00:00+00", "2020-01-01 00:00:00"},
          {"2020-01-01T00:00:00+0530", "2019-12-31 18:30:00"},
          {"2020-01-01T00:00:00+05:30", "2019-12-31 18:30:00"},
          {"2020-01-01T00:00:00+13:45", "2019-12-31 10:15:00"},
          {"2020-01-01T00:00:00-03:30", "2020-01-01 03:30:00"},
          {"2018-01-04 09:01:00+09:00", "2018-01-04 00:01:00"},
          // an offset behind nine decimals counts (fluent-bit#346), and with a Z and none mixed in
          {"2017-06-22T11:36:59.810694666+09:00", "2017-06-22 02:36:59.810694666"},
          {"2018-09-24T14:22:01.613Z", "2018-09-24 14:22:01.613"},
          {"2018-09-24T17:22:01.694554+03:00", "2018-09-24 14:22:01.694554"},
          {"2018-09-24T14:22:01.888Z", "2018-09-24 14:22:01.888"},
          // digits past the ninth are rounded half up, also over a second and a year
          {"2026-01-02T03:04:05.1234567894Z", "2026-01-02 03:04:05.123456789"},
          {"2026-01-02T03:04:05.1234567895Z", "2026-01-02 03:04:05.12345679"},
          {"2026-12-31T23:59:59.9999999995Z", "2027-01-01 00:00:00"},
          {"1969-12-31T23:59:59.9999999995Z", "1970-01-01 00:00:00"},
          {"2023-11-16 18:17:03.9799600", "2023-11-16 18:17:03.97996"},
          {"2025-12-31T17:40:00.000000110+01:00", "2025-12-31 16:40:00.00000011"},
          // before the epoch, leap days, the last second of a day written as 60, the end of a day
          {"1969-12-31T23:59:59.5Z", "1969-12-31 23:59:59.5"},
          {"1900-03-01T00:00:00Z", "1900-03-01 00:00:00"},
          {"2024-02-29T12:00:00Z", "2024-02-29 12:00:00"},
          {"2000-02-29T12:00:00Z", "2000-02-29 12:00:00"},
          {"2016-12-31T23:59:60Z", "2017-01-01 00:00:00"},
          {"2016-12-31T24:00:00Z", "2017-01-01 00:00:00"},
          {"1677-09-21T00:12:43.145224192Z", "1677-09-21 00:12:43.145224192"},
          {"2262-04-11T23:47:16.854775807Z", "2262-04-11 23:47:16.854775807"},
      });
}

TEST_CASE("time: what is no RFC 3339 instant is refused with the reason") {
  check_rows(
      "iso",
      {
          {"", "the time is empty", false},
          {"  ", "the time is empty", false},
          {"-", "not an RFC 3339 time", false},
          {"hello", "not an RFC 3339 time", false},
          {"2026-01-02", "a date without a time of day", false},
          {"10:05:03", "a time of day without a date", false},
          {"7/16/2021 1:38:07 AM", "not an RFC 3339 time", false},
          {"2026-01-02T3:04:05Z", "not an RFC 3339 time", false},
          {"2026-01/02T03:04:05Z", "not an RFC 3339 time", false},
          {"2026-01-02T03:04:0", "not an RFC 3339 time", false},
          {"2026-01-02T03:04:05x", "a zone must be UTC, GMT or an offset like +01:00", false},
          {"2026-01-02T03:04:05 EST", "a zone must be UTC, GMT or an offset like +01:00", false},
          {"2026-01-02T03:04:05.", "text follows the time", false},
          {"2026-01-02T03:04:05.5.5", "text follows the time", false},
          {"2026-01-02T03:04:05Z 7", "text follows the time", false},
          {"2026-13-02T03:04:05Z", "month 13 does not exist", false},
          {"2026-00-02T03:04:05Z", "month 0 does not exist", false},
          {"2026-02-31T03:04:05Z", "day 31 does not exist in February", false},
          {"2026-04-31T03:04:05Z", "day 31 does not exist in April", false},
          {"2026-01-32T03:04:05Z", "day 32 does not exist", false},
          {"2026-01-00T03:04:05Z", "day 0 does not exist", false},
          {"2026-02-29T03:04:05Z", "day 29 does not exist in February 2026", false},
          {"1900-02-29T03:04:05Z", "day 29 does not exist in February 1900", false},
          {"2026-01-02T24:00:01Z", "hour 24 does not exist", false},
          {"2026-01-02T25:00:00Z", "hour 25 does not exist", false},
          {"2026-01-02T23:60:00Z", "minute 60 does not exist", false},
          {"2026-01-02T23:59:61Z", "second 61 does not exist", false},
          {"2026-01-02T23:59:00+24:00", "the offset from UTC does not exist", false},
          {"2026-01-02T23:59:00+05:60", "the offset from UTC does not exist", false},
          {"1677-09-21T00:12:43.145224191Z", "before 1677-09-21, the first day that can be held",
           false},
          {"0001-01-01T00:00:00Z", "before 1677-09-21, the first day that can be held", false},
          {"2262-04-11T23:47:16.854775808Z", "beyond 2262-04-11, the last day that can be held",
           false},
          {"9999-12-31T23:59:59Z", "beyond 2262-04-11, the last day that can be held", false},
      });
  Instant at{};
  TimeReader reader(parse_time_format("iso"));
  CHECK_FALSE(reader.read(std::string_view("\0\0\0\0\0\0\0\0\0\0T03:04:05Z", 20), at));
}

TEST_CASE("time: access-log stamps, with brackets or not") {
  check_rows(
      "clf",
      {
          {"17/May/2015:10:05:03 +0000", "2015-05-17 10:05:03"},
          {"[17/May/2015:10:05:03 +0000]", "2015-05-17 10:05:03"},
          {"17/Oct/2023:05:57:49 +1100", "2023-10-16 18:57:49"},
          {"24/Mar/2015:16:40:45 -0400", "2015-03-24 20:40:45"},
          {"17/May/2015:10:05:03.25 +0000", "2015-05-17 10:05:03.25"},
          {"17/may/2015:10:05:03 +0000", "2015-05-17 10:05:03"},
          {"17/May/2015:10:05:03", "2015-05-17 10:05:03"},
          {"29/Feb/2015:10:05:03 +0000", "day 29 does not exist in February 2015", false},
          {"17/Mai/2015:10:05:03 +0000", "not a time like 02/Jan/2026:03:04:05 +0000", false},
          {"17/May/2015:24:05:03 +0000", "hour 24 does not exist", false},
          {"17/May/2015:10:05:03 +0060", "the offset from UTC does not exist", false},
          {"17/May/2015", "a date without a time of day", false},
          {"[17/May/2015:10:05:03 +0000", "not a time like 02/Jan/2026:03:04:05 +0000", false},
          {"[17/May/2015:10:05:03 +0000] x", "text follows the time", false},
      });
}

TEST_CASE("time: mail dates with an offset, also with one-digit days") {
  check_rows("rfc2822",
             {
                 {"Sat, 22 Apr 2017 15:11:58 -0500", "2017-04-22 20:11:58"},
                 {"Thu, 9 Mar 2017 11:15:30 -0600", "2017-03-09 17:15:30"},
                 {"22 Apr 2017 15:11 -0500", "2017-04-22 20:11:00"},
                 {"Sat, 22 Apr 2017 15:11:58 GMT", "2017-04-22 15:11:58"},
                 {"Sat, 22 Apr 2017 15:11:58 -0500 (CDT)", "2017-04-22 20:11:58"},
                 {"Sun, 06-Nov-1994 08:49:37 GMT", "1994-11-06 08:49:37"},
                 {"Fri, 31 Apr 2017 15:11:58 -0500", "day 31 does not exist in April", false},
                 {"Sat, 22 Apr 2017", "a date without a time of day", false},
                 {"Sat 22 17", "not a time like Fri, 02 Jan 2026 03:04:05 +0000", false},
             });
}

TEST_CASE("time: numbers since the epoch keep every digit") {
  check_rows(
      "epoch-s",
      {
          {"0", "1970-01-01 00:00:00"},
          {"1583916406", "2020-03-11 08:46:46"},
          {"1693840791.7564995", "2023-09-04 15:19:51.7564995"},
          {"1693840791.756499529", "2023-09-04 15:19:51.756499529"},
          // as a double prints it: 2^-22 s apart, so the tenth digit only rounds
          {"1693840791.7564995288848877", "2023-09-04 15:19:51.756499529"},
          {"1.693840791e9", "2023-09-04 15:19:51"},
          {"1.6938407917564995E+9", "2023-09-04 15:19:51.7564995"},
          {"+12.", "1970-01-01 00:00:12"},
          {".5", "1970-01-01 00:00:00.5"},
          {"00000000000000000000000000012", "1970-01-01 00:00:12"},
          {"-1.5", "1969-12-31 23:59:58.5"},
          {"0.0000000005", "1970-01-01 00:00:00.000000001"},
          {"-0.0000000005", "1970-01-01 00:00:00"},
          {"-0.00000000051", "1969-12-31 23:59:59.999999999"},
          {"1e-400", "1970-01-01 00:00:00"},
          {"9223372036.854775807", "2262-04-11 23:47:16.854775807"},
          {"-9223372036.854775808", "1677-09-21 00:12:43.145224192"},
          {"9223372036.854775808", "beyond 2262-04-11, the last day that can be held", false},
          {"-9223372036.854775809", "before 1677-09-21, the first day that can be held", false},
          {"1e400", "beyond 2262-04-11, the last day that can be held", false},
          {"1e99999999999", "beyond 2262-04-11, the last day that can be held", false},
          {"99999999999999999999", "beyond 2262-04-11, the last day that can be held", false},
          {"", "the time is empty", false},
          {"-", "not a number", false},
          {".", "not a number", false},
          {"1e", "not a number", false},
          {"1.2.3", "not a number", false},
          {"1,5", "not a number", false},
          {"nan", "not a number", false},
          {"12 s", "not a number", false},
      });
  check_rows("epoch-ms", {
                             {"1609009529084", "2020-12-26 19:05:29.084"},
                             {"1609009527013", "2020-12-26 19:05:27.013"},
                             {"1446249499322.5", "2015-10-30 23:58:19.3225"},
                             {"1446249499322.1234565", "2015-10-30 23:58:19.322123457"},
                             {"-1", "1969-12-31 23:59:59.999"},
                         });
  check_rows("epoch-us", {{"1435673425692000", "2015-06-30 14:10:25.692"}});
  check_rows("epoch-ns", {
                             {"1498098819810694666", "2017-06-22 02:33:39.810694666"},
                             {"1.5", "1970-01-01 00:00:00.000000002"},
                             {"9223372036854775807", "2262-04-11 23:47:16.854775807"},
                         });
}

TEST_CASE("time: numbers since the start of the trace") {
  check_rows("relative-s", {
                               {"0.0", "0 s"},
                               {"0.098189", "0.098189 s"},
                               {"29.479069", "29.479069 s"},
                               {"5.2e-05", "0.000052 s"},
                               {"-0.5", "-0.5 s"},
                           });
  check_rows("relative-ms", {{"0", "0 s"}, {"12500", "12.5 s"}, {"0.0000005", "0.000000001 s"}});
  check_rows("relative-us", {{"12500", "0.0125 s"}});
  check_rows("relative-ns", {{"12500", "0.0000125 s"}});
}

TEST_CASE("time: strptime patterns") {
  const std::vector<std::pair<std::string, Row>> rows = {
      {"%m/%d/%Y %I:%M:%S %p", {"7/16/2021 1:38:07 AM", "2021-07-16 01:38:07"}},
      {"%m/%d/%Y %I:%M:%S %p", {"7/16/2021 12:38:07 am", "2021-07-16 00:38:07"}},
      {"%m/%d/%Y %I:%M:%S %p", {"7/16/2021 12:38:07 PM", "2021-07-16 12:38:07"}},
      {"%m/%d/%Y %I:%M:%S %p",
       {"7/16/2021 13:38:07 PM", "hour 13 does not exist on a 12-hour clock", false}},
      {"%d/%b/%Y:%H:%M:%S %z", {"17/May/2015:10:05:03 +0200", "2015-05-17 08:05:03"}},
      {"%d.%m.%Y %H:%M:%S", {"02.01.2026 03:04:05", "2026-01-02 03:04:05"}},
      {"%d.%m.%Y %H:%M:%S", {"02.01.2026 03:04:05.25", "2026-01-02 03:04:05.25"}},
      {"%d.%m.%Y %H:%M:%S", {"02.01.2026 03:04", "not a time like %d.%m.%Y %H:%M:%S", false}},
      {"%d.%m.%Y %H:%M:%S", {"31.02.2026 03:04:05", "day 31 does not exist in February", false}},
      {"%d.%m.%Y %H:%M:%S", {"02.01.2026 03:04:05 x", "text follows the time", false}},
      {"%Y%m%d%H%M%S", {"20260102030405", "2026-01-02 03:04:05"}},
      {"%Y%m%d%H%M%S%f", {"20260102030405678", "2026-01-02 03:04:05.678"}},
      {"%F %T.%f", {"2026-01-02 03:04:05.678901234", "2026-01-02 03:04:05.678901234"}},
      {"%D %R", {"01/02/26 03:04", "2026-01-02 03:04:00"}},
      {"%D %R", {"01/02/69 03:04", "1969-01-02 03:04:00"}},
      {"%Y-%j %T", {"2024-366 00:00:01", "2024-12-31 00:00:01"}},
      {"%Y-%j %T", {"2023-366 00:00:01", "day 366 does not exist in 2023", false}},
      {"%a %b %e %H:%M:%S %Y", {"Wed Oct  7 14:32:52 2020", "2020-10-07 14:32:52"}},
      {"%A, %d %B %Y %T %Z", {"Friday, 02 January 2026 03:04:05 GMT", "2026-01-02 03:04:05"}},
      {"%A, %d %B %Y %T %Z",
       {"Friday, 02 January 2026 03:04:05 EST", "a zone must be UTC, GMT or an offset like +01:00",
        false}},
      {"t=%s", {"t=1583916406.25", "2020-03-11 08:46:46.25"}},
      {"t=%s", {"t=-1.25", "1969-12-31 23:59:58.75"}},
      {"%Y%%%n%m%t%d %T", {"2026% 01 02 03:04:05", "2026-01-02 03:04:05"}},
  };
  for (const auto& [pattern, row] : rows) {
    CAPTURE(pattern);
    check_rows(pattern, {row});
  }
}

TEST_CASE("time: a format that cannot give an instant is a usage error") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"epoch", "--time-format does not know 'epoch'"},
      {"", "--time-format does not know ''"},
      {"%H:%M:%S", "the pattern has no month and day (%m and %d, or %j)"},
      {"%j %T", "the pattern has no year (%Y), which %j needs"},
      {"%Y %H", "the pattern has no month and day (%m and %d, or %j)"},
      {"%F", "the pattern has no hour (%H)"},
      {"%F %I:%M", "%I and %p go together"},
      {"%F %T %", "the pattern ends in a single %"},
  };
  for (const auto& [text, message] : rows) {
    CAPTURE(text);
    try {
      (void)parse_time_format(text);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      const Diagnostic& said = error.diagnostic();
      CHECK((said.message == message || said.advice.front() == message));
    }
  }
}

TEST_CASE(
    "time: arbitrary bytes are read or refused, and the short path agrees with the full one") {
  std::mt19937_64 random(7);
  const std::string letters = "0123456789-:/.,TZ +eUTCMay[]%";
  const std::vector<std::string> good = {"2026-01-02T03:04:05.678Z", "17/May/2015:10:05:03 +0000",
                                         "Sat, 22 Apr 2017 15:11:58 -0500", "1693840791.7564995"};
  for (const std::string name :
       {"iso", "clf", "rfc2822", "ctime", "epoch-s", "relative-ms", "%F %T %z"}) {
    TimeReader shared(parse_time_format(name));
    for (int round = 0; round < 20'000; ++round) {
      std::string text = good[random() % good.size()];
      for (std::size_t change = random() % 4; change > 0; --change) {
        text[random() % text.size()] =
            random() % 8 == 0 ? static_cast<char>(random()) : letters[random() % letters.size()];
      }
      text.resize(random() % 4 == 0 ? random() % (text.size() + 1) : text.size());
      bool good_shared = false;
      bool good_padded = false;
      const std::string shown = read_one(shared, text, true, good_shared);
      // Blanks around it keep it off the short path.
      TimeReader fresh(parse_time_format(name));
      const std::string padded = read_one(fresh, " " + text, true, good_padded);
      if (name.starts_with('%')) continue;
      CAPTURE(text);
      CHECK(good_shared == good_padded);
      CHECK(shown == padded);
    }
  }
}
