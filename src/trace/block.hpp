// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ratereplay {

/// A piece of one trace file that starts and ends between two records. The bytes around it may be
/// read (not used) for kSlack bytes on both sides, so that vector loads need no bounds check.
struct Block {
  static constexpr std::size_t kSlack = 64;

  std::string_view text;
  bool first_of_file = false;
};

/// Records longer than this are bad rows.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{16} << 20;

}  // namespace ratereplay
