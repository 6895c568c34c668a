// SPDX-License-Identifier: Apache-2.0
#include "trace/delimited.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "trace/read_text.hpp"

namespace ratereplay::testing {
namespace {

constexpr std::int64_t kMs = 1'000'000;

ReadFlags csv_flags() { return flags_of("csv", "t", "epoch-ms", "k", ""); }
ReadFlags columns() { return flags_of("csv", "1", "epoch-ms", "2", "3"); }

std::vector<std::string> keys(const ReadResult& result) {
  std::vector<std::string> keys;
  for (const ReadRow& row : result.requests) keys.push_back(row.key);
  return keys;
}

using Keys = std::vector<std::string>;
using Bad = std::vector<std::string>;

TEST_CASE("csv: a header names the columns and is no row") {
  const ReadResult result =
      read_text_in_all_blocks("t,k,cost\n1700000000000,a,2\n1700000000001,b,3\n", csv_flags());
  REQUIRE(result.rows == 2);
  CHECK(result.requests[0] == ReadRow{1, 1'700'000'000'000 * kMs, "a", 2});
  CHECK(result.requests[1] == ReadRow{2, 1'700'000'000'001 * kMs, "b", 3});
}

TEST_CASE("csv: a header that comes again is no row, wherever it stands") {
  const ReadResult result =
      read_text_in_all_blocks("t,k\n1,a\nt,k\n2,b\n\"t\",k\nt,k\n", csv_flags());
  CHECK(result.rows == 2);
  CHECK(keys(result) == Keys{"a", "b"});
}

TEST_CASE("csv: a header is no row, also when its first cell is empty") {
  for (const std::string_view text :
       {",ts,key\n0,1767323045,a\n1,1767323046,b\n", ";ts;key\n0;1767323045;a\n1;1767323046;b\n",
        "|ts|key\n0|1767323045|a\n1|1767323046|b\n",
        "\tts\tkey\n0\t1767323045\ta\n1\t1767323046\tb\n",
        ",,ts,key\n0,0,1767323045,a\n,ts,key\n,,ts,key\n1,1,1767323046,b\n",
        "\"\",ts,key\n0,1767323045,a\n,ts,key\n1,1767323046,b\n",
        "\xEF\xBB\xBF,ts,key\n0,1767323045,a\n,ts,key\n1,1767323046,b\n"}) {
    CAPTURE(text);
    const ReadResult result = read_text_in_all_blocks(text, {});
    CHECK(keys(result) == Keys{"a", "b"});
    // Another table's header is none of this one.
    CHECK(result.all_bad() == (text.starts_with(",,") ? 1 : 0));
  }
}

TEST_CASE("csv: a header is no row, also when doubled quotes are in its names") {
  for (const std::string_view text :
       {"time,\"the \"\"key\"\"\"\n2026-01-02T03:04:05Z,a\n",
        "time|\"the \"\"key\"\"\"\n2026-01-02T03:04:05Z|a\n",
        "time\t\"the \"\"key\"\"\"\n2026-01-02T03:04:05Z\ta\n",
        "\"\"\"key\"\"\",time\na,2026-01-02T03:04:05Z\n\"\"\"key\"\"\",time\n"}) {
    CAPTURE(text);
    const ReadResult result = read_text_in_all_blocks(text, {});
    CHECK(result.rows == 1);
    CHECK(result.all_bad() == 0);
  }
}

TEST_CASE("csv: a byte order mark before any line is no part of it") {
  const std::string_view mark = "\xEF\xBB\xBF";
  const std::string text =
      fmt::format("{0}t,k\n1,a\n{0}t,k\n2,b\n{0}3,c\n{0}\"4\",\"d\ne\"\n{0}# made\n{0}\n{0}", mark);
  const ReadResult result = read_text_in_all_blocks(text, csv_flags());
  CHECK(keys(result) == Keys{"a", "b", "c", "d\ne"});
  CHECK(result.rows == 4);
}

TEST_CASE("csv: without a header the columns have numbers") {
  const ReadResult result = read_text_in_all_blocks("1,a,2\n3,b,4\n", columns());
  CHECK(result.requests == std::vector<ReadRow>{{1, kMs, "a", 2}, {2, 3 * kMs, "b", 4}});
}

TEST_CASE("csv: comment and blank lines are no rows, but they are lines") {
  const ReadResult result = read_text_in_all_blocks(
      "# made by hand\n\n1,a\n\r\n#,,\n  \n2,b\nx,c\n", flags_of("csv", "1", "epoch-ms", "2", ""));
  CHECK(result.rows == 3);
  CHECK(keys(result) == Keys{"a", "b"});
  REQUIRE(result.bad_rows.size() == 1);
  CHECK(result.bad_rows[0].starts_with("8:1 timestamp "));
}

TEST_CASE("csv: quotes hold delimiters, line feeds and doubled quotes") {
  const ReadResult result = read_text_in_all_blocks(
      "t,k\n1,\"a,b\"\n2,\"two\nlines\"\n\"3\",\"say \"\"hi\"\"\"\n4,\"\"\n5,e\n", csv_flags());
  CHECK(keys(result) == Keys{"a,b", "two\nlines", "say \"hi\"", "-", "e"});
  CHECK(result.lines == 7);
}

TEST_CASE("csv: apostrophes and quotes inside a field are text") {
  const ReadResult result = read_text_in_all_blocks(
      "t,k\n1,Bobby 'Tables' X\n2,5\" disk\n3,'a\n4,it\"\"s\n", csv_flags());
  CHECK(keys(result) == Keys{"Bobby 'Tables' X", "5\" disk", "'a", "it\"\"s"});
}

TEST_CASE("csv: a quote that never closes spoils its own line alone") {
  const ReadResult result = read_text_in_all_blocks("t,k\n1,\"a\n2,b\n3,c\n", csv_flags());
  CHECK(keys(result) == Keys{"b", "c"});
  CHECK(result.bad_rows == Bad{"2:3 quote the quote that opens here does not close"});
}

TEST_CASE("csv: a quote that closes beyond 1 MiB does not close") {
  for (const bool near : {true, false}) {
    const std::size_t filler = (std::size_t{1} << 20) - (near ? 20 : 0);
    const std::string text = "t,k\n0,z\n1,\"a\n" + std::string(filler, 'x') + "\"\n3,c\n";
    const ReadResult result = read_text_in_all_blocks(text, csv_flags());
    CAPTURE(near);
    CHECK(result.rows == (near ? 3 : 4));
    CHECK(result.requests.back().key == "c");
    CHECK(result.requests.size() == (near ? 3 : 2));
  }
}

TEST_CASE("csv: text after a closing quote spoils the line where the record starts") {
  const ReadResult result =
      read_text_in_all_blocks("t,k\n1,\"a\"x\n2,\"b\nc\"d\n3,e\n", csv_flags());
  CHECK(keys(result) == Keys{"e"});
  CHECK(result.bad_rows == Bad{"2:6 quote text after the closing quote",
                               "3:3 quote the quote that opens here does not close",
                               "4:1 columns 1 field where the header has 2"});
}

TEST_CASE("csv: CRLF, a byte order mark and a missing last line end are not part of a field") {
  const ReadResult result = read_text_in_all_blocks(
      "\xef\xbb\xbf\"t\",k,cost\r\n1,a,7\r\n\"2\",b,\"8\"\r\n3,c,9", csv_flags());
  CHECK(result.requests ==
        std::vector<ReadRow>{{1, kMs, "a", 7}, {2, 2 * kMs, "b", 8}, {3, 3 * kMs, "c", 9}});
}

TEST_CASE("csv: final line feeds make no rows") {
  const ReadFlags flags = csv_flags();
  const auto one = read_text("t,k\n1,a\n2,b\n", flags).requests;
  CHECK(read_text("t,k\n1,a\n2,b", flags).requests == one);
  CHECK(read_text("t,k\n1,a\n2,b\n\n", flags).requests == one);
  CHECK(read_text("t,k\n1,a\n2,b\n\n", flags).rows == 2);
}

TEST_CASE("csv: another number of fields makes a bad row, a trailing delimiter does not") {
  const ReadResult result =
      read_text_in_all_blocks("t,k,cost\n1,a,1\n2,b\n3,c,1,\n4,d,1,5\nWEIRD\n6,f,1\n", csv_flags());
  CHECK(keys(result) == Keys{"a", "c", "f"});
  CHECK(result.rows == 6);
  CHECK(result.bad_rows == Bad{"3:3 columns 2 fields where the header has 3",
                               "5:7 columns 4 fields where the header has 3",
                               "6:1 columns 1 field where the header has 3"});
}

TEST_CASE("csv: a header with a trailing delimiter takes rows with and without") {
  const ReadResult result = read_text_in_all_blocks("t,k,\n1,a,\n2,b\n3,c,x\n", csv_flags());
  CHECK(keys(result) == Keys{"a", "b", "c"});
}

TEST_CASE("csv: spaces after commas hide neither names nor numbers") {
  const ReadResult result =
      read_text_in_all_blocks("t, k, cost\n1, a, 2\nWEIRD\n3, b, 4\n", csv_flags());
  REQUIRE(result.requests.size() == 2);
  CHECK(result.requests[1].cost == 4);
  CHECK(result.bad_rows == Bad{"3:1 columns 1 field where the header has 3"});
}

TEST_CASE("csv: semicolons delimit where commas are decimal") {
  const ReadResult result =
      read_text("time;key;cost\n2024-01-01T00:00:00Z;k;1,5\n2024-01-01T00:00:01Z;k;2\n",
                flags_of("", "", "", "", ""));
  CHECK(result.format == "csv");
  CHECK(result.rows == 2);
  CHECK(result.requests.size() == 1);  // neither 1 nor 15
  CHECK(result.bad_rows[0].starts_with("2:24 cost "));
}

TEST_CASE("csv: letters are no delimiters") {
  const ReadResult result =
      read_text("TIME STAMP,EVENT ID\n1700000000,ENTER EXIT E\n1700000001,EVERY E E E\n",
                flags_of("", "TIME STAMP", "", "EVENT ID", ""));
  CHECK(keys(result) == Keys{"ENTER EXIT E", "EVERY E E E"});
}

TEST_CASE("tsv: tabs are found without being asked for, and csv takes them when it is named") {
  const std::string text = "t\tk\n1700000000000\ta b\n1700000000001\t\"c\td\"\n";
  CHECK(read_text(text, flags_of("", "t", "", "k", "")).format == "tsv");
  CHECK(keys(read_text(text, flags_of("csv", "t", "", "k", ""))) == Keys{"a b", "c\td"});
}

TEST_CASE("csv: a comment above the first row names columns that have no header") {
  const ReadResult result =
      read_text_in_all_blocks("# timestamp (ms), op, id, size\n0,1,A,8371\n103,1,B,31\n",
                              flags_of("", "timestamp (ms)", "", "id", "size"));
  CHECK(result.requests == std::vector<ReadRow>{{1, 0, "A", 8371}, {2, 103 * kMs, "B", 31}});
}

TEST_CASE("csv: the comment above the first row may say the unit of the time") {
  for (const auto& [unit, nanos] : std::vector<std::pair<std::string, std::int64_t>>{
           {"(ms)", kMs}, {"(s)", 1'000 * kMs}, {"(us)", kMs / 1'000}, {"(ns)", 1}}) {
    CAPTURE(unit);
    const ReadResult result =
        read_text_in_all_blocks("# timestamp " + unit + ", op, id, size\n0,1,A,8371\n103,1,B,31\n",
                                flags_of("", "", "", "id", ""));
    CHECK(result.requests == std::vector<ReadRow>{{1, 0, "A", 1}, {2, 103 * nanos, "B", 1}});
  }
}

TEST_CASE("csv: JMeter results are read without flags, with one key unless one is named") {
  const std::string text =
      "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,URL,Latency\n"
      "1767312001250,31,login,200,OK,Thread Group 1-1,true,512,http://a.example/,30\n"
      "1767312001100,31,login,200,\"OK, done\",Thread Group 1-2,true,512,http://a.example/,30\n";
  const std::int64_t at = 1'767'312'001'000 * kMs;
  const ReadResult result = read_text_in_all_blocks(text, {});
  CHECK(result.format == "csv");
  CHECK(result.requests ==
        std::vector<ReadRow>{{1, at + 250 * kMs, "", 1}, {2, at + 100 * kMs, "", 1}});
  CHECK(keys(read_text(text, flags_of("", "", "", "threadName", ""))) ==
        Keys{"Thread Group 1-1", "Thread Group 1-2"});
}

TEST_CASE("csv: one line of another kind is one bad row") {
  const ReadResult result = read_text_in_all_blocks(
      "a, b, c, d\n1, 2, 3, 4\nWEIRD\n1, 2, 3, 4\n{\"a\": 1}\n", flags_of("", "a", "", "b", ""));
  CHECK(result.requests.size() == 2);
  REQUIRE(result.bad_rows.size() == 2);
  CHECK(result.bad_rows[0].starts_with("3:1 columns "));
  CHECK(result.bad_rows[1].starts_with("5:1 columns "));
}

TEST_CASE("csv: apostrophes are no quotes") {
  const ReadResult result = read_text_in_all_blocks("k,t,n\nBobby 'Tables' X,1,42\n'a,2,b'\n",
                                                    flags_of("", "t", "", "k", ""));
  CHECK(keys(result) == Keys{"Bobby 'Tables' X", "'a"});
}

TEST_CASE("csv: a line of 1 MiB is read") {
  const std::string key(std::size_t{1} << 20, 'k');
  const ReadResult result = read_text_in_all_blocks("t,k\n0,a\n1," + key + "\n2,b\n", csv_flags());
  CHECK(keys(result) == Keys{"a", key, "b"});
}

TEST_CASE("csv: a line above 16 MiB is one bad row, whatever the blocks") {
  const std::string text =
      "t,k\n1,a\n2," + std::string(std::size_t{16} << 20, 'k') + "\n3,c\nx,d\n";
  ReadResult whole;
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{1} << 20, std::size_t{40} << 20}) {
    const ReadResult result = read_text(text, csv_flags(), bytes);
    CAPTURE(bytes);
    CHECK(keys(result) == Keys{"a", "c"});
    REQUIRE(result.bad_rows.size() == 2);
    CHECK(result.bad_rows[0] == "3:1 length longer than 16 MiB");
    CHECK(result.bad_rows[1].starts_with("5:1 timestamp "));
  }
}

