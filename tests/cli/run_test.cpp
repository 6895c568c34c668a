// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace ratereplay::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Logs recorded by others; empty where they are not.
std::string shared_trace(const std::string& name) {
  const fs::path path = fs::path(RATEREPLAY_SOURCE_DIR) / ".." / "shared" / "traces" / name;
  if (fs::exists(path)) return path.string();
  MESSAGE("skipped: no ../shared/traces/" << name);
  return {};
}

Json run_json(std::vector<std::string> args) {
  args.insert(args.begin(), "run");
  args.insert(args.end(), {"-o", "json"});
  const ProgramRun run = run_program(args);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return Json::parse(run.out);
}

/// admitted + refused + bad + filtered = rows, for every policy.
void require_nothing_lost(const Json& result) {
  const Json& trace = result["trace"];
  for (const Json& policy : result["policies"]) {
    CHECK(policy["admitted"].get<std::uint64_t>() + policy["refused"].get<std::uint64_t>() +
              trace["bad"].get<std::uint64_t>() + trace["filtered"].get<std::uint64_t>() ==
          trace["rows"].get<std::uint64_t>());
  }
}

struct Failure {
  const char* what;
  std::string text;
  std::vector<std::string> flags;
  int exit_code;
  const char* message;  ///< found in what is said
};

}  // namespace

TEST_CASE("run: input that cannot be replayed ends in a message and the right exit code") {
  const TemporaryFolder folder;
  const std::string row = "ts,key\n0,a\n";
  const std::vector<Failure> failures = {
      {"empty file", "", {}, 3, "empty"},
      {"header only", "timestamp,key,cost\n", {}, 3, "no request"},
      {"binary",
       std::string("\x7f"
                   "ELF\0\0\1\2\3\n\xff\xfe\0\0",
                   14),
       {},
       3,
       "error"},
      {"no time", "name,count\nx,1\ny,2\n", {}, 3, "no time found"},
      {"unknown key field", row, {"-k", "kee"}, 2, "kee"},
      {"unknown time field", row, {"--time-field", "tz"}, 2, "tz"},
      {"unknown format", row, {"-F", "csw"}, 2, "csw"},
      {"a log_format without variables", row, {"-F", "nginx:status=$"}, 2, "column 8"},
      {"unknown directive", row, {"-F", "apache:%h %Z"}, 2, "%Z"},
      {"broken pattern", row, {"-F", "regex:(?P<ts>.*"}, 2, "missing )"},
      {"pattern without names", row, {"-F", "regex:(.*)"}, 2, "named group"},
      {"configuration that is not there",
       row,
       {"-F", "nginx:/nowhere/x.conf"},
       3,
       "/nowhere/x.conf"},
      {"no line fits",
       row,
       {"-F", "nginx:$remote_addr [$time_local]"},
       3,
       "none of its 2 rows could be read"},
      {"unknown policy", row, {"-p", "sliding-lag:1/1s"}, 2, "sliding-log"},
      {"unknown option", row, {"-p", "gcra:1/1s,capacty=2"}, 2, "capacity"},
      {"option of another policy", row, {"-p", "gcra:1/1s,round=floor"}, 2, "round"},
      {"duplicate option", row, {"-p", "gcra:1/1s,capacity=2,capacity=2"}, 2, "capacity"},
      {"limit 0", row, {"-p", "gcra:0/1s"}, 2, "limit"},
      {"limit -1", row, {"-p", "gcra:-1/1s"}, 2, "-1"},
      {"limit 1e18", row, {"-p", "gcra:1e18/1s"}, 2, "1e18"},
      {"window 0", row, {"-p", "gcra:1/0s"}, 2, "window"},
      {"window 300 y", row, {"-p", "gcra:1/300y"}, 2, "300y"},
      {"window beyond 2^63 ns", row, {"-p", "gcra:1/110000d"}, 2, "110000d"},
      {"equal policies", row, {"-p", "gcra:1/1s", "-p", "gcra:1/1000ms"}, 2, "gcra"},
      {"duplicate flag", row, {"--tick", "1ms", "--tick", "2ms"}, 2, "--tick"},
      {"tick 0", row, {"--tick", "0s"}, 2, "--tick"},
      {"tick without unit", row, {"--tick", "5"}, 2, "--tick"},
      {"reference that is not run", row, {"--reference", "gcra:9/1s"}, 2, "--reference"},
      {"unknown output", row, {"-o", "jsn"}, 2, "json"},
      {"two outputs on stdout", row, {"-o", "json", "-o", "csv"}, 2, "standard output"},
      {"unknown metric", row, {"--check", "refusd<=1"}, 2, "refus"},
      {"threads 0", row, {"--threads", "0"}, 2, "--threads"},
      {"allowance that is no number", row, {"--max-bad-rows", "some"}, 2, "--max-bad-rows"},
      {"out of order under strict", "ts,key\n5,a\n1,a\n", {"--order", "strict"}, 3, "row 2"},
      {"too many bad rows", "ts,key\n0,a\nx,b\n", {}, 3, "1 of 2 rows"},
      {"what would be allowed enough",
       "ts,key\n0,a\nx,b\ny,c\n3,d\n",
       {"--max-bad-rows", "1"},
       3,
       "--max-bad-rows 2 reads"},
      {"full disk", row, {"-o", "csv=/dev/full"}, 4, "/dev/full"},
      {"output folder that is not there", row, {"-o", "csv=/nowhere/x.csv"}, 4, "/nowhere"},
      {"output folder that is not there, told before the trace is read",
       "no trace",
       {"-o", "csv=/nowhere/x.csv"},
       4,
       "/nowhere"},
  };
  for (const Failure& failure : failures) {
    CAPTURE(failure.what);
    std::vector<std::string> args = {"run", folder.write("trace", failure.text)};
    args.insert(args.end(), failure.flags.begin(), failure.flags.end());
    const ProgramRun run = run_program(args);
    CAPTURE(run.err);
    CHECK(run.exit_code == failure.exit_code);
    CHECK(run.err.find("error: ") != std::string::npos);
    CHECK(run.err.find(failure.message) != std::string::npos);
    CHECK(run.out.empty());
  }
  CHECK(run_program({"run", folder.path("missing.csv")}).exit_code == 3);
  CHECK(run_program({"run", folder.root()}).exit_code == 3);
  CHECK(run_program({"run"}).exit_code == 2);
}

