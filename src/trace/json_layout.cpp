// SPDX-License-Identifier: Apache-2.0
#include "trace/json_layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace ratereplay {

namespace {

#if defined(__x86_64__)

__m128i load16(const char* at) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

/// 16 bytes past both may be read.
bool same_bytes(const char* a, const char* b, std::size_t size) noexcept {
  const auto differ = [&] {
    const int same = _mm_movemask_epi8(_mm_cmpeq_epi8(load16(a), load16(b)));
    return ~static_cast<unsigned>(same) & 0xFFFF;
  };
  for (; size > 16; size -= 16, a += 16, b += 16) {
    if (differ() != 0) return false;
  }
  // The bits of the first `size` bytes.
  return (differ() & ((1U << size) - 1)) == 0;
}

/// Short for a string that ends within 16 bytes, which must not lie behind `end`.
const char* find_text_end(const char* at, const char* end) noexcept {
  const __m128i bytes = load16(at);
  const __m128i hits =
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                   _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes));
  const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
  return mask != 0 ? std::min(at + std::countr_zero(mask), end) : find_string_end(at, end);
}

#else

bool same_bytes(const char* a, const char* b, std::size_t size) noexcept {
  return std::memcmp(a, b, size) == 0;
}

const char* find_text_end(const char* at, const char* end) noexcept {
  return find_string_end(at, end);
}

#endif

/// The end of the number, true, false or null at `at`; null when there is none. Short for the
/// common whole number of up to 15 digits.
const char* find_plain_end(const char* at, const char* end) noexcept {
#if defined(__x86_64__)
  const __m128i bytes = load16(at);
  const __m128i values = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  const __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
  const int count = std::countr_one(static_cast<unsigned>(_mm_movemask_epi8(digits)));
  if (count > 0 && count < 16 && (*at != '0' || count == 1)) {
    const char next = at[count];
    if (at + count < end && next != '.' && next != 'e' && next != 'E') return at + count;
  }
#endif
  JsonScanner scanner({at, static_cast<std::size_t>(end - at)});
  return scanner.skip_plain() ? scanner.at() : nullptr;
}

CellKind plain_kind(char first) noexcept {
  if (first == 'n') return CellKind::kNull;
  return first == 't' || first == 'f' ? CellKind::kOther : CellKind::kNumber;
}

}  // namespace

void JsonLayout::add_literal(std::string_view bytes, Kind kind) {
  slots_.push_back({static_cast<std::uint32_t>(literals_.size()),
                    static_cast<std::uint32_t>(bytes.size()), kind});
  literals_ += bytes;
}

void JsonLayout::learn(std::string_view record, const JsonPicker& picker) {
  literals_.clear();
  slots_.clear();
  if (picker.slots().empty()) return;
  slot_of_.assign(picker.slots_of_cells().begin(), picker.slots_of_cells().end());
  const char* from = record.data() + record.find('{');
  for (const JsonPicker::Slot& slot : picker.slots()) {
    add_literal({from, static_cast<std::size_t>(slot.begin - from)}, slot.kind);
    from = slot.end;
  }
  const std::string_view rest(from, static_cast<std::size_t>(record.data() + record.size() - from));
  add_literal(rest.substr(0, rest.rfind('}') + 1), Kind::kPlain);
  found_.resize(slots_.size());
  literals_.append(16, '\0');
}

const char* JsonLayout::match(const char* at, const char* end, bool one_line) {
  start_ = at;
  const Slot* slot = slots_.data();
  const Slot* const last = slot + slots_.size() - 1;
  const char* const literals = literals_.data();
  for (Found* found = found_.data();; ++slot, ++found) {
    if (static_cast<std::size_t>(end - at) < slot->size) return nullptr;
    if (!same_bytes(at, literals + slot->literal, slot->size)) return nullptr;
    at += slot->size;
    if (slot == last) return at;
    found->begin = at;
    if (slot->kind == Kind::kString) {
      at = find_text_end(at, end);
      if (at == end || *at != '"') return nullptr;
    } else if (slot->kind == Kind::kPlain) {
      at = find_plain_end(at, end);
      if (at == nullptr) return nullptr;
    } else {
      if (at == end || *at != '[') return nullptr;
      JsonScanner scanner({at, static_cast<std::size_t>(end - at)});
      if (!scanner.skip_value()) return nullptr;
      if (one_line && std::find(at, scanner.at(), '\n') != scanner.at()) return nullptr;
      at = scanner.at();
    }
    found->end = at;
  }
}

void JsonLayout::fill(std::span<Cell> cells) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (slot_of_[i] == JsonPicker::kNoSlot) {
      cells[i] = Cell{};
      continue;
    }
    const Found& found = found_[slot_of_[i]];
    const bool text = slots_[slot_of_[i]].kind == Kind::kString;
    const auto offset = static_cast<std::size_t>(found.begin - start_) + (text ? 0 : 1);
    cells[i] = {{found.begin, static_cast<std::size_t>(found.end - found.begin)},
                text ? CellKind::kText : plain_kind(*found.begin),
                static_cast<std::uint32_t>(offset)};
  }
}

}  // namespace ratereplay
