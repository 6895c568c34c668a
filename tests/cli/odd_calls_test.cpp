// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace ratereplay::test {
namespace {

const std::string kTrace = "time_ms,key\n0,a\n1,b\n2,a\n";

}  // namespace

TEST_CASE("run: counts are counts, not whatever a number wraps to") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", kTrace);
  struct Row {
    std::vector<std::string> flags;
    int exit_code;
    const char* message;
  };
  const Row table[] = {
      {{"--top", "-1"}, 2, "--top '-1' is not a count"},
      {{"--top", "18446744073709551616"}, 2, "is not a count"},
      {{"--top", "1e3"}, 2, "write digits, with k for thousands"},
      {{"--top", "0"}, 0, ""},
      {{"--top", "9223372036854775807"}, 0, ""},
      {{"--head", "-1"}, 2, "--head '-1' is not a count"},
      {{"--head", "0"}, 2, "--head 0: at least one row"},
      {{"--head", "1k"}, 0, ""},
      {{"--threads", "-18446744073709551615"}, 2, "from 1 to 256"},
      {{"--threads", "257"}, 2, "--threads 257: from 1 to 256"},
      {{"--threads", "two"}, 2, "--threads two: from 1 to 256"},
      {{"--threads", "2"}, 0, ""},
      {{"--project-keys", "-5"}, 2, "--project-keys '-5' is not a count"},
      {{"--project-keys", "0"}, 0, ""},
      {{"--project-keys", "10M"}, 0, ""},
      {{"--project-keys", "9223372036854775807"}, 0, ""},
  };
  for (const Row& row : table) {
    std::vector<std::string> args = {"run", trace, "-q"};
    args.insert(args.end(), row.flags.begin(), row.flags.end());
    const ProgramRun run = run_program(args);
    CAPTURE(row.flags[1]);
    CAPTURE(run.err);
    CHECK(run.exit_code == row.exit_code);
    CHECK(run.err.find(row.message) != std::string::npos);
    CHECK(run.out.empty() == (row.exit_code != 0));
  }
}

TEST_CASE("an output never takes the place of a trace") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", kTrace);
  const std::string other = folder.path("u.csv");
  const std::string dotted = folder.path("./t.csv");
  const std::vector<std::string> refused[] = {
      {"run", trace, "-o", "csv=" + trace},
      {"run", trace, "-o", "json=" + dotted},
      {"run", trace, "-o", "decisions.csv=" + trace},
      {"run", folder.path("[t].csv"), "-o", "csv=" + trace},
      {"run", trace, "--bad-rows", dotted},
      {"run", trace, "--bad-rows", other, "-o", "csv=" + other},
      {"inspect", trace, "-o", "json=" + trace},
      {"inspect", trace, "--export", "csv=" + dotted},
  };
  for (std::vector<std::string> args : refused) {
    args.emplace_back("-q");
    const ProgramRun run = run_program(args);
    CAPTURE(args[3]);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(read_text(trace) == kTrace);
  }
  CHECK(run_program({"run", trace, "-q", "-o", "csv=" + other}).exit_code == 0);
}

