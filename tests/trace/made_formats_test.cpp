// SPDX-License-Identifier: Apache-2.0
// Formats that are made from a text: nginx:, apache: and regex:.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "block_rows.hpp"
#include "run_program.hpp"
#include "trace/lines.hpp"

using namespace ratereplay;

namespace {

const std::string kNginxCombined =
    "nginx:$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent "
    "\"$http_referer\" \"$http_user_agent\"";
const std::string kApacheCombined =
    "apache:%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"";
const std::string kRegexCombined = "regex:^(?P<ip>\\S+) (\\S+) .*? ?\\[(?P<time>\\d[^\\]]*)\\] \"";

ReadFlags flags_of(std::string format, std::vector<std::string> keys = {}, std::string cost = {}) {
  ReadFlags flags;
  flags.format = std::move(format);
  flags.keys = std::move(keys);
  if (!cost.empty()) flags.cost_field = std::move(cost);
  return flags;
}

/// What making the plan says, with the underlined part of the place.
std::string refusal(const std::string& format, const std::string& line = "x\n") {
  const PaddedText padded(line);
  try {
    (void)make_plan({padded.text(), true}, "sample", flags_of(format));
  } catch (const Error& error) {
    const Diagnostic& said = error.diagnostic();
    return std::string(error.kind() == ErrorKind::kUsage ? "usage: " : "input: ") + said.message +
           (said.place ? " @" + said.place->text.substr(said.place->offset, said.place->length)
                       : "");
  }
  return "(a plan)";
}

}  // namespace

TEST_CASE("nginx: variables are fields, roles find them") {
  const std::string format =
      "nginx:$remote_addr - ${remote_user} [$time_local] $scheme://$host$request_uri \"$request\" "
      "$status $body_bytes_sent $request_time $upstream_response_time $upstream_addr "
      "\"$http_x_forwarded_for\" $msec";
  const std::string line =
      "192.0.2.7 - j doe [02/Jan/2026:03:04:05 +0000] https://shop.example/a?b \"GET /a?b "
      "HTTP/1.1\" 200 512 0.250 0.001, 0.249 : 0.100 10.0.0.1:80, 10.0.0.2:80 "
      "\"198.51.100.1, 203.0.113.9\" 1767323045.678\n";
  struct Row {
    const char* field;
    const char* value;
  };
  const std::vector<Row> rows = {
      {"ip", "192.0.2.7"},
      {"remote_addr", "192.0.2.7"},
      {"remote_user", "j doe"},
      {"user", "j doe"},
      {"scheme", "https"},
      {"host$request_uri", "shop.example/a?b"},
      {"path", "/a"},
      {"raw:path", "/a?b"},
      {"method", "GET"},
      {"status", "200"},
      {"upstream_response_time", "0.001, 0.249 : 0.100"},
      {"upstream_addr", "10.0.0.1:80, 10.0.0.2:80"},
      {"http_x_forwarded_for", "198.51.100.1, 203.0.113.9"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.field);
    const ReadText read = read_text(line, flags_of(format, {row.field}, "body_bytes_sent"));
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].key == row.value);
    CHECK(read.requests[0].cost == 512);
    // of two stamps the finer one
    CHECK(read.requests[0].at == "2026-01-02 03:04:05.678");
  }
}

TEST_CASE("nginx: the stamp is read in each of its spellings") {
  struct Row {
    const char* variable;
    const char* text;
    const char* time_format;
  };
  const std::vector<Row> rows = {
      {"[$time_local]", "[02/Jan/2026:03:04:05 +0000]", "clf"},
      {"$time_local", "02/Jan/2026:04:04:05 +0100", "clf"},
      {"$time_iso8601", "2026-01-02T04:04:05+01:00", "iso"},
      {"$msec", "1767323045.000", "epoch-s"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.variable);
    const std::string format = std::string("nginx:$remote_addr ") + row.variable + " $status";
    const ReadText read =
        read_text(std::string("192.0.2.7 ") + row.text + " 200", flags_of(format));
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].at == "2026-01-02 03:04:05");
    CHECK(read.plan.time_format.name() == row.time_format);
  }
}

