// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crew.hpp"

namespace ratereplay {

/// Calls work(0) … work(threads - 1) side by side and returns when all have; the first exception is
/// thrown again. threads >= 1. For one work after the other, see Crew.
template <class Work>
void in_parallel(unsigned threads, const Work& work) {
  Crew(threads).run([&](unsigned index) { work(index); });
}

}  // namespace ratereplay
