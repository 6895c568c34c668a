// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/cell.hpp"
#include "trace/digits.hpp"
#include "trace/json_picker.hpp"

namespace ratereplay {

/// The bytes of a record between its values. Most writers repeat them record by record, and then
/// comparing them replaces parsing: a text that matches is sound JSON with the same members, and
/// the cells are those that JsonPicker would find. What differs is left to JsonPicker.
class JsonLayout {
 public:
  /// Takes the layout of a record that `picker` has just read.
  void learn(std::string_view record, const JsonPicker& picker);
  void forget() { slots_.clear(); }
  [[nodiscard]] bool known() const noexcept { return !slots_.empty(); }

  /// The end of the object that starts at `at`; null when it does not match, or with `one_line`
  /// extends over several lines. 16 bytes past `end` may be read.
  const char* match(const char* at, const char* end, bool one_line);

  /// Of the object that matched last: its cells, or the text of one that is a string or a number.
  /// The text has a null data() when the cell is anything else.
  void fill(std::span<Cell> cells) const;
  [[nodiscard]] std::string_view text(std::size_t cell) const noexcept {
    const std::size_t slot = slot_of_[cell];
    if (slot == JsonPicker::kNoSlot) return {};
    const Found found = found_[slot];
    const bool number = is_digit(*found.begin) || *found.begin == '-';
    if (slots_[slot].kind != Kind::kString && !number) return {};
    return {found.begin, static_cast<std::size_t>(found.end - found.begin)};
  }

 private:
  using Kind = JsonPicker::Slot::Kind;
  struct Slot {
    std::uint32_t literal = 0;  ///< where the bytes in front of it stand in literals_
    std::uint32_t size = 0;
    Kind kind = Kind::kPlain;
  };
  struct Found {
    const char* begin = nullptr;
    const char* end = nullptr;
  };
  void add_literal(std::string_view bytes, Kind kind);

  const char* start_ = nullptr;  // of the object that matched last
  std::string literals_;
  std::vector<Slot> slots_;   // the last one stands for the end of the record
  std::vector<Found> found_;  // as many
  std::vector<std::size_t> slot_of_;
};

}  // namespace ratereplay
