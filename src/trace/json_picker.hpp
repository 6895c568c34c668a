// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/cell.hpp"
#include "trace/json_scan.hpp"
#include "trace/plan.hpp"

namespace ratereplay {

class RowBatch;

/// Fetches fields from a JSON object. A name is matched against whole member names first, and then
/// as a path: `a.b` is member `b` of the object `a`, `a[0]` the first and `a[-1]` the last element
/// of the list `a`, or of the text `a` where that is a list with commas. The least nested match
/// wins, and of equal ones the first.
class JsonPicker {
 public:
  explicit JsonPicker(const std::vector<WantedField>& wanted);

  /// A place in the text where a scalar or a list stood that no wanted name looks into.
  struct Slot {
    enum class Kind : std::uint8_t { kString, kPlain, kList };
    Kind kind = Kind::kPlain;
    const char* begin = nullptr;  ///< kString: after the quote
    const char* end = nullptr;
  };
  static constexpr std::size_t kNoSlot = ~std::size_t{0};

  /// Fills cells(). False when `text` is not one object and nothing but white space around it; see
  /// fault() and reason().
  bool pick(std::string_view text, RowBatch& batch);
  [[nodiscard]] std::span<const Cell> cells() const noexcept { return cells_; }
  [[nodiscard]] const char* fault() const noexcept { return fault_; }
  [[nodiscard]] std::string_view reason() const noexcept { return reason_; }

  /// The same text as slots, in order, and the slot of each cell. Empty when another text with the
  /// same bytes between the slots could give other cells than those in the slots.
  [[nodiscard]] std::span<const Slot> slots() const noexcept { return slots_; }
  [[nodiscard]] std::span<const std::size_t> slots_of_cells() const noexcept { return slot_of_; }

 private:
  /// What is left of a wanted name below the members that matched so far: nothing, `.b` or `[0]`.
  struct Search {
    std::size_t wanted = 0;
    std::string_view rest;
  };

  bool take_object(std::size_t first, int depth);
  bool take_list(std::size_t first, int depth);
  bool take_value(std::size_t first, int depth);
  void take_cell(const Search& search, int depth, const char* from, std::string_view text,
                 CellKind kind, bool escaped);
  bool give_up();

  std::vector<std::string> names_;
  JsonScanner scanner_{{}};
  RowBatch* batch_ = nullptr;
  const char* start_ = nullptr;
  std::vector<Search> searches_;  // a stack: those of the value at hand are last
  std::vector<Cell> cells_;
  std::vector<int> depths_;  // at which cells_ were found
  std::vector<Slot> slots_;
  std::vector<std::size_t> slot_of_;
  bool repeatable_ = true;
  std::string name_;
  const char* fault_ = nullptr;
  std::string_view reason_;
};

/// True when `record`, which is sound JSON, holds an object at that path.
[[nodiscard]] bool holds_object(std::string_view record, std::string_view path);

/// An element of a list in a text, `1, 2, 3`: from 0, or from -1 for the last. Null data when there
/// is none.
[[nodiscard]] std::string_view element_of_text(std::string_view text, long index);

}  // namespace ratereplay
