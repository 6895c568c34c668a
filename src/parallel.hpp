// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include "crew.hpp"

namespace ratereplay {

/// Calls work(0) … work(threads - 1) side by side and returns when all have; the first exception is
/// thrown again. threads >= 1. For one work after the other, see Crew.
template <class Work>
void in_parallel(unsigned threads, const Work& work) {
  Crew(threads).run([&](unsigned index) { work(index); });
}

/// Calls work(thread, i) once for every i below `count`, in order, on whichever of the threads is
/// free; the first exception is thrown again.
template <class Work>
void share_out(unsigned threads, std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  in_parallel(threads, [&](unsigned thread) {
    for (std::size_t i = next++; i < count; i = next++) work(thread, i);
  });
}

}  // namespace ratereplay
