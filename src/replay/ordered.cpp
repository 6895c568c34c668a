// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "interrupt.hpp"
#include "keys/shown_key.hpp"
#include "large_vector.hpp"
#include "replay/ordered_lane.hpp"
#include "replay/ordered_texts.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kTextBytes = std::size_t{128} << 10;  ///< about, of the lines of a piece
constexpr std::size_t kLineBytes = 128;                     ///< about, without the key
constexpr std::size_t kLeastRequests = 16;                  ///< in a piece
/// More would not make programs faster.
constexpr std::size_t kMostAnnounced = 512;
/// So many shares have the keys at most, and so many requests a share of a segment about: few keys,
/// so that their states fit a cache, and not too few requests of them.
constexpr std::size_t kMostShares = 64;
constexpr std::size_t kLeastShares = 8;
constexpr std::size_t kShareRequests = 2048;

/// Requests in order, and where those of each share of the keys stand among them.
class Segment {
 public:
  Segment(std::size_t keys, std::size_t shares)
      : shift_(static_cast<unsigned>(std::bit_width((keys - 1) / shares))),
        ends_(((keys - 1) >> shift_) + 1) {}

  void take(std::span<const Timeline::Event> requests) {
    requests_ = requests;
    places_.resize(requests.size());
    std::ranges::fill(ends_, 0U);
    for (const Timeline::Event& request : requests) ++ends_[request.key >> shift_];
    std::exclusive_scan(ends_.begin(), ends_.end(), ends_.begin(), 0U);
    for (std::uint32_t place = 0; place < requests.size(); ++place) {
      places_[ends_[requests[place].key >> shift_]++] = place;
    }
  }

  [[nodiscard]] std::span<const Timeline::Event> requests() const noexcept { return requests_; }
  [[nodiscard]] std::size_t shares() const noexcept { return ends_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> places(std::size_t share) const noexcept {
    const std::size_t first = share == 0 ? 0 : ends_[share - 1];
    return std::span(places_).subspan(first, ends_[share] - first);
  }

 private:
  unsigned shift_;
  std::span<const Timeline::Event> requests_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> ends_;  ///< by share, in places_
};

/// Adds all keys to the sinks and returns the length of the longest.
std::size_t add_keys(const Timeline& timeline, const std::vector<KeyPart>& key,
                     std::span<DecisionSink* const> sinks) {
  std::size_t longest = 0;
  if (sinks.empty()) return longest;
  for (const std::string_view held : timeline.keys()) {
    const std::string shown = shown_key(held, key);
    longest = std::max(longest, shown.size());
    for (DecisionSink* const sink : sinks) sink->add_key(shown);
  }
  return longest;
}

/// The segment at hand is decided by all threads, each for shares of the keys: one lane after the
/// other, so that its states of the share are in cache. Then it is drawn by all; the last of them
/// fetches the next segment first.
class OrderedRun {
 public:
  OrderedRun(const Timeline& timeline, std::span<const std::unique_ptr<OrderedLane>> lanes,
             unsigned threads, std::span<DecisionSink* const> sinks, std::size_t most,
             std::size_t shares, std::size_t piece)
      : reader_(timeline),
        lanes_(lanes),
        sinks_(sinks),
        most_(most),
        piece_(piece),
        segment_(timeline.keys().size(), shares),
        next_(segment_),
        answers_(most * lanes.size()),
        texts_(sinks, threads),
        crew_(threads) {}

  void run(const std::function<void(const DecidedBatch&)>& hear) {
    next_.take(reader_.next(most_));
    while (!next_.requests().empty()) {
      std::swap(segment_, next_);
      stop_if_interrupted();
      decide();
      if (hear) hear(decided(0, segment_.requests().size()));
      draw();
    }
    for (const auto& lane : lanes_) lane->finish();
  }

 private:
  void decide() {
    for (const auto& lane : lanes_) lane->announce(segment_.requests());
    std::atomic<std::size_t> next{0};
    crew_.run([&](unsigned thread) {
      if (thread == 0) decide(0, false);
      for (std::size_t share = next++; share < segment_.shares(); share = next++) {
        if (!segment_.places(share).empty()) decide(share, true);
      }
    });
  }

  /// By the lanes that do split, or by those that do not.
  void decide(std::size_t share, bool split) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      if (lanes_[lane]->splits() != split) continue;
      lanes_[lane]->decide(segment_.requests(), segment_.places(share),
                           {answers_.data() + lane, lanes_.size()});
    }
  }

  void draw() {
    const std::size_t size = segment_.requests().size();
    texts_.begin(sinks_.empty() ? 0 : (size + piece_ - 1) / piece_);
    crew_.run([&](unsigned thread) {
      if (thread == crew_.threads() - 1) next_.take(reader_.next(most_));
      texts_.work(thread, [&](std::size_t index, OrderedTexts::Piece& texts) {
        const DecidedBatch part = decided(index * piece_, std::min(size, (index + 1) * piece_));
        for (std::size_t i = 0; i < sinks_.size(); ++i) sinks_[i]->draw(part, texts[i]);
      });
    });
  }

  [[nodiscard]] DecidedBatch decided(std::size_t first, std::size_t end) const {
    const std::size_t lanes = lanes_.size();
    return {segment_.requests().subspan(first, end - first),
            std::span(answers_).subspan(first * lanes, (end - first) * lanes)};
  }

  Timeline::Reader reader_;
  std::span<const std::unique_ptr<OrderedLane>> lanes_;
  std::span<DecisionSink* const> sinks_;
  std::size_t most_;   ///< requests in a segment
  std::size_t piece_;  ///< requests that are drawn at once
  Segment segment_;
  Segment next_;
  LargeVector<PackedDecision> answers_;
  OrderedTexts texts_;
  Crew crew_;
};

}  // namespace

void decide_in_order(const Timeline& timeline, const std::vector<KeyPart>& key,
                     std::span<const std::unique_ptr<OrderedLane>> lanes, unsigned threads,
                     std::span<DecisionSink* const> sinks,
                     const std::function<void(const DecidedBatch&)>& hear,
                     std::size_t answer_bytes) {
  const std::size_t longest = add_keys(timeline, key, sinks);
  std::size_t most =
      std::max(answer_bytes / (lanes.size() * sizeof(PackedDecision)), std::size_t{1});
  const std::size_t piece =
      std::max(kTextBytes / (lanes.size() * (kLineBytes + longest)), kLeastRequests);
  std::size_t shares = std::clamp(most / kShareRequests, kLeastShares, kMostShares);
  if (!std::ranges::all_of(lanes, [](const auto& lane) { return lane->splits(); })) {
    most = std::min(most, kMostAnnounced);
    shares = 1;
  }
  OrderedRun(timeline, lanes, threads, sinks, most, shares, piece).run(hear);
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
