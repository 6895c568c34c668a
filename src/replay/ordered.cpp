// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "crew.hpp"
#include "interrupt.hpp"
#include "keys/shown_key.hpp"
#include "replay/ordered_lane.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kTextBytes = std::size_t{4} << 20;  ///< about, of the lines of a batch
constexpr std::size_t kLineBytes = 128;                   ///< about, without the key
constexpr std::size_t kLeastRequests = 64;
/// More would not make programs faster.
constexpr std::size_t kMostAnnounced = 512;
/// Of a batch, for each sink.
constexpr std::size_t kTexts = 32;

/// What a batch is drawn as, for one sink.
using Texts = std::array<TextBuffer, kTexts>;

/// Adds all keys to the sinks and returns the length of the longest.
std::size_t add_keys(const Timeline& timeline, const std::vector<KeyPart>& key,
                     std::span<DecisionSink* const> sinks) {
  std::size_t longest = 0;
  if (sinks.empty()) return longest;
  for (const std::string& held : timeline.keys()) {
    const std::string shown = shown_key(held, key);
    longest = std::max(longest, shown.size());
    for (DecisionSink* const sink : sinks) sink->add_key(shown);
  }
  return longest;
}

/// The batch at hand is decided by all threads, each for keys of its own. Then it is drawn by all,
/// while the first writes the batch before and another fetches the next one.
class OrderedRun {
 public:
  OrderedRun(const Timeline& timeline, std::span<const std::unique_ptr<OrderedLane>> lanes,
             unsigned threads, std::span<DecisionSink* const> sinks, std::size_t most)
      : keys_(static_cast<std::uint32_t>(timeline.keys().size())),
        reader_(timeline),
        lanes_(lanes),
        sinks_(sinks),
        most_(most),
        answers_(most * lanes.size()),
        drawn_(sinks.size()),
        drawn_before_(sinks.size()),
        crew_(threads) {}

  void run(const std::function<void(const DecidedBatch&)>& hear) {
    for (batch_ = reader_.next(most_); !batch_.empty(); batch_ = next_) {
      stop_if_interrupted();
      decide();
      if (hear) hear(decided(0, batch_.size()));
      draw();
    }
    write(drawn_);
    for (const auto& lane : lanes_) lane->finish();
  }

 private:
  void decide() {
    for (const auto& lane : lanes_) lane->announce(batch_);
    std::atomic<std::size_t> next{0};
    crew_.run([&](unsigned thread) {
      if (thread == 0) {
        for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
          if (!lanes_[lane]->splits()) decide(lane, {0, keys_});
        }
      }
      const std::size_t shares = crew_.threads();
      for (std::size_t i = next++; i < lanes_.size() * shares; i = next++) {
        if (lanes_[i / shares]->splits()) decide(i / shares, share(i % shares, shares));
      }
    });
  }

  void decide(std::size_t lane, KeyRange keys) {
    lanes_[lane]->decide(batch_, keys, {answers_.data() + lane, lanes_.size()});
  }

  [[nodiscard]] KeyRange share(std::uint64_t index, std::uint64_t shares) const {
    const auto first = static_cast<std::uint32_t>(keys_ * index / shares);
    return {first, static_cast<std::uint32_t>(keys_ * (index + 1) / shares) - first};
  }

  void draw() {
    drawn_.swap(drawn_before_);
    std::atomic<std::size_t> next{0};
    crew_.run([&](unsigned thread) {
      if (thread == 0) write(drawn_before_);
      for (std::size_t i = next++; i <= kTexts; i = next++) {
        if (i == 0) {
          next_ = reader_.next(most_);
        } else {
          draw(i - 1);
        }
      }
    });
  }

  void draw(std::size_t index) {
    const DecidedBatch part =
        decided(batch_.size() * index / kTexts, batch_.size() * (index + 1) / kTexts);
    for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
      TextBuffer& text = drawn_[sink][index];
      text.clear();
      sinks_[sink]->draw(part, text);
    }
  }

  void write(const std::vector<Texts>& drawn) {
    for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
      for (const TextBuffer& text : drawn[sink]) sinks_[sink]->write(text.text());
    }
  }

  [[nodiscard]] DecidedBatch decided(std::size_t first, std::size_t end) const {
    const std::size_t lanes = lanes_.size();
    return {batch_.subspan(first, end - first),
            std::span(answers_).subspan(first * lanes, (end - first) * lanes)};
  }

  std::uint32_t keys_;
  Timeline::Reader reader_;
  std::span<const std::unique_ptr<OrderedLane>> lanes_;
  std::span<DecisionSink* const> sinks_;
  std::size_t most_;  ///< requests in a batch
  std::span<const Timeline::Event> batch_;
  std::span<const Timeline::Event> next_;
  std::vector<ToldDecision> answers_;
  std::vector<Texts> drawn_;         ///< by sink
  std::vector<Texts> drawn_before_;  ///< the batch before, to be written
  Crew crew_;
};

}  // namespace

void decide_in_order(const Timeline& timeline, const std::vector<KeyPart>& key,
                     std::span<const std::unique_ptr<OrderedLane>> lanes, unsigned threads,
                     std::span<DecisionSink* const> sinks,
                     const std::function<void(const DecidedBatch&)>& hear) {
  const std::size_t longest = add_keys(timeline, key, sinks);
  std::size_t most = std::max(kTextBytes / (lanes.size() * (kLineBytes + longest)), kLeastRequests);
  for (const auto& lane : lanes) {
    if (!lane->splits()) most = std::min(most, kMostAnnounced);
  }
  OrderedRun(timeline, lanes, threads, sinks, most).run(hear);
}

void replay_in_order(const TraceStore& trace, std::span<const PolicySpec> policies, Duration tick,
                     unsigned threads, std::span<DecisionSink* const> sinks) {
  const Timeline timeline(trace, threads);
  std::vector<std::unique_ptr<OrderedLane>> lanes;
  for (const PolicySpec& spec : policies) {
    lanes.push_back(ordered_lane(spec.policy, tick, timeline.keys().size()));
  }
  decide_in_order(timeline, trace.key, lanes, threads, sinks);
}

}  // namespace ratereplay