TEST_CASE("csv: keys are bytes") {
  const std::string key = "\xff\xfe\x01\xc3";
  CHECK(keys(read_text("t,k\n1," + key + "\n", csv_flags())) == Keys{key});
}

TEST_CASE("csv: of columns with one name, all but the first go by their numbers") {
  const std::string text = "time,user,user,x,3\n1,a,b,c,d\n";
  const auto first_key = [&](const char* key) {
    return keys(read_text(text, flags_of("csv", "time", "relative-ms", key, ""))).front();
  };
  CHECK(first_key("user") == "a");
  CHECK(first_key("3") == "d");  // a name goes before a number
  CHECK(first_key("03") == "b");
  // What was chosen by content is pinned by what tells it apart.
  const std::string times = "time,time,key\nx,2026-01-02T03:04:05Z,a\ny,2026-01-02T03:04:06Z,b\n";
  const auto sample = text_source(times);
  const ReadPlan plan = make_plan(sample->peek(), "trace", {});
  CHECK(pin_flags(plan) == "-F csv --time-field 2 --time-format iso -k key");
}

TEST_CASE("tables do not claim logs or JSON") {
  const auto score = [](std::string_view text) {
    const Sample sample{text, true};
    return std::max(csv_format().recognise(sample).score, tsv_format().recognise(sample).score);
  };
  const std::string line =
      R"_(1.2.3.4 - - [08/Feb/2017:14:32:15 +0100] "GET / HTTP/1.1" 200 4 "-" "X (KHTML, like Y; z)")_"
      "\n";
  CHECK(score(line + line) == 0);
  CHECK(score("{\"a\": 1, \"b\": 2}\n{\"a\": 1, \"b\": 2}\n") == 0);
  CHECK(score("[{\"a\": 1, \"b\": 2},\n{\"a\": 1, \"b\": 2}]\n") == 0);
  CHECK(score("#Software: IIS\n#Fields: date time c-ip\n2015-01-13 00:32:17 1.2.3.4,a\n") == 0);
  CHECK(score("time,key\n1,a\n") > 800);
}

}  // namespace
}  // namespace ratereplay::testing
