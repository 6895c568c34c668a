// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>

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

TEST_CASE("run: an output never takes the place of the trace") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", kTrace);
  for (const char* name : {"t.csv", "./t.csv", "sub/../t.csv"}) {
    for (const char* format : {"csv", "json", "decisions.csv"}) {
      const ProgramRun run =
          run_program({"run", trace, "-q", "-o", fmt::format("{}={}", format, folder.path(name))});
      CAPTURE(name);
      CHECK(run.exit_code == 2);
      CHECK(run.err.find("would write over the trace") != std::string::npos);
      CHECK(read_text(trace) == kTrace);
    }
  }
  CHECK(run_program({"run", trace, "-q", "-o", "csv=" + folder.path("u.csv")}).exit_code == 0);
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

}  // namespace ratereplay::test
