// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "keys/timeline.hpp"
#include "ratereplay/decision.hpp"
#include "report/text_buffer.hpp"

namespace ratereplay {

/// The fields of a decision that are not known: a program behind a driver need not tell them.
struct Untold {
  bool remaining = false;
  bool retry_after = false;
  bool reset_at = false;
  bool full_at = false;
  bool delay = false;
};

struct ToldDecision {
  Decision decision;
  Untold untold{};
};

/// A decision in 32 bytes: a run makes one for every request and policy, and outputs read it.
class PackedDecision {
 public:
  PackedDecision() = default;

  /// Of a policy of ours, where only what is refused waits and only what is admitted is delayed.
  explicit PackedDecision(const Decision& decision) noexcept
      : remaining_(decision.reset_at ? decision.remaining : ~decision.remaining),
        reset_at_(decision.reset_at ? decision.reset_at->time_since_epoch().count() : 0),
        full_at_(decision.full_at.time_since_epoch().count()),
        wait_(decision.admitted()    ? decision.delay.count()
              : decision.retry_after ? ~decision.retry_after->count()
                                     : kNever) {}

  /// Of a program, which may have told anything: a reference.
  explicit PackedDecision(const ToldDecision* told) noexcept
      : remaining_(~std::int64_t{0}), reset_at_(std::bit_cast<std::int64_t>(told)) {}

  /// What a program told; null for a policy of ours, of which the following tell.
  [[nodiscard]] const ToldDecision* told() const noexcept {
    return full() ? std::bit_cast<const ToldDecision*>(reset_at_) : nullptr;
  }
  [[nodiscard]] bool admitted() const noexcept { return wait_ >= 0; }
  [[nodiscard]] bool never() const noexcept { return wait_ == kNever; }
  [[nodiscard]] std::int64_t remaining() const noexcept {
    return full() ? ~remaining_ : remaining_;
  }
  /// Of what is refused and not never(), ns.
  [[nodiscard]] std::int64_t retry_after() const noexcept { return ~wait_; }
  /// Of what is admitted, ns.
  [[nodiscard]] std::int64_t delay() const noexcept { return wait_; }
  /// Nothing is used, so that there is no reset_at().
  [[nodiscard]] bool full() const noexcept { return remaining_ < 0; }
  [[nodiscard]] std::int64_t reset_at() const noexcept { return reset_at_; }  ///< ns
  [[nodiscard]] std::int64_t full_at() const noexcept { return full_at_; }    ///< ns

  [[nodiscard]] ToldDecision unpacked() const noexcept {
    if (const ToldDecision* const whole = told()) return *whole;
    Decision decision;
    decision.remaining = remaining();
    if (admitted()) {
      decision.delay = Duration{delay()};
    } else {
      decision.outcome = never() ? Outcome::kNever : Outcome::kRefused;
      decision.retry_after.reset();
      if (!never()) decision.retry_after = Duration{retry_after()};
    }
    if (!full()) decision.reset_at = Instant{Duration{reset_at_}};
    decision.full_at = Instant{Duration{full_at_}};
    return {decision};
  }

 private:
  /// No wait is 0, whose complement this is.
  static constexpr std::int64_t kNever = ~std::int64_t{0};

  std::int64_t remaining_ = 0;  ///< the complement when full
  std::int64_t reset_at_ = 0;   ///< when full, null or what a program told
  std::int64_t full_at_ = 0;
  std::int64_t wait_ = 0;  ///< of what is refused, the complement
};

/// Requests in output order, and what every policy said to each: all of the first request in the
/// order of the policies, then all of the second.
struct DecidedBatch {
  std::span<const Timeline::Event> requests;
  std::span<const PackedDecision> answers;
};

/// An output that lists decisions. Text is made by any number of threads and written by one.
class DecisionSink {
 public:
  virtual ~DecisionSink() = default;
  /// The next key, in the order of Timeline::keys(), as outputs show it. All come before the rest.
  virtual void add_key(std::string_view shown) = 0;
  /// Appends the lines of a batch.
  virtual void draw(const DecidedBatch& batch, TextBuffer& text) const = 0;
  /// Takes what was drawn, in output order.
  virtual void write(std::string_view text) = 0;
};

}  // namespace ratereplay
