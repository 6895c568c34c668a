// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "run_program.hpp"

using namespace ratereplay::test;

namespace {

const std::string kTrace =
    "ts,user,client_ip\n"
    "1583916406,a,192.0.2.1\n"
    "1583916408,b,192.0.2.1\n"
    "1583916407,a,192.0.2.1\n"
    "x,a,192.0.2.1\n";

}  // namespace

TEST_CASE("inspect: says what is in a trace and how to read it the same way again") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a b.csv", kTrace);
  const ProgramRun run = run_program({"inspect", path});
  CHECK(run.exit_code == 0);
  for (const std::string part :
       {"time  ts (epoch-s), 2020-03-11T08:46:46Z to 2020-03-11T08:46:48Z", "1 out of order",
        "KEYS IN THE FIRST 4 ROWS", "1  (chosen)", "bad timestamp: 1", ":5:1  not a number",
        "a b.csv' -F csv --time-field ts --time-format epoch-s -k client_ip --max-bad-rows "
        "26%\n"}) {
    CAPTURE(run.out);
    CHECK(run.out.find(part) != std::string::npos);
  }
}

TEST_CASE("inspect: as JSON, the trace object with the candidates for the key") {
  const ProgramRun run = run_program({"inspect", "-", "-o", "json", "-q"}, kTrace);
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["format"] == "csv");
  CHECK(json["rows"] == 4);
  CHECK(json["bad"] == 1);
  CHECK(json["outOfOrder"] == 1);
  CHECK(json["maxBackMs"] == 1000);
  CHECK(json["candidates"][0]["field"] == "client_ip");
  CHECK(json["candidates"][0]["distinct"] == 1);
  CHECK(json["candidates"][0]["chosen"] == true);
  CHECK(json["candidates"][1]["field"] == "user");
  CHECK(json["candidates"][1]["distinct"] == 2);
  CHECK(json["candidates"][1]["sampleRows"] == 4);
}

TEST_CASE("inspect: says that it read all, and keeps what `run` needs beside the pins") {
  const TemporaryFolder folder;
  const std::string path = folder.write("log", kTrace);
  const ProgramRun run = run_program({"inspect", path, "--order", "clamp"});
  CHECK(run.out.find("\n  read  in full\n") != std::string::npos);
  // 1 of 4 rows is bad.
  CHECK(run.out.find(" -k client_ip --order clamp --max-bad-rows 26%\n") != std::string::npos);
  const auto json = nlohmann::json::parse(run_program({"inspect", path, "-o", "json"}).out);
  CHECK(json["sampledBytes"].is_null());
  CHECK(run_program({"inspect", path, "--full"}).exit_code == 0);
}

TEST_CASE("inspect: pins nothing that its files differ in") {
  const TemporaryFolder folder;
  const std::string first = folder.write("m1.csv", "ts,key\n0,a\n5,a\n");
  const std::string halves = folder.write("m2.csv", "ts,key\n0.5,b\n");
  const std::string lines = folder.write("m3.json", "{\"ts\":0,\"key\":\"a\"}\n");
  const std::string field = folder.write("m4.csv", "time,key\n0,a\n7,b\n");
  const auto command = [](const std::string& a, const std::string& b) {
    const ProgramRun run = run_program({"inspect", "-q", a, b});
    CAPTURE(run.err);
    CHECK(run.exit_code == 0);
    const std::size_t begin = run.out.find(b + " -");
    REQUIRE(begin != std::string::npos);
    return run.out.substr(begin + b.size(), run.out.find('\n', begin) - begin - b.size());
  };
  CHECK(command(first, first) == " -F csv --time-field ts --time-format relative-ms -k key");
  CHECK(command(first, lines) == " --time-field ts --time-format relative-ms -k key");
  CHECK(command(first, field) == " -F csv --time-format relative-ms -k key");
  CHECK(command(first, halves) == " -F csv --time-field ts -k key");
  // What was printed reads the trace as inspect did.
  const ProgramRun again = run_program(
      {"run", first, halves, "-F", "csv", "--time-field", "ts", "-k", "key", "-o", "json", "-q"});
  const ProgramRun plain = run_program({"run", first, halves, "-o", "json", "-q"});
  const auto trace = [](const ProgramRun& run) {
    return nlohmann::json::parse(run.out)["trace"]["lastMs"];
  };
  CHECK(trace(again) == trace(plain));
}

TEST_CASE("inspect: a file that begins with a dash is printed so that it is no flag") {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("-dash.csv", "ts,key\n0,a\n5,a\n"));
  const ProgramRun run = run_program({{"inspect", "--", "-dash.csv"}, {}, {}, folder.root()});
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("ratereplay run ./-dash.csv -F csv") != std::string::npos);
}

TEST_CASE("inspect: another output is a usage error, a missing file an input error") {
  CHECK(run_program({"inspect", "-", "-o", "xml"}, kTrace).exit_code == 2);
  CHECK(run_program({"inspect", "no such file"}).exit_code == 3);
}
