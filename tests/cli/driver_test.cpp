// SPDX-License-Identifier: Apache-2.0
// Programs behind drivers as policies of a run.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "report/result_json_reader.hpp"
#include "run_program.hpp"
#include "spec/policy_spec.hpp"

namespace ratereplay::test {
namespace {

const std::string kLimiter =
    "driver:python3 " RATEREPLAY_SOURCE_DIR "/docs/drivers/python/limiter.py";
const std::string kTrace = RATEREPLAY_SOURCE_DIR "/traces/shop.csv";

/// A message without the breaks of its lines.
std::string unwrapped(const std::string& message) {
  std::istringstream words(message);
  std::string text;
  std::string word;
  while (words >> word) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST_CASE("run: a driver that is a sliding log decides as ours, in every output") {
  const TemporaryFolder folder;
  const ProgramRun run = run_program({"run",     kTrace,
                                      "-p",      "sliding-log:10/1s",
                                      "-p",      "mine=" + kLimiter,
                                      "-p",      "gcra:10/1s",
                                      "-o",      "json",
                                      "-o",      "decisions.csv=" + folder.path("all.csv"),
                                      "-o",      "decisions.ndjson=" + folder.path("all.ndjson"),
                                      "-o",      "csv=" + folder.path("sum.csv"),
                                      "-o",      "series.csv=" + folder.path("series.csv"),
                                      "-o",      "markdown=" + folder.path("sum.md"),
                                      "--check", "mine agreement >= 100%",
                                      "--check", "mine retry_after.p99 < 1s"});
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  const Result result = result_from_json(run.out, "result");
  REQUIRE(result.policies.size() == 3);
  const PolicyResult& ours = result.policies[0];
  const PolicyResult& mine = result.policies[1];
  CHECK(mine.label() == "mine");
  CHECK(mine.spec == kLimiter);
  CHECK(mine.driver == kLimiter.substr(7));
  CHECK(canonical_text(mine.policy) == "sliding-log:10/1s");
  CHECK(mine.admitted == ours.admitted);
  CHECK(mine.refused == ours.refused);
  CHECK(mine.refused > 0);
  CHECK(mine.keys_refused == ours.keys_refused);
  CHECK(mine.retry_after.p50 == ours.retry_after.p50);
  CHECK(mine.retry_after.max == ours.retry_after.max);
  CHECK(mine.worst.admitted == ours.worst.admitted);
  CHECK(mine.worst.key == ours.worst.key);
  CHECK(mine.worst.at == ours.worst.at);
  CHECK(mine.agreement.agree == result.trace.requests);
  CHECK(mine.series.refused == ours.series.refused);
  CHECK(mine.series.live_keys.empty());
  CHECK(!mine.memory);
  CHECK(mine.top_keys.size() == ours.top_keys.size());
  CHECK(mine.top_keys.front().key == ours.top_keys.front().key);

  // Every decision: the fields that the program does not tell are left empty, or out.
  std::string line;
  std::size_t ours_lines = 0;
  std::size_t same = 0;
  std::istringstream lines(read_text(folder.path("all.csv")));
  std::string before;
  while (std::getline(lines, line)) {
    const std::size_t at = line.find(",mine,");
    if (at != line.npos) {
      ++ours_lines;
      const std::size_t end = before.find(",sliding-log:10/1s,") + 19;
      std::string told = before.substr(end);  // admitted,remaining,retryAfterMs,...
      std::size_t commas = 0;
      std::size_t cut = 0;
      while (commas < 3) commas += told[cut++] == ',';
      same += line.substr(at + 6) == told.substr(0, cut) + ",,";
    }
    before = line;
  }
  CHECK(ours_lines == result.trace.requests);
  CHECK(same == ours_lines);
  const std::string ndjson = read_text(folder.path("all.ndjson"));
  const std::size_t at = ndjson.find("\"policy\":\"mine\"");
  const std::string first = ndjson.substr(at, ndjson.find('\n', at) - at);
  CHECK(first == "\"policy\":\"mine\",\"admitted\":true,\"remaining\":9,\"retryAfterMs\":0}");

  // A stored result can be drawn again.
  const std::string stored = folder.write("result.json", run.out);
  const ProgramRun table = run_program({"report", stored});
  CAPTURE(table.out);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("  mine ") != std::string::npos);
  CHECK(run_program({"report", stored, "-o", "json"}).out == run.out);
}

/// The waits of the two policies of a run, ours first, in the columns of its CSV.
std::vector<std::string> waits_of(std::vector<std::string> args) {
  args.insert(args.begin(), "run");
  args.insert(args.end(), {"-q", "-p", "mine=" + kLimiter, "-o", "csv"});
  const ProgramRun run = run_program(args);
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  std::vector<std::string> waits;
  std::istringstream lines(run.out);
  std::string line;
  std::getline(lines, line);
  const auto column = [](const std::string& row, std::size_t number) {
    std::istringstream fields(row);
    std::string field;
    for (std::size_t i = 0; i <= number; ++i) std::getline(fields, field, ',');
    return field;
  };
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; !column(line, i).empty() && i < 40; ++i) {
    if (column(line, i).starts_with("retryAfter")) wanted.push_back(i);
  }
  CHECK(!wanted.empty());
  while (std::getline(lines, line)) {
    waits.emplace_back();
    for (const std::size_t i : wanted) waits.back() += column(line, i) + ' ';
  }
  return waits;
}

TEST_CASE("run: the waits that a driver tells are counted in whole ticks, as ours are") {
  for (const char* tick : {"1us", "1ms", "300ms", "1s"}) {
    CAPTURE(tick);
    const auto waits = waits_of({kTrace, "-p", "sliding-log:10/1s", "--tick", tick});
    REQUIRE(waits.size() == 2);
    CHECK(waits[0] == waits[1]);
  }
  const TemporaryFolder folder;
  const std::string fine = folder.write("fine.csv", "time_us,key\n0,a\n300,a\n600,a\n");
  const std::string decisions = folder.path("decisions.csv");
  const auto waits = waits_of({fine, "--time-format", "relative-us", "-p", "sliding-log:1/1s", "-o",
                               "decisions.csv=" + decisions});
  REQUIRE(waits.size() == 2);
  CHECK(waits[0] == waits[1]);
  CHECK(waits[1].find("1000") != std::string::npos);
  CHECK(read_text(decisions).find(",mine,false,0,1000,") != std::string::npos);
}

TEST_CASE("run: a driver can be the reference; a program of the policy file") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("policies.txt", "mine=" + kLimiter + "  # the real one\ngcra:10/1s\n");
  const ProgramRun mine = run_program({"run", kTrace, "--policies", file, "-p", "sliding-log:10/1s",
                                       "--reference", "mine", "-o", "json"});
  CAPTURE(mine.err);
  REQUIRE(mine.exit_code == 0);
  const ProgramRun ours =
      run_program({"run", kTrace, "-p", "sliding-log:10/1s", "-p", "gcra:10/1s", "-o", "json"});
  const Result by_mine = result_from_json(mine.out, "mine");
  const Result by_ours = result_from_json(ours.out, "ours");
  CHECK(by_mine.reference == "mine");
  CHECK(by_mine.policies[2].agreement.looser == by_ours.policies[1].agreement.looser);
  CHECK(by_mine.policies[2].agreement.stricter == by_ours.policies[1].agreement.stricter);
  CHECK(by_mine.policies[2].agreement.looser > 0);
}

