// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "large_vector.hpp"

namespace ratereplay {

/// Memory for rows: many small arrays side by side in large chunks, so that they lie in huge pages.
/// A chunk goes back when the last of its arrays does. For any thread.
class RowMemory {
 public:
  /// The elements have no value.
  template <class T>
  [[nodiscard]] std::shared_ptr<T[]> take(std::size_t size) {
    const std::size_t bytes = (size * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    const std::lock_guard lock(mutex_);
    if (!chunk_ || chunk_->size() - taken_ < bytes) {
      chunk_ = std::make_shared<Chunk>(std::max(bytes, kChunkBytes));
      taken_ = 0;
    }
    T* const begin = reinterpret_cast<T*>(chunk_->data() + taken_);
    taken_ += bytes;
    return {chunk_, begin};
  }

 private:
  using Chunk = LargeVector<std::byte>;
  static constexpr std::size_t kAlignment = 16;
  static constexpr std::size_t kChunkBytes = std::size_t{8} << 20;

  std::mutex mutex_;
  std::shared_ptr<Chunk> chunk_;  ///< the one at hand
  std::size_t taken_ = 0;         ///< bytes of it
};

/// The same for arrays that grow: those that one has outgrown are taken again for another.
class GrowingRowMemory {
 public:
  using Array = std::shared_ptr<std::byte[]>;

  [[nodiscard]] Array take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      if (std::vector<Array>& outgrown = outgrown_[bytes]; !outgrown.empty()) {
        Array array = std::move(outgrown.back());
        outgrown.pop_back();
        return array;
      }
    }
    // The gap keeps arrays that are filled side by side out of the same sets of a cache.
    return memory_.take<std::byte>(bytes + kGap);
  }
  /// One that was taken with so many bytes, if there is one.
  void give_back(Array array, std::size_t bytes) {
    if (!array) return;
    const std::lock_guard lock(mutex_);
    outgrown_[bytes].push_back(std::move(array));
  }

 private:
  static constexpr std::size_t kGap = 64;

  RowMemory memory_;
  std::mutex mutex_;
  std::map<std::size_t, std::vector<Array>> outgrown_;  ///< by bytes
};

}  // namespace ratereplay