TEST_CASE("run: one row, a row without a line feed and one from standard input are replayed") {
  const TemporaryFolder folder;
  for (const char* text : {"ts,key\n5,a\n", "ts,key\n5,a", "ts,key\r\n5,a\r\n"}) {
    CAPTURE(text);
    const Json result = run_json({folder.write("one.csv", text)});
    CHECK(result["trace"]["requests"] == 1);
    CHECK(result["policies"][0]["admitted"] == 1);
  }
  const ProgramRun piped = run_program({"run", "-q", "-", "-o", "csv"}, "ts,key\n5,a\n6,a\n");
  CHECK(piped.exit_code == 0);
  CHECK(piped.out.find(",2,") != std::string::npos);
}

TEST_CASE("run: rows of one kind are shown with their own reasons and files") {
  const TemporaryFolder folder;
  const std::string first = folder.write("a.csv", "ts,key\n1,a\n2\n3\n4,b,c\n5,b,c\n");
  const std::string second = folder.write("b.csv", "ts,key\n1,a\n2,a\n3,a\nx,a\ny,b\n5,b,c\n");
  const ProgramRun run = run_program({"run", first, second, "--max-bad-rows", "9"});
  CHECK(run.exit_code == 0);
  CHECK(run.err.find(first +
                     ":3:1  columns: 1 field where the header has 2\n"
                     "  4 more of this kind: lines 4, 5 (3 fields where the header has 2)") !=
        std::string::npos);
  CHECK(run.err.find(second + ":5:1  timestamp: not a number\n  1 more like this: line 6\n") !=
        std::string::npos);
}

