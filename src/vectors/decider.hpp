// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ratereplay/decision.hpp"
#include "spec/policy_spec.hpp"
#include "vectors/unit.hpp"

namespace ratereplay {

/// One request put to a limiter. `at` is in the unit of the file or of the opening line.
struct Request {
  std::int64_t at = 0;
  std::string key;
  Cost cost = 1;

  friend bool operator==(const Request&, const Request&) = default;
};

/// A number that an answer tells, or never (JSON null): no wait cures the refusal, and no instant
/// is left at which remaining grows or the key is full, since it is full already.
struct Told {
  bool never = false;
  std::int64_t value = 0;

  friend bool operator==(const Told&, const Told&) = default;
};
inline constexpr Told kNever{.never = true};

/// What a limiter answered to one request; times in the same unit. What it does not tell is absent.
struct Answer {
  std::optional<bool> admitted;  ///< absent only where an answer stands for what is expected
  std::optional<Told> remaining, retry_after, reset_at, full_at, delay;

  friend bool operator==(const Answer&, const Answer&) = default;
};

/// Anything that decides requests one by one: a policy of ours, or a program behind a driver.
class Decider {
 public:
  virtual ~Decider() = default;
  /// Forgets every key and decides by this policy from now on.
  virtual void open(const PolicySpec& spec, Unit unit) = 0;
  virtual Answer decide(const Request& request) = 0;
  /// Nothing more is asked.
  virtual void finish() {}
  /// What messages call the next request.
  virtual void set_place(std::string_view) {}
  /// What is known of a key, for people; nullopt when it cannot be told.
  [[nodiscard]] virtual std::optional<std::string> state(std::string_view key) const = 0;
};

}  // namespace ratereplay
