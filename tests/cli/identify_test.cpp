// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace ratereplay::test {
namespace {

const std::string kTrace = RATEREPLAY_SOURCE_DIR "/traces/shop.csv";

ProgramRun identify(std::vector<std::string> args) {
  args.insert(args.begin(), {"vectors", "identify", "-q"});
  return run_program(args);
}

std::vector<std::string> consistent(const ProgramRun& run) {
  return nlohmann::json::parse(run.out).at("consistent").get<std::vector<std::string>>();
}

TEST_CASE("identify: decisions of a run name the variant, as CSV and as lines of JSON") {
  const TemporaryFolder folder;
  for (const std::string policy :
       {"sliding-counter:10/1s,round=exact,charge=attempted", "sliding-log:10/1s",
        "fixed-window:10/1s,anchor=first", "token-bucket:10/1s,capacity=15,refill=interval"}) {
    CAPTURE(policy);
    const std::string csv = folder.path("decided.csv");
    const std::string ndjson = folder.path("decided.ndjson");
    REQUIRE(run_program({"run", kTrace, "-p", policy, "-o", "decisions.csv=" + csv, "-o",
                         "decisions.ndjson=" + ndjson})
                .exit_code == 0);
    for (const std::string& file : {csv, ndjson}) {
      std::vector<std::string> args{"--limit", "10/1s", file, "-o", "json"};
      if (policy.find("capacity") != policy.npos) args.insert(args.end(), {"--capacity", "15"});
      const ProgramRun run = identify(args);
      CAPTURE(run.err);
      REQUIRE(run.exit_code == 0);
      const std::vector<std::string> names = consistent(run);
      CHECK(std::count(names.begin(), names.end(), policy) == 1);
      // What the trace does not show, such as a request exactly one window after another.
      CHECK(names.size() <= 4);
    }
  }
}

TEST_CASE("identify: a log tells by its statuses what was refused") {
  const TemporaryFolder folder;
  const std::string csv = folder.path("decided.csv");
  REQUIRE(run_program({"run", kTrace, "-p", "sliding-log:10/1s", "-o", "decisions.csv=" + csv})
              .exit_code == 0);
  std::istringstream lines(read_text(csv));
  std::string log;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string row, at, key, cost, policy, admitted;
    for (std::string* field : {&row, &at, &key, &cost, &policy, &admitted}) {
      std::getline(fields, *field, ',');
    }
    log += "{\"time_ms\":" + at + ",\"user\":\"" + key + "\",\"cost\":" + cost +
           ",\"status\":" + (admitted == "true" ? "200" : "503") + "}\n";
  }
  const std::string path = folder.write("access.ndjson", log);
  const ProgramRun run = identify({"--limit", "5/1s", "--limit", "10/1s", "--refused-status", "503",
                                   "-k", "user", path, "-o", "json"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(consistent(run).front() == "sliding-log:10/1s");
  CHECK(consistent(run).size() <= 2);

  // Nobody was refused with 429: no limit of 10 a second was at work.
  const ProgramRun none = identify({"--limit", "10/1s", "-k", "user", path});
  CHECK(none.exit_code == 1);
  CHECK(none.out.find("None of the variants decides alike.") != std::string::npos);
  CHECK(none.out.find("NEAREST OF THE OTHERS, ruled out by") != std::string::npos);
}

TEST_CASE("identify: a driver that is none of the variants is exit code 1, and the output stable") {
  const std::string odd =
      "python3 -uc 'import sys\nfor i, line in enumerate(sys.stdin):\n"
      "  print(\"{\\\"ready\\\":true}\" if \"protocol\" in line else "
      "\"{\\\"admitted\\\":\" + (\"true\" if i % 3 else \"false\") + \"}\")'";
  const ProgramRun run = identify({"--limit", "5/1s", "--driver", odd, "-o", "json"});
  CAPTURE(run.err);
  CHECK(run.exit_code == 1);
  CHECK(consistent(run).empty());
  const auto document = nlohmann::json::parse(run.out);
  CHECK(document.at("decisions").get<int>() <= 200);
  CHECK(document.at("nearest").size() == 5);
  CHECK(identify({"--limit", "5/1s", "--driver", odd, "-o", "json"}).out == run.out);
}

TEST_CASE("identify: what cannot be done is said") {
  const TemporaryFolder folder;
  const std::string file = folder.write("plain.csv", "time_ms,key\n0,a\n");
  const auto said = [](const ProgramRun& run, const std::string& what) {
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(run.err.find(what) != std::string::npos);
  };
  said(identify({file}), "identify needs the limit of the limiter");
  said(identify({"--limit", "5/1s"}), "identify needs decisions: from files, or from a driver");
  said(identify({"--limit", "5/1s", file, "--driver", "cat"}), "identify needs decisions");
  said(identify({"--limit", "5", file}), "the limit '5' needs a window");
  said(identify({"--limit", "5/1s", file}), "no field says what was admitted");
  said(identify({"--limit", "5/1s", "-"}), "identify reads its files twice");
  said(identify({"--limit", "5/1s", "--limit", "6/1s", "--driver", "cat"}),
       "a driver is asked for one limit at a time");
  said(identify({"--limit", "5/1s", "--capacity", "0", file}), "--capacity 0: it is 1 at least");
  const ProgramRun dead = identify({"--limit", "5/1s", "--driver", "exit 3"});
  CHECK(dead.exit_code == 3);
  CHECK(dead.err.find("the driver ended with exit code 3") != std::string::npos);
  CHECK(identify({"--limit", "5/1s", folder.path("none.csv")}).exit_code == 3);
}

}  // namespace
}  // namespace ratereplay::test
