// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace ratereplay::test {
namespace {

using Json = nlohmann::json;

const std::string kLog =
    "192.0.2.1 - ann [02/Jan/2026:03:04:05 +0000] \"GET /a/b?c HTTP/1.1\" 200 5 \"-\" \"x\"\n"
    "192.0.2.9 - - [02/Jan/2026:03:04:06 +0000] \"GET /a/c HTTP/1.1\" 429 - \"-\" \"x\"\n"
    "2001:db8::1 - bob [02/Jan/2026:03:04:07 +0000] \"GET /d HTTP/1.1\" 200 7 \"-\" \"x\"\n"
    "192.0.2.1 - ann [02/Jan/2026:03:04:08 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"x\"\n";

ProgramRun run_log(const TemporaryFolder& folder, std::vector<std::string> flags,
                   const std::string& command = "run") {
  std::vector<std::string> args = {command, folder.write("access.log", kLog)};
  args.insert(args.end(), flags.begin(), flags.end());
  return run_program(args);
}

}  // namespace

TEST_CASE("selection: each flag shows in the result, and nothing is lost") {
  struct Row {
    std::vector<std::string> flags;
    int rows;
    int requests;
    int bad;
    int filtered;
    int keys;
  };
  const std::vector<Row> rows = {
      {{}, 4, 4, 0, 0, 3},
      {{"--ip-prefix", "24,64"}, 4, 4, 0, 0, 2},
      {{"-k", "path~1"}, 4, 4, 0, 0, 3},
      {{"-k", "user", "-k", "lower:path"}, 4, 4, 0, 0, 4},
      {{"-k", "user", "--missing-key", "own"}, 4, 4, 0, 0, 3},
      {{"-k", "user", "--missing-key", "skip"}, 4, 3, 0, 1, 2},
      {{"-k", "user", "--missing-key", "bad", "--max-bad-rows", "1"}, 4, 3, 1, 0, 2},
      {{"--head", "3"}, 3, 3, 0, 0, 3},
      {{"--since", "2026-01-02T03:04:06Z", "--until", "2026-01-02T03:04:08Z"}, 4, 2, 0, 2, 2},
      {{"--where", "user = ann", "--where", "path != /"}, 4, 1, 0, 3, 1},
      {{"--exclude-status", "429,503"}, 4, 3, 0, 1, 2},
      {{"--sample-keys", "100%"}, 4, 4, 0, 0, 3}};
  const TemporaryFolder folder;
  for (const Row& row : rows) {
    CAPTURE(row.flags.empty() ? "" : row.flags.front());
    std::vector<std::string> flags = row.flags;
    flags.insert(flags.end(), {"-o", "json"});
    const ProgramRun run = run_log(folder, flags);
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    const Json result = Json::parse(run.out);
    const Json& trace = result["trace"];
    CHECK(trace["rows"] == row.rows);
    CHECK(trace["requests"] == row.requests);
    CHECK(trace["bad"] == row.bad);
    CHECK(trace["filtered"] == row.filtered);
    CHECK(trace["keys"] == row.keys);
    for (const std::string& flag : row.flags) {
      const auto& command = result["command"];
      CHECK(std::find(command.begin(), command.end(), flag) != command.end());
    }
    // The stored result draws the same table again.
    const std::string stored = folder.write("result.json", run.out);
    CHECK(run_program({"report", stored, "-o", "json"}).out == run.out);
    // What inspect pins reads the same rows.
    const ProgramRun inspected = run_log(folder, row.flags, "inspect");
    REQUIRE(inspected.exit_code == 0);
  }
}

TEST_CASE("selection: missing keys, samples and refused requests are told") {
  const TemporaryFolder folder;
  CHECK(
      run_log(folder, {"-k", "user"})
          .err.find("note: no key in 1 of 4 requests: they share one, '-'\n  --missing-key skip") !=
      std::string::npos);
  CHECK(run_log(folder, {"-k", "user", "-k", "ip"}).err.find("no whole key in 1 of 4 requests") !=
        std::string::npos);
  CHECK(run_log(folder, {"-k", "user", "--missing-key", "skip"}).err.find("no key in") ==
        std::string::npos);
  const ProgramRun sample = run_log(folder, {"--sample-keys", "80%", "--where", "ip != x"});
  CHECK(sample.err.find("multiply counts by about 1.25") != std::string::npos);
  CHECK(sample.out.find("a sample of 80% of the keys") != std::string::npos);
  const std::string refused = "warning: refused when logged: 1 of the first 4 rows of " +
                              folder.path("access.log") + " (25.000%)";
  CHECK(run_log(folder, {}).err.find(refused) != std::string::npos);
  CHECK(run_log(folder, {"--exclude-status", "429"}).err.find("refused when logged") ==
        std::string::npos);
  CHECK(run_log(folder, {"-q"}).err.empty());
}

