// SPDX-License-Identifier: Apache-2.0
#include "trace/json_layout.hpp"

#include <algorithm>
#include <cstring>

namespace ratereplay {

namespace {

CellKind plain_kind(char first) noexcept {
  if (first == 'n') return CellKind::kNull;
  return first == 't' || first == 'f' ? CellKind::kOther : CellKind::kNumber;
}

}  // namespace

JsonLayout::Slot::Slot(std::string_view bytes, Kind value)
    : size(static_cast<std::int32_t>(bytes.size())), kind(value) {
  const std::string_view first = bytes.substr(0, kHeadBytes);
  std::ranges::copy(first, head);
  behind = kAll & ~((1U << first.size()) - 1);
  rest = bytes.substr(first.size());
}

void JsonLayout::learn(std::string_view record, const JsonPicker& picker) {
  slots_.clear();
  last_other_ = nullptr;
  tail_.size = kNever;
  tail_misses_ = 0;
  if (picker.slots().empty()) return;
  slot_of_.assign(picker.slots_of_cells().begin(), picker.slots_of_cells().end());
  const char* from = record.data() + record.find('{');
  for (const JsonPicker::Slot& slot : picker.slots()) {
    const Kind kind = slot.kind == JsonPicker::Slot::Kind::kString  ? Kind::kString
                      : slot.kind == JsonPicker::Slot::Kind::kPlain ? Kind::kPlain
                                                                    : Kind::kList;
    slots_.emplace_back(std::string_view(from, static_cast<std::size_t>(slot.begin - from)), kind);
    from = slot.end;
  }
  const std::string_view rest(from, static_cast<std::size_t>(record.data() + record.size() - from));
  slots_.emplace_back(rest.substr(0, rest.rfind('}') + 1), Kind::kEnd);
  found_.resize(slots_.size());
}

void JsonLayout::keep_tail(std::string_view bytes) {
  if (++tail_misses_ > kTailMissesInARow || bytes.size() > kMostTailBytes) {
    last_other_ = nullptr;
    return;
  }
  tail_ = Slot(bytes, Kind::kEnd);
  // Values may be read beyond their ends.
  constexpr std::size_t kSlack = 16;
  tail_bytes_.assign(kSlack, '\0');
  tail_bytes_ += bytes;
  tail_bytes_.append(kSlack, '\0');
  const auto moved = [&](const char* at) {
    return tail_bytes_.data() + kSlack + static_cast<std::size_t>(at - bytes.data());
  };
  const auto behind = static_cast<std::size_t>(last_other_ + 1 - slots_.data());
  for (std::size_t i = behind; i + 1 < found_.size(); ++i) {
    found_[i] = {moved(found_[i].begin), moved(found_[i].end)};
  }
}

/// The end of the number, true, false or null at `at`, which must not lie behind `end`; null when
/// there is none.
const char* JsonLayout::find_plain_end(const char* at, const char* end) noexcept {
  JsonScanner scanner({at, static_cast<std::size_t>(end - at)});
  return scanner.skip_plain() ? scanner.at() : nullptr;
}

const char* JsonLayout::find_list_end(const char* at, const char* end, bool one_line) {
  if (at == end || *at != '[') return nullptr;
  JsonScanner scanner({at, static_cast<std::size_t>(end - at)});
  if (!scanner.skip_value()) return nullptr;
  if (one_line && std::find(at, scanner.at(), '\n') != scanner.at()) return nullptr;
  return scanner.at();
}

void JsonLayout::fill(std::span<Cell> cells) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t slot = slot_of_[i];
    if (slot == kNoSlot) {
      cells[i] = Cell{};
      continue;
    }
    const bool string = slots_[slot].kind == Kind::kString;
    const char* const begin = found_[slot].begin;
    const auto offset = static_cast<std::size_t>(begin - start_) + (string ? 0 : 1);
    cells[i] = {text(slot), string ? CellKind::kText : plain_kind(*begin),
                static_cast<std::uint32_t>(offset)};
  }
}

}  // namespace ratereplay