TEST_CASE("run: what goes wrong with a driver is an error of the input, and quick") {
  const auto failed = [](const std::string& driver) {
    return run_program({"run", kTrace, "-p", "sliding-log:10/1s", "-p", "mine=driver:" + driver,
                        "--driver-timeout", "500ms"});
  };
  const ProgramRun died = failed("read -r x; echo '{\"ready\":true}'; read -r x; exit 4");
  CHECK(died.exit_code == 3);
  CHECK(died.out.empty());
  CHECK(died.err.find("error: the driver ended with exit code 4\n") != std::string::npos);
  CHECK(unwrapped(died.err).find("exit 4, at row 1 {\"at\":") != std::string::npos);
  const ProgramRun lags = failed("sleep 30");
  CHECK(lags.exit_code == 3);
  CHECK(lags.err.find("the driver did not answer within 500ms") != std::string::npos);
  CHECK(lags.err.find("--> driver: sleep 30, at the opening line\n") != std::string::npos);
  const ProgramRun other = run_program({"run", kTrace, "-p", "gcra:10/1s", "-p", kLimiter});
  CHECK(other.exit_code == 3);
  CHECK(unwrapped(other.err).find("only a plain sliding-log here, not gcra:10/1s,capacity=10") !=
        std::string::npos);
}

