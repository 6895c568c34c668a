// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ratereplay/policies.hpp"
#include "ratereplay/policy.hpp"

namespace ratereplay {

/// A limiter: one policy, and what it knows of every key. Keys are compared as whole strings.
///
/// The caller says what time it is, so that answers can be repeated; nothing here reads a clock.
/// One thread at a time.
template <Policy P>
class Keyed {
 public:
  /// `tick` >= 1 ns is what waits are rounded up to. std::invalid_argument: as P, or for the tick.
  explicit Keyed(Limit limit, Options options = {}, Duration tick = kDefaultTick)
      : Keyed(P(limit, options), tick) {}

  /// As above, with a policy already made.
  explicit Keyed(P policy, Duration tick = kDefaultTick) : policy_(std::move(policy)), tick_(tick) {
    require_positive("tick", tick.count(), " ns");
  }

  /// Decides one request and charges it. Cost: one hash look-up and the policy's own; allocates for
  /// a key not seen before. A `now` earlier than one that the key has seen is taken as that one.
  Decision admit(std::string_view key, Instant now, Cost cost = 1) {
    auto found = keys_.find(key);
    if (found == keys_.end()) found = keys_.emplace(std::string(key), Tracked<P>{}).first;
    return ratereplay::admit(policy_, found->second, now, cost, tick_);
  }

  /// What admit would answer; nothing changes, and an unknown key is not added.
  [[nodiscard]] Decision peek(std::string_view key, Instant now, Cost cost = 1) const {
    const auto found = keys_.find(key);
    const Tracked<P> tracked = found == keys_.end() ? Tracked<P>{} : found->second;
    return ratereplay::peek(policy_, tracked, now, cost, tick_);
  }

  /// Forgets every key that answers as a fresh one from `now` on; returns how many. Sound as long
  /// as no later call is earlier than `now`. Cost: one look at every key.
  std::size_t purge(Instant now) {
    return std::erase_if(keys_, [&](const auto& entry) {
      return entry.second.latest <= now && policy_.expires_at(entry.second.state) <= now;
    });
  }

  /// Forgets one key; false when it was not held.
  bool forget(std::string_view key) {
    const auto found = keys_.find(key);
    if (found == keys_.end()) return false;
    keys_.erase(found);
    return true;
  }

  /// Keys held.
  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  [[nodiscard]] const P& policy() const noexcept { return policy_; }
  [[nodiscard]] Duration tick() const noexcept { return tick_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  P policy_;
  Duration tick_;
  std::unordered_map<std::string, Tracked<P>, Hash, std::equal_to<>> keys_;
};

}  // namespace ratereplay
