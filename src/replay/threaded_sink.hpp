// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "report/decision_row.hpp"

namespace ratereplay {

/// Hands rows on to another sink, on a thread of its own: they are written while the next ones are
/// decided. What the rows refer to must outlive finish().
class ThreadedSink final : public DecisionSink {
 public:
  /// `sink` is used by the other thread alone until finish() or the end of this object.
  explicit ThreadedSink(DecisionSink& sink);
  ThreadedSink(const ThreadedSink&) = delete;
  ThreadedSink& operator=(const ThreadedSink&) = delete;
  /// Drops what finish() has not waited for.
  ~ThreadedSink() override;

  /// Waits while too much is queued. Throws what the other sink has thrown.
  void write(std::span<const DecisionRow> rows) override;
  /// Waits until all is written. Throws what the other sink has thrown.
  void finish();

 private:
  static constexpr std::size_t kMostQueued = 4;

  void run();
  void end(bool drop);

  DecisionSink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<DecisionRow>> queue_;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace ratereplay
