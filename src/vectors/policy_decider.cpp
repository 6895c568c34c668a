// SPDX-License-Identifier: Apache-2.0
#include "vectors/policy_decider.hpp"

#include <algorithm>
#include <unordered_map>
#include <variant>

#include "ratereplay/policies.hpp"
#include "vectors/state_text.hpp"

namespace ratereplay {
namespace {

/// A time that is told; what passes 2^63 - 1 ns is not.
std::optional<Told> told(std::int64_t ns, Unit unit) {
  if (ns == kInt64Max) return std::nullopt;
  return Told{.value = unit.ceil(ns)};
}

std::optional<Told> told(Instant instant, Unit unit) {
  return told(instant.time_since_epoch().count(), unit);
}

Answer answer_of(const Decision& decision, Unit unit) {
  Answer answer;
  answer.admitted = decision.admitted();
  answer.remaining = Told{.value = decision.remaining};
  answer.retry_after = decision.retry_after ? told(decision.retry_after->count(), unit) : kNever;
  answer.reset_at = decision.reset_at ? told(*decision.reset_at, unit) : kNever;
  answer.full_at = decision.reset_at ? told(decision.full_at, unit) : kNever;
  answer.delay = told(decision.delay.count(), unit);
  return answer;
}

}  // namespace

/// One policy and its keys.
class PolicyDecider::Keys {
 public:
  virtual ~Keys() = default;
  virtual Answer decide(const Request& request) = 0;
  [[nodiscard]] virtual Answer peek(const Request& request) const = 0;
  [[nodiscard]] virtual std::optional<std::int64_t> due(const Request& request) const = 0;
  [[nodiscard]] virtual std::string state(std::string_view key) const = 0;
};

namespace {

template <Policy P>
class KeysOf final : public PolicyDecider::Keys {
 public:
  KeysOf(const P& policy, Unit unit) : policy_(policy), unit_(unit) {}

  Answer decide(const Request& request) override { return decide(keys_[request.key], request); }

  [[nodiscard]] Answer peek(const Request& request) const override {
    Tracked<P> copy = find(request.key);
    return decide(copy, request);
  }

  [[nodiscard]] std::optional<std::int64_t> due(const Request& request) const override {
    if (request.cost > policy_.capacity()) return std::nullopt;
    const Tracked<P> key = find(request.key);
    const Instant now = std::max(unit_.instant(request.at), key.latest);
    const Instant due = policy_.due(key.state, now, request.cost);
    if (due == Instant::max()) return std::nullopt;
    const std::int64_t at = unit_.ceil(due.time_since_epoch().count());
    return unit_.holds(at) ? std::optional(at) : std::nullopt;
  }

  [[nodiscard]] std::string state(std::string_view key) const override {
    return state_text(policy_, find(std::string(key)).state, unit_);
  }

 private:
  [[nodiscard]] Tracked<P> find(const std::string& key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? Tracked<P>{} : found->second;
  }

  Answer decide(Tracked<P>& key, const Request& request) const {
    const Duration tick{unit_.nanos};
    return answer_of(admit(policy_, key, unit_.instant(request.at), request.cost, tick), unit_);
  }

  P policy_;
  Unit unit_;
  std::unordered_map<std::string, Tracked<P>> keys_;
};

std::unique_ptr<PolicyDecider::Keys> make_keys(const AnyPolicy& policy, Unit unit) {
  return std::visit(
      [&]<class P>(const P& made) -> std::unique_ptr<PolicyDecider::Keys> {
        return std::make_unique<KeysOf<P>>(made, unit);
      },
      policy);
}

}  // namespace

PolicyDecider::PolicyDecider() noexcept = default;
PolicyDecider::PolicyDecider(const AnyPolicy& policy, Unit unit) : keys_(make_keys(policy, unit)) {}
PolicyDecider::PolicyDecider(PolicyDecider&&) noexcept = default;
PolicyDecider& PolicyDecider::operator=(PolicyDecider&&) noexcept = default;
PolicyDecider::~PolicyDecider() = default;

void PolicyDecider::open(const PolicySpec& spec, Unit unit) {
  keys_ = make_keys(spec.policy, unit);
}

Answer PolicyDecider::decide(const Request& request) { return keys_->decide(request); }

std::optional<std::string> PolicyDecider::state(std::string_view key) const {
  return keys_->state(key);
}

Answer PolicyDecider::peek(const Request& request) const { return keys_->peek(request); }

std::optional<std::int64_t> PolicyDecider::due(const Request& request) const {
  return keys_->due(request);
}

}  // namespace ratereplay
