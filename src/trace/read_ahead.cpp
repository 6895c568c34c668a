// SPDX-License-Identifier: Apache-2.0
#include "trace/read_ahead.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "interrupt.hpp"

namespace ratereplay {

ReadAhead::ReadAhead(ByteStream& from) : from_(from), thread_([this] { run(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  emptied_.notify_one();
  thread_.join();
}

void ReadAhead::run() {
  for (std::size_t next = 0;; next = (next + 1) % kChunks) {
    {
      std::unique_lock lock(mutex_);
      emptied_.wait(lock, [this] { return stop_ || count_ < kChunks; });
      if (stop_) return;
    }
    std::exception_ptr failure;
    bool more = false;
    try {
      more = fill(ring_[next]);
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      if (ring_[next].size > 0) ++count_;
      failure_ = failure;
      ended_ = !more;
    }
    filled_.notify_one();
    if (!more) return;
  }
}

/// False at the end.
bool ReadAhead::fill(Chunk& chunk) {
  chunk.size = 0;
  if (!chunk.bytes) chunk.bytes = std::make_unique_for_overwrite<char[]>(kChunkBytes);
  while (chunk.size < kChunkBytes) {
    const std::size_t got = from_.read(chunk.bytes.get() + chunk.size, kChunkBytes - chunk.size);
    if (got == 0) return false;
    chunk.size += got;
  }
  return true;
}

std::size_t ReadAhead::read(char* place, std::size_t size) {
  using namespace std::chrono_literals;
  {
    std::unique_lock lock(mutex_);
    // A signal does not wake who waits here.
    while (!filled_.wait_for(lock, 100ms, [this] { return count_ > 0 || ended_; })) {
      stop_if_interrupted();
    }
    if (count_ == 0) {
      if (failure_) std::rethrow_exception(failure_);
      return 0;
    }
  }
  const Chunk& chunk = ring_[oldest_];
  const std::size_t given = std::min(size, chunk.size - taken_);
  std::memcpy(place, chunk.bytes.get() + taken_, given);
  taken_ += given;
  if (taken_ == chunk.size) {
    taken_ = 0;
    oldest_ = (oldest_ + 1) % kChunks;
    {
      const std::lock_guard lock(mutex_);
      --count_;
    }
    emptied_.notify_one();
  }
  return given;
}

}  // namespace ratereplay
