// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_program.hpp"
#include "trace/compress.hpp"

namespace ratereplay::test {
namespace {

using Json = nlohmann::json;

ProgramRun generate(std::vector<std::string> args) {
  args.insert(args.begin(), {"vectors", "generate"});
  const ProgramRun run = run_program(args);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.empty());
  return run;
}

}  // namespace

TEST_CASE("vectors: what generate writes, verify accepts, in both forms and from standard input") {
  const TemporaryFolder folder;
  for (const char* form : {"json", "csv"}) {
    CAPTURE(form);
    const std::string text = generate({"sliding-counter:5/1s", "gcra:3/1s", "-o", form}).out;
    const std::string path = folder.write(std::string("v.") + form, text);
    const ProgramRun run = run_program({"vectors", "verify", path});
    CAPTURE(run.out);
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("all agree") != std::string::npos);
    CHECK(run_program({"vectors", "verify", "-"}, text).exit_code == 0);
  }
}

TEST_CASE("vectors: documents are read compressed, and told what they are if they are no text") {
  const TemporaryFolder folder;
  const std::string text = generate({"gcra:3/1s"}).out;
  for (const char* compression : {"gzip", "zstd"}) {
    CAPTURE(compression);
    const std::string archive = testing::compress(compression, text);
    const std::string path = folder.write("v", archive);
    CHECK(run_program({"vectors", "verify", path}).exit_code == 0);
    CHECK(run_program({"vectors", "verify", "-"}, archive).exit_code == 0);
    const ProgramRun cut =
        run_program({"vectors", "verify", "-"}, archive.substr(0, archive.size() / 2));
    CHECK(cut.exit_code == 3);
    CHECK(cut.err.find("archive is cut off") != std::string::npos);
    CHECK(cut.err.find("--allow-truncated") == std::string::npos);
  }
  CHECK(run_program({"vectors", "verify", "-"}, "\xef\xbb\xbf" + text).exit_code == 0);
  const ProgramRun wide = run_program({"vectors", "verify", "-"}, "\xff\xfe{");
  CHECK(wide.exit_code == 3);
  CHECK(wide.err.find("this is UTF-16; only UTF-8 is read") != std::string::npos);
}

TEST_CASE("vectors verify: another policy differs, and every output says where") {
  const TemporaryFolder folder;
  const std::string path = folder.write("v.json", generate({"sliding-counter:5/1s"}).out);
  const ProgramRun run = run_program(
      {"vectors", "verify", path, "-p", "sliding-counter:5/1s,round=exact", "-o", "table", "-o",
       "json=" + folder.path("v.out.json"), "-o", "junit=" + folder.path("v.xml")});
  CHECK(run.exit_code == 1);
  CHECK(run.err.empty());
  CHECK(run.out.find("differs at step") != std::string::npos);
  CHECK(run.out.find("our state before") != std::string::npos);

  const Json document = Json::parse(read_text(folder.path("v.out.json")));
  CHECK(document["agrees"] == false);
  CHECK(document["subject"] == "sliding-counter:5/1s,round=exact");
  std::size_t differing = 0;
  for (const Json& one : document["files"][0]["cases"]) {
    const Json& found = one["divergence"];
    if (found.is_null()) continue;
    ++differing;
    CHECK(found["step"].get<std::size_t>() >= 1);
    CHECK(found["fields"].size() >= 1);
    CHECK(found["expected"] != found["got"]);
    CHECK(found["stateBefore"].is_string());
  }
  CHECK(differing >= 2);

  const std::string xml = read_text(folder.path("v.xml"));
  CHECK(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"));
  CHECK(xml.find("failures=\"" + std::to_string(differing) + "\"") != std::string::npos);
  CHECK(xml.find("<failure message=\"step ") != std::string::npos);
  const std::string command =
      "python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " + folder.path("v.xml");
  CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("vectors verify: --fields leaves out what is told by another definition") {
  const TemporaryFolder folder;
  const std::string path = folder.write("v.json", generate({"leaky-bucket:5/1s"}).out);
  const auto verify = [&](const char* fields) {
    return run_program(
        {"vectors", "verify", path, "-p", "leaky-bucket:5/1s,mode=meter", "--fields", fields});
  };
  CHECK(verify("admitted,retryAfter").exit_code == 0);
  CHECK(verify("admitted,retryAfter").out.find("compared: admitted") != std::string::npos);
  CHECK(verify("admitted,retryAfter").out.find("delay") == std::string::npos);
  CHECK(verify("admitted,delay").exit_code == 1);
}

TEST_CASE("vectors: JUnit's names hold whatever a case is called") {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "v.json",
      R"({"unit": "ms", "policy": "gcra:1/1s", "cases": [{"name": "a<b>&\"c\"\u0007\u0085",
         "steps": [{"at": 0, "key": "<&>", "expect": {"admitted": false}}]}]})");
  const ProgramRun run = run_program({"vectors", "verify", path, "-o", "junit"});
  CHECK(run.exit_code == 1);
  CHECK(run.out.find("name=\"a&lt;b&gt;&amp;&quot;c&quot;\xef\xbf\xbd") != std::string::npos);
}

