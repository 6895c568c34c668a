// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ratereplay {

/// Why a row could not be read as a request.
enum class BadKind : std::uint8_t {
  kTimestamp,  ///< the time is missing, unreadable or out of range
  kCost,       ///< not a whole number from 0 to 2^32 - 1
  kDuration,   ///< what is taken off the stamp is missing or no duration
  kKey,        ///< the key is missing where it must not be
  kColumns,    ///< more or fewer fields than the layout has
  kQuote,      ///< a quote that never closes, or text after a closing one
  kSyntax,     ///< the record is not of the format
  kLength,     ///< longer than kMaxRecordBytes
  kTruncated,  ///< the file is cut off inside the record
};
inline constexpr std::array<std::string_view, 9> kBadKindNames = {
    "timestamp", "cost", "duration", "key", "columns", "quote", "syntax", "length", "truncated"};

/// One unread row: line counted from 1 in the decompressed file, column in bytes from 1.
struct BadRow {
  BadKind kind = BadKind::kSyntax;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string reason;
};

/// Where a bad row stands in its block: its number from 0, and the line of its start from 1.
struct BadRowPlace {
  std::uint32_t row = 0;
  std::uint64_t line = 0;
};

}  // namespace ratereplay
