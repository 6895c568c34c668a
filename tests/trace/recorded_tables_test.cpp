// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "trace/delimited_scan.hpp"
#include "trace/read_text.hpp"

namespace ratereplay::testing {
namespace {

ReadResult read_recorded(const std::filesystem::path& path, const ReadFlags& flags) {
  Source source(path.string());
  const ReadPlan plan = make_plan(source.peek(), source.name(), flags);
  ReadResult result = read_source(source, plan);
  Source again(path.string());
  CHECK((read_source(again, plan, 1000) == result));
  CHECK(result.requests.size() + result.all_bad() + result.filtered == result.rows);
  return result;
}

std::size_t count_keys(const ReadResult& result) {
  std::set<std::string> keys;
  for (const ReadRow& row : result.requests) keys.insert(row.key);
  return keys.size();
}

TEST_CASE("recorded: the Azure and the Splitwise files hold the same requests") {
  const auto azure = recorded_trace("azure_llm_2023_code.csv");
  const auto splitwise = recorded_trace("splitwise_code_relative.csv");
  if (!azure || !splitwise) return;
  ReadFlags flags;
  flags.cost_field = "ContextTokens+GeneratedTokens";
  const ReadResult a = read_recorded(*azure, flags);
  flags.cost_field = "num_prefill_tokens+num_decode_tokens";
  const ReadResult b = read_recorded(*splitwise, flags);
  REQUIRE(a.requests.size() == 8819);
  REQUIRE(b.requests.size() == 8819);
  CHECK(a.rows == 8819);
  std::int64_t most_apart = 0;
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    CHECK(a.requests[i].cost == b.requests[i].cost);
    const std::int64_t apart = (a.requests[i].at - a.requests[0].at) - b.requests[i].at;
    most_apart = std::max(most_apart, std::abs(apart));
  }
  CHECK(most_apart == 0);
}

TEST_CASE("recorded: Mooncake counts milliseconds from its start") {
  const auto path = recorded_trace("mooncake_synthetic.jsonl");
  if (!path) return;
  ReadFlags flags;
  flags.cost_field = "input_length+output_length";
  flags.keys = {"hash_ids[0]"};
  const ReadResult result = read_recorded(*path, flags);
  CHECK(result.format == "ndjson");
  CHECK(result.requests.size() == 3993);
  CHECK(result.requests[0] == ReadRow{1, 0, "0", 40'166});
}

TEST_CASE("recorded: the futures file has a byte order mark, CRLF and two times") {
  const auto path = recorded_trace("futures_ticks_bom.csv");
  if (!path) return;
  const ReadResult result = read_recorded(*path, flags_of("", "exchange_time", "", "product", ""));
  REQUIRE(result.rows == 3);
  CHECK(result.requests[1].key == "ag");
  CHECK(result.requests[2].at - result.requests[1].at == 59'500'000'000);
}

TEST_CASE("recorded: offsets of one column differ row by row") {
  const auto path = recorded_trace("timestamps_mixed_offsets.csv");
  if (!path) return;
  const ReadResult result = read_recorded(*path, flags_of("", "", "", "description", ""));
  CHECK(result.format == "csv");
  REQUIRE(result.requests.size() == 8);
  CHECK(result.requests[1].at - result.requests[0].at == 8LL * 3600 * 1'000'000'000);
}

TEST_CASE("recorded: a header shorter than its one row leaves no request") {
  const auto path = recorded_trace("bank_semicolon_decimalcomma.csv");
  if (!path) return;
  Source source(path->string());
  CHECK_THROWS(make_plan(source.peek(), "bank", flags_of("csv", "", "", "", "")));
}

TEST_CASE("recorded: Traefik, Caddy and the status snapshots are read line by line") {
  if (const auto path = recorded_trace("traefik_scan.json")) {
    const ReadResult result = read_recorded(*path, flags_of("", "StartUTC", "", "ClientHost", ""));
    CHECK(result.requests.size() == 80);
    CHECK(result.format == "ndjson");
    const auto [first, last] = std::ranges::minmax(result.requests, {}, &ReadRow::at);
    CHECK((last.at - first.at) / 1'000'000 == 124);
  }
  if (const auto path = recorded_trace("caddy_access.json")) {
    const ReadResult result = read_recorded(*path, flags_of("", "ts", "", "request.remote_ip", ""));
    CHECK(result.rows == 11);
    CHECK(result.requests.size() == 10);
    CHECK(result.filtered == 1);  // "selected upstream" is no request
  }
  if (const auto path = recorded_trace("nginx_plus_status_epochms.ndjson")) {
    const ReadResult result =
        read_recorded(*path, flags_of("", "timestamp", "", "none", "requests.total"));
    CHECK(result.requests.size() == 500);
    CHECK(result.requests[0].cost == 18'853'899);
  }
  if (const auto path = recorded_trace("cloudflare_logpush_rfc3339.json")) {
    CHECK(read_recorded(*path,
                        flags_of("", "EdgeStartTimestamp", "", "ClientIP", "EdgeResponseBytes"))
              .requests.size() == 1);
  }
}

TEST_CASE("recorded: IIS, Zeek and CRI logs need no flags") {
  struct Log {
    const char* name;
    const char* format;
    std::size_t rows;
    std::size_t keys;
    std::size_t late;  // earlier than the row before
  };
  const std::vector<Log> logs = {{"iis_w3c_2015.log", "w3c", 210, 12, 0},
                                 {"zeek_http.tsv", "zeek", 197, 1, 54},
                                 {"envoy_crawl_k8s_cri.log", "cri+ndjson", 41, 1, 0}};
  for (const Log& log : logs) {
    CAPTURE(log.name);
    const auto path = recorded_trace(log.name);
    if (!path) continue;
    const ReadResult result = read_recorded(*path, {});
    CHECK(result.format == log.format);
    CHECK(result.rows == log.rows);
    CHECK(result.requests.size() == log.rows);
    CHECK(count_keys(result) == log.keys);
    std::size_t late = 0;
    for (std::size_t i = 1; i < result.requests.size(); ++i) {
      if (result.requests[i].at < result.requests[i - 1].at) ++late;
    }
    CHECK(late == log.late);
  }
}

TEST_CASE("recorded: rows after an unclosed string survive") {
  const auto path = recorded_trace("ndjson_unterminated.ndjson");
  if (!path) return;
  const ReadResult result =
      read_recorded(*path, flags_of("ndjson", "id", "relative-s", "name", ""));
  CHECK(result.rows == 5);
  CHECK(count_keys(result) == 4);
  CHECK(result.bad_rows ==
        std::vector<std::string>{"3:16 syntax the string that starts here is not closed"});
}

TEST_CASE("recorded: a pretty-printed document with a byte order mark has three records") {
  const auto path = recorded_trace("sample_bom.json");
  if (!path) return;
  const ReadResult result = read_recorded(*path, flags_of("", "id", "relative-s", "email", ""));
  CHECK(result.format == "json");
  CHECK(count_keys(result) == 3);
  CHECK(result.truncation.empty());
}

TEST_CASE("recorded: line feeds inside quotes do not end a record") {
  const auto path = recorded_trace("tweet_quoted_newlines.csv");
  if (!path) return;
  // A header, a record of nine lines, and one with a column too many.
  Source source(path->string());
  const Sample sample = source.peek();
  std::string_view text = sample.text;
  DelimitedScanner scanner(',');
  std::vector<std::size_t> widths;
  while (!text.empty()) {
    REQUIRE(scanner.scan(text, true) == DelimitedScanner::Found::kRecord);
    widths.push_back(scanner.fields().size());
    text.remove_prefix(scanner.size());
  }
  CHECK(widths == std::vector<std::size_t>{1, 1, 2});
}

}  // namespace
}  // namespace ratereplay::testing
