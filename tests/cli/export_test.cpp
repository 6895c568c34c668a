// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "run_program.hpp"
#include "trace/read_text.hpp"

namespace ratereplay::test {
namespace {

using Json = nlohmann::json;
using ratereplay::testing::recorded_trace;

/// Words of a command without quotes.
std::vector<std::string> words(const std::string& command) {
  std::istringstream text(command);
  std::vector<std::string> all;
  for (std::string word; text >> word;) all.push_back(word);
  return all;
}

/// The decisions of a trace, without the numbers of its rows.
std::string decisions(std::vector<std::string> args) {
  args.insert(args.begin(), {"run", "-q", "--max-bad-rows", "100%", "-o", "decisions.csv", "-p",
                             "sliding-log:3/10s", "-p", "gcra:10/1m"});
  const ProgramRun run = run_program(args);
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  std::istringstream lines(run.out);
  std::string out;
  bool quoted = false;
  for (std::string line; std::getline(lines, line);) {
    // A record may go on in the next line.
    out += (quoted ? line : line.substr(line.find(','))) + '\n';
    for (const char c : line) quoted = quoted != (c == '"');
  }
  return out;
}

/// Exports what `args` read, and requires that the export replays alike: with the flags that were
/// printed with it.
void require_same_replay(const std::vector<std::string>& args, const std::string& format) {
  CAPTURE(format);
  const TemporaryFolder folder;
  const std::string path = folder.path("export");
  std::vector<std::string> inspect = {"inspect", "--export", format + '=' + path};
  inspect.insert(inspect.end(), args.begin(), args.end());
  const ProgramRun run = run_program(inspect);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const std::size_t command = run.err.find("ratereplay run " + path);
  REQUIRE(command != std::string::npos);
  std::vector<std::string> read_back = words(run.err.substr(command));
  read_back.erase(read_back.begin(), read_back.begin() + 2);
  CHECK((decisions(read_back) == decisions(args)));
}

void require_same_replay(const std::vector<std::string>& args) {
  for (const char* format : {"csv", "ndjson"}) require_same_replay(args, format);
}

}  // namespace

TEST_CASE("export: recorded traces read back to the same decisions") {
  const std::vector<std::vector<std::string>> traces = {
      {"apache_combined_blog_2015.log"},
      {"apache_combined_blog_2015.log", "-k", "ip", "-k", "method", "--cost-field", "status"},
      {"nginx_burst_cachebust.log", "--order", "clamp"},
      {"bad_access_log.log"},
      {"azure_llm_2023_code.csv", "--cost-field", "ContextTokens+GeneratedTokens"},
      {"splitwise_code_relative.csv", "--cost-field", "num_prefill_tokens"},
      {"mooncake_synthetic.jsonl", "-k", "hash_ids[0]"},
      {"traefik_scan.json"},
      {"timestamps_mixed_offsets.csv", "-k", "description"},
  };
  for (std::vector<std::string> args : traces) {
    CAPTURE(args[0]);
    const auto path = recorded_trace(args[0].c_str());
    if (!path) continue;
    args[0] = path->string();
    require_same_replay(args);
  }
}

TEST_CASE("export: keys keep their bytes, alone and in tuples") {
  const TemporaryFolder folder;
  std::string text = "ts,user,host\n";
  for (const std::string key :
       {"a", "\"b,c\"", "\"say \"\"hi\"\"\"", "\"two\nlines\"", "\"cr\rlf\"", "", "-", "  edge ",
        "\" \"", "\"#x\"", "\xc3\xa9", "a | b", "\x01", "\x7f", "null", "007", "\\u0041", "key"}) {
    for (const char* host : {"h", "", "\"x,y\""}) text += "1700000000," + key + ',' + host + '\n';
  }
  const std::string path = folder.write("keys.csv", text);
  require_same_replay({path, "-k", "user"});
  require_same_replay({path, "-k", "user", "-k", "host"});
  require_same_replay({path, "-k", "none"});
}

TEST_CASE("export: instants from before 1970 to after 2200, and of relative traces, are kept") {
  const TemporaryFolder folder;
  require_same_replay(
      {folder.write("absolute.csv",
                    "time,key\n1700-01-01T00:00:00.000000001Z,a\n1969-12-31T23:59:59.5Z,a\n"
                    "1970-01-01T00:00:00Z,a\n2200-02-03T04:05:06.123456789Z,a\n")});
  require_same_replay({folder.write("relative.csv", "t_ms,key\n0,a\n0.000001,a\n17,a\n5,b\n"),
                       "--time-field", "t_ms", "--time-format", "relative-ms"});
}

TEST_CASE("export: a key that is not UTF-8 stands in CSV, and is an error for NDJSON") {
  const TemporaryFolder folder;
  const std::string path = folder.write("log.csv", "ts,key\n1700000000,\xff\xfe\n1700000001,b\n");
  require_same_replay({path}, "csv");
  const std::string out = folder.path("out.ndjson");
  const ProgramRun run = run_program({"inspect", path, "--export", "ndjson=" + out});
  CHECK(run.exit_code == 4);
  CHECK(run.err.find("--export csv") != std::string::npos);
  CHECK_THROWS(static_cast<void>(read_text(out)));
}

TEST_CASE("export: the requests in time order, as a table and as JSON lines") {
  const std::string text = "ts,key,cost\n1700000002,a,4\n1700000001,\"b\n\",0\nx,c,1\n";
  CHECK(run_program({"inspect", "-", "--export", "csv"}, text).out ==
        "time,key,cost\n1700000001000000000,\"b\n\",0\n1700000002000000000,a,4\n");
  CHECK(run_program({"inspect", "-", "--export", "ndjson"}, text).out ==
        "{\"time\":1700000001000000000,\"key\":\"b\\n\",\"cost\":0}\n"
        "{\"time\":1700000002000000000,\"key\":\"a\",\"cost\":4}\n");
}

TEST_CASE("export: takes standard output unless it has a file") {
  const TemporaryFolder folder;
  const std::string path = folder.write("log.csv", "ts,key\n1700000000,a\n");
  const std::string out = folder.path("out.csv");
  const ProgramRun both = run_program({"inspect", path, "--export", "csv=" + out});
  CHECK(both.exit_code == 0);
  CHECK(both.out.find("1 request") != std::string::npos);
  CHECK(read_text(out) == "time,key,cost\n1700000000000000000,a,1\n");
  CHECK(run_program({"inspect", path, "--export", "csv", "-o", "json=" + out}).exit_code == 0);
  CHECK(Json::parse(read_text(out))["rows"] == 1);
  CHECK(run_program({"inspect", path, "--export", "csv", "-o", "json"}).exit_code == 2);
  CHECK(run_program({"inspect", path, "--export", "xml"}).exit_code == 2);
  CHECK(run_program({"inspect", path, "--export", "csv="}).exit_code == 2);
  CHECK(run_program({"inspect", path, "--export", "csv=/nowhere/x"}).exit_code == 4);
}

}  // namespace ratereplay::test
