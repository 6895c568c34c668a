// SPDX-License-Identifier: Apache-2.0
#include "trace/combined.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "block_rows.hpp"

using namespace ratereplay;

namespace {

const std::string kLine =
    "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a?b=c HTTP/1.1\" 200 512 \"http://r/\" "
    "\"Mozilla/5.0 (X11; U)\"\n";

ReadFlags with_keys(std::vector<std::string> keys) {
  ReadFlags flags;
  flags.keys = std::move(keys);
  return flags;
}

}  // namespace

TEST_CASE("combined: client and time are found in every kind of line") {
  struct Row {
    std::string line;
    ReadRow expected;
  };
  const std::vector<Row> rows = {
      {kLine, {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      // an offset; a name, a name with a dot, an address, blanks and brackets as the user
      {"192.0.2.1 - - [17/Oct/2023:05:57:49 +1100] \"GET / HTTP/1.1\" 400 226 \"-\" \"-\"\n",
       {0, "2023-10-16 18:57:49", "192.0.2.1", 1}},
      {"192.0.2.1 - j.doe [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\n",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      {"198.51.100.4 - user@example.com [08/Feb/2017:14:32:15 +0100] \"PROPFIND / HTTP/1.1\" 207 "
       "408 \"-\" \"x\"\n",
       {0, "2017-02-08 13:32:15", "198.51.100.4", 1}},
      {"192.0.2.1 - Jane [x] Doe [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" "
       "\"x\"\n",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      // IPv6, also with all parts
      {"2001:db8:60:2c74:: - - [24/Mar/2015:16:40:45 -0400] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\n",
       {0, "2015-03-24 20:40:45", "2001:db8:60:2c74::", 1}},
      {"0:0:0:0:0:0:0:1 - - [24/Mar/2015:16:40:45 -0400] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\n",
       {0, "2015-03-24 20:40:45", "::1", 1}},
      // a request that is none, quotes within it, a quote that never closes, fields at the end
      {"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"\\x16\\x03\\x01\" 400 226 \"-\" \"-\"\n",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      {"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"-\" 408 - \"-\" \"-\"\n",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      {"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /\\\"x HTTP/1.1\" 200 1 \"-\" \"a "
       "\\\"b\"\n",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      {"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"Mozilla/5.0 "
       "(c\n",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      {"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\" \"-\" "
       "0.005\n",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      // carriage return, no line feed, byte order mark
      {"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\r\n",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      {"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"",
       {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
      {"\xEF\xBB\xBF" + kLine, {0, "2015-05-17 10:05:03", "192.0.2.1", 1}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    const ReadText read = read_text(row.line);
    CHECK(read.plan.format->name() == "combined");
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0] == row.expected);
    CHECK(read.bad.empty());
  }
}

TEST_CASE("combined: quotes around a client and a list of clients are undone") {
  const std::string rest =
      " - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\n";
  for (const char* client :
       {"203.0.113.7,", "203.0.113.7, 10.0.35.28", "203.0.113.7, 10.0.35.28, 10.0.0.1",
        "203.0.113.7,10.0.35.28", "\"203.0.113.7\"", "\"203.0.113.7, 10.0.35.28\""}) {
    CAPTURE(client);
    const ReadText read = read_text(client + rest);
    CHECK(read.plan.format->name() == "combined");
    CHECK(read.plan.warnings.empty());
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].key == "203.0.113.7");
  }
}

TEST_CASE("combined: what can hardly be a client is not taken for one without a word") {
  const std::string rest =
      " - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\n";
  for (const char* client :
       {"web_1  | 192.0.2.1", "web-1 | 192.0.2.1", "access.log:192.0.2.1", "\t192.0.2.1",
        "Jan  2 03:04:05 192.0.2.1", "2026-01-02T03:04:05Z: 192.0.2.1"}) {
    CAPTURE(client);
    const ReadText read = read_text(client + rest);
    const bool warned = !read.plan.warnings.empty() &&
                        read.plan.warnings[0].message.find("hardly any") != std::string::npos;
    CHECK((warned || read.requests.at(0).key == "192.0.2.1"));
  }
  for (const char* client : {"192.0.2.1", "2001:db8::1", "fe80::1%eth0", "host.example.com", "-",
                             "unix:", "4711", "localhost"}) {
    CAPTURE(client);
    CHECK(read_text(client + rest).plan.warnings.empty());
  }
}

TEST_CASE("combined: any field can be the key, alone or in a tuple") {
  struct Row {
    std::vector<std::string> keys;
    std::string shown;
  };
  const std::vector<Row> rows = {
      {{"ip"}, "192.0.2.1"},
      {{"1"}, "192.0.2.1"},
      {{"path"}, "/a"},
      {{"raw:path"}, "/a?b=c"},
      {{"method"}, "GET"},
      {{"protocol"}, "HTTP/1.1"},
      {{"request"}, "GET /a?b=c HTTP/1.1"},
      {{"status"}, "200"},
      {{"bytes"}, "512"},
      {{"referer"}, "http://r/"},
      {{"user_agent"}, "Mozilla/5.0 (X11; U)"},
      {{"user"}, "-"},
      {{"ip", "path"}, "192.0.2.1 | /a"},
      {{"ip", "user", "status"}, "192.0.2.1 | - | 200"},
      {{"none"}, "(all)"},
  };
  for (const Row& row : rows) {
    const ReadText read = read_text(kLine, with_keys(row.keys));
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].key == row.shown);
  }
}

TEST_CASE("combined: a request of another shape has no method, path and protocol") {
  const std::string line =
      "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"\\x16\\x03 \\x01\" 400 226 \"-\" \"-\"\n";
  const ReadText read = read_text(line, with_keys({"method", "path", "request"}));
  REQUIRE(read.requests.size() == 1);
  CHECK(read.requests[0].key == "- | - | \\x16\\x03 \\x01");
  // blanks within the path belong to it
  const ReadText spaced = read_text(
      "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /shell?cd+/tmp;wget+ a/j HTTP/1.1\" 200 1 "
      "\"-\" \"x\"\n",
      with_keys({"raw:path"}));
  CHECK(spaced.requests.at(0).key == "/shell?cd+/tmp;wget+ a/j");
}

TEST_CASE("combined: bytes as cost, where a dash is nothing sent") {
  ReadFlags flags;
  flags.cost_field = "bytes";
  const ReadText read = read_text(
      kLine + "192.0.2.1 - - [17/May/2015:10:05:04 +0000] \"GET / HTTP/1.1\" 304 - \"-\" \"x\"\n" +
          "192.0.2.1 - - [17/May/2015:10:05:05 +0000] \"GET / HTTP/1.1\" 200 4294967296 \"-\" "
          "\"x\"\n" +
          "192.0.2.1 - - [17/May/2015:10:05:06 +0000] \"GET / HTTP/1.1\" 200\n",
      flags);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.requests[0].cost == 512);
  CHECK(read.requests[1].cost == 0);
  REQUIRE(read.bad.size() == 2);
  CHECK(read.bad[0].kind == BadKind::kCost);
  CHECK(read.bad[0].line == 3);
  CHECK(read.bad[0].column == 65);
  CHECK(read.bad[0].reason == "4294967296 is above 4294967295");
  CHECK(read.bad[1].reason == "the cost is missing");
}

TEST_CASE("combined: what is no access log line is one bad row with its place") {
  struct Row {
    std::string line;
    BadKind kind;
    std::uint64_t column;
    std::string reason;
  };
  const std::vector<Row> rows = {
      {"hello", BadKind::kSyntax, 1, "not an access log line"},
      {"hello world", BadKind::kSyntax, 7, "no [time] after the client"},
      {"192.0.2.1 [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1", BadKind::kColumns, 11,
       "no identity and user before the time"},
      {"192.0.2.1 - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1", BadKind::kColumns, 11,
       "no identity and user before the time"},
      {"192.0.2.1 - - [17/May/2015:10:05:03", BadKind::kSyntax, 15,
       "the time has no closing bracket"},
      {"192.0.2.1 - - [17/May/2015:10:05:03 +0000]", BadKind::kSyntax, 43,
       "no request after the time"},
      {"192.0.2.1 - - [31/Feb/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1", BadKind::kTimestamp,
       16, "day 31 does not exist in February"},
      {" - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1", BadKind::kSyntax, 1,
       "not an access log line"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    const ReadText read = read_text(kLine + row.line + "\n" + kLine);
    CHECK(read.rows == 3);
    CHECK(read.lines == 3);
    CHECK(read.requests.size() == 2);
    REQUIRE(read.bad.size() == 1);
    CHECK(read.bad[0].kind == row.kind);
    CHECK(read.bad[0].line == 2);
    CHECK(read.bad[0].column == row.column);
    CHECK(read.bad[0].reason == row.reason);
  }
}

TEST_CASE("combined: blank lines and comments are no rows") {
  const ReadText read = read_text("# a comment\n\n" + kLine + "\r\n" + kLine + "\n\n");
  CHECK(read.rows == 2);
  CHECK(read.lines == 7);
  CHECK(read.requests.at(1).row == 1);
}

TEST_CASE("common: lines that end with the byte count") {
  const std::string line =
      "192.0.2.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 2326\n";
  const ReadText read = read_text(line + line);
  CHECK(read.plan.format->name() == "common");
  CHECK(read.requests.at(1) == ReadRow{1, "2000-10-10 20:55:36", "192.0.2.1", 1});
  ReadFlags flags;
  flags.format = "combined";
  CHECK(read_text(line, flags).requests == read_text(line).requests);
}

TEST_CASE("combined: published logs give the rows that they have") {
  struct Row {
    std::string name;
    std::size_t requests;
    std::size_t keys;
    std::size_t bad;
  };
  const std::vector<Row> rows = {
      {"apache_combined_blog_2015.log", 10'000, 1'753, 0},
      {"nginx_burst_cachebust.log", 356, 14, 0},
      {"nginx_burst_switching_ua.log", 15, 0, 0},
      {"apache_malformed_requests.log", 11, 0, 0},
      {"bad_access_log.log", 2, 1, 1},
  };
  for (const Row& row : rows) {
    const auto text = shared_trace(row.name);
    if (!text) {
      MESSAGE("skipped: no ", row.name);
      continue;
    }
    CAPTURE(row.name);
    const ReadText read = read_text(*text);
    CHECK(read.plan.format->name() == "combined");
    CHECK(read.plan.time_format.name() == "clf");
    CHECK(read.requests.size() == row.requests);
    CHECK(read.bad.size() == row.bad);
    std::set<std::string> keys;
    for (const ReadRow& request : read.requests) keys.insert(request.key);
    if (row.keys != 0) CHECK(keys.size() == row.keys);
  }
}

TEST_CASE("combined: damaged lines never harm, and every line is one row") {
  std::mt19937_64 random(11);
  ReadFlags flags = with_keys({"ip", "path", "user_agent", "user"});
  flags.cost_field = "bytes";
  flags.format = "combined";
  flags.time_field = "time";
  flags.time_format = "clf";
  for (int round = 0; round < 2'000; ++round) {
    std::string text = kLine + kLine + kLine;
    for (std::size_t change = random() % 12; change > 0; --change) {
      const std::string letters = "\"\\[] -/:\r\t";
      char& place = text[kLine.size() + random() % (2 * kLine.size() - 1)];
      if (place != '\n') {
        place = random() % 4 == 0 ? static_cast<char>(random() % 245 + 11)
                                  : letters[random() % letters.size()];
      }
    }
    CAPTURE(text);
    const ReadText read = read_text(text, flags);
    CHECK(read.rows <= 3);
    CHECK(read.lines == 3);
    CHECK(read.requests.size() + read.bad.size() == read.rows);
  }
}
