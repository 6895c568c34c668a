// SPDX-License-Identifier: Apache-2.0
#include "crew.hpp"

#include <utility>

namespace ratereplay {

Crew::Crew(unsigned threads) : threads_(threads) {
  try {
    for (unsigned index = 1; index < threads; ++index) {
      others_.emplace_back([this, index] { serve(index); });
    }
  } catch (...) {
    end();
    throw;
  }
}

void Crew::run(const Work& work) {
  work_ = &work;
  busy_ = threads_ - 1;
  ++round_;
  round_.notify_all();
  guarded(0);
  for (unsigned busy = busy_; busy != 0; busy = busy_) busy_.wait(busy);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Crew::serve(unsigned index) {
  for (unsigned round = 0;; ++round) {
    round_.wait(round);
    if (work_ == nullptr) return;
    guarded(index);
    if (--busy_ == 0) busy_.notify_one();
  }
}

void Crew::guarded(unsigned index) noexcept {
  try {
    (*work_)(index);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Crew::end() noexcept {
  work_ = nullptr;
  ++round_;
  round_.notify_all();
  others_.clear();
}

}  // namespace ratereplay