TEST_CASE("run: a check that fails is told where no output shows it") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("one.csv", "ts,key\n5,a\n");
  std::vector<std::string> args = {"run",
                                   "-q",
                                   trace,
                                   "-p",
                                   "sliding-log:1/1s",
                                   "--check",
                                   "refused==5",
                                   "--check",
                                   "retry_after.p99<=1s",
                                   "--check",
                                   "admitted==1",
                                   "-o",
                                   "csv"};
  ProgramRun run = run_program(args);
  CHECK(run.exit_code == 1);
  CHECK(run.err ==
        "error: refused==5 does not hold for sliding-log:1/1s: 0\n"
        "error: retry_after.p99<=1s does not hold for sliding-log:1/1s: never or undefined\n");
  args.back() = "json";
  run = run_program(args);
  CHECK(run.exit_code == 1);
  CHECK(run.err.empty());
}

TEST_CASE("run: costs, times and keys that are no such are bad rows with their place") {
  const TemporaryFolder folder;
  std::string text = "timestamp,key,cost\n";
  for (int i = 0; i < 400; ++i) text += "2026-01-01T00:00:00Z,a,1\n";
  text += "2026-01-01T00:00:00Z,a,-5\n";          // line 402
  text += "2026-01-01T00:00:00Z,a,4294967296\n";  // line 403
  text += "2026-02-31T00:00:00Z,a,1\n";           // line 404
  text += "9999-01-01T00:00:00Z,a,1\n";           // line 405
  text += "1969-12-31T23:59:59Z,b,4294967295\n";  // read
  const Json result = run_json({folder.write("odd.csv", text), "--max-bad-rows", "4"});
  require_nothing_lost(result);
  CHECK(result["trace"]["bad"] == 4);
  CHECK(result["trace"]["firstMs"] == -1000);
  CHECK(result["policies"][0]["never"] == 1);
  const Json& kinds = result["trace"]["badKinds"];
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0]["kind"] == "timestamp");
  CHECK(kinds[0]["first"][0]["line"] == 404);
  CHECK(kinds[0]["first"][0]["column"] == 1);
  CHECK(kinds[1]["kind"] == "cost");
  CHECK(kinds[1]["first"][0]["line"] == 402);
  CHECK(kinds[1]["first"][0]["column"] == 24);
}

TEST_CASE("run: keys of any bytes leave the JSON valid") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("keys.csv", "ts,key\n0,\xff\xfe\n1,\xff\xfe\n2,\"a\"\"\n\x01\"\n");
  const Json result = run_json({path, "-p", "sliding-log:1/1s"});
  CHECK(result["policies"][0]["topKeys"][0]["keyBase64"] == "//4=");
  CHECK(result["trace"]["keys"] == 2);
}

TEST_CASE("run: a line of 100 MB is one bad row and spoils nothing else") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("long.csv", "ts,key\n0,a\n1," + std::string(100'000'000, 'x') + "\n2,b\n3,c\n");
  const Json result = run_json({path, "--max-bad-rows", "1"});
  CHECK(result["trace"]["rows"] == 4);
  CHECK(result["trace"]["bad"] == 1);
  CHECK(result["trace"]["badKinds"][0]["kind"] == "length");
  CHECK(result["trace"]["badKinds"][0]["first"][0]["line"] == 3);
  require_nothing_lost(result);
}

TEST_CASE("run: a format of one's own is pinned by what inspect prints") {
  const TemporaryFolder folder;
  const std::string text =
      "192.0.2.1 t=1767323045.250 \"it's\" 10\n192.0.2.2 t=1767323045.500 \"x\" -\nbad\n";
  const std::string path = folder.write("own.log", text);
  for (const char* format :
       {"nginx:$remote_addr t=$msec \"$http_x\" $bytes_sent",
        "regex:^(?P<ip>\\S+) t=(?P<time>\\S+) \"(?P<x>[^\"]*)\" (?P<bytes_sent>.*)",
        "apache:%h t=%{sec}t.%{msec_frac}t \"%{X}i\" %{bytes_sent}e"}) {
    CAPTURE(format);
    const std::string cost =
        std::string(format).starts_with("apache") ? "env_bytes_sent" : "bytes_sent";
    const ProgramRun run = run_program(
        {"run", path, "-F", format, "--cost-field", cost, "--max-bad-rows", "2", "-o", "json"});
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    const Json result = Json::parse(run.out);
    require_nothing_lost(result);
    CHECK(result["trace"]["requests"] == 2);
    CHECK(result["trace"]["bad"] == 1);
    CHECK(result["trace"]["costTotal"] == 10);
    CHECK(result["trace"]["firstMs"] == 1767323045250);
    const std::size_t pin = run.err.find("pin this with ");
    REQUIRE(pin != std::string::npos);
    CHECK(run.err.substr(pin).find("-F '" + std::string(format) + "'") != std::string::npos);
  }
}

