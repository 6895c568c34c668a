// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ratereplay {

/// Threads that do one work after the other together. Whoever made them is the first of them.
class Crew {
 public:
  using Work = std::function<void(unsigned)>;

  /// threads >= 1.
  explicit Crew(unsigned threads);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { end(); }

  [[nodiscard]] unsigned threads() const noexcept { return threads_; }

  /// Calls work(0), on this thread, … work(threads - 1) side by side and returns when all have; the
  /// first exception is thrown again.
  void run(const Work& work);

 private:
  void serve(unsigned index);
  void guarded(unsigned index) noexcept;
  void end() noexcept;

  unsigned threads_;
  const Work* work_ = nullptr;      ///< null = there will be no more
  std::atomic<unsigned> round_{0};  ///< works that were begun
  std::atomic<unsigned> busy_{0};   ///< others that have not done theirs
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::jthread> others_;
};

}  // namespace ratereplay
