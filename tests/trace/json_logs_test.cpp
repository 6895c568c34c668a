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

struct Log {
  const char* name;
  std::string line;
  std::int64_t after;  // ns after midnight
  const char* key;
};

TEST_CASE("ndjson: the logs of well-known servers are read without flags") {
  const std::vector<Log> logs = {
      {"Caddy",
       R"({"level":"info","ts":1767312001.25,"logger":"http.log.access","request":{"remote_ip":"192.0.2.9","client_ip":"192.0.2.1"},"duration":0.1,"size":5,"status":200})",
       1'250'000'000, "192.0.2.1"},
      {"Caddy before 2.5",
       R"({"ts":1767312001.25,"request":{"remote_addr":"192.0.2.1:4711","method":"GET"},"duration":0.1,"status":200})",
       1'250'000'000, "192.0.2.1"},
      {"Traefik",
       R"({"ClientAddr":"192.0.2.1:4711","ClientHost":"192.0.2.1","Duration":215563,"StartUTC":"2026-01-02T00:00:01.000000001Z","StartLocal":"2026-01-02T01:00:01.000000001+01:00","time":"2026-01-02T00:00:02Z"})",
       kSecond + 1, "192.0.2.1"},
      {"Cloudflare, RFC 3339",
       R"({"ClientIP":"192.0.2.1","EdgeEndTimestamp":"2026-01-02T00:00:02Z","EdgeResponseBytes":570,"EdgeStartTimestamp":"2026-01-02T00:00:01Z"})",
       kSecond, "192.0.2.1"},
      {"Cloudflare, unix",
       R"({"ClientIP":"192.0.2.1","EdgeEndTimestamp":1767312002,"EdgeStartTimestamp":1767312001})",
       kSecond, "192.0.2.1"},
      {"Cloudflare, unixnano",
       R"({"ClientIP":"192.0.2.1","EdgeEndTimestamp":1767312002000000001,"EdgeStartTimestamp":1767312001000000001})",
       kSecond + 1, "192.0.2.1"},
      {"GCP load balancer",
       R"({"httpRequest":{"latency":"0.1s","remoteIp":"192.0.2.1","requestMethod":"GET","serverIp":"10.0.0.1"},"insertId":"x","jsonPayload":{"remoteIp":"192.0.2.8"},"receiveTimestamp":"2026-01-02T00:00:03Z","timestamp":"2026-01-02T00:00:01.5Z"})",
       1'500'000'000, "192.0.2.1"},
      {"Envoy",
       R"({"start_time":"2026-01-02T00:00:01.100Z","method":"GET","duration":7,"downstream_remote_address":"192.0.2.1:40000",":authority":"a.example"})",
       1'100'000'000, "192.0.2.1"},
      {"AWS WAF",
       R"({"timestamp":1767312001100,"action":"ALLOW","httpRequest":{"clientIp":"192.0.2.1","country":"DE"}})",
       1'100'000'000, "192.0.2.1"},
      {"Azure Front Door",
       R"({"time":"2026-01-02T00:00:01.1Z","category":"FrontDoorAccessLog","properties":{"clientIp":"192.0.2.1","timeTaken":"0.1"}})",
       1'100'000'000, "192.0.2.1"},
      {"Zeek", R"({"ts":1767312001.100000,"uid":"C1","id.orig_h":"192.0.2.1","id.orig_p":4711})",
       1'100'000'000, "192.0.2.1"},
  };
  for (const Log& log : logs) {
    CAPTURE(log.name);
    const ReadResult result = read_text(log.line + "\n" + log.line + "\n", {});
    CHECK(result.format == "ndjson");
    CHECK(result.requests ==
          Rows{{1, kMidnight + log.after, log.key, 1}, {2, kMidnight + log.after, log.key, 1}});
    const ReadResult list = read_text("[" + log.line + ",\n" + log.line + "]", {});
    CHECK(list.format == "json");
    CHECK(list.requests == result.requests);
  }
}

TEST_CASE("ndjson: a record without the object of the request is none") {
  const std::string row = R"({"ts":1767312001,"request":{"client_ip":"192.0.2.1"},"status":200})";
  const std::string text = row + "\n" + row + "\n" +
                           R"({"ts":1767312001,"msg":"started"})"
                           "\n"
                           R"({"msg":"no time either","request":null})"
                           "\n"
                           R"({"request":{"client_ip":"192.0.2.1"}})"
                           "\n"
                           R"({"ts":1767312002,"request":{"method":"GET"}})"
                           "\n"
                           R"({"ts":1767312003,"a":{"request":{}}})"
                           "\n" +
                           row + "\n" + "panic: x\n";
  for (const char* const key : {"", "request.client_ip", "none"}) {
    CAPTURE(key);
    const ReadResult result = read_text_in_all_blocks(text, flags_of("", "", "", key, ""));
    CHECK(result.rows == 9);
    CHECK(result.filtered == 3);
    CHECK(result.requests.size() == 4);
    CHECK(result.bad_rows == std::vector<std::string>{"5:1 timestamp the time is missing",
                                                      "9:1 syntax a record must be an object"});
  }
  // Another key says what a request is by itself.
  CHECK(read_text_in_all_blocks(text, flags_of("", "", "", "status", "")).filtered == 0);
}

}  // namespace
}  // namespace ratereplay::testing
