// SPDX-License-Identifier: Apache-2.0
#include "text/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "text/visible.hpp"

namespace ratereplay {
namespace {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Longer texts are no misspelling of anything; this bounds the work.
constexpr std::size_t kLongest = 64;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::optional<std::string_view> nearest(std::string_view text,
                                        std::span<const std::string_view> candidates) {
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t least = (text.size() + 2) / 3 + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(text, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      best = candidate;
    }
  }
  if (best || text.size() < 3) return best;
  const auto found = std::ranges::find_if(
      candidates, [&](std::string_view candidate) { return candidate.starts_with(text); });
  if (found != candidates.end()) best = *found;
  return best;
}

std::optional<std::string> suggestion(std::string_view text,
                                      std::span<const std::string_view> candidates) {
  const auto best = nearest(text, candidates);
  if (!best) return std::nullopt;
  return fmt::format("did you mean '{}'?", visible(*best));
}

}  // namespace ratereplay
