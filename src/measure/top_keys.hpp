// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "keys/key.hpp"

namespace ratereplay {

/// The keys with the most refusals: most first, equal counts by key bytes. Exact, since a key is
/// offered once with its whole count.
class TopKeys {
 public:
  struct Entry {
    PackedKey key;
    std::uint64_t requests = 0;
    std::uint64_t refused = 0;
    std::int64_t first_refused = 0;
  };

  explicit TopKeys(std::size_t size) : size_(size) {}

  void offer(const Entry& entry) {
    if (size_ == 0 || entry.refused < least_) return;
    entries_.push_back(entry);
    if (entries_.size() >= 2 * size_ + kRoom) shrink();
  }
  void merge(const TopKeys& other) {
    for (const Entry& entry : other.entries_) offer(entry);
  }
  [[nodiscard]] const std::vector<Entry>& sorted() {
    shrink();
    return entries_;
  }

 private:
  static constexpr std::size_t kRoom = 64;

  void shrink() {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.refused != b.refused ? a.refused > b.refused : a.key.text() < b.key.text();
    });
    if (entries_.size() < size_ || size_ == 0) return;
    entries_.resize(size_);
    least_ = entries_.back().refused;
  }

  std::size_t size_;
  std::uint64_t least_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace ratereplay