TEST_CASE("vectors: what cannot be read or asked for ends in the right exit code") {
  struct Failure {
    std::vector<std::string> args;
    int exit_code;
    const char* message;
  };
  const TemporaryFolder folder;
  const std::string broken = folder.write("broken.json", "{\n  \"unit\": ms}");
  const std::string whole = folder.write("whole.json", generate({"gcra:5/1s"}).out);
  const std::string trace = folder.write("t.csv", "ts,key\n0,a\n1,a\n");
  const std::vector<Failure> failures{
      {{"vectors"}, 2, "'vectors' needs a command"},
      {{"vectors", "verifi"}, 2, "did you mean 'verify'?"},
      {{"vectors", "verify"}, 2, "FILE"},
      {{"vectors", "verify", "/nowhere/v.json"}, 3, "/nowhere/v.json: cannot open it"},
      {{"vectors", "verify", "/dev/zero"}, 3, "'/dev/zero' is no vectors"},
      {{"vectors", "verify", broken}, 3, "broken.json:2:11"},
      {{"vectors", "verify", broken, "-o", "junits"}, 2, "did you mean 'junit'?"},
      {{"vectors", "verify", broken, "-o", "json", "-o", "table"}, 2, "standard output"},
      {{"vectors", "verify", broken, "-p", "gcra:5"}, 2, "-p, column"},
      {{"vectors", "verify", whole, "--fields", "admitted,retyAfter"},
       2,
       "did you mean 'retryAfter'?"},
      {{"vectors", "verify", whole, "--fields", ""}, 2, "no field is called ''"},
      {{"vectors", "verify", whole, "-o", "json=" + whole}, 2, "would be overwritten"},
      {{"vectors", "generate"}, 2, "POLICY"},
      {{"vectors", "generate", "gcra:5"}, 2, "policy 1, column"},
      {{"vectors", "generate", "gcra:5/1s", "gcra:5/1s"}, 2, "policies 1 and 2 are both gcra:5/1s"},
      {{"vectors", "generate", "a=gcra:5/1s", "b=gcra:5/1s,capacity=5"},
       2,
       "policies 1 and 2 are both gcra:5/1s"},
      {{"vectors", "generate", "gcra:5/1500us", "--unit", "ms"},
       2,
       "window of 1500us is not whole"},
      {{"vectors", "generate", "gcra:5/1s,clock=1us", "--unit", "ms"}, 2, "clock of 1us"},
      {{"vectors", "generate", "gcra:5/1s", "--unit", "m"}, 2, "values: s, ms, us, ns"},
      {{"vectors", "generate", "gcra:5/1s", "-o", "json=/nowhere/v.json"}, 4, "/nowhere"},
      {{"vectors", "generate", "gcra:5/1s", "--from", "/nowhere/t.csv"}, 3, "/nowhere/t.csv"},
      {{"vectors", "generate", "sliding-log:9/1s", "--from", trace}, 3, "shows nothing"},
      {{"vectors", "generate", "gcra:1/1s", "--from", trace, "-o", "csv=" + trace},
       2,
       "would be overwritten"},
      {{"vectors", "generate", "gcra:1/1s", "--without", "zero-cost"},
       2,
       "did you mean 'zero cost'?"},
      {{"vectors", "generate", "gcra:1/1s", "--without", "pace", "--from", trace},
       2,
       "--without is"},
      {{"vectors", "generate", "gcra:1/1s", "-k", "key"}, 2, "--key requires --from"},
      {{"vectors", "generate", "gcra:1/1s", "--allow-truncated"},
       2,
       "--allow-truncated requires --from"},
      {{"vectors", "verify", "-", "-"}, 2, "standard input (-) can be read only once"},
      {{"schema"}, 2, "'schema' needs a command"},
  };
  for (const Failure& failure : failures) {
    CAPTURE(failure.message);
    const ProgramRun run = run_program(failure.args);
    CAPTURE(run.err);
    CAPTURE(run.out);
    CHECK(run.exit_code == failure.exit_code);
    CHECK(run.err.find(failure.message) != std::string::npos);
  }
}

