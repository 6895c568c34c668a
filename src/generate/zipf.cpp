// SPDX-License-Identifier: Apache-2.0
#include "generate/zipf.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace ratereplay {
namespace {

/// About one cell a rank, at most 2^20 cells.
std::uint32_t guide_bits(std::uint32_t n) {
  return std::min<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(n)), 20);
}

}  // namespace

Zipf::Zipf(std::uint32_t n) : shift_(32 - guide_bits(n)) {
  sums_.reserve(n);
  double sum = 0;
  for (std::uint32_t rank = 1; rank <= n; ++rank) {
    sum += 1.0 / rank;
    sums_.push_back(sum);
  }
  const std::uint32_t cells = 1U << guide_bits(n);
  guide_.reserve(std::size_t{cells} + 1);
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < cells; ++i) {
    at = search(i << shift_, at, n - 1);
    guide_.push_back(at);
  }
  guide_.push_back(n - 1);
}

}  // namespace ratereplay
