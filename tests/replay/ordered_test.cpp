// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "keys/trace_store.hpp"
#include "ratereplay/policies.hpp"
#include "replay/ordered_lane.hpp"
#include "report/decisions.hpp"
#include "run_program.hpp"
#include "spec/policy_parser.hpp"

namespace ratereplay::test {
namespace {

struct Request {
  std::int64_t ms;
  std::string key;
  Cost cost;
};

/// Seeded: a few busy keys and many idle ones, short, long, and to be quoted.
std::vector<Request> random_requests(unsigned seed, std::size_t rows, bool in_order, bool costs) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  std::int64_t now = 1'700'000'000'000;
  std::vector<Request> requests(rows);
  for (Request& request : requests) {
    now += below(3);
    const unsigned key = below(3) == 0 ? below(7) : below(3001);
    std::string text = "key-" + std::to_string(key) + std::string(key % 5 == 0 ? 15 : 0, 'x') +
                       (key % 97 == 0 ? ", \"quoted\"" : "");
    request = {now - (in_order ? 0 : below(60)), std::move(text), costs ? below(5) : 1};
  }
  return requests;
}

std::string trace_text(const std::vector<Request>& requests) {
  std::string text = "ts,key,cost\n";
  for (const Request& request : requests) {
    std::string quoted;
    for (const char c : request.key) quoted += c == '"' ? "\"\"" : std::string(1, c);
    text +=
        std::to_string(request.ms) + ",\"" + quoted + "\"," + std::to_string(request.cost) + '\n';
  }
  return text;
}

const std::vector<std::string> kPolicies = {"sliding-log:4/100ms", "edge=gcra:3/1s",
                                            "sliding-counter:5/300ms,round=exact",
                                            "leaky-bucket:3/1s,capacity=2"};

std::vector<PolicySpec> specs_of(const std::vector<std::string>& texts) {
  std::vector<PolicySpec> specs;
  for (const std::string& text : texts) specs.push_back(parse_policy(text, "test"));
  return specs;
}

std::string line_of(std::uint64_t row, const std::string& key, const Decision& decision) {
  return std::to_string(row + 1) + ' ' + key + ' ' +
         std::to_string(static_cast<int>(decision.outcome)) + ' ' +
         std::to_string(decision.remaining) + ' ' +
         std::to_string(decision.retry_after.value_or(Duration{-1}).count()) + ' ' +
         std::to_string(decision.reset_at.value_or(Instant{}).time_since_epoch().count()) + ' ' +
         std::to_string(decision.full_at.time_since_epoch().count()) + ' ' +
         std::to_string(decision.delay.count()) + '\n';
}

/// The decisions as text, from the library alone: the requests are put in time order and every
/// policy has a state for each key.
std::string expected_lines(const std::vector<Request>& requests,
                           const std::vector<PolicySpec>& specs) {
  std::vector<std::size_t> order(requests.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return requests[a].ms < requests[b].ms; });
  struct Line {
    std::size_t row;
    Decision decision;
  };
  std::vector<std::vector<Line>> of_policy;
  for (const PolicySpec& spec : specs) {
    std::visit(
        [&]<class P>(const P& policy) {
          std::map<std::string, Tracked<P>> keys;
          std::vector<Line>& lines = of_policy.emplace_back();
          for (const std::size_t row : order) {
            const Request& request = requests[row];
            lines.push_back(
                {row, admit(policy, keys[request.key],
                            Instant{std::chrono::milliseconds{request.ms}}, request.cost)});
          }
        },
        spec.policy);
  }
  std::string text;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::vector<Line>& lines : of_policy) {
      text += line_of(lines[i].row, requests[lines[i].row].key, lines[i].decision);
    }
  }
  return text;
}

struct Lines final : DecisionSink {
  void add_key(std::string_view shown) override { keys.emplace_back(shown); }
  void draw(const DecidedBatch& batch, TextBuffer& text) const override {
    std::string lines;
    for (std::size_t i = 0; i < batch.answers.size(); ++i) {
      const Timeline::Event& request =
          batch.requests[i / (batch.answers.size() / batch.requests.size())];
      lines += line_of(request.row, keys[request.key], batch.answers[i].unpacked().decision);
    }
    text.set_end(std::copy(lines.begin(), lines.end(), text.room(lines.size())));
  }
  void write(std::string_view text) override { all += text; }

