// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ratereplay {

/// Calls work(0) … work(threads - 1) side by side and returns when all have; the first exception is
/// thrown again. threads >= 1.
template <class Work>
void in_parallel(unsigned threads, const Work& work) {
  std::exception_ptr failure;
  std::mutex mutex;
  const auto guarded = [&](unsigned index) {
    try {
      work(index);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned index = 1; index < threads; ++index) others.emplace_back(guarded, index);
    guarded(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ratereplay
