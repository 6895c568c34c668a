// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace ratereplay {

void ProgressBar::advance(std::uint64_t bytes, std::uint64_t total, std::uint64_t requests) {
  using namespace std::chrono_literals;
  constexpr std::uint64_t kWidth = 24;
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < 100ms) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double megabytes = static_cast<double>(bytes) / 1e6;
  std::string line;
  if (total > 0) {
    const double share = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(total));
    const auto filled = static_cast<std::size_t>(share * kWidth);
    const auto left = static_cast<std::uint64_t>(seconds / std::max(share, 1e-6) * (1 - share));
    line = fmt::format("read  [{}{}]  {:3.0f}%  {:.0f} of {:.0f} MB  {:.1f} M req/s  ETA {}:{:02}",
                       std::string(filled, '#'), std::string(kWidth - filled, '-'), share * 100,
                       megabytes, static_cast<double>(total) / 1e6,
                       static_cast<double>(requests) / 1e6 / seconds, left / 60, left % 60);
  } else {
    line = fmt::format("read  {:.0f} MB  {:.1f} M req/s", megabytes,
                       static_cast<double>(requests) / 1e6 / seconds);
  }
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  shown_ = true;
}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

}  // namespace ratereplay
