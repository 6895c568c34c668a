// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "keys/trace_store.hpp"

namespace ratereplay {

/// A line on a terminal that says how far the reading is, how fast, and when it will be done;
/// redrawn ten times a second and gone at the end.
class ProgressBar final : public Progress {
 public:
  ProgressBar() = default;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() override;

  void advance(std::uint64_t bytes, std::uint64_t total, std::uint64_t requests) override;

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_ = started_;
  bool shown_ = false;
};

}  // namespace ratereplay
