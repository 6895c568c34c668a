// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace ratereplay::test {
namespace {

using Json = nlohmann::json;

ProgramRun run_on(const std::string& text, std::vector<std::string> flags) {
  const TemporaryFolder folder;
  std::vector<std::string> args = {"run", folder.write("trace", text)};
  args.insert(args.end(), flags.begin(), flags.end());
  return run_program(args);
}

Json json_of(const std::string& text, std::vector<std::string> flags) {
  flags.insert(flags.end(), {"-o", "json"});
  const ProgramRun run = run_on(text, flags);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return Json::parse(run.out);
}

bool says(const ProgramRun& run, const std::string& text) {
  return run.err.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("run: flags of time that say nothing are usage errors") {
  const std::string row = "ts,key,took_ms\n1700000000,a,5\n";
  struct Failure {
    std::vector<std::string> flags;
    std::string message;
  };
  const std::vector<Failure> failures = {
      {{"--tz", "Europe/Berlim"}, "error: --tz Europe/Berlim: no such zone"},
      {{"--tz", "local"}, "error: --tz local: no such zone"},
      {{"--year", "26"}, "error: --year 26: from 1678 to 2261"},
      {{"--year", "2262"}, "error: --year 2262: from 1678 to 2261"},
      {{"--year", "-2020"}, "error: --year -2020: from 1678 to 2261"},
      {{"--year", "x"}, "error: --year x: from 1678 to 2261"},
      {{"--time-is", "end"}, "error: --time-is end needs --duration-field"},
      {{"--time-is", "middle"}, "error: unknown value 'middle' of --time-is"},
      {{"--duration-field", "took_ms"}, "error: --duration-field is for --time-is end"},
      {{"--time-is", "end", "--duration-field", "tok_ms"}, "tok_ms"},
      {{"--time-is", "end", "--duration-field", "key"}, "the unit is not known"},
      {{"--subsecond", "smear"}, "error: unknown value 'smear' of --subsecond"},
      {{"--time-format", "%b %e %T"}, "error: --time-format '%b %e %T' has no year"},
  };
  for (const Failure& failure : failures) {
    CAPTURE(failure.message);
    const ProgramRun run = run_on(row, failure.flags);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(says(run, failure.message));
    CHECK(run.out.empty());
  }
}

TEST_CASE("run: a zone that is refused is not suggested") {
  const ProgramRun run = run_on("ts,key\n1700000000,a\n", {"--tz", "localtime"});
  CHECK(run.exit_code == 2);
  CHECK(says(run, "error: --tz localtime: no such zone\n  write UTC"));
}

TEST_CASE("run: --tz is said, pinned and part of the result") {
  const std::string text = "time,key\n2026-07-02 12:00:00,a\n2026-07-02 12:00:01,a\n";
  const Json result = json_of(text, {"--tz", "Europe/Berlin"});
  CHECK(result["trace"]["time"]["zone"] == "Europe/Berlin");
  CHECK(result["trace"]["firstMs"] == 1'782'986'400'000);
  const ProgramRun run = run_on(text, {"--tz", "+0200"});
  CHECK(says(run, "time time (iso, +02:00)"));
  CHECK(says(run, "--tz +02:00"));
  CHECK(run.out.find("(+02:00)") != std::string::npos);
  // Numbers need no zone.
  const Json epoch = json_of("ts,key\n1700000000,a\n", {"--tz", "Europe/Berlin"});
  CHECK(epoch["trace"]["time"]["zone"] == "+00:00");
  CHECK(epoch["trace"]["firstMs"] == 1'700'000'000'000);
}

TEST_CASE("run: times that a clock showed twice are warned of, those it skipped are bad rows") {
  std::string text = "time,key\n";
  for (int i = 0; i < 200; ++i) text += "2026-10-25 01:30:00,a\n";
  text += "2026-10-25 02:30:00,a\n2026-10-25 02:30:01,a\n2026-03-29 02:30:00,a\n";
  const ProgramRun run = run_on(text, {"--tz", "Europe/Berlin", "-o", "json"});
  CHECK(run.exit_code == 0);
  CHECK(says(run, "2 of 203 stamps lie in an hour that the clocks of Europe/Berlin showed twice"));
  CHECK(says(run, ":204:1"));
  CHECK(says(run, "put forward"));
  const Json result = Json::parse(run.out);
  CHECK(result["trace"]["bad"] == 1);
  CHECK(result["trace"]["lastMs"] == 1'792'888'201'000);

  // Of rows behind --head nothing is told.
  const ProgramRun head = run_on(text, {"--tz", "Europe/Berlin", "--head", "201"});
  CHECK(says(head, "1 of 201 stamps lie in an hour that the clocks of Europe/Berlin showed twice"));
}

TEST_CASE("run: stamps without a year need --year") {
  const std::string text = "time,key\nDec 31 23:59:59,a\nJan  1 00:00:01,a\n";
  const ProgramRun run = run_on(text, {});
  CHECK(run.exit_code == 3);
  CHECK(says(run, "field 'time': a time without a year; --year says which ('Dec 31 23:59:59')"));
  const Json result = json_of(text, {"--year", "2025"});
  CHECK(result["trace"]["time"]["format"] == "ctime");
  CHECK(result["trace"]["lastMs"].get<std::int64_t>() -
            result["trace"]["firstMs"].get<std::int64_t>() ==
        2'000);
  CHECK(says(run_on(text, {"--year", "2025"}), "--time-format ctime -k key --year 2025"));
}

TEST_CASE("run: --time-is end is part of the result, and a bad duration is a bad row") {
  const std::string text =
      "time,key,took_ms\n2026-07-02T12:00:00Z,a,500\n"
      "2026-07-02T12:00:01Z,a,-\n";
  const std::vector<std::string> flags = {"--time-is",      "end", "--duration-field", "took_ms",
                                          "--max-bad-rows", "1"};
  const Json result = json_of(text, flags);
  CHECK(result["trace"]["time"]["is"] == "end");
  CHECK(result["trace"]["firstMs"] == 1'782'993'599'500);
  CHECK(result["trace"]["badKinds"][0]["kind"] == "duration");
  CHECK(result["trace"]["badKinds"][0]["first"][0]["line"] == 3);
  CHECK(result["trace"]["badKinds"][0]["first"][0]["column"] == 24);
  const ProgramRun run = run_on(text, flags);
  CHECK(says(run, "(iso, less took_ms:ms)"));
  CHECK(says(run, "took_ms:ms"));
  CHECK(run.out.find("time (end)") != std::string::npos);
}

TEST_CASE("run: coarse stamps that requests of a key share are said, kept or spread") {
  // Second 0: a a b a; second 1: b. Three of a share a stamp; b's are apart.
  const std::string text =
      "time,key\n"
      "2026-07-02T12:00:00Z,a\n2026-07-02T12:00:00Z,a\n"
      "2026-07-02T12:00:00Z,b\n2026-07-02T12:00:00Z,a\n"
      "2026-07-02T12:00:01Z,b\n";
  const std::vector<std::string> policy = {"-p", "gcra:4/1s,capacity=1"};
  const Json kept = json_of(text, policy);
  CHECK(kept["trace"]["time"]["sharedStamps"] == 3);
  CHECK(kept["trace"]["time"]["subsecond"] == "keep");
  CHECK(kept["policies"][0]["admitted"] == 3);

  std::vector<std::string> spread = policy;
  spread.insert(spread.end(), {"--subsecond", "spread"});
  const Json moved = json_of(text, spread);
  CHECK(moved["trace"]["time"]["sharedStamps"] == 3);
  CHECK(moved["trace"]["time"]["subsecond"] == "spread");
  CHECK(moved["trace"]["time"]["resolutionMs"] == 1000);
  CHECK(moved["policies"][0]["admitted"] == 5);  // a at 0, 250 and 750 ms

  const ProgramRun table = run_on(text, policy);
  CHECK(table.out.find("3 requests share a 1 s stamp of their key: order and spacing unknown") !=
        std::string::npos);
  CHECK(table.out.find("(kept)") != std::string::npos);
  CHECK(run_on(text, spread).out.find("(spread evenly)") != std::string::npos);

  spread.insert(spread.end(), {"-o", "decisions.csv"});
  const ProgramRun decisions = run_on(text, spread);
  CHECK(decisions.out.find("4,1782993600750,a,1,") != std::string::npos);
}

TEST_CASE("run: minutes are spread as well, and the peak is that of the spread requests") {
  std::string text = "time,key\n";
  for (int i = 0; i < 120; ++i) text += "2026-07-02T12:00Z,a\n";
  text += "2026-07-02T12:01Z,a\n";
  const Json kept = json_of(text, {});
  CHECK(kept["trace"]["time"]["resolutionMs"] == 60'000);
  CHECK(kept["trace"]["peakPerSecond"] == 120);
  const Json spread = json_of(text, {"--subsecond", "spread"});
  CHECK(spread["trace"]["peakPerSecond"] == 2);
}

TEST_CASE("run: a spread trace gives the same bytes for any number of threads") {
  const TemporaryFolder folder;
  std::string text = "time,key\n";
  for (int i = 0; i < 20'000; ++i) {
    text += "2026-07-02T12:0" + std::to_string(i / 4'000) + ":" + std::to_string(10 + i / 80 % 50) +
            "Z,k" + std::to_string(i * 7 % 301) + "\n";
  }
  const std::string path = folder.write("many.csv", text);
  std::string first;
  for (const char* threads : {"1", "2", "5"}) {
    const ProgramRun run = run_program(
        {"run", path, path, "--subsecond", "spread", "--threads", threads, "-o", "json"});
    REQUIRE(run.exit_code == 0);
    if (first.empty()) first = run.out;
    CHECK(run.out == first);
  }
}

}  // namespace ratereplay::test
