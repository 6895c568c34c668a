// SPDX-License-Identifier: Apache-2.0
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

TEST_CASE("w3c: columns are those of the last #Fields line, in blocks of any size") {
  const ReadResult result = read_text_in_all_blocks(
      "#Software: Microsoft Internet Information Services 10.0\n"
      "#Version: 1.0\r\n"
      "#Date: 2026-01-02 00:00:01\n"
      "#Fields: date time s-ip c-ip cs(User-Agent) sc-bytes\n"
      "2026-01-02 00:00:01 10.0.0.1 192.0.2.1 Mozilla/5.0+(X11;+Linux) 100\r\n"
      "2026-01-02 00:00:02 10.0.0.1 192.0.2.2 - 7\n"
      "#Date: 2026-01-02 00:00:03\n"
      "#Fields: c-ip date time\n"
      "192.0.2.3 2026-01-02 00:00:03\n"
      "192.0.2.4  2026-01-02\t00:00:04\n"
      "#Fields: date time sc-bytes\n"
      "2026-01-02 00:00:05 5",
      flags_of("", "", "", "", ""));
  CHECK(result.format == "w3c");
  CHECK(result.requests == Rows{{1, kMidnight + kSecond, "192.0.2.1", 1},
                                {2, kMidnight + 2 * kSecond, "192.0.2.2", 1},
                                {3, kMidnight + 3 * kSecond, "192.0.2.3", 1},
                                {5, kMidnight + 5 * kSecond, "-", 1}});
  // Blanks separate; a tab is part of a field.
  CHECK(result.bad_rows == Bad{"10:12 columns 2 fields where the header names 3"});
}

TEST_CASE("w3c: rows before a header, too short and too long ones are bad") {
  const ReadResult result = read_text_in_all_blocks(
      "2026-01-02 00:00:00 192.0.2.1\n"
      "#Fields: date time c-ip\n"
      "2026-01-02 00:00:01 192.0.2.1\n"
      "2026-01-02 00:00:02\n"
      "2026-01-02 00:00:03 192.0.2.1 x\n"
      "2026-02-30 00:00:04 192.0.2.1\n"
      "\n"
      "{\"stray\": 1}\n"
      "2026-01-02 00:00:05 -\n",
      flags_of("w3c", "", "", "", ""));
  CHECK(result.rows == 7);
  CHECK(result.requests ==
        Rows{{2, kMidnight + kSecond, "192.0.2.1", 1}, {7, kMidnight + 5 * kSecond, "-", 1}});
  CHECK(result.all_bad() == 5);
  CHECK(result.bad_rows == Bad{"1:1 columns no header line before it names the columns",
                               "4:12 columns 2 fields where the header names 3",
                               "5:31 columns 4 fields where the header names 3",
                               "6:1 timestamp day 30 does not exist in February"});
}

TEST_CASE("w3c: CloudFront separates names by blanks and fields by tabs") {
  const ReadResult result = read_text_in_all_blocks(
      "#Version: 1.0\n"
      "#Fields: date time x-edge-location sc-bytes c-ip cs-method time-taken\n"
      "2026-01-02\t00:00:01\tFRA56-P4\t1045\t192.0.2.1\tGET\t0.1\n"
      "2026-01-02\t00:00:02\tFRA56-P4\t-\t2001:db8::1\tGET /x\t0.2\n",
      flags_of("", "", "", "", ""));
  CHECK(result.format == "w3c");
  CHECK(result.requests == Rows{{1, kMidnight + kSecond, "192.0.2.1", 1},
                                {2, kMidnight + 2 * kSecond, "2001:db8::1", 1}});
}

