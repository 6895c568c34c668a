// SPDX-License-Identifier: Apache-2.0
#include "replay/drivers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "driver/driver.hpp"
#include "keys/shown_key.hpp"
#include "replay/lane.hpp"
#include "replay/ordered_lane.hpp"
#include "spec/option_text.hpp"
#include "vectors/unit.hpp"

namespace ratereplay {
namespace {

/// What a program said, as a decision; its times are in the unit, and its wait is made one in whole
/// ticks, as ours are.
ToldDecision decision_of(const Answer& answer, Instant at, Unit unit, Duration tick) {
  ToldDecision told;
  Decision& decision = told.decision;
  const bool never = answer.retry_after && answer.retry_after->never;
  if (!*answer.admitted) decision.outcome = never ? Outcome::kNever : Outcome::kRefused;
  told.untold = {!answer.remaining || answer.remaining->never, !answer.retry_after,
                 !answer.reset_at, !answer.full_at, !answer.delay || answer.delay->never};
  if (!told.untold.remaining)
    decision.remaining = std::max<std::int64_t>(0, answer.remaining->value);
  if (answer.retry_after) {
    decision.retry_after.reset();
    if (!never) {
      decision.retry_after = wait_until(Instant{}, unit.instant(answer.retry_after->value), tick);
    }
  }
  if (answer.reset_at && !answer.reset_at->never) {
    decision.reset_at = unit.instant(answer.reset_at->value);
  }
  decision.full_at = at;
  if (answer.full_at && !answer.full_at->never) {
    decision.full_at = unit.instant(answer.full_at->value);
  }
  if (!told.untold.delay) decision.delay = unit.instant(answer.delay->value).time_since_epoch();
  return told;
}

/// The key as a program is told it: as outputs show it, but never two as one. A `|` in a part of a
/// tuple has a backslash before it, and the backslashes that stood there are doubled.
std::string told_key(std::string_view held, const std::vector<KeyPart>& parts) {
  if (parts.size() < 2) return shown_key(held, parts);
  std::string told;
  std::string_view between;
  for (const std::string& part : key_parts(held, parts)) {
    told += between;
    between = " | ";
    std::size_t backslashes = 0;
    for (const char c : part) {
      if (c == '|') told.append(backslashes + 1, '\\');
      backslashes = c == '\\' ? backslashes + 1 : 0;
      told += c;
    }
  }
  return told;
}

class DriverLane final : public OrderedLane {
 public:
  DriverLane(const PolicySpec& spec, const ReplayOptions& options, const Timeline& timeline,
             const std::vector<KeyPart>& key, Unit unit)
      : driver_(spec.driver, options.driver_timeout), unit_(unit), tick_(options.tick) {
    for (const std::string_view held : timeline.keys()) keys_.push_back(told_key(held, key));
    driver_.open(spec, unit);
  }

  [[nodiscard]] bool splits() const noexcept override { return false; }

  void announce(std::span<const Timeline::Event> events) override {
    for (const Timeline::Event& event : events) {
      driver_.send({event.at / unit_.nanos, keys_[event.key], event.cost});
    }
  }

  void decide(std::span<const Timeline::Event> batch, std::span<const std::uint32_t> places,
              Answers answers) override {
    told_.resize(batch.size());
    for (const std::uint32_t place : places) {
      const Timeline::Event& event = batch[place];
      driver_.set_place(fmt::format("row {}", event.row + 1));
      told_[place] = decision_of(driver_.receive(), Instant{Duration{event.at}}, unit_, tick_);
      answers.first[place * answers.stride] = PackedDecision(&told_[place]);
    }
  }

  void finish() override { driver_.finish(); }

 private:
  Driver driver_;
  Unit unit_;
  Duration tick_;
  std::vector<std::string> keys_;
  std::vector<ToldDecision> told_;  ///< of the last batch
};

/// What one program has decided: an outcome for each event, and the sums that need no grouping.
class Findings {
 public:
  Findings(const PolicySpec& spec, const ReplayOptions& options, const Buckets& buckets,
           std::size_t events)
      : tally_(options.tick, limit_of(spec.policy).window, buckets, options.top, false),
        buckets_(buckets) {
    outcomes_.reserve(events);
  }

  void add(const Timeline::Event& event, const ToldDecision& told) {
    const Decision& decision = told.decision;
    outcomes_.push_back(decision.outcome);
    if (decision.admitted()) {
      ++tally_.admitted;
      if (!told.untold.delay) {
        if (!tally_.delay) tally_.delay.emplace(Duration{1});
        tally_.delay->add(std::max(Duration{0}, decision.delay));
      }
      return;
    }
    ++tally_.refused;
    ++tally_.refused_in[buckets_.index(event.at)];
    if (decision.outcome == Outcome::kNever) {
      ++tally_.never;
    } else if (!told.untold.retry_after) {
      tally_.retry_after.add(*decision.retry_after);
    }
  }

