// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ratereplay {

/// Draws 0 to n - 1, where i has the weight 1 / (i + 1). With the running sums S of the weights, a
/// draw u from [0, 1) gives the least i with S(i) >= u * S(n - 1). The sums are IEEE doubles added
/// in order of rank, one division and one addition each: equal on every platform.
class Zipf {
 public:
  /// n from 1 to kGreatest. Holds 8 n bytes, and 4 MB at most beside them.
  explicit Zipf(std::uint32_t n);

  static constexpr std::uint32_t kGreatest = 100'000'000;

  /// The rank for u = word / 2^32, where word is a Random's next.
  [[nodiscard]] std::uint32_t rank(std::uint32_t word) const noexcept {
    const std::uint32_t cell = word >> shift_;
    return search(word, guide_[cell], guide_[cell + 1]);
  }

  /// Fetches what rank(word) will read first, then what it will read next.
  void prefetch_cell(std::uint32_t word) const noexcept {
    __builtin_prefetch(&guide_[word >> shift_]);
  }
  void prefetch_sums(std::uint32_t word) const noexcept {
    __builtin_prefetch(&sums_[guide_[word >> shift_]]);
  }

 private:
  /// The least rank from first to last whose sum reaches the target, known to be among them.
  [[nodiscard]] std::uint32_t search(std::uint32_t word, std::uint32_t first,
                                     std::uint32_t last) const noexcept {
    const double target = word * 0x1p-32 * sums_.back();
    // Halving without a branch on the outcome, which is a coin's.
    for (std::uint32_t length = last - first; length > 0;) {
      const std::uint32_t half = length / 2;
      const bool above = sums_[first + half] < target;
      first += above ? half + 1 : 0;
      length = above ? length - half - 1 : half;
    }
    return first;
  }

  std::vector<double> sums_;
  /// The rank for every word whose lower shift_ bits are zero, then the last rank: a draw searches
  /// between two neighbours only.
  std::vector<std::uint32_t> guide_;
  std::uint32_t shift_;
};

}  // namespace ratereplay
