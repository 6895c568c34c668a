// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "keys/trace_store.hpp"
#include "replay/engine.hpp"
#include "replay/ordered.hpp"
#include "run_program.hpp"
#include "spec/policy_parser.hpp"

namespace ratereplay::test {
namespace {

struct DecisionLines final : DecisionSink {
  void add_key(std::string_view shown) override { keys.emplace_back(shown); }
  void draw(const DecidedBatch& batch, TextBuffer& out) const override {
    std::string lines;
    const std::size_t policies =
        batch.answers.size() / std::max<std::size_t>(batch.requests.size(), 1);
    for (std::size_t i = 0; i < batch.answers.size(); ++i) {
      const Timeline::Event& request = batch.requests[i / policies];
      lines += std::to_string(request.row) + ' ' + keys[request.key] + ' ' +
               std::to_string(request.at) + ' ' + std::to_string(batch.answers[i].remaining()) +
               '\n';
    }
    out.set_end(std::copy(lines.begin(), lines.end(), out.room(lines.size())));
  }
  void write(std::string_view drawn) override { text += drawn; }

  std::vector<std::string> keys;
  std::string text;
};

/// Rows of a few busy and many idle keys, some out of order, with costs or each 1.
std::string trace_text(bool costs) {
  std::string text = "ts,key,cost\n";
  for (int i = 0; i < 30'000; ++i) {
    const int key = i % 3 == 0 ? i % 7 : i * 7919 % 4001;
    const int at = 1'000'000 + i * 3 - (i % 11 == 0 ? 40 : 0);
    text += std::to_string(at) + ",key-" + std::to_string(key) + (key % 2 ? "-of-many-bytes" : "") +
            ',' + std::to_string(costs ? i % 4 : 1) + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("memory: rows that were moved to a file decide alike, at any number of threads") {
  const TemporaryFolder folder;
  const std::vector<PolicySpec> policies = {parse_policy("sliding-log:5/1s", "test"),
                                            parse_policy("gcra:3/1s", "test")};
  for (const bool costs : {false, true}) {
    const std::string path = folder.write("trace.csv", trace_text(costs));
    for (const bool spread : {false, true}) {
      CAPTURE(costs);
      CAPTURE(spread);
      ReadOptions options;
      options.keep_rows = true;
      options.spread_stamps = spread;
      std::string decisions;
      std::vector<std::uint64_t> refused;
      for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{100'000}}) {
        for (const unsigned threads : {1U, 2U, 8U}) {
          if (memory > 0) options.max_memory = memory;
          options.threads = threads;
          TraceStore trace = read_trace({path}, options, nullptr);
          CHECK((trace.spill != nullptr) == (memory > 0));
          ReplayOptions replaying;
          replaying.threads = threads;
          std::vector<std::uint64_t> counts;
          for (const PolicyResult& result : replay(trace, policies, replaying, false)) {
            counts.insert(counts.end(), {result.admitted, result.refused, result.worst.admitted,
                                         result.retry_after.count});
          }
          DecisionLines lines;
          const std::vector<DecisionSink*> sinks = {&lines};
          replay_in_order(trace, policies, kDefaultTick, threads, sinks);
          if (decisions.empty()) {
            decisions = lines.text;
            refused = counts;
          }
          CHECK(lines.text == decisions);
          CHECK(counts == refused);
        }
      }
    }
  }
}

TEST_CASE("memory: --max-memory cannot change a result, and leaves no file behind") {
  const TemporaryFolder folder;
  const TemporaryFolder spilled;
  const std::string path = folder.path("trace.csv");
  REQUIRE(run_program({"generate", "poisson", "--rate", "5k", "--keys", "1k", "--rows", "1200k",
                       "-o", path})
              .exit_code == 0);
  const auto run = [&](std::vector<std::string> more) {
    const std::string decisions = folder.path("decisions.csv");
    ProgramCall call;
    call.args = {"run",
                 "-q",
                 path,
                 "-p",
                 "sliding-log:9/1s",
                 "-o",
                 "json",
                 "-o",
                 "decisions.csv=" + decisions};
    call.args.insert(call.args.end(), more.begin(), more.end());
    call.environment = {{"TMPDIR", spilled.root()}};
    const ProgramRun result = run_program(call);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    return result.out + read_text(folder.path("decisions.csv"));
  };
  const bool same = run({"--max-memory", "16M", "--threads", "2"}) == run({});
  CHECK(same);
  CHECK(std::filesystem::is_empty(spilled.root()));

  ProgramCall nowhere;
  nowhere.args = {"run", "-q", path, "-p", "sliding-log:9/1s", "--max-memory", "16M"};
  nowhere.environment = {{"TMPDIR", "/nowhere"}};
  const ProgramRun failed = run_program(nowhere);
  CHECK(failed.exit_code == 4);
  CHECK(failed.out.empty());
  CHECK(failed.err.find("cannot make the temporary file of --max-memory in /nowhere: No such file "
                        "or directory") != std::string::npos);
}

TEST_CASE("memory: a size that is none, or too small, is a usage error") {
  for (const std::string size : {"0", "15M", "16777215", "4g", "4GB", "1.5G", "-1", "x",
                                 "18446744073709551616", "99999999999999G"}) {
    CAPTURE(size);
    const ProgramRun run =
        run_program({"run", "-", "-p", "sliding-log:1/1s", "--max-memory=" + size});
    CHECK(run.exit_code == 2);
    CHECK(run.err.find("--max-memory " + size + ": not a size of 16M or more") !=
          std::string::npos);
  }
}

}  // namespace ratereplay::test
