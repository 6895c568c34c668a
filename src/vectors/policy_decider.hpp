// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "vectors/decider.hpp"

namespace ratereplay {

/// Our own policies, through the library's admit with the unit as its tick. Tells every field,
/// except times that pass 2^63 - 1 ns.
class PolicyDecider final : public Decider {
 public:
  PolicyDecider() noexcept;
  PolicyDecider(const AnyPolicy& policy, Unit unit);
  PolicyDecider(PolicyDecider&&) noexcept;
  PolicyDecider& operator=(PolicyDecider&&) noexcept;
  ~PolicyDecider() override;

  void open(const PolicySpec& spec, Unit unit) override;
  /// open() has been called.
  Answer decide(const Request& request) override;
  [[nodiscard]] std::optional<std::string> state(std::string_view key) const override;

  /// What decide would answer; nothing changes.
  [[nodiscard]] Answer peek(const Request& request) const;
  /// The first unit, at or after the request, at which it would be admitted if nothing else
  /// arrived; nullopt when never, or beyond all time.
  [[nodiscard]] std::optional<std::int64_t> due(const Request& request) const;

  class Keys;

 private:
  std::unique_ptr<Keys> keys_;
};

}  // namespace ratereplay