TEST_CASE("nginx: how values are escaped decides where a quote closes") {
  const std::string tail = " [$time_local]";
  const std::string time = " [02/Jan/2026:03:04:05 +0000]";
  const auto agent = [&](const std::string& escape, const std::string& text) {
    const ReadText read =
        read_text("\"" + text + "\"" + time + "\n",
                  flags_of("nginx:" + escape + "\"$http_user_agent\"" + tail, {"http_user_agent"}));
    return read.requests.size() == 1 ? read.requests[0].key : "(bad)";
  };
  CHECK(agent("", "a\\x22b") == "a\\x22b");
  CHECK(agent("escape=json ", "a\\\" [b") == "a\\\" [b");
  CHECK(agent("escape=json ", "a\\\\") == "a\\\\");
  CHECK(agent("escape=none ", "a\\") == "a\\");
  CHECK_THROWS_AS((void)agent("escape=default ", "a\\"), Error);
}

TEST_CASE("apache: directives are fields under the names of combined") {
  struct Row {
    const char* format;
    const char* line;
    const char* field;
    const char* value;
  };
  const std::vector<Row> rows = {
      {"%a %t %D", "192.0.2.7 [02/Jan/2026:03:04:05 +0000] 12", "ip", "192.0.2.7"},
      {"%a %{c}a %t", "192.0.2.7 10.0.0.1 [02/Jan/2026:03:04:05 +0000]", "peer_ip", "10.0.0.1"},
      {"%v:%p %h %l %u %t \"%r\"",
       "shop:80 192.0.2.7 - j d [02/Jan/2026:03:04:05 +0000] \"GET / x\"", "user", "j d"},
      {"%V %h %t", "shop 192.0.2.7 [02/Jan/2026:03:04:05 +0000]", "host", "shop"},
      {"%h %t \"%!200,304{Referer}i\" %{ms}T", "192.0.2.7 [02/Jan/2026:03:04:05 +0000] \"-\" 5",
       "duration_ms", "5"},
      {"%h %t %s %>s", "192.0.2.7 [02/Jan/2026:03:04:05 +0000] 301 200", "status_2", "200"},
      {"%h 100%% %t %I %O", "192.0.2.7 100% [02/Jan/2026:03:04:05 +0000] 1 2", "bytes_out", "2"},
      {"%h %t %{UNIQUE_ID}e %{x-trace}o", "192.0.2.7 [02/Jan/2026:03:04:05 +0000] a b",
       "sent_x_trace", "b"},
      {"%h %t \\\"%r\\\"", "192.0.2.7 [02/Jan/2026:03:04:05 +0000] \"GET /a HTTP/1.1\"", "path",
       "/a"},
      {"%h %t \"%m %U%q %H\"", "192.0.2.7 [02/Jan/2026:03:04:05 +0000] \"GET /a?b HTTP/1.1\"",
       "path%query", "/a?b"},
      {"%h %t %^FB %{X-T}^ti", "192.0.2.7 [02/Jan/2026:03:04:05 +0000] 7 z", "x_t", "z"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.format);
    const ReadText read =
        read_text(row.line, flags_of(std::string("apache:") + row.format, {row.field}));
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].key == row.value);
    CHECK(read.requests[0].at == "2026-01-02 03:04:05");
  }
}