TEST_CASE("drivers: lines that nobody asked for are noticed at the end too") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("one.csv", "time_ms,key\n0,a\n");
  const std::string ready = "read -r x; echo '{\"ready\":true}'; ";
  const std::string answer = "echo '{\"admitted\":true}'; ";
  const auto run = [&](const std::string& driver) {
    return run_program(
        {"run", trace, "-q", "-p", "sliding-log:1/1s", "-p", "mine=driver:" + driver});
  };
  CHECK(run(ready + "read -r x; " + answer + "cat >/dev/null").exit_code == 0);
  for (const std::string& more :
       {answer, std::string("printf bye; "), "cat >/dev/null; " + answer}) {
    CAPTURE(more);
    const ProgramRun said = run(ready + "read -r x; " + answer + more + "cat >/dev/null");
    CHECK(said.exit_code == 3);
    CHECK(said.out.empty());
    CHECK(unwrapped(said.err).find("the driver wrote a line that nobody asked for") !=
          std::string::npos);
    CHECK(unwrapped(said.err).find("at row 1") != std::string::npos);
  }
  const std::string vectors = folder.path("vectors.json");
  REQUIRE(
      run_program({"vectors", "generate", "sliding-log:5/1s", "-o", "json=" + vectors}).exit_code ==
      0);
  const std::string farewell = kLimiter.substr(7) + "; echo bye";
  for (const std::vector<std::string>& rest :
       {std::vector<std::string>{"verify", vectors}, {"identify", "--limit", "5/1s"}}) {
    std::vector<std::string> args{"vectors"};
    args.insert(args.end(), rest.begin(), rest.end());
    args.insert(args.end(), {"--driver", farewell});
    const ProgramRun said = run_program(args);
    CHECK(said.exit_code == 3);
    CHECK(said.err.find("the driver wrote a line that nobody asked for: 'bye'") !=
          std::string::npos);
  }
}

TEST_CASE("drivers: a signal while one is waited for ends it and us") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("one.csv", "time_ms,key\n0,a\n");
  const std::string ready = "read -r x; echo '{\"ready\":true}'; read -r x; ";
  const std::string answer = "echo '{\"admitted\":true}'; cat >/dev/null; ";
  for (const std::string& before : {std::string(), answer}) {
    for (const std::string signal : {"INT", "TERM", "HUP"}) {
      CAPTURE(before);
      CAPTURE(signal);
      const std::string pid = folder.path("pid");
      const std::string driver = "sleep 60 & echo $! >'" + pid + "'; " + ready + before + "kill -" +
                                 signal + " $PPID; wait";
      const ProgramRun run =
          run_program({"run", trace, "-q", "-p", "sliding-log:1/1s", "-p", "driver:" + driver});
      CHECK(run.exit_code == 130);
      CHECK(run.out.empty());
      pid_t sleeper = 0;
      std::ifstream(pid) >> sleeper;
      REQUIRE(sleeper > 0);
      for (int i = 0; i < 500 && kill(sleeper, 0) == 0; ++i) usleep(10'000);
      CHECK(kill(sleeper, 0) != 0);
    }
  }
}

/// Answers yes to everything; keeps what it was told in a file.
std::string recorder(const std::string& file) {
  return "tee '" + file +
         "' | sed -u -e '/protocol/{s/.*/{\"ready\":true}/;b' -e '}' -e "
         "'s/.*/{\"admitted\":true}/'";
}

TEST_CASE("run: a driver is never told two keys as one") {
  const TemporaryFolder folder;
  const std::string trace = folder.write(
      "keys.csv", "time_ms,a,b\n0,x | y,z\n1,x,y | z\n2,x,\"y \\| z\"\n3,x |,y\n4,x,| y\n5,\\,n\n");
  const std::string heard = folder.path("heard");
  const ProgramRun run = run_program({"run", trace, "-k", "a", "-k", "b", "-p", "sliding-log:1/1s",
                                      "-p", "mine=driver:" + recorder(heard)});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(unwrapped(run.err).find("mine is told the policy sliding-log:1/1s") != std::string::npos);
  std::istringstream lines(read_text(heard));
  std::string line;
  std::set<std::string> keys;
  std::getline(lines, line);
  while (std::getline(lines, line)) keys.insert(line.substr(line.find("\"key\":")));
  CHECK(keys.size() == 6);
  CHECK(keys.count(R"("key":"\\ | n","cost":1})") == 1);
  CHECK(keys.count(R"("key":"x \\| y | z","cost":1})") == 1);
}