TEST_CASE("selection: what inspect prints reads the same rows, filters and all") {
  const TemporaryFolder folder;
  const ProgramRun inspect =
      run_log(folder,
              {"-k", "lower:path~1", "-k", "ip", "--ip-prefix", "16,48", "--where", "user != 'a b'",
               "--head", "3", "--since", "2026-01-02", "--missing-key", "skip"},
              "inspect");
  REQUIRE(inspect.exit_code == 0);
  CHECK(inspect.out.find(" -k 'lower:path~1' -k ip --missing-key skip --ip-prefix 16,48 --head 3 "
                         "--since 2026-01-02 --where 'user != '\\''a b'\\'''") !=
        std::string::npos);
}

TEST_CASE("selection: costs of byte counts take - as 0, others do not, and commas are refused") {
  const TemporaryFolder folder;
  const auto total = [&](const std::string& text, const std::string& cost) {
    const ProgramRun run = run_program({"run", folder.write("trace", text), "--cost-field", cost,
                                        "--max-bad-rows", "100%", "-o", "json"});
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    const Json trace = Json::parse(run.out)["trace"];
    return std::to_string(trace["costTotal"].get<int>()) + ", bad " +
           std::to_string(trace["bad"].get<int>());
  };
  CHECK(total("ts,key,sc-bytes,tokens\n1,a,-,1\n2,a,7,1.0\n3,a,1.7E+2,1\n", "sc-bytes") ==
        "177, bad 0");
  CHECK(total("ts,key,sent_bytes,size\n1,a,-,-\n2,a,7,3\n", "sent_bytes+size") == "10, bad 0");
  CHECK(total("ts,key,bytes,tokens\n1,a,-,-\n2,a,7,3\n", "bytes+tokens") == "10, bad 1");
  CHECK(total("ts;key;bytes\n1;a;1,5\n2;a;7\n3;a;1.5\n", "bytes") == "7, bad 2");
  CHECK(total(kLog, "bytes") == "17, bad 0");
}

TEST_CASE("selection: flags that cannot be understood end in exit code 2, and say what can") {
  struct Failure {
    std::vector<std::string> flags;
    int exit_code;
    const char* message;
  };
  const std::vector<Failure> failures = {
      {{"-k", "lowr:path"}, 2, "did you mean 'lower:'?"},
      {{"-k", "path~"}, 2, "write path~2"},
      {{"-k", "user[a]"}, 2, "write user[0]"},
      {{"-k", "user", "--ip-prefix", "24,64"}, 2, "-k ip:FIELD"},
      {{"--ip-prefix", "24"}, 2, "24,64"},
      {{"--missing-key", "drop"}, 2, "own, skip, bad"},
      {{"--head", "0"}, 2, "at least one row"},
      {{"--head", "some"}, 2, "--head"},
      {{"--since", "10m"}, 2, "2026-01-02T03:04:05Z"},
      {{"--until", "soon"}, 2, "no instant"},
      {{"--where", "status 5"}, 2, "FIELD OP VALUE"},
      {{"--where", "sttus = 5"}, 2, "did you mean 'status'?"},
      {{"--exclude-status", "many"}, 2, "429,503 or 5xx"},
      {{"--sample-keys", "0%"}, 2, "above 0%"},
      {{"--sample-keys", "1"}, 2, "0.05%"},
      {{"--where", "user = nobody"}, 3, "of 4 rows 0 could not be read"},
      {{"-k", "user", "--missing-key", "bad"}, 3, "no user"}};
  const TemporaryFolder folder;
  for (const Failure& failure : failures) {
    CAPTURE(failure.message);
    const ProgramRun run = run_log(folder, failure.flags);
    CAPTURE(run.err);
    CHECK(run.exit_code == failure.exit_code);
    CHECK(run.err.find(failure.message) != std::string::npos);
    CHECK(run.out.empty());
  }
}

}  // namespace ratereplay::test