  std::vector<std::string> keys;
  std::string all;
};

}  // namespace

TEST_CASE("decisions are those of the library in time order, at any number of threads") {
  const TemporaryFolder folder;
  unsigned seed = 0;
  for (const bool in_order : {true, false}) {
    for (const bool costs : {false, true}) {
      CAPTURE(in_order);
      CAPTURE(costs);
      // More than one batch.
      const std::vector<Request> requests = random_requests(++seed, 50'000, in_order, costs);
      const std::string path = folder.write("trace.csv", trace_text(requests));
      for (const std::size_t policies : {std::size_t{1}, kPolicies.size()}) {
        const std::vector<PolicySpec> specs = specs_of(
            {kPolicies.begin(), kPolicies.begin() + static_cast<std::ptrdiff_t>(policies)});
        const std::string expected = expected_lines(requests, specs);
        for (const bool spilled : {false, true}) {
          for (const unsigned threads : {1U, 2U, 3U, 8U}) {
            CAPTURE(spilled);
            CAPTURE(threads);
            ReadOptions options;
            options.keep_rows = true;
            options.threads = threads;
            if (spilled) options.max_memory = 100'000;
            const TraceStore trace = read_trace({path}, options, nullptr);
            REQUIRE((trace.spill != nullptr) == spilled);
            Lines first;
            Lines second;
            const std::vector<DecisionSink*> sinks = {&first, &second};
            replay_in_order(trace, specs, kDefaultTick, threads, sinks);
            const bool same = first.all == expected;
            CHECK(same);
            CHECK((second.all == first.all));
          }
        }
      }
    }
  }
}

TEST_CASE("where a segment ends cannot be told from the decisions") {
  const TemporaryFolder folder;
  const std::vector<PolicySpec> specs = specs_of(kPolicies);
  for (const bool in_order : {true, false}) {
    for (const bool spilled : {false, true}) {
      CAPTURE(in_order);
      CAPTURE(spilled);
      // Of 600 keys that are asked first in any segment, and 7 that are in most of them.
      const std::vector<Request> requests = random_requests(77, 2'000, in_order, true);
      const std::string path = folder.write("trace.csv", trace_text(requests));
      const std::string expected = expected_lines(requests, specs);
      ReadOptions options;
      options.keep_rows = true;
      if (spilled) options.max_memory = 10'000;
      const TraceStore trace = read_trace({path}, options, nullptr);
      REQUIRE((trace.spill != nullptr) == spilled);
      for (const std::size_t most : {1U, 2U, 7U, 64U, 1'999U, 2'000U, 2'001U}) {
        for (const unsigned threads : {1U, 2U, 8U}) {
          CAPTURE(most);
          CAPTURE(threads);
          const Timeline timeline(trace, threads);
          std::vector<std::unique_ptr<OrderedLane>> lanes;
          for (const PolicySpec& spec : specs) {
            lanes.push_back(ordered_lane(spec.policy, kDefaultTick, timeline.keys().size()));
          }
          Lines lines;
          const std::vector<DecisionSink*> sinks = {&lines};
          std::size_t largest = 0;
          decide_in_order(
              timeline, trace.key, lanes, threads, sinks,
              [&](const DecidedBatch& batch) {
                largest = std::max(largest, batch.requests.size());
                CHECK(batch.answers.size() == batch.requests.size() * lanes.size());
              },
              most * lanes.size() * sizeof(PackedDecision));
          CHECK(largest == std::min(most, requests.size()));
          const bool same = lines.all == expected;
          CHECK(same);
        }
      }
    }
  }
}

TEST_CASE("a packed decision holds every decision of ours, and refers to what a program told") {
  CHECK(sizeof(PackedDecision) == 32);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::vector<Decision> decisions;
  for (const std::int64_t remaining : {std::int64_t{0}, std::int64_t{1}, kMost}) {
    for (const std::int64_t at : {-kMost - 1, std::int64_t{-1}, std::int64_t{0}, kMost}) {
      for (const std::int64_t wait : {std::int64_t{1}, std::int64_t{1'000'000}, kMost}) {
        Decision decision;
        decision.remaining = remaining;
        decision.full_at = Instant{Duration{at}};
        decisions.push_back(decision);
        decision.reset_at = Instant{Duration{at}};
        decision.delay = Duration{wait};
        decisions.push_back(decision);
        decision.delay = Duration{0};
        decision.outcome = Outcome::kRefused;
        decision.retry_after = Duration{wait};
        decisions.push_back(decision);
        decision.outcome = Outcome::kNever;
        decision.retry_after.reset();
        decisions.push_back(decision);
      }
    }
  }
  for (const Decision& decision : decisions) {
    const PackedDecision packed(decision);
    CHECK(packed.told() == nullptr);
    CHECK(packed.unpacked().decision == decision);
  }
  ToldDecision told{decisions.front(), {.delay = true}};
  told.decision.retry_after = Duration{7};
  const PackedDecision packed(&told);
  CHECK(packed.told() == &told);
  CHECK(packed.unpacked().decision == told.decision);
  CHECK(packed.unpacked().untold.delay);
}

TEST_CASE("decisions of a trace with bad and filtered rows, and of two files, are in time order") {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.csv", "ts,key\n1000,a\nx,b\n1002,b\n1004,a\n");
  const std::string b = folder.write("b.csv", "ts,key\n1001,a\n1003,b\n1004,b\n");
  ReadOptions options;
  options.keep_rows = true;
  options.max_bad_rows = "100%";
  const TraceStore trace = read_trace({a, b}, options, nullptr);
  Lines lines;
  const std::vector<DecisionSink*> sinks = {&lines};
  replay_in_order(trace, specs_of({"fixed-window:9/1s"}), kDefaultTick, 2, sinks);
  std::string rows;
  for (std::size_t at = 0; at < lines.all.size(); at = lines.all.find('\n', at) + 1) {
    rows += lines.all.substr(at, lines.all.find(' ', lines.all.find(' ', at) + 1) - at) + ';';
  }
  CHECK(rows == "1 a;5 a;3 b;6 b;4 a;7 b;");
}

TEST_CASE("decision files are the same bytes for any number of threads and memory") {
  const TemporaryFolder folder;
  for (const bool in_order : {true, false}) {
    CAPTURE(in_order);
    const std::string path =
        folder.write("trace.csv", trace_text(random_requests(9, 60'000, in_order, true)));
    std::string expected;
    for (const std::string threads : {"1", "2", "3", "8"}) {
      for (const std::string memory : {"1G", "16M"}) {
        CAPTURE(threads);
        CAPTURE(memory);
        const std::string csv = folder.path("d.csv");
        const std::string ndjson = folder.path("d.ndjson");
        std::vector<std::string> args = {"run",
                                         "-q",
                                         path,
                                         "--threads",
                                         threads,
                                         "--max-memory",
                                         memory,
                                         "-o",
                                         "csv",
                                         "-o",
                                         "decisions.csv=" + csv,
                                         "-o",
                                         "decisions.ndjson=" + ndjson};
        for (const std::string& policy : kPolicies) args.insert(args.end(), {"-p", policy});
        const ProgramRun run = run_program(args);
        REQUIRE(run.exit_code == 0);
        const std::string all = run.out + read_text(csv) + read_text(ndjson);
        if (expected.empty()) expected = all;
        const bool same = all == expected;
        CHECK(same);
      }
    }
    CHECK(std::count(expected.begin(), expected.end(), '\n') > 2 * 4 * 60'000);
  }
}

TEST_CASE("a sink that fails ends the decisions with its error, and nothing is written after it") {
  struct Failing final : DecisionSink {
    void add_key(std::string_view) override {}
    void draw(const DecidedBatch&, TextBuffer& text) const override {
      char* const end = text.room(1);
      *end = '.';
      text.set_end(end + 1);
    }
    void write(std::string_view text) override {
      CHECK(left > 0);
      left -= static_cast<int>(text.size());
      if (left <= 0) throw std::runtime_error("no room");
    }
    int left = 40;
  };
  const TemporaryFolder folder;
  const std::string path =
      folder.write("trace.csv", trace_text(random_requests(5, 90'000, true, false)));
  ReadOptions options;
  options.keep_rows = true;
  const TraceStore trace = read_trace({path}, options, nullptr);
  for (const unsigned threads : {1U, 2U, 8U}) {
    CAPTURE(threads);
    Failing sink;
    const std::vector<DecisionSink*> sinks = {&sink};
    CHECK_THROWS_WITH_AS(
        replay_in_order(trace, specs_of({"gcra:9/1s"}), kDefaultTick, threads, sinks), "no room",
        std::runtime_error);
  }
}

}  // namespace ratereplay::test