TEST_CASE("run: a check of what a driver does not tell says so") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("two.csv", "time_ms,key\n0,a\n1,a\n");
  const std::string no =
      "sed -u -e '/protocol/{s/.*/{\"ready\":true}/;b' -e '}' -e 's/.*/{\"admitted\":false}/'";
  const ProgramRun run =
      run_program({"run", trace, "-q", "-p", "sliding-log:5/1s", "-p", "mine=driver:" + no,
                   "--check", "mine retry_after.p99 < 1s", "--check", "mine delay.p99 < 1s",
                   "--check", "mine live_bytes < 1000"});
  CAPTURE(run.out);
  CHECK(run.exit_code == 1);
  std::size_t times = 0;
  for (std::size_t at = 0; (at = run.out.find("not told", at)) != run.out.npos; ++at) ++times;
  CHECK(times == 3);
}

TEST_CASE("verify: a driver is asked, and what differs is exit code 1") {
  const TemporaryFolder folder;
  const std::string python = kLimiter.substr(7);
  const auto vectors = [&](const std::string& policy) {
    const std::string path = folder.path("vectors.json");
    REQUIRE(run_program({"vectors", "generate", policy, "-o", "json=" + path}).exit_code == 0);
    return path;
  };
  const std::string same = vectors("sliding-log:5/1s");
  const ProgramRun alike = run_program({"vectors", "verify", same, "--driver", python});
  CAPTURE(alike.err);
  CHECK(alike.exit_code == 0);
  CHECK(alike.out.find("; all agree\n") != std::string::npos);

  // With -p it is opened with that policy instead.
  const std::string other = vectors("sliding-log:5/1s,boundary=closed");
  const ProgramRun refuses = run_program({"vectors", "verify", other, "--driver", python});
  CHECK(refuses.exit_code == 3);
  CHECK(refuses.out.empty());
  CHECK(unwrapped(refuses.err).find("vectors.json, case 'fills, then refuses', the opening line") !=
        std::string::npos);
  const ProgramRun differs = run_program(
      {"vectors", "verify", other, "--driver", python, "-p", "sliding-log:5/1s", "-o", "junit"});
  CHECK(differs.exit_code == 1);
  CHECK(differs.out.find("<failure") != std::string::npos);

  const ProgramRun nonsense = run_program(
      {"vectors", "verify", same, "--driver", "read -r x; echo '{\"ready\":true}'; cat"});
  CHECK(nonsense.exit_code == 3);
  CHECK(unwrapped(nonsense.err)
            .find("the driver told an unknown field 'at': '{\"at\":0,\"key\":\"a\",\"cost\":1}'") !=
        std::string::npos);
  CHECK(unwrapped(nonsense.err).find("case 'fills, then refuses', step 1 {\"at\":0,") !=
        std::string::npos);
}

TEST_CASE("run: a driver needs a policy of ours, a command, and a time-out above 0") {
  const ProgramRun alone = run_program({"run", kTrace, "-p", "driver:cat"});
  CHECK(alone.exit_code == 2);
  CHECK(alone.err.find("a driver needs a policy of ours beside it") != std::string::npos);
  CHECK(run_program({"run", kTrace, "-p", "mine=driver:"}).exit_code == 2);
  const ProgramRun unknown = run_program({"run", kTrace, "-p", "driven:cat"});
  CHECK(unwrapped(unknown.err).find("; or driver:COMMAND") != std::string::npos);
  const ProgramRun zero = run_program({"run", kTrace, "--driver-timeout", "0s"});
  CHECK(zero.exit_code == 2);
  CHECK(zero.err.find("--driver-timeout 0s: not a duration above 0") != std::string::npos);
  const ProgramRun twice =
      run_program({"run", kTrace, "-p", "driver:cat", "-p", "driver:cat", "-p", "gcra:1/1s"});
  CHECK(twice.exit_code == 2);
  CHECK(twice.err.find("the policy driver:cat is given twice") != std::string::npos);
}

}  // namespace
}  // namespace ratereplay::test
