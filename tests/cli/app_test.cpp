// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "run_program.hpp"
#include "text/visible.hpp"

namespace ratereplay::test {

TEST_CASE("program: --version and --help end with 0 and print on standard output") {
  const ProgramRun version = run_program({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out == "ratereplay 0.1.0\n");
  CHECK(version.err.empty());
  const ProgramRun help = run_program({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.out.find("Exit codes:") != std::string::npos);
  CHECK(help.err.empty());
}

TEST_CASE("program: help and version that cannot be written end with 4") {
  for (const char* flag : {"--help", "--version"}) {
    const std::string line = "exec '" RATEREPLAY_PROGRAM "' " + std::string(flag) + " > /dev/full";
    CAPTURE(line);
    CHECK(WEXITSTATUS(std::system(line.c_str())) == 4);
  }
}

TEST_CASE("program: help keeps to 100 columns, one empty line between groups and its own words") {
  for (const char* command : {"run", "inspect", "generate", "report", "policy"}) {
    const std::string help = run_program({command, "--help"}).out;
    CAPTURE(help);
    CHECK(help.find("\n\n\n") == std::string::npos);
    CHECK(help.find(":INT") == std::string::npos);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) CHECK(visible_width(line) <= 100);
  }
  CHECK(run_program({"run", "--help"})
            .out.find("\n  --year YEAR                 Year of the first stamp, where stamps have "
                      "none (1678 to 2261)\n") != std::string::npos);
}

TEST_CASE("program: without a command it says what there is, as a usage error") {
  const ProgramRun run = run_program(std::vector<std::string>{});
  CHECK(run.exit_code == 2);
  CHECK(run.out.empty());
  CHECK(run.err.find("Usage: ratereplay") != std::string::npos);
}

TEST_CASE("program: an unknown flag gets the nearest one suggested") {
  const ProgramRun run = run_program({"--colour", "never"});
  CHECK(run.exit_code == 2);
  CHECK(run.out.empty());
  CHECK(run.err ==
        "error: unknown flag '--colour'\n"
        "  did you mean '--color'?\n"
        "  see: ratereplay --help\n");
}

TEST_CASE("program: a flag with one value is not given twice, and not without one") {
  CHECK(run_program({"--color", "never", "--color", "always"}).err ==
        "error: '--color' is given more than once\n"
        "  see: ratereplay --help\n");
  CHECK(run_program({"--color"}).err ==
        "error: '--color' needs a value\n"
        "  see: ratereplay --help\n");
  CHECK(run_program({"--color", "pink"}).err ==
        "error: unknown value 'pink' of --color\n"
        "  values: auto, always, never\n");
}

TEST_CASE("program: messages are coloured when asked for, and not for NO_COLOR or a file") {
  CHECK(run_program({"--color", "always", "--nope"}).err.starts_with("\x1b[1;31merror:\x1b[0m "));
  CHECK(run_program({"--nope"}).err.starts_with("error: "));
}

}  // namespace ratereplay::test