  [[nodiscard]] const std::vector<Outcome>& outcomes() const noexcept { return outcomes_; }

  PolicyResult result(const PolicySpec& spec, const std::vector<Timeline::Event>& events,
                      const std::vector<std::string_view>& keys, const TraceStore& trace,
                      const std::vector<std::uint64_t>& offered, const ReplayOptions& options) {
    add_keys(events, keys);
    PolicyResult result = result_of(spec, tally_, trace, offered, buckets_, options);
    result.memory.reset();
    result.longest_queue.reset();
    result.series.live_keys.clear();
    result.series.live_bytes.clear();
    return result;
  }

 private:
  /// What is known of a key only once all of its requests are together.
  void add_keys(const std::vector<Timeline::Event>& events,
                const std::vector<std::string_view>& keys) {
    std::vector<std::vector<std::size_t>> of_key(keys.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      of_key[events[i].key].push_back(i);
    }
    keys_.reserve(keys.size());
    std::vector<std::int64_t> at;
    std::vector<Cost> cost;
    for (std::size_t id = 0; id < of_key.size(); ++id) {
      // A packed key may look at bytes behind its text.
      const std::string_view text = keys[id];
      keys_.emplace_back(text).append(PackedKey::kInlineBytes + 1, '\0');
      const PackedKey key(std::string_view(keys_.back()).substr(0, text.size()));
      at.clear();
      cost.clear();
      std::optional<std::int64_t> first_refused;
      for (const std::size_t i : of_key[id]) {
        const Timeline::Event& event = events[i];
        if (outcomes_[i] == Outcome::kAdmitted) {
          at.push_back(event.at);
          cost.push_back(event.cost);
        } else if (!first_refused) {
          first_refused = event.at;
        }
      }
      tally_.worst.add(key, at, cost);
      if (!first_refused) continue;
      ++tally_.keys_refused;
      tally_.top.offer({key, of_key[id].size(), of_key[id].size() - at.size(), *first_refused});
    }
  }

  Tally tally_;
  const Buckets& buckets_;
  std::vector<Outcome> outcomes_;
  std::vector<std::string> keys_;  ///< that the tally refers to
};

Agreement agreement_of(const std::vector<Outcome>& lane, const std::vector<Outcome>& reference) {
  Agreement counts;
  compare(lane, reference, counts);
  counts.agree = lane.size() - counts.looser - counts.stricter;
  return counts;
}

}  // namespace

bool any_driver(std::span<const PolicySpec> policies) {
  return std::any_of(policies.begin(), policies.end(),
                     [](const PolicySpec& spec) { return !spec.driver.empty(); });
}

void replay_drivers(const TraceStore& trace, std::span<const PolicySpec> policies,
                    const ReplayOptions& options, std::vector<PolicyResult>& results,
                    std::span<DecisionSink* const> sinks) {
  const Timeline timeline(trace, options.threads);
  std::vector<Timeline::Event> events;
  timeline.for_each([&](const Timeline::Event& event) { events.push_back(event); });
  const Buckets buckets = make_buckets(trace.facts, options.bucket);
  Unit unit = kMilliseconds;
  for (const Timeline::Event& event : events) unit = fitting(unit, event.at);
  std::vector<std::unique_ptr<OrderedLane>> lanes;
  std::vector<Findings> found;
  for (const PolicySpec& spec : policies) {
    found.emplace_back(spec, options, buckets, events.size());
    if (spec.driver.empty()) {
      lanes.push_back(ordered_lane(spec.policy, options.tick, timeline.keys().size()));
    } else {
      lanes.push_back(std::make_unique<DriverLane>(spec, options, timeline, trace.key, unit));
    }
  }
  decide_in_order(timeline, trace.key, lanes, options.threads, sinks,
                  [&](const DecidedBatch& batch) {
                    const PackedDecision* answer = batch.answers.data();
                    for (const Timeline::Event& event : batch.requests) {
                      for (Findings& findings : found) findings.add(event, (answer++)->unpacked());
                    }
                  });

  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!policies[i].driver.empty()) {
      const std::vector<std::uint64_t> offered = results[i].series.offered;
      results[i] = found[i].result(policies[i], events, timeline.keys(), trace, offered, options);
    }
    results[i].agreement = agreement_of(found[i].outcomes(), found[options.reference].outcomes());
  }
}

}  // namespace ratereplay