TEST_CASE("apache: stamps of strftime, in parts and as numbers") {
  struct Row {
    const char* format;
    const char* line;
    const char* at;
  };
  const std::vector<Row> rows = {
      {"%h [%{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t] %D",
       "192.0.2.7 [02/Jan/2026:03:04:05.678 +0000] 1", "2026-01-02 03:04:05.678"},
      {"%h %{%Y-%m-%d %H:%M:%S}t.%{usec_frac}t %s", "192.0.2.7 2026-01-02 03:04:05.000678 200",
       "2026-01-02 03:04:05.000678"},
      {"%h %{begin:%FT%T}t %s", "192.0.2.7 2026-01-02T03:04:05 200", "2026-01-02 03:04:05"},
      {"%{sec}t %h", "1767323045 192.0.2.7", "2026-01-02 03:04:05"},
      {"%{sec}t.%{msec_frac}t %h", "1767323045.678 192.0.2.7", "2026-01-02 03:04:05.678"},
      {"%{msec}t %h", "1767323045678 192.0.2.7", "2026-01-02 03:04:05.678"},
      {"%{end:usec}t %h", "1767323045678901 192.0.2.7", "2026-01-02 03:04:05.678901"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.format);
    const ReadText read = read_text(row.line, flags_of(std::string("apache:") + row.format));
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].at == row.at);
    CHECK(read.requests[0].key == "192.0.2.7");
  }
}

TEST_CASE("regex: named groups are fields, and a line without a match is a bad row") {
  const std::string text =
      "2026-01-02T03:04:05Z a=192.0.2.7:99 GET\n\nhello\n2026-01-02T03:04:06Z b=\xFF\xFE\n";
  for (const char* group : {"(?P<", "(?<"}) {
    CAPTURE(group);
    const std::string g = group;
    const std::string pattern =
        "regex:^" + g + "time>\\S+) [(?<ab>]=" + g + "client>\\S+)(?: " + g + "verb>\\w+))?$";
    const ReadText read = read_text(text, flags_of(pattern));
    CHECK(read.rows == 3);
    REQUIRE(read.requests.size() == 2);
    CHECK(read.requests[0] == ReadRow{0, "2026-01-02 03:04:05", "192.0.2.7", 1});
    CHECK(read.requests[1].key == "\xFF\xFE");
    REQUIRE(read.bad.size() == 1);
    CHECK(read.bad[0].kind == BadKind::kSyntax);
    CHECK(read.bad[0].line == 3);
    CHECK(read.bad[0].reason == "the line does not match the pattern");
    // a group that takes no part is missing
    CHECK(read_text(text, flags_of(pattern, {"verb"})).requests[1].key == "-");
  }
  // anywhere in the line, and a request has its parts
  const ReadText found =
      read_text("x 2026-01-02T03:04:05Z \"GET /a HTTP/1.1\" y\n",
                flags_of("regex:(?P<time>20\\S+) \"(?P<request>[^\"]*)", {"path"}));
  CHECK(found.requests.at(0).key == "/a");
}

TEST_CASE("made formats: what gives no format is refused with the place") {
  struct Row {
    const char* format;
    const char* expected;
  };
  const std::vector<Row> rows = {
      {"nginx:", "usage: -F nginx:: no LOG_FORMAT|FILE#NAME given"},
      {"nginx", "usage: -F nginx: no LOG_FORMAT|FILE#NAME given"},
      {"ngnx:$a", "usage: -F ngnx:$a: no such format"},
      {"nginx:$a $ b", "usage: a $ without the name of a variable @$"},
      {"nginx:$a ${b", "usage: a $ without the name of a variable @${b"},
      {"nginx:escape=xml $a", "usage: no such way to escape @xml"},
      {"nginx:/nowhere/nginx.conf", "input: cannot read the configuration /nowhere/nginx.conf"},
      {"nginx:/", "input: cannot read the configuration /"},
      {"apache:%h %Z", "usage: this directive is not known @%Z"},
      {"apache:%h %{Referer", "usage: this brace is not closed @{"},
      {"apache:%h %", "usage: this directive is not known @%"},
      {"apache:%h %{Referer}", "usage: this directive is not known @%{Referer}"},
      {"apache:%h %i", "usage: this directive is not known @%i"},
      {"apache:%%", "usage: the format has no directive @%%"},
      {"apache:%h %{%T}t",
       "usage: this time cannot be read: the pattern has no month and day (%m and %d, or %j) @%"},
      {"apache:%h %{%Q}t",
       "usage: this time cannot be read: %Q is not known; known are %Y %m %d %H %M %S %f %z %Z %b "
       "%B %y %e %j %s %a %A %I %p %T %R %D %F %n %t %% @%"},
      {"regex:(?P<a>x", "usage: the pattern cannot be used: missing ): (?P<a>x @(?P<a>x"},
      {"regex:(?P<a>x)(?=y)", "usage: the pattern cannot be used: invalid perl operator: (?= @(?="},
      {"regex:a+", "usage: the pattern has no named group @a+"},
      {"regex:(?P<a>[z-a])",
       "usage: the pattern cannot be used: invalid character class range: z-a @z-a"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.format);
    CHECK(refusal(row.format) == row.expected);
  }
}

