// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "run_program.hpp"

namespace ratereplay::test {

TEST_CASE("generate: writes CSV with the key as a number or a user's name") {
  const ProgramRun steady = run_program({"generate", "steady", "--rows", "5"});
  CHECK(steady.exit_code == 0);
  CHECK(steady.err.empty());
  CHECK(steady.out == "timestamp_ms,key,cost\n8,0,1\n18,0,1\n45,0,1\n81,0,1\n83,0,1\n");
  const ProgramRun poisson = run_program(
      {"generate", "poisson", "--rows", "5", "--step", "1us", "--keys", "1k", "--cost", "1..5"});
  CHECK(poisson.exit_code == 0);
  CHECK(poisson.out ==
        "timestamp_ms,key,cost\n"
        "5.158,user-9,4\n"
        "6.161,user-8,1\n"
        "12.292,user-2,5\n"
        "13.228,user-16,4\n"
        "22.012,user-7,5\n");
  CHECK(run_program({"generate", "steady", "--rows", "1", "--key-prefix", "k/"}).out ==
        "timestamp_ms,key,cost\n8,k/0,1\n");
}

TEST_CASE("generate: the whole reference trace, in a file") {
  const TemporaryFolder folder;
  const std::string path = folder.path("overload.csv");
  const ProgramRun run = run_program({"generate", "overload", "-o", path});
  CHECK(run.exit_code == 0);
  CHECK(run.out.empty());
  const std::string text = read_text(path);
  CHECK(std::ranges::count(text, '\n') == 17'785 + 1);
}

TEST_CASE("generate: what is asked for in vain is a usage error") {
  CHECK(run_program({"generate"}).err ==
        "error: 'generate' needs a model\n"
        "  models: steady, bursty, many-keys, overload, poisson, onoff, boundary\n");
  CHECK(run_program({"generate", "posson"}).err ==
        "error: unknown model 'posson'\n"
        "  did you mean 'poisson'?\n"
        "  models: steady, bursty, many-keys, overload, poisson, onoff, boundary\n");
  CHECK(run_program({"generate", "steady", "--window", "1s"}).err ==
        "error: the model steady does not use --window\n");
  CHECK(run_program({"generate", "steady", "--sed", "1"}).err ==
        "error: unknown flag '--sed'\n"
        "  did you mean '--seed'?\n"
        "  see: ratereplay generate --help\n");
  CHECK(run_program({"generate", "steady", "bursty"}).err ==
        "error: 'bursty' is one argument too many\n"
        "  see: ratereplay generate --help\n");
  CHECK(run_program({"generate", "steady", "--rate", "-5"}).err ==
        "error: --rate '-5' is not a number\n"
        "  write digits, with k for thousands or M for millions: 100, 5k, 2M\n");
  CHECK(run_program({"generate", "steady", "--seed", "4294967296"}).err ==
        "error: --seed 4294967296 is out of range\n"
        "  it is from 0 to 4294967295\n");
  CHECK(run_program({"generate", "steady", "--seed", "1", "--seed", "2"}).err ==
        "error: '--seed' is given more than once\n"
        "  see: ratereplay generate --help\n");
  CHECK(run_program({"generate", "steady", "--seed", "1", "--seed", "2"}).exit_code == 2);
}

TEST_CASE("generate: an output that cannot be written ends with 4") {
  const ProgramRun full = run_program({"generate", "overload", "-o", "/dev/full"});
  CHECK(full.exit_code == 4);
  CHECK(full.err == "error: cannot write '/dev/full': No space left on device\n");
  CHECK(run_program({"generate", "overload", "-o", "/no/such/folder/x"}).exit_code == 4);
}

TEST_CASE("generate: a reader that leaves and an interrupt end it quietly, nothing left behind") {
  const TemporaryFolder folder;
  const auto shell = [&](const std::string& line) {
    return std::system(("cd " + folder.root() + " && " + line).c_str());
  };
  const std::string program = RATEREPLAY_PROGRAM;
  CHECK(shell("{ " + program +
              " generate poisson --rows 1000M; echo $? >code; } 2>err | head -1 "
              ">first") == 0);
  CHECK(read_text(folder.path("first")) == "timestamp_ms,key,cost\n");
  CHECK(read_text(folder.path("code")) == "0\n");
  CHECK(read_text(folder.path("err")).empty());

  CHECK(shell("timeout -s INT 0.3 " + program +
              " generate poisson --rows 1000M -o big.csv 2>err; code=$?; test $code = 124") == 0);
  CHECK(read_text(folder.path("err")) == "error: interrupted\n");
  const auto files = std::filesystem::directory_iterator(folder.root());
  CHECK(std::distance(begin(files), end(files)) == 3);
}

}  // namespace ratereplay::test