TEST_CASE("vectors generate: a trace gives few requests for each behaviour") {
  const TemporaryFolder folder;
  const ProgramRun made = run_program({"generate", "bursty", "--rows", "3000"});
  REQUIRE(made.exit_code == 0);
  const std::string whole = folder.write("whole.json", generate({"gcra:5/1s"}).out);
  const std::string trace = folder.write("t.csv", made.out);
  const ProgramRun run = run_program(
      {"vectors", "generate", "sliding-log:20/1s", "--from", trace, "-k", "none", "-q"});
  REQUIRE(run.exit_code == 0);
  const Json document = Json::parse(run.out);
  CHECK(document["cases"].size() >= 4);
  CHECK(document["cases"][0]["name"] == "refuses");
  CHECK(run_program({"vectors", "verify", "-"}, run.out).exit_code == 0);
}

TEST_CASE("vectors generate: cases are left out on demand, and variants ruled out all the same") {
  const std::string whole = generate({"sliding-counter:5/1s"}).out;
  const std::string part =
      generate({"sliding-counter:5/1s", "--without", "the edge", "--without", "pace", "--without",
                "two windows", "--without", "the whole refill"})
          .out;
  CHECK(whole.find("\"name\": \"pace\"") != std::string::npos);
  CHECK(part.find("\"name\": \"pace\"") == std::string::npos);
  const TemporaryFolder folder;
  const std::string path = folder.write("v.json", part);
  for (const char* other : {"round=exact", "round=nearest", "charge=attempted", "anchor=first"}) {
    CAPTURE(other);
    const std::string policy = std::string("sliding-counter:5/1s,") + other;
    CHECK(
        run_program({"vectors", "verify", path, "-p", policy, "--fields", "admitted"}).exit_code ==
        1);
  }
}

TEST_CASE("vectors generate: a trace is read at the unit asked for") {
  const TemporaryFolder folder;
  const std::string trace =
      folder.write("t.csv", "timestamp,key\n999,a\n1500,a\n1999,a\n2100,a\n3000,a\n");
  const ProgramRun run = run_program({"vectors", "generate", "sliding-log:2/2s", "--from", trace,
                                      "--unit", "s", "-q", "-o", "csv"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(run.out.find(",s,refuses,") != std::string::npos);
  CHECK(run_program({"vectors", "verify", "-"}, run.out).exit_code == 0);
}

TEST_CASE("schema: what is printed is what the docs publish, and vectors are valid under it") {
  const std::string root = RATEREPLAY_SOURCE_DIR;
  for (const char* name : {"result", "vectors"}) {
    const ProgramRun run = run_program({"schema", name});
    CHECK(run.exit_code == 0);
    CHECK(run.out == read_text(root + "/docs/schema/" + name + ".schema.json"));
  }
  const TemporaryFolder folder;
  const auto validate = [&](const std::string& text) {
    const std::string command = "python3 '" + root + "/tests/report/validate.py' '" + root +
                                "/docs/schema/vectors.schema.json' '" +
                                folder.write("v.json", text) + "' >/dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  };
  const std::string made = generate({"sliding-counter:5/1s", "leaky-bucket:9/1s"}).out;
  if (const int code = validate(made); code == 77) {
    MESSAGE("skipped: python3 has no jsonschema here");
    return;
  } else {
    CHECK(code == 0);
  }
  CHECK(validate(
            R"({"unit": "ms", "policy": "gcra:1/1s", "cases": [{"steps": [[0, 1, true]]}]})") == 0);
  CHECK(validate(R"({"unit": "ms", "cases": [{"steps": [[0, 1, true]]}]})") == 1);
  CHECK(validate(R"({"unit": "m", "policy": "gcra:1/1s", "cases": [{"steps": [[0, 1, true]]}]})") ==
        1);
  CHECK(validate(R"({"unit": "ms", "policy": "gcra:1/1s", "cases": [{"steps": [{"at": "5"}]}]})") ==
        1);
}

}  // namespace ratereplay::test