TEST_CASE("made formats: a configuration of the server gives the format by name") {
  const test::TemporaryFolder folder;
  const std::string nginx = folder.write(
      "nginx.conf",
      "http {\n  # log_format main 'no';\n  log_format main '$remote_addr - [$time_local] '\n"
      "    '\"$request\" $status'; # the end\n  access_log x main;\n"
      "  log_format timed escape=json \"$msec $remote_addr \\\"$http_user_agent\\\"\";\n}\n");
  const std::string apache = folder.write("apache2.conf",
                                          "LogLevel warn\nLogFormat \"%h %t \\\"%r\\\" %>s\" "
                                          "short\n  logformat \"%{sec}t \\\n%h\" epoch\n"
                                          "CustomLog x short\n");
  const std::string time = "[02/Jan/2026:03:04:05 +0000]";
  struct Row {
    std::string format;
    std::string line;
  };
  const std::vector<Row> rows = {
      {"nginx:" + nginx + "#main", "192.0.2.7 - " + time + " \"GET / HTTP/1.1\" 200"},
      {"nginx:" + nginx + "#timed", "1767323045.000 192.0.2.7 \"a\\\"b\""},
      {"apache:" + apache + "#short", "192.0.2.7 " + time + " \"GET / HTTP/1.1\" 200"},
      {"apache:" + apache + "#epoch", "1767323045 192.0.2.7"},
      // the directive itself
      {"nginx:log_format x '$remote_addr ' '[$time_local]';", "192.0.2.7 " + time},
      {"apache:LogFormat \"%h %t \\\"%r\\\"\" x", "192.0.2.7 " + time + " \"-\""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.format);
    const ReadText read = read_text(row.line, flags_of(row.format));
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0] == ReadRow{0, "2026-01-02 03:04:05", "192.0.2.7", 1});
    CHECK(pin_flags(read.plan).starts_with("-F " + shell_word(row.format) + " --time-field "));
  }
  CHECK(refusal("nginx:" + nginx) ==
        "input: -F nginx:" + nginx + ": which log_format? Write " + nginx + "#NAME");
  CHECK(refusal("nginx:" + nginx + "#mian") == "input: no log_format mian in " + nginx);
  CHECK(refusal("apache:" + nginx) == "input: no LogFormat in " + nginx);
}

TEST_CASE("made formats: published access logs give the same rows as combined") {
  for (const char* name :
       {"apache_combined_blog_2015.log", "nginx_burst_cachebust.log",
        "nginx_burst_switching_ua.log", "apache_malformed_requests.log", "bad_access_log.log"}) {
    const auto text = shared_trace(name);
    if (!text) {
      MESSAGE("skipped: no ", name);
      continue;
    }
    CAPTURE(name);
    const ReadText combined = read_text(*text, flags_of("combined", {}, "bytes"));
    const ReadText nginx = read_text(*text, flags_of(kNginxCombined, {}, "body_bytes_sent"));
    const ReadText apache = read_text(*text, flags_of(kApacheCombined, {}, "bytes"));
    CHECK(nginx.requests == combined.requests);
    CHECK(apache.requests == combined.requests);
    CHECK(nginx.rows == combined.rows);
    CHECK(apache.rows == combined.rows);
    const ReadText agents = read_text(*text, flags_of("combined", {"path", "user_agent"}));
    CHECK(read_text(*text, flags_of(kNginxCombined, {"path", "http_user_agent"})).requests ==
          agents.requests);
    CHECK(read_text(*text, flags_of(kApacheCombined, {"path", "user_agent"})).requests ==
          agents.requests);
    if (std::string(name) == "bad_access_log.log") continue;  // the pattern takes more lines
    CHECK(read_text(*text, flags_of(kRegexCombined)).requests ==
          read_text(*text, flags_of("combined")).requests);
  }
}

