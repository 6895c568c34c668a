// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered_lane.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <variant>

#include "large_vector.hpp"

namespace ratereplay {
namespace {

template <Policy P>
class OrderedLaneOf final : public OrderedLane {
 public:
  OrderedLaneOf(const P& policy, Duration tick, std::size_t keys)
      : policy_(policy), tick_(tick), keys_(keys) {}

  void decide(std::span<const Timeline::Event> batch, KeyRange keys, Answers answers) override {
    std::array<std::uint16_t, kPiece> own;
    for (std::size_t start = 0; start < batch.size(); start += kPiece) {
      const std::span<const Timeline::Event> piece =
          batch.subspan(start, std::min(kPiece, batch.size() - start));
      std::size_t size = 0;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        own[size] = static_cast<std::uint16_t>(i);
        size += keys.holds(piece[i].key) ? 1 : 0;
      }
      for (std::size_t i = 0; i < std::min(size, kFar); ++i) fetch_state(piece[own[i]].key);
      for (std::size_t i = 0; i < size; ++i) {
        if (i + kFar < size) fetch_state(piece[own[i + kFar]].key);
        if (i + kNear < size) fetch_entries(piece[own[i + kNear]].key);
        const Timeline::Event& event = piece[own[i]];
        // Made in place: a copy would wait for each of its bytes.
        ToldDecision* const answer = answers.first + (start + own[i]) * answers.stride;
        ::new (answer) ToldDecision{
            admit(policy_, keys_[event.key], Instant{Duration{event.at}}, event.cost, tick_)};
      }
    }
  }

 private:
  // The next request is seldom of a key that is in cache: its memory is asked for some requests
  // ahead, first the state, then what the state points to.
  static constexpr std::size_t kPiece = 1024;
  static constexpr std::size_t kFar = 16;
  static constexpr std::size_t kNear = 8;

  void fetch_state(std::uint32_t key) const noexcept {
    const auto* const state = reinterpret_cast<const char*>(&keys_[key]);
    __builtin_prefetch(state, 1);
    __builtin_prefetch(state + sizeof(Tracked<P>) - 1, 1);
  }
  void fetch_entries(std::uint32_t key) const noexcept {
    if constexpr (requires(const typename P::State& state) { state[state.size()]; }) {
      const typename P::State& state = keys_[key].state;
      if (state.size() > 0) __builtin_prefetch(&state[0], 1);
    }
  }

  P policy_;
  Duration tick_;
  LargeVector<Tracked<P>> keys_;
};

}  // namespace

std::unique_ptr<OrderedLane> ordered_lane(const AnyPolicy& policy, Duration tick,
                                          std::size_t keys) {
  return std::visit(
      [&]<class P>(const P& made) -> std::unique_ptr<OrderedLane> {
        return std::make_unique<OrderedLaneOf<P>>(made, tick, keys);
      },
      policy);
}

}  // namespace ratereplay
