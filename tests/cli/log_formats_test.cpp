// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace ratereplay::test {
namespace {

struct Log {
  const char* name;
  std::string text;
  const char* pin;  // what inspect says
  int rows;
};

/// Two requests of one client, of the format's own documentation.
std::vector<Log> logs() {
  const std::string access =
      R"(192.0.2.1 - - [02/Jan/2026:00:00:01 +0000] "GET / HTTP/1.1" 200 5 "-" "x")";
  const std::string cri = "2026-01-02T00:00:01.5Z stdout F " + access + "\n";
  const std::string caddy =
      "2026/01/02 00:00:01.541\tinfo\thttp.log.access\thandled request\t"
      R"({"request": {"remote_ip": "192.0.2.1"}, "size": 5})"
      "\n";
  return {
      {"iis.log",
       "#Version: 1.0\n#Fields: date time c-ip\n2026-01-02 00:00:01 192.0.2.1\n"
       "#Fields: c-ip date time\n192.0.2.1 2026-01-02 00:00:02\n",
       "-F w3c --time-field date+time --time-format iso -k ip", 2},
      {"zeek.log",
       "#separator "
       "\\x09\n#fields\tts\tid.orig_h\n1767312000.5\t192.0.2.1\n1767312001.5\t192.0.2.1\n",
       "-F zeek --time-field ts --time-format epoch-s -k ip", 2},
      {"logfmt.log",
       "time=2026-01-02T00:00:01Z ip=192.0.2.1\ntime=2026-01-02T00:00:02Z ip=192.0.2.1\n",
       "-F logfmt --time-field time --time-format iso -k ip", 2},
      {"cri.log", cri + cri, "-F cri+combined --time-field time --time-format clf -k ip", 2},
      {"caddy.log", caddy + caddy,
       "-F caddy+ndjson --time-field ts --time-format iso -k request.remote_ip", 2},
  };
}

}  // namespace

TEST_CASE("run: logs as servers and collectors write them need no flags") {
  const TemporaryFolder folder;
  for (const Log& log : logs()) {
    CAPTURE(log.name);
    const std::string path = folder.write(log.name, log.text);
    const ProgramRun seen = run_program({"inspect", path});
    CAPTURE(seen.out);
    CAPTURE(seen.err);
    CHECK(seen.exit_code == 0);
    CHECK(seen.out.find(log.pin) != std::string::npos);
    const ProgramRun run = run_program({"run", path, "-o", "json"});
    REQUIRE(run.exit_code == 0);
    const auto trace = nlohmann::json::parse(run.out)["trace"];
    CHECK(trace["rows"] == log.rows);
    CHECK(trace["requests"] == log.rows);
    CHECK(trace["keys"] == 1);
    CHECK(trace["bad"] == 0);
  }
}

TEST_CASE("run: columns that change deep inside a file are the same for any number of threads") {
  std::string text;
  for (int part = 0; part < 400; ++part) {
    text += part % 2 == 0 ? "#Fields: date time c-ip x\n" : "#Fields: x c-ip date time\n";
    for (int row = 0; row < 900; ++row) {
      const std::string at = fmt::format("2026-01-02 00:{:02}:{:02}", row / 60, row % 60);
      const std::string ip = fmt::format("192.0.2.{}", row % 7);
      text += part % 2 == 0 ? at + " " + ip + " 10.0.0.1\n" : "10.0.0.1 " + ip + " " + at + "\n";
    }
  }
  const TemporaryFolder folder;
  const std::string path = folder.write("big.log", text);
  std::string first;
  for (const char* threads : {"1", "2", "5"}) {
    const ProgramRun run = run_program({"run", path, "-o", "json", "-q", "--threads", threads});
    REQUIRE(run.exit_code == 0);
    if (first.empty()) first = run.out;
    CHECK(run.out == first);
  }
  const auto trace = nlohmann::json::parse(first)["trace"];
  CHECK(trace["rows"] == 360'000);
  CHECK(trace["keys"] == 7);
  CHECK(trace["bad"] == 0);
}

TEST_CASE("run: what cannot be read of these logs is told with the right exit code") {
  const TemporaryFolder folder;
  struct Failure {
    std::string text;
    std::vector<std::string> flags;
    int exit_code;
    const char* message;
  };
  const std::vector<Failure> failures = {
      {"#Fields: time c-ip\n00:00:01 192.0.2.1\n", {}, 3, "a time of day"},
      {"#Fields: date time c-ip\n", {}, 3, "only a header"},
      {"2026-01-02 00:00:01 192.0.2.1\n", {"-F", "w3c"}, 3, "its only row could not be read"},
      {"a=1 b=2\n", {"-F", "cri+csv"}, 2, "line by line"},
      {"a=1 b=2\n", {"-F", "cri"}, 3, "of no known format"},
      {"<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n", {}, 3, "JMeter"},
  };
  for (const Failure& failure : failures) {
    CAPTURE(failure.text);
    std::vector<std::string> args = {"run", folder.write("log", failure.text)};
    args.insert(args.end(), failure.flags.begin(), failure.flags.end());
    const ProgramRun run = run_program(args);
    CAPTURE(run.err);
    CHECK(run.exit_code == failure.exit_code);
    CHECK(run.err.find(failure.message) != std::string::npos);
  }
}

}  // namespace ratereplay::test
