// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered_lane.hpp"

#include <variant>

#include "large_vector.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kCacheLine = 64;

template <Policy P>
class OrderedLaneOf final : public OrderedLane {
 public:
  OrderedLaneOf(const P& policy, Duration tick, std::size_t keys)
      : policy_(policy), tick_(tick), keys_(keys) {}

  // Flat, so that a decision is packed without having been in memory.
  [[gnu::flatten]] void decide(std::span<const Timeline::Event> batch,
                               std::span<const std::uint32_t> places, Answers answers) override {
    const auto answer_at = [&](std::size_t i) {
      return answers.first + places[i] * answers.stride;
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i + kFurther < places.size()) __builtin_prefetch(&batch[places[i + kFurther]]);
      if (i + kFar < places.size()) {
        fetch_state(batch[places[i + kFar]].key);
        __builtin_prefetch(answer_at(i + kFar), 1);
      }
      if constexpr (requires(const typename P::State& state) { state.prefetch(); }) {
        if (i + kNear < places.size()) keys_[batch[places[i + kNear]].key].state.prefetch();
      }
      const Timeline::Event& event = batch[places[i]];
      *answer_at(i) = PackedDecision(
          admit(policy_, keys_[event.key], Instant{Duration{event.at}}, event.cost, tick_));
    }
  }

 private:
  // The memory of what comes is asked for some requests ahead: the request, then the state of its
  // key, then what that refers to.
  static constexpr std::size_t kFurther = 24;
  static constexpr std::size_t kFar = 12;
  static constexpr std::size_t kNear = 6;

  void fetch_state(std::uint32_t key) const noexcept {
    const auto* const state = reinterpret_cast<const char*>(&keys_[key]);
    __builtin_prefetch(state, 1);
    if constexpr (kCacheLine % sizeof(Tracked<P>) != 0) {
      __builtin_prefetch(state + sizeof(Tracked<P>) - 1, 1);
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
