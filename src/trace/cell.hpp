// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace ratereplay {

/// What a field of a record holds. Tables know text and missing only; JSON knows them all.
enum class CellKind : std::uint8_t {
  kMissing,  ///< the record has no such field
  kNull,     ///< JSON null
  kText,     ///< unquoted and unescaped
  kNumber,   ///< a JSON number, digit by digit as written
  kOther,    ///< true, false, or raw JSON of an array or object
};

/// One field of one record, as a reader found it. `text` may be read (not used) for 16 bytes past
/// its end, and stays valid until the RowBatch of its block is cleared.
struct Cell {
  std::string_view text;
  CellKind kind = CellKind::kMissing;
  std::uint32_t column = 1;  ///< in bytes from 1, in the line where the record starts
};

}  // namespace ratereplay