TEST_CASE("no two outputs share a file, and none takes the place of a file of policies") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", kTrace);
  const std::string policies = folder.write("policies", "gcra:1/1s\n");
  const std::string kept = folder.write("kept", "as it was\n");
  const std::string link = folder.path("link");
  const std::string dangling = folder.path("dangling");
  std::filesystem::create_symlink("kept", link);
  std::filesystem::create_symlink("later", dangling);
  const std::string later = folder.path("later");
  const std::vector<std::string> refused[] = {
      {"run", trace, "--bad-rows", link, "-o", "decisions.csv=" + kept},
      {"run", trace, "--bad-rows", kept, "-o", "json=" + link},
      {"run", trace, "--bad-rows", dangling, "-o", "json=" + later},
      {"run", trace, "-o", "csv=" + dangling, "-o", "json=" + later},
      {"run", trace, "-o", "csv=" + link, "-o", "json=" + kept},
      {"inspect", trace, "--bad-rows", kept, "--export", "csv=" + kept},
      {"inspect", trace, "--bad-rows", link, "--export", "csv=" + kept},
      {"inspect", trace, "-o", "json=" + kept, "--export", "csv=" + link},
      {"run", trace, "--policies", policies, "-o", "csv=" + policies},
      {"run", trace, "--policies", policies, "--bad-rows", policies},
      {"run", trace, "--bad-rows", "/dev/stdout"},
      {"run", trace, "--bad-rows", "/dev/fd/1"},
  };
  for (const std::vector<std::string>& args : refused) {
    const ProgramRun run = run_program(args);
    CAPTURE(args[3]);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(read_text(kept) == "as it was\n");
    CHECK(read_text(policies) == "gcra:1/1s\n");
  }
  CHECK(run_program({"run", trace, "-q", "--bad-rows", link, "-o", "csv=" + later}).exit_code == 0);
  CHECK(run_program({"run", trace, "--bad-rows", "/dev/null", "-o", "csv=/dev/null"}).exit_code ==
        0);
}

TEST_CASE("run: a file of policies that never ends is refused") {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_program({"run", folder.write("t.csv", kTrace), "--policies", "/dev/zero"});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("no file of policies") != std::string::npos);
}

TEST_CASE("report: a device that never ends is no result") {
  const ProgramRun run = run_program({"report", "/dev/zero"});
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("not JSON") != std::string::npos);
}

TEST_CASE("odd calls: a signal ends a program that waits for a pipe, whichever one it is") {
  const TemporaryFolder folder;
  const std::string program = RATEREPLAY_PROGRAM;
  const std::string waiting = folder.path("fifo");
  REQUIRE(std::system(("mkfifo " + waiting).c_str()) == 0);
  const auto ends = [&](const std::string& signal, const std::string& call) {
    CAPTURE(signal);
    CAPTURE(call);
    const std::string line = "cd " + folder.root() + " && timeout --preserve-status -s " + signal +
                             " 1 " + program + call + " </dev/null >out 2>err; test $? = 130";
    CHECK(std::system(line.c_str()) == 0);
    CHECK(read_text(folder.path("err")) == "error: interrupted\n");
  };
  for (const std::string call :
       {" run fifo -p gcra:1/1s", " run - -p gcra:1/1s --policies fifo", " report fifo",
        " vectors verify fifo", " vectors generate gcra:1/1s -o json=fifo",
        " generate steady -o fifo"}) {
    ends("INT", call);
  }
  ends("TERM", " report fifo");
  ends("HUP", " report fifo");
  // Somebody holds the pipe open and reads nothing, so that it fills up.
  REQUIRE(run_program({"generate", "steady", "--rows", "20000", "-o", folder.path("t.csv")})
              .exit_code == 0);
  for (const std::string format : {"csv", "ndjson"}) {
    ends("INT", " run t.csv -q -p gcra:1/1s -o decisions." + format + "=fifo 3<>fifo");
  }
}

TEST_CASE("run: more buckets than 64 bits count are refused as any that are too many") {
  const TemporaryFolder folder;
  const std::string trace =
      folder.write("t.csv", "ts,key\n-9223372036854775808,a\n9223372036854775807,a\n");
  const ProgramRun run = run_program(
      {"run", trace, "--time-format", "epoch-ns", "--bucket", "1ns", "-p", "gcra:1/1s"});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("cuts this trace into 18446744073709551616 buckets; at most 1000000") !=
        std::string::npos);
}

TEST_CASE("inspect: requests at the two ends of time are in two seconds") {
  const TemporaryFolder folder;
  const std::string trace =
      folder.write("t.csv", "ts,key\n9223372036854775000,b\n-9223372036854765744,a\n");
  const ProgramRun run =
      run_program({"inspect", trace, "-q", "-o", "json", "--time-format", "epoch-ns", "-k", "key"});
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("\"peakPerSecond\": 1,") != std::string::npos);
}

}  // namespace ratereplay::test
