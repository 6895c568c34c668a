// SPDX-License-Identifier: Apache-2.0
#include "replay/engine.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "replay/ordered_lane.hpp"

namespace ratereplay {
namespace {

struct Request {
  std::int64_t at;
  std::string key;
  Cost cost;
};

/// A store as reading the requests in blocks of `block` rows would leave it.
TraceStore store_of(const std::vector<Request>& requests, std::size_t block, Order order) {
  TraceStore store;
  store.order = order;
  store.key = {KeyPart{0, {}, "key"}};
  store.facts.requests = store.facts.rows = requests.size();
  std::int64_t first = requests.front().at;
  std::int64_t last = first;
  RowBatch batch;
  RowMemory memory;
  for (std::size_t start = 0; start < requests.size(); start += block) {
    batch.clear();
    for (std::size_t i = start; i < std::min(start + block, requests.size()); ++i) {
      const Request& request = requests[i];
      char* const text = batch.scratch(request.key.size());
      std::copy(request.key.begin(), request.key.end(), text);
      batch.add(Instant{Duration{request.at}}, {text, request.key.size()}, request.cost);
      first = std::min(first, request.at);
      last = std::max(last, request.at);
    }
    const Partition::Piece piece{&batch, start};
    for (std::size_t i = 0; i < store.partitions.size(); ++i) {
      store.partitions[i].absorb({&piece, 1}, i, true, memory);
    }
  }
  for (const Partition& partition : store.partitions) store.facts.keys += partition.keys();
  store.facts.first = Instant{Duration{first}};
  store.facts.last = Instant{Duration{last}};
  return store;
}

std::vector<PolicySpec> specs_of(const std::vector<std::string>& texts) {
  std::vector<PolicySpec> specs;
  for (const std::string& text : texts) specs.push_back(parse_policy(text, "test"));
  return specs;
}

/// Seeded requests over few and many keys, short and long, in order or not, cost 1 or not.
std::vector<Request> random_requests(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const bool in_order = below(2) == 0;
  const bool costs = below(2) == 0;
  const std::int64_t unit = std::vector<std::int64_t>{1, 100, 1'000'000, 1'000'000'000}[below(4)];
  const unsigned keys = 1 + below(40);
  std::int64_t now = below(3) == 0 ? -5 * unit : static_cast<std::int64_t>(below(1000)) * unit;
  std::vector<Request> requests(1 + below(600));
  for (Request& request : requests) {
    now += static_cast<std::int64_t>(below(5) == 0 ? below(900) : below(30)) * unit;
    const std::int64_t back = in_order ? 0 : static_cast<std::int64_t>(below(50)) * unit;
    const unsigned key = below(keys);
    request = {now - back, "key-" + std::to_string(key) + std::string(key % 3 * 9, 'x'),
               costs ? below(6) : 1};
  }
  // Some traces touch an end of time.
  const auto [first, last] = std::ranges::minmax_element(requests, {}, &Request::at);
  const auto move = [&](std::int64_t from, std::int64_t to) {
    for (Request& request : requests) {
      const auto distance =
          static_cast<std::uint64_t>(request.at) - static_cast<std::uint64_t>(from);
      request.at = static_cast<std::int64_t>(distance + static_cast<std::uint64_t>(to));
    }
  };
  const unsigned place = below(8);
  if (place == 0) move(last->at, std::numeric_limits<std::int64_t>::max());
  if (place == 1) move(first->at, std::numeric_limits<std::int64_t>::min());
  return requests;
}

const std::vector<std::string> kPolicies = {
    "sliding-log:5/1s",
    "sliding-log:3/100ms,boundary=closed,charge=attempted",
    "sliding-counter:5/1s,round=exact",
    "sliding-counter:4/300ms,anchor=first",
    "fixed-window:5/1s,clock=300ms",
    "gcra:5/1s,capacity=3",
    "token-bucket:5/1s,refill=interval,capacity=7",
    "leaky-bucket:3/1s,capacity=2",
    // Families of lanes that differ in their limits, which share the work on calm keys.
    "sliding-log:2/1s",
    "sliding-log:20/1s",
    "sliding-log:9/100ms,boundary=closed,charge=attempted",
    "sliding-log:6/2s,clock=700ms",
    "sliding-log:30/2s,clock=700ms",
    "sliding-counter:25/1s,round=exact",
    "sliding-counter:2/300ms,anchor=first",
    "fixed-window:8/1s,clock=300ms",
    "fixed-window:3/1s,anchor=first,boundary=closed",
    "fixed-window:12/1s,anchor=first,boundary=closed",
    "gcra:5/1s,charge=attempted",
    // Told from the rows alone while a key is calm.
    "fixed-window:6/1s",
    "sliding-counter:8/400ms",
    "sliding-counter:40/3s,round=nearest",
    "sliding-log:7/40ms",
};

/// Everything of a result that must not depend on how it was computed.
std::string text_of(const std::vector<PolicyResult>& results) {
  std::string text;
  const auto add = [&](auto value) { text += std::to_string(value) + ' '; };
  const auto add_all = [&](const std::vector<std::uint64_t>& values) {
    for (const std::uint64_t value : values) add(value);
    text += '\n';
  };
  for (const PolicyResult& result : results) {
    text += result.spec + '\n';
    for (const std::uint64_t value :
         {result.admitted, result.refused, result.never, result.keys_refused, result.worst.admitted,
          result.agreement.agree, result.agreement.looser, result.agreement.stricter,
          result.retry_after.count, result.longest_queue.value_or(0)}) {
      add(value);
    }
    for (const Duration wait :
         {result.retry_after.min, result.retry_after.p50, result.retry_after.p90,
          result.retry_after.p99, result.retry_after.max}) {
      add(wait.count());
    }
    text += result.worst.key + ' ' + result.memory->reserved_bytes + ' ' +
            result.memory->live_peak_bytes + '\n';
    add(result.worst.at.time_since_epoch().count());
    add(result.memory->live_peak_at.time_since_epoch().count());
    for (const TopKey& key : result.top_keys) {
      text += key.key + ' ';
      add(key.requests);
      add(key.refused);
      add(key.first_refused.time_since_epoch().count());
    }
    text += '\n';
    add_all(result.series.offered);
    add_all(result.series.admitted);
    add_all(result.series.refused);
    add_all(result.series.live_keys);
    add_all(result.series.live_bytes);
  }
  return text;
}

template <class P>
constexpr bool kIsLog = std::same_as<P, SlidingLog>;

struct Decided {
  Timeline::Event request;
  std::size_t policy;
  Decision decision;
  std::string key;
};

/// Every decision of the library in time order.
std::vector<Decided> decided_in_order(const TraceStore& trace, const std::vector<PolicySpec>& specs,
                                      Duration tick, unsigned threads) {
  const Timeline timeline(trace, threads);
  std::vector<std::unique_ptr<OrderedLane>> lanes;
  for (const PolicySpec& spec : specs) {
    lanes.push_back(ordered_lane(spec.policy, tick, timeline.keys().size()));
  }
  std::vector<Decided> decided;
  decide_in_order(timeline, trace.key, lanes, threads, {}, [&](const DecidedBatch& batch) {
    for (std::size_t i = 0; i < batch.answers.size(); ++i) {
      const Timeline::Event& request = batch.requests[i / specs.size()];
      decided.push_back({request, i % specs.size(), batch.answers[i].unpacked().decision,
                         std::string(timeline.keys()[request.key])});
    }
  });
  return decided;
}

/// The most units admitted in any (t - window, t], by looking at every pair.
WorstWindow worst_of(const std::map<std::string, std::vector<std::pair<std::int64_t, Cost>>>& keys,
                     std::int64_t window) {
  WorstWindow worst;
  for (const auto& [key, admitted] : keys) {
    for (std::size_t i = 0; i < admitted.size(); ++i) {
      std::uint64_t units = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        if (admitted[i].first - admitted[j].first < window) units += admitted[j].second;
      }
      const Instant at{Duration{admitted[i].first}};
      if (units > worst.admitted || (units == worst.admitted && units > 0 && at < worst.at)) {
        worst = {units, key, at};
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("engine: a replay by key decides as the library does in time order") {
  const std::vector<PolicySpec> specs = specs_of(kPolicies);
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const std::vector<Request> requests = random_requests(seed);
    TraceStore store = store_of(requests, 1 + seed % 97, seed % 2 ? Order::kSort : Order::kClamp);
    ReplayOptions options;
    options.reference = seed % specs.size();
    const std::vector<PolicyResult> results = replay(store, specs, options, false);
    const std::vector<Decided> decided = decided_in_order(store, specs, options.tick, 1 + seed % 3);
    REQUIRE(decided.size() == requests.size() * specs.size());

    for (std::size_t lane = 0; lane < specs.size(); ++lane) {
      CAPTURE(specs[lane].canonical);
      const PolicyResult& result = results[lane];
      std::uint64_t refused = 0;
      std::uint64_t never = 0;
      Agreement agreement;
      std::vector<Duration> waits;
      std::vector<Duration> delays;
      std::map<std::string, std::vector<std::pair<std::int64_t, Cost>>> admitted;
      std::map<std::string, std::uint64_t> refused_by_key;
      for (std::size_t i = 0; i < requests.size(); ++i) {
        const Decided& row = decided[i * specs.size() + lane];
        const std::string& key = row.key;
        const Decided& other = decided[i * specs.size() + options.reference];
        CHECK(row.policy == lane);
        CHECK(key == requests[row.request.row].key);
        CHECK(row.request.cost == requests[row.request.row].cost);
        if (row.decision.admitted() == other.decision.admitted()) {
          ++agreement.agree;
        } else {
          ++(row.decision.admitted() ? agreement.looser : agreement.stricter);
        }
        if (row.decision.admitted()) {
          admitted[key].emplace_back(row.request.at, row.request.cost);
          delays.push_back(row.decision.delay);
          continue;
        }
        ++refused;
        ++refused_by_key[key];
        if (row.decision.retry_after) {
          waits.push_back(*row.decision.retry_after);
        } else {
          ++never;
        }
      }
      std::sort(waits.begin(), waits.end());
      CHECK(result.admitted == requests.size() - refused);
      CHECK(result.refused == refused);
      CHECK(result.never == never);
      CHECK(result.keys_refused == refused_by_key.size());
      CHECK(result.agreement.agree == agreement.agree);
      CHECK(result.agreement.looser == agreement.looser);
      CHECK(result.agreement.stricter == agreement.stricter);
      REQUIRE(result.retry_after.count == waits.size());
      if (!waits.empty()) {
        CHECK(result.retry_after.min == waits.front());
        CHECK(result.retry_after.max == waits.back());
        if (result.retry_after.relative_error == 0) {
          CHECK(result.retry_after.p50 == waits[(waits.size() * 50 + 99) / 100 - 1]);
          CHECK(result.retry_after.p90 == waits[(waits.size() * 90 + 99) / 100 - 1]);
          CHECK(result.retry_after.p99 == waits[(waits.size() * 99 + 99) / 100 - 1]);
        }
      }
      if (result.delay) {
        CHECK(result.delay->count == delays.size());
        if (!delays.empty()) {
          CHECK(result.delay->max == *std::max_element(delays.begin(), delays.end()));
        }
      }
      const std::int64_t window = std::visit(
          [](const auto& policy) { return policy.limit().window.count(); }, specs[lane].policy);
      const WorstWindow worst = worst_of(admitted, window);
      CHECK(result.worst.admitted == worst.admitted);
      CHECK(result.worst.key == worst.key);
      CHECK(result.worst.at == worst.at);
    }
  }
}

TEST_CASE("engine: threads, blocks and the order of lanes change nothing") {
  const std::vector<PolicySpec> specs = specs_of(kPolicies);
  for (unsigned seed = 1000; seed < 1040; ++seed) {
    CAPTURE(seed);
    const std::vector<Request> requests = random_requests(seed);
    std::vector<std::string> texts;
    for (const unsigned threads : {1U, 2U, 8U}) {
      for (const std::size_t block : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
        TraceStore store = store_of(requests, block, Order::kSort);
        ReplayOptions options;
        options.threads = threads;
        texts.push_back(text_of(replay(store, specs, options, true)));
      }
    }
    for (const std::string& text : texts) CHECK(text == texts.front());
  }
}

TEST_CASE("engine: the lanes of a key with most of the rows are spread over threads unseen") {
  const std::vector<PolicySpec> specs = specs_of(kPolicies);
  for (unsigned seed = 1500; seed < 1504; ++seed) {
    CAPTURE(seed);
    std::vector<Request> requests = random_requests(seed);
    std::mt19937_64 random(seed);
    std::int64_t at = requests.back().at;
    for (int i = 0; i < 100'000; ++i) {
      at += static_cast<std::int64_t>(random() % 30'000'000);
      requests.push_back({at, "busy", seed % 2 == 0 ? 1 : static_cast<Cost>(random() % 3)});
    }
    for (const std::size_t reference : {std::size_t{0}, std::size_t{4}, specs.size() - 1}) {
      std::vector<std::string> texts;
      for (const unsigned threads : {1U, 2U, 3U, 8U}) {
        TraceStore store = store_of(requests, 4096, Order::kSort);
        ReplayOptions options;
        options.threads = threads;
        options.reference = reference;
        texts.push_back(text_of(replay(store, specs, options, true)));
      }
      for (const std::string& text : texts) CHECK(text == texts.front());
    }
  }
}

TEST_CASE("engine: a bucket counts the most state that each key held at any time in it") {
  const std::vector<PolicySpec> specs = specs_of(kPolicies);
  for (unsigned seed = 2000; seed < 2060; ++seed) {
    CAPTURE(seed);
    const std::vector<Request> requests = random_requests(seed);
    TraceStore store = store_of(requests, 64, Order::kSort);
    const std::vector<PolicyResult> results = replay(store, specs, {}, false);
    std::map<std::string, std::vector<Request>> by_key;
    for (const Request& request : requests) by_key[request.key].push_back(request);
    for (std::size_t lane = 0; lane < specs.size(); ++lane) {
      CAPTURE(specs[lane].canonical);
      const Series& series = results[lane].series;
      std::vector<std::uint64_t> keys(series.offered.size());
      std::vector<std::uint64_t> bytes(series.offered.size());
      std::visit(
          [&]<class P>(const P& policy) {
            for (auto& [key, rows] : by_key) {
              std::stable_sort(rows.begin(), rows.end(),
                               [](const Request& a, const Request& b) { return a.at < b.at; });
              Tracked<P> tracked;
              std::vector<std::pair<Instant, Cost>> charges;
              std::size_t next = 0;
              for (std::size_t bucket = 0; bucket < keys.size(); ++bucket) {
                const Instant start =
                    series.start + static_cast<std::int64_t>(bucket) * series.bucket;
                const auto lies_in = [&](std::int64_t at) {
                  return elapsed(start.time_since_epoch().count(), at) <
                         static_cast<std::uint64_t>(series.bucket.count());
                };
                const auto held_units = [&](Instant now) {
                  std::int64_t units = 0;
                  if constexpr (kIsLog<P>) {
                    for (const auto& [at, cost] : charges) {
                      units += policy.has_left(at, now) ? 0 : cost;
                    }
                  }
                  return units;
                };
                std::int64_t most = 0;
                if (policy.expires_at(tracked.state) > start) {
                  most = kIsLog<P> ? 8 * held_units(start) : policy.bytes_per_key();
                }
                for (; next < rows.size() && lies_in(rows[next].at); ++next) {
                  const Instant now{Duration{rows[next].at}};
                  const bool charged = admit(policy, tracked, now, rows[next].cost).admitted() ||
                                       policy.options().charge == Charge::kAttempted;
                  if (!charged || rows[next].cost == 0) continue;
                  charges.emplace_back(now, rows[next].cost);
                  most = std::max(most, kIsLog<P> ? 8 * held_units(now) : policy.bytes_per_key());
                }
                keys[bucket] += most > 0;
                bytes[bucket] += static_cast<std::uint64_t>(most);
              }
            }
          },
          specs[lane].policy);
      CHECK(series.live_keys == keys);
      CHECK(series.live_bytes == bytes);
    }
  }
}

}  // namespace ratereplay
