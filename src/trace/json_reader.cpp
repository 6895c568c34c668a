// SPDX-License-Identifier: Apache-2.0
#include "trace/json_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "keys/row_batch.hpp"
#include "trace/json_list.hpp"
#include "trace/lines.hpp"

namespace ratereplay {

namespace {

void add_too_long(JsonRecords::Place place, RowBatch& batch) {
  batch.add_bad(BadKind::kLength, place.line, place.before + 1, too_long);
}

bool is_json_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

}  // namespace

JsonRecords::JsonRecords(const ReadPlan& plan, bool one_line)
    : one_line_(one_line),
      picker_(plan.wanted),
      request_(plan.request),
      // Whether a record is a request is seen in its cells.
      direct_(plan.request ? std::nullopt : DirectRow::of(plan)),
      builder_(plan),
      cells_(plan.wanted.size()) {}

void JsonRecords::read(std::string_view record, Place place, RowBatch& batch) {
  if (!picker_.pick(record, batch)) {
    // A fault on a later line of a record is told at the record's start.
    const std::string_view before(record.data(),
                                  static_cast<std::size_t>(picker_.fault() - record.data()));
    const std::size_t offset = before.find('\n') == before.npos ? before.size() : 0;
    batch.add_bad(BadKind::kSyntax, place.line, place.before + offset + 1,
                  [this] { return std::string(picker_.reason()); });
    return;
  }
  if (misses_ <= kMissesInARow) {
    layout_.learn(record, picker_);
    find_direct_slots();
  } else if (++misses_ > kRestAfterMisses) {
    misses_ = 0;
  }
  std::ranges::copy(picker_.cells(), cells_.begin());
  add_cells(record, place, batch);
}

bool JsonRecords::is_request(std::string_view record) const {
  return cells_[request_->wanted].kind != CellKind::kMissing ||
         holds_object(record, request_->path);
}

void JsonRecords::add_cells(std::string_view record, Place place, RowBatch& batch) {
  if (request_ && !is_request(record)) {
    batch.add_filtered();
    return;
  }
  if (!one_line_) {
    // Columns count in the line where the record starts; what stands on a later line is told there.
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    const std::size_t feed = record.find('\n');
    for (Cell& cell : cells_) {
      const std::uint64_t column = place.before + (cell.column > feed ? 1 : cell.column);
      cell.column = static_cast<std::uint32_t>(std::min(column, kMost));
    }
  }
  builder_.build(cells_, place.line, batch);
}

void JsonRecords::find_direct_slots() {
  direct_slots_.reset();
  if (!direct_ || !layout_.known()) return;
  bool there = true;
  const auto slot = [&](std::size_t cell) {
    if (cell == DirectRow::kAbsent) cell = direct_->time();
    there = there && layout_.slot(cell) != JsonLayout::kNoSlot;
    return layout_.slot(cell);
  };
  const DirectSlots slots{slot(direct_->time()), slot(direct_->key()), slot(direct_->cost())};
  if (!there) return;
  direct_slots_ = slots;
  layout_.expect_same_behind(std::max(slots.time, slots.key));
}

void NdjsonReader::read(const Block& block, RowBatch& batch) {
  const char* at = block.text.data();
  const char* const end = at + block.text.size();
  JsonRecords::Place place;
  const auto ends = [&](const char* stop) {
    if (stop < end && *stop == '\r') ++stop;
    return stop < end && *stop == '\n' &&
           static_cast<std::size_t>(stop + 1 - at) <= kMaxRecordBytes;
  };
  for (; at < end; ++place.line) {
    if (const char* const stop = records_.read_repeated(at, end, place, batch, ends)) {
      at = stop + (*stop == '\r' ? 2 : 1);
      continue;
    }
    const auto* const feed =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const char* const line_end = feed == nullptr ? end : feed;
    const std::string_view whole(at, static_cast<std::size_t>(line_end - at));
    const std::string_view line = skip_no_text(whole);
    const std::size_t size = whole.size() + (feed == nullptr ? 0 : 1);
    at += size;
    if (size > kMaxRecordBytes) {
      add_too_long(place, batch);
    } else if (!is_json_blank(line) && line.front() != '#') {
      place.before = whole.size() - line.size();
      records_.read(line, place, batch);
      place.before = 0;
    }
  }
  const bool unended = !block.text.empty() && block.text.back() != '\n';
  batch.set_lines(place.line - 1 - (unended ? 1 : 0));
}

void JsonListReader::read(const Block& block, RowBatch& batch) {
  std::string_view text = block.text;
  JsonRecords::Place place{1, block.first_column - 1};
  // Moves over the first bytes of the text.
  const auto pass = [&](std::size_t size) {
    const std::string_view passed = text.substr(0, size);
    const std::size_t feed = passed.rfind('\n');
    place.line += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
    place.before = feed == passed.npos ? place.before + size : size - feed - 1;
    text.remove_prefix(size);
  };
  if (block.first_of_file) {
    const JsonListStart start = find_json_list(text);
    pass(start.found == JsonListStart::Found::kList ? start.offset : text.size());
  }
  while (true) {
    pass(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (text.empty() || text.front() == ']') break;
    const auto ends = [&](const char* stop) {
      const char* const end = text.data() + text.size();
      return stop < end && (*stop == ',' || *stop == ']') &&
             static_cast<std::size_t>(stop - text.data()) < kMaxRecordBytes;
    };
    const char* const stop =
        records_.read_repeated(text.data(), text.data() + text.size(), place, batch, ends);
    if (stop != nullptr) {
      pass(static_cast<std::size_t>(stop - text.data()) + (*stop == ',' ? 1 : 0));
      continue;
    }
    JsonDepth depth;
    const std::size_t size = std::min(depth.find_end(text), text.size());
    if (size >= kMaxRecordBytes) {
      add_too_long(place, batch);
    } else {
      records_.read(text.substr(0, size), place, batch);
    }
    const bool comma = size < text.size() && text[size] == ',';
    pass(size);
    if (comma) pass(1);
    if (!text.empty() && !comma) break;
  }
  pass(text.size());
  batch.set_lines(place.line - 1);
}

std::vector<std::string_view> JsonListReader::records(const Block& block,
                                                      std::span<const BadRowPlace> places) {
  std::vector<std::string_view> found;
  std::string_view text = block.text;
  if (block.first_of_file) text.remove_prefix(find_json_list(text).offset);
  for (std::uint32_t row = 0; found.size() < places.size(); ++row) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    JsonDepth depth;
    const std::size_t size = std::min(depth.find_end(text), text.size());
    if (row == places[found.size()].row) found.push_back(text.substr(0, size));
    if (size == text.size()) break;
    text.remove_prefix(size + 1);
  }
  return found;
}

}  // namespace ratereplay