TEST_CASE("run: two million keys") {
  const TemporaryFolder folder;
  std::string text = "ts,key\n";
  for (int i = 0; i < 2'000'000; ++i) {
    text += std::to_string(i) + ",client-" + std::to_string(i * 7919LL % 2'000'003) + '\n';
  }
  const Json result = run_json({folder.write("many.csv", text), "-p", "gcra:1/1s"});
  CHECK(result["trace"]["keys"] == 2'000'000);
  CHECK(result["policies"][0]["admitted"] == 2'000'000);
  CHECK(result["policies"][0]["memory"]["reservedBytes"] == 16'000'000);
}

TEST_CASE("run: the result has the same bytes for any number of threads") {
  const TemporaryFolder folder;
  const std::string trace = folder.path("t.csv");
  REQUIRE(run_program({"generate", "poisson", "--rate", "500", "--keys", "2000", "--rows", "300000",
                       "--cost", "0..3", "-o", trace})
              .exit_code == 0);
  std::vector<std::string> args = {"run", trace};
  for (const char* policy : {"sliding-log:5/1s", "sliding-counter:5/1s,charge=attempted",
                             "gcra:5/1s,capacity=9", "fixed-window:5/1s,anchor=first",
                             "leaky-bucket:3/1s", "token-bucket:5/1s,refill=interval"}) {
    args.insert(args.end(), {"-p", policy});
  }
  for (const char* output : {"json", "table", "decisions.csv", "series.csv"}) {
    CAPTURE(output);
    std::vector<std::string> texts;
    for (const char* threads : {"1", "2", "8"}) {
      std::vector<std::string> call = args;
      call.insert(call.end(), {"--threads", threads, "-o", output});
      const ProgramRun run = run_program(call);
      REQUIRE(run.exit_code == 0);
      texts.push_back(run.out);
    }
    CHECK(texts[0] == texts[1]);
    CHECK(texts[0] == texts[2]);
  }
}

TEST_CASE("run: absolute and relative times of the same requests give the same answers") {
  const std::string absolute = shared_trace("azure_llm_2023_code.csv");
  const std::string relative = shared_trace("splitwise_code_relative.csv");
  if (absolute.empty() || relative.empty()) return;
  const std::vector<std::string> policies = {"-p", "sliding-log:200k/1m",
                                             "-p", "gcra:200k/1m",
                                             "-p", "token-bucket:150k/30s",
                                             "-p", "leaky-bucket:5k/1s,capacity=40k",
                                             "-p", "sliding-log:20k/1s,charge=attempted"};
  std::vector<std::string> a = {absolute, "--cost-field", "ContextTokens+GeneratedTokens", "--tick",
                                "1ns"};
  std::vector<std::string> b = {relative, "--cost-field", "num_prefill_tokens+num_decode_tokens",
                                "--tick", "1ns"};
  a.insert(a.end(), policies.begin(), policies.end());
  b.insert(b.end(), policies.begin(), policies.end());
  const Json first = run_json(a);
  const Json second = run_json(b);
  CHECK(first["trace"]["requests"] == 8819);
  CHECK(first["trace"]["costTotal"] == second["trace"]["costTotal"]);
  for (std::size_t i = 0; i < first["policies"].size(); ++i) {
    for (const char* field : {"admitted", "refused", "never", "agreement"}) {
      CAPTURE(field);
      CHECK(first["policies"][i][field] == second["policies"][i][field]);
    }
    CHECK(first["policies"][i]["refused"] > 0);
    CHECK(first["policies"][i]["retryAfterMs"] == second["policies"][i]["retryAfterMs"]);
    CHECK(first["policies"][i]["worstWindow"]["admitted"] ==
          second["policies"][i]["worstWindow"]["admitted"]);
  }
}