TEST_CASE("made formats: lines of reports are read") {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"198.51.100.4 - user@example.com [08/Feb/2017:14:32:15 +0100] \"PROPFIND / HTTP/1.1\" 207 "
       "408 "
       "\"-\" \"x\"",
       "198.51.100.4"},
      {"198.51.100.4 - j.doe [08/Feb/2017:14:32:15 +0100] \"GET / HTTP/1.1\" 207 408 \"-\" \"x\"",
       "198.51.100.4"},
      {"2001:db8:60:2c74:: - - [24/Mar/2015:16:40:45 -0400] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"",
       "2001:db8:60:2c74::"},
      {"0:0:0:0:0:0:0:1 - - [24/Mar/2015:16:40:45 -0400] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"",
       "::1"},
      {"192.0.2.1 - a [b] [24/Mar/2015:16:40:45 -0400] \"GET /shell?cd+/tmp;wget+ a/j HTTP/1.1\" "
       "200 "
       "- \"-\" \"x\" 0.005",
       "192.0.2.1"},
  };
  for (const auto& [line, key] : lines) {
    CAPTURE(line);
    for (const std::string& format : {kNginxCombined, kApacheCombined}) {
      const ReadText read = read_text(line, flags_of(format));
      REQUIRE(read.requests.size() == 1);
      CHECK(read.requests[0].key == key);
    }
  }
}

TEST_CASE("made formats: any bytes give rows that add up") {
  std::mt19937_64 random(31);
  const std::string good =
      "192.0.2.1 - - [02/Jan/2026:03:04:05 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\n";
  const std::string letters = "\"\\[] -/:\r\n,.0123456789#%$";
  for (const std::string& format : {kNginxCombined, kApacheCombined, kRegexCombined}) {
    ReadFlags flags = flags_of(format, {"ip"});
    flags.time_field = format == kNginxCombined ? "time_local" : "time";
    flags.time_format = "clf";
    for (int round = 0; round < 1'000; ++round) {
      std::string text = good;
      for (std::size_t i = random() % 200; i > 0; --i) {
        text += random() % 20 == 0   ? static_cast<char>(random())
                : random() % 30 == 0 ? good[random() % good.size()]
                                     : letters[random() % letters.size()];
        if (random() % 60 == 0) text += good.substr(random() % good.size());
      }
      std::size_t rows = 0;
      std::string_view rest = text;
      while (!rest.empty()) {
        if (is_record_line(take_line(rest))) ++rows;
      }
      CAPTURE(text);
      const ReadText read = read_text(text, flags);
      CHECK(read.rows == rows);
      CHECK(read.requests.size() + read.bad_count == rows);
    }
  }
}

TEST_CASE("made formats: arbitrary texts make a format or are refused") {
  std::mt19937_64 random(37);
  const std::string letters = "$%{}\"\\[]() ?P<>a!,^ti:#'.*+|Thd";
  for (int round = 0; round < 3'000; ++round) {
    std::string format = round % 3 == 0 ? "nginx:" : round % 3 == 1 ? "apache:" : "regex:(?P<t>.)";
    for (std::size_t i = random() % 30; i > 0; --i) {
      format += random() % 40 == 0 ? static_cast<char>(random() % 255 + 1)
                                   : letters[random() % letters.size()];
    }
    CAPTURE(format);
    CHECK_FALSE(refusal(format, "192.0.2.1 [02/Jan/2026:03:04:05 +0000] x\n").empty());
  }
}