TEST_CASE("w3c: quoted fields hold blanks, and a quote that does not close is a letter") {
  const ReadResult result = read_text_in_all_blocks(
      "#Fields: date time c-ip \"cs(User-Agent)\" x-rule\n"
      "2026-01-02 00:00:01 192.0.2.1 \"Mozilla 5.0 \"\"X\"\"\" a\n"
      "2026-01-02 00:00:02 192.0.2.1 \"Mozilla a\n"
      "2026-01-02 00:00:03 192.0.2.1 \"\" \"a b\"\n",
      flags_of("", "", "", "4", ""));
  CHECK(result.requests == Rows{{1, kMidnight + kSecond, "Mozilla 5.0 \"X\"", 1},
                                {2, kMidnight + 2 * kSecond, "\"Mozilla", 1},
                                {3, kMidnight + 3 * kSecond, "-", 1}});
}

TEST_CASE("w3c: Exchange separates by commas") {
  const ReadResult result = read_text_in_all_blocks(
      "#Software: Microsoft Exchange Server\n"
      "#Fields: date-time,client-ip,event\n"
      "2026-01-02T00:00:01.5Z,192.0.2.1,\"a, b\"\n",
      flags_of("", "", "", "", ""));
  CHECK(result.format == "w3c");
  CHECK(result.requests == Rows{{1, kMidnight + 3 * kSecond / 2, "192.0.2.1", 1}});
}

TEST_CASE("w3c: times without a date take it from #Date, beyond midnight too") {
  for (const char* const date : {"2026-01-02 22:30:00", "02-Jan-2026 22:30:00"}) {
    CAPTURE(date);
    const ReadResult result = read_text_in_all_blocks(std::string("#Version: 1.0\n#Date: ") + date +
                                                          "\n#Fields: time c-ip\n"
                                                          "22:29:58 192.0.2.1\n"
                                                          "23:59:59 192.0.2.1\n"
                                                          "00:00:01 192.0.2.1\n",
                                                      flags_of("", "", "", "", ""));
    const std::int64_t day = 86'400 * kSecond;
    CHECK(result.requests == Rows{{1, kMidnight + 80'998 * kSecond, "192.0.2.1", 1},
                                  {2, kMidnight + day - kSecond, "192.0.2.1", 1},
                                  {3, kMidnight + day + kSecond, "192.0.2.1", 1}});
  }
}

TEST_CASE("w3c: times without any date are refused with the reason") {
  std::string said;
  try {
    read_text("#Fields: time c-ip\n22:29:58 192.0.2.1\n", {});
  } catch (const Error& error) {
    said = error.diagnostic().message + "|" + error.diagnostic().advice.at(0);
  }
  CHECK(said ==
        "no time found in text (read as w3c)|field 'time': a time of day without a date "
        "('22:29:58')");
}

TEST_CASE("zeek: columns come from #fields, and unset is missing") {
  const std::string text =
      "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\thttp\n"
      "#open\t2026-01-02-00-00-00\n#fields\tts\tid.orig_h\tusername\tresponse_body_len\n"
      "#types\ttime\taddr\tstring\tcount\n"
      "1767312000.452687\t192.0.2.1\t(empty)\t10\n"
      "1767312001.000001\t-\tana\t-\n"
      "#close\t2026-01-02-01-00-00\n"
      "#fields\tid.orig_h\tts\n"
      "192.0.2.3\t1767312002.5\n"
      "192.0.2.3\n";
  const ReadResult result = read_text_in_all_blocks(text, {});
  CHECK(result.format == "zeek");
  CHECK(result.requests == Rows{{1, kMidnight + 452'687'000, "192.0.2.1", 1},
                                {2, kMidnight + kSecond + 1'000, "-", 1},
                                {3, kMidnight + 5 * kSecond / 2, "192.0.2.3", 1}});
  CHECK(result.bad_rows == Bad{"14:1 columns 1 fields where the header names 2"});
}

TEST_CASE("zeek: another separator is taken from the header") {
  const ReadResult result = read_text_in_all_blocks(
      "#separator ;\n#unset_field;?\n#fields;ts;id.orig_h\n1767312000;192.0.2.1\n1767312001;?\n",
      flags_of("zeek", "", "", "", ""));
  CHECK(result.requests == Rows{{1, kMidnight, "192.0.2.1", 1}, {2, kMidnight + kSecond, "-", 1}});
}

}  // namespace
}  // namespace ratereplay::testing
