// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/child.hpp"
#include "ratereplay/limit.hpp"
#include "vectors/decider.hpp"

namespace ratereplay {

/// How long a driver has for an answer, unless it is given another time.
inline constexpr Duration kDriverTimeout = std::chrono::seconds{10};

/// A limiter that somebody else wrote, behind a program that speaks ratereplay.driver/1
/// (docs/drivers): one line of JSON in, one out. Whatever goes wrong with the program is an
/// Error(kInput) that names the request it had to answer.
class Driver final : public Decider {
 public:
  /// Starts the program; `command` is a line for the shell. `timeout` > 0 is for each answer.
  explicit Driver(std::string command, Duration timeout = kDriverTimeout);

  void open(const PolicySpec& spec, Unit unit) override;
  /// For a program of which only the limit is known, and perhaps its capacity.
  void open(const Limit& limit, std::optional<std::int64_t> capacity, Unit unit);
  Answer decide(const Request& request) override;
  /// Ends the program. Error(kInput) when it has said more than it was asked.
  void finish() override;
  /// A program tells no state.
  [[nodiscard]] std::optional<std::string> state(std::string_view) const override {
    return std::nullopt;
  }

  /// Asks without waiting for the answer: many requests may be on their way.
  void send(const Request& request);
  /// The answer to the first request that has none yet.
  [[nodiscard]] Answer receive();
  [[nodiscard]] std::size_t waiting() const noexcept { return asked_.size(); }

  /// Also for the answer that is received next. Without it requests are counted.
  void set_place(std::string_view place) override { place_ = place; }

 private:
  void open(const std::string& line);
  void require_silence();
  [[noreturn]] void refuse_line();
  std::string_view receive_line();
  /// "the driver <what>", with the request that it had to answer.
  [[noreturn]] void fail(const std::string& what, std::vector<std::string> advice);

  std::string command_;
  std::chrono::milliseconds timeout_;
  Child child_;
  std::deque<std::string> asked_;  ///< lines without an answer
  std::uint64_t answered_ = 0;     ///< requests since the program was opened
  bool open_ = false;
  std::string place_;
};

}  // namespace ratereplay
