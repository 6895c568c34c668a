// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/cell.hpp"
#include "trace/digits.hpp"
#include "trace/json_picker.hpp"
#include "trace/json_window.hpp"

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

  /// Where what follows this value is often the same as in the object before, match may compare it
  /// as a whole.
  void expect_same_behind(std::size_t slot) { last_other_ = slots_.data() + slot; }

  /// The end of the object that starts at `at`; null when it does not match, or with `one_line`
  /// extends over several lines. 16 bytes past `end` may be read. With `for_cells`, fill may
  /// follow.
  const char* match(const char* at, const char* end, bool one_line, bool for_cells) {
    start_ = at;
    const Slot* const last_other = for_cells ? nullptr : last_other_;
    if (for_cells) tail_.size = kNever;
    const char* tail = nullptr;
    const Slot* slot = slots_.data();
    for (Found* found = found_.data();; ++found, ++slot) {
      if (!stands_at(*slot, at, end)) [[unlikely]]
        return nullptr;
      at += slot->size;
      found->begin = at;
      if (slot->kind == Kind::kString) {
        const std::uint32_t stops = JsonWindow::stops(at);
        at = stops != 0 ? at + std::countr_zero(stops) : find_string_end(at, end);
        if (*at != '"') [[unlikely]]
          return nullptr;
      } else if (slot->kind == Kind::kPlain) {
        // The common whole number.
        const int count = std::countr_one(JsonWindow::digits(at));
        if (static_cast<unsigned>(count) - 1 < kMostDigits && at[count] == slot[1].head[0] &&
            (*at != '0' || count == 1)) [[likely]] {
          at += count;
        } else {
          at = find_plain_end(at, end);
          if (at == nullptr) return nullptr;
        }
      } else if (slot->kind == Kind::kEnd) {
        if (tail != nullptr) keep_tail({tail, static_cast<std::size_t>(at - tail)});
        return at;
      } else {
        at = find_list_end(at, end, one_line);
        if (at == nullptr) return nullptr;
      }
      found->end = at;
      if (slot == last_other) {
        if (stands_at(tail_, at, end)) [[likely]] {
          tail_misses_ = 0;
          return at + tail_.size;
        }
        tail_.size = kNever;
        tail = at;
      }
    }
  }

  /// Of the object that matched last: its cells.
  void fill(std::span<Cell> cells) const;

  /// The value that a cell was found in; kNoSlot when it is missing.
  [[nodiscard]] std::size_t slot(std::size_t cell) const noexcept { return slot_of_[cell]; }
  /// Of the object that matched last: what stands there, a string without its quotes. 16 bytes
  /// around it may be read.
  [[nodiscard]] std::string_view text(std::size_t slot) const noexcept {
    return {found_[slot].begin, static_cast<std::size_t>(found_[slot].end - found_[slot].begin)};
  }
  [[nodiscard]] bool is_string_or_number(std::size_t slot) const noexcept {
    const char first = *found_[slot].begin;
    return slots_[slot].kind == Kind::kString || is_digit(first) || first == '-';
  }

  static constexpr std::size_t kNoSlot = JsonPicker::kNoSlot;

 private:
  static constexpr std::uint32_t kAll = (1U << JsonWindow::kBytes) - 1;
  static constexpr std::int32_t kHeadBytes = JsonWindow::kBytes;
  static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();
  static constexpr std::size_t kMostTailBytes = 256;
  static constexpr unsigned kTailMissesInARow = 16;
  static constexpr unsigned kMostDigits = JsonWindow::kBytes - 1;  // that one window shows

  enum class Kind : std::uint8_t { kString, kPlain, kList, kEnd };
  /// A value with the bytes that stand in front of it.
  struct Slot {
    Slot() = default;
    Slot(std::string_view bytes, Kind value);

    alignas(16) char head[kHeadBytes] = {};  ///< the first of the bytes
    std::int32_t size = 0;
    std::uint32_t behind = 0;  ///< a bit for each byte of head that is none of them
    std::string rest;          ///< the others
    Kind kind = Kind::kPlain;
  };
  struct Found {
    const char* begin = nullptr;
    const char* end = nullptr;
  };
  /// False too when the text ends before, behind which a value may seem to end.
  [[nodiscard]] static bool stands_at(const Slot& slot, const char* at, const char* end) noexcept {
    return end - at >= slot.size && (JsonWindow::same(at, slot.head) | slot.behind) == kAll &&
           (slot.size <= kHeadBytes ||
            std::memcmp(at + kHeadBytes, slot.rest.data(), slot.rest.size()) == 0);
  }
  void keep_tail(std::string_view bytes);
  [[nodiscard]] static const char* find_plain_end(const char* at, const char* end) noexcept;
  [[nodiscard]] static const char* find_list_end(const char* at, const char* end, bool one_line);

  const char* start_ = nullptr;  // of the object that matched last
  std::vector<Slot> slots_;      // the last one stands for the end of the record
  std::vector<Found> found_;     // as many
  std::vector<std::size_t> slot_of_;

  // What the object before had behind a value; the values in it are found in tail_bytes_.
  const Slot* last_other_ = nullptr;
  Slot tail_;  // of size kNever while there is none
  std::string tail_bytes_;
  unsigned tail_misses_ = 0;
};

}  // namespace ratereplay