TEST_CASE("run: recorded logs are read to the last row, or refused with the reason") {
  struct Recorded {
    const char* name;
    std::vector<std::string> flags;
    int exit_code;
    std::uint64_t rows, bad, keys, out_of_order;
  };
  // Counts are those of the logs' own README.
  const std::vector<Recorded> logs = {
      {"apache_combined_blog_2015.log", {}, 0, 10000, 0, 1753, 4915},
      {"nginx_burst_cachebust.log", {}, 0, 356, 0, 14, 0},
      {"nginx_burst_switching_ua.log", {}, 0, 15, 0, 2, 0},
      {"apache_malformed_requests.log", {}, 0, 11, 0, 1, 0},
      {"bad_access_log.log", {"--max-bad-rows", "50%"}, 0, 3, 1, 1, 0},
      {"traefik_scan.json", {}, 0, 80, 0, 1, 0},
      {"mooncake_synthetic.jsonl", {}, 0, 3993, 0, 1, 0},
      {"azure_llm_2023_code.csv", {}, 0, 8819, 0, 1, 0},
      {"splitwise_code_relative.csv", {}, 0, 8819, 0, 1, 0},
      {"futures_ticks_bom.csv", {"-k", "product"}, 0, 3, 0, 1, 0},
      {"timestamps_mixed_offsets.csv", {"-k", "description"}, 0, 8, 0, 8, 3},
      {"caddy_access.json", {}, 0, 11, 0, 2, 0},
      {"nginx_plus_status_epochms.ndjson", {}, 0, 500, 0, 1, 0},
      {"cloudflare_logpush_rfc3339.json", {}, 0, 1, 0, 1, 0},
      {"ndjson_unterminated.ndjson", {}, 3, 0, 0, 0, 0},
      {"sample_bom.json", {}, 3, 0, 0, 0, 0},
      {"bank_semicolon_decimalcomma.csv", {}, 3, 0, 0, 0, 0},
      {"tweet_quoted_newlines.csv", {}, 3, 0, 0, 0, 0},
      {"iis_w3c_2015.log", {}, 0, 210, 0, 12, 0},
      {"aws_alb.log", {}, 0, 14, 0, 14, 2},
      {"aws_s3_access.log", {}, 0, 1, 0, 1, 0},
      {"aws_cloudfront_33fields.log.gz", {}, 0, 2, 0, 1, 0},
      {"two_member_concat.csv.gz", {}, 3, 0, 0, 0, 0},
      {"zeek_http.tsv", {}, 0, 197, 0, 1, 54},
      {"envoy_crawl_k8s_cri.log", {}, 0, 41, 0, 1, 0},
  };
  for (const Recorded& log : logs) {
    CAPTURE(log.name);
    const std::string path = shared_trace(log.name);
    if (path.empty()) continue;
    std::vector<std::string> args = {"run", path, "-o", "json"};
    args.insert(args.end(), log.flags.begin(), log.flags.end());
    const ProgramRun run = run_program(args);
    CAPTURE(run.err);
    CHECK(run.exit_code == log.exit_code);
    if (run.exit_code != 0) {
      CHECK(run.err.starts_with("error: "));
      CHECK(run.out.empty());
      continue;
    }
    const Json result = Json::parse(run.out);
    require_nothing_lost(result);
    CHECK(result["trace"]["rows"] == log.rows);
    CHECK(result["trace"]["bad"] == log.bad);
    CHECK(result["trace"]["keys"] == log.keys);
    CHECK(result["trace"]["outOfOrder"] == log.out_of_order);
  }
}

}  // namespace ratereplay::test
