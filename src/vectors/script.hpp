// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vectors/policy_decider.hpp"
#include "vectors/vector_file.hpp"

namespace ratereplay {

/// The key that generated steps ask for where it does not matter.
inline constexpr std::string_view kScriptKey = "a";

/// Whether a generated step expects every number or the decision alone.
enum class Detail : std::uint8_t { kFull, kDecision };

/// What one of our policies answers, as a step expects it: the wait of a refusal, the delay where
/// requests queue, and only what fits 64 bits.
[[nodiscard]] Answer expectation(const AnyPolicy& policy, const Answer& answer, Detail detail);

/// A case that is written by asking: each request is put to the policy, and its answer becomes what
/// the step expects. A request beyond all time ends the case: it and later ones are left out.
class Script {
 public:
  Script(const PolicySpec& spec, Unit unit, std::string name, std::string note);

  /// In the unit of the file.
  [[nodiscard]] std::int64_t window() const noexcept { return window_; }
  [[nodiscard]] std::int64_t limit() const noexcept { return limit_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return capacity_; }
  /// An instant in the first window that is no multiple of anything, if there is one: what begins
  /// with a request differs from what lies on a grid.
  [[nodiscard]] std::int64_t late() const noexcept {
    return window_ - window_ / 4 - (window_ % 4 == 0 ? 0 : 1);
  }

  void ask(Wide at, std::int64_t cost = 1, Detail detail = Detail::kFull);
  void ask(Wide at, std::int64_t cost, std::string_view key, Detail detail = Detail::kFull);
  /// As many units as a fresh key is granted at one instant, the last one alone.
  void fill(Wide at, std::string_view key = kScriptKey);
  /// Units one after another at one instant until one is refused; many are asked at once.
  void ask_until_refused(Wide at);
  /// Waits until `cost` is due, asks one unit of time earlier if it may, and then when it is due.
  void ask_around_due(std::int64_t cost, bool early);
  /// When `cost` is due after the latest request; nullopt when never.
  [[nodiscard]] std::optional<Wide> due(std::int64_t cost) const;

  [[nodiscard]] bool empty() const noexcept { return case_.steps.empty(); }
  [[nodiscard]] VectorCase take() { return std::move(case_); }

 private:
  Unit unit_;
  std::int64_t window_;
  std::int64_t limit_;
  std::int64_t capacity_;
  std::int64_t latest_ = 0;
  PolicyDecider decider_;
  VectorCase case_;
  bool ended_ = false;
};

}  // namespace ratereplay
