// SPDX-License-Identifier: Apache-2.0
#include "replay/threaded_sink.hpp"

#include <utility>

namespace ratereplay {

ThreadedSink::ThreadedSink(DecisionSink& sink) : sink_(sink), thread_([this] { run(); }) {}

ThreadedSink::~ThreadedSink() { end(true); }

void ThreadedSink::write(std::span<const DecisionRow> rows) {
  std::vector<DecisionRow> copy(rows.begin(), rows.end());
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.size() < kMostQueued || failure_; });
  if (failure_) std::rethrow_exception(failure_);
  queue_.push_back(std::move(copy));
  changed_.notify_all();
}

void ThreadedSink::finish() {
  end(false);
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadedSink::end(bool drop) {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (drop) queue_.clear();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void ThreadedSink::run() {
  while (true) {
    std::vector<DecisionRow> rows;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !queue_.empty() || ended_; });
      if (queue_.empty()) return;
      rows = std::move(queue_.front());
      queue_.pop_front();
      changed_.notify_all();
    }
    try {
      sink_.write(rows);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      queue_.clear();
      changed_.notify_all();
      return;
    }
  }
}

}  // namespace ratereplay
