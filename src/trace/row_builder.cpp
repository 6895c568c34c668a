// SPDX-License-Identifier: Apache-2.0
#include "trace/row_builder.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "keys/shown_key.hpp"
#include "text/visible.hpp"
#include "trace/cost_text.hpp"

namespace ratereplay {
namespace {

// With the bytes behind them that RowBatch::add may read.
constexpr std::array<char, 32> kNoBytes{};
constexpr std::array<char, 32> kMissingBytes = {kMissingKey[0]};
static_assert(kMissingKey.size() == 1);

constexpr std::size_t kMaxKeyBytes = (std::size_t{1} << 26) - 1;

std::string_view missing_key() noexcept { return {kMissingBytes.data(), 1}; }

std::string absent(std::string_view what, CellKind kind) {
  return fmt::format("the {} is {}", what, kind == CellKind::kNull ? "null" : "missing");
}

bool has_text(const Cell& cell) noexcept { return cell.kind >= CellKind::kText; }

}  // namespace

std::string_view RowBuilder::one_key() noexcept { return {kNoBytes.data(), 0}; }

RowBuilder::RowBuilder(const ReadPlan& plan)
    : reader_(plan.time_format),
      times_(plan.time),
      keys_(plan.key),
      costs_(plan.cost),
      duration_(plan.duration),
      filter_(plan.filter),
      missing_(plan.missing_key),
      zoned_(plan.time_format.zoned()),
      dash_is_zero_(plan.cost_dash_is_zero),
      plain_(times_.size() == 1 && costs_.empty() && !duration_ && !filter_.any() &&
             !plan.may_end_early &&
             (keys_.empty() ||
              (keys_.size() == 1 && (keys_[0].shape.raw() || keys_[0].shape.plain_ip())))),
      keyed_(!keys_.empty()),
      address_(keyed_ && !keys_[0].shape.raw()),
      time_(times_.empty() ? 0 : times_[0]),
      key_(keys_.empty() ? 0 : keys_[0].wanted) {}

void RowBuilder::build_any(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch) {
  if (batch.full()) return;
  Instant at{};
  std::string_view key;
  Cost cost = 1;
  bool missing = false;
  if (!read_time(cells, line, batch, at) || !take_off_duration(cells, line, batch, at) ||
      !read_cost(cells, line, batch, cost) || !read_key(cells, line, batch, key, missing)) {
    return;
  }
  if ((missing && missing_ == MissingKey::kSkip) ||
      (filter_.any() && !filter_.keeps(at, cells, key, buffer_))) {
    batch.add_filtered();
    return;
  }
  if (missing) batch.note_missing_key();
  batch.add(at, key, cost);
}

bool RowBuilder::read_time(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch,
                           Instant& at) {
  for (const std::size_t index : times_) {
    const Cell& cell = cells[index];
    if (has_text(cell)) continue;
    batch.add_bad(BadKind::kTimestamp, line, cell.column,
                  [&] { return absent("time", cell.kind); });
    return false;
  }
  const Cell& first = cells[times_[0]];
  bool good = false;
  if (times_.size() == 1) {
    good = reader_.read(first.text, at);
  } else {
    std::array<char, 96> joined;
    const Cell& second = cells[times_[1]];
    if (first.text.size() + second.text.size() < joined.size()) {
      std::memcpy(joined.data(), first.text.data(), first.text.size());
      joined[first.text.size()] = ' ';
      std::memcpy(joined.data() + first.text.size() + 1, second.text.data(), second.text.size());
      good = reader_.read({joined.data(), first.text.size() + 1 + second.text.size()}, at);
    } else {
      good = reader_.read(first.text, at);
    }
  }
  note_repeated(batch);
  if (good) return true;
  batch.add_bad(BadKind::kTimestamp, line, first.column, [&] { return reader_.reason(); });
  return false;
}

bool RowBuilder::take_off_duration(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch,
                                   Instant& at) const {
  if (!duration_) return true;
  const Cell& cell = cells[duration_->wanted];
  if (!has_text(cell)) {
    batch.add_bad(BadKind::kDuration, line, cell.column,
                  [&] { return absent("duration", cell.kind); });
    return false;
  }
  Duration elapsed{};
  const std::string_view wrong = ElapsedReader(duration_->unit).read(cell.text, elapsed);
  if (!wrong.empty()) {
    batch.add_bad(BadKind::kDuration, line, cell.column, [&] { return std::string(wrong); });
    return false;
  }
  std::int64_t start = 0;
  if (__builtin_sub_overflow(at.time_since_epoch().count(), elapsed.count(), &start)) {
    batch.add_bad(BadKind::kDuration, line, cell.column, [] {
      return std::string("the request began before 1677-09-21, the first day that can be held");
    });
    return false;
  }
  at = Instant(Duration(start));
  return true;
}

bool RowBuilder::read_cost(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch,
                           Cost& cost) const {
  if (costs_.empty()) return true;
  std::uint64_t sum = 0;
  for (const std::size_t index : costs_) {
    const Cell& cell = cells[index];
    if (!has_text(cell) || cell.text.empty()) {
      const CellKind kind = cell.kind == CellKind::kNull ? cell.kind : CellKind::kMissing;
      batch.add_bad(BadKind::kCost, line, cell.column, [&] { return absent("cost", kind); });
      return false;
    }
    Cost one = 0;
    if (dash_is_zero_ && cell.text == "-") continue;
    if (const CostFault fault = ratereplay::read_cost(cell.text, one); fault != CostFault::kNone) {
      batch.add_bad(BadKind::kCost, line, cell.column,
                    [&] { return cost_reason(fault, cell.text); });
      return false;
    }
    sum += one;
    if (sum > std::numeric_limits<Cost>::max()) {
      batch.add_bad(BadKind::kCost, line, cell.column, [&] {
        return fmt::format("the sum is above {}", std::numeric_limits<Cost>::max());
      });
      return false;
    }
  }
  cost = static_cast<Cost>(sum);
  return true;
}

std::string_view RowBuilder::read_part(const KeyPart& part, const Cell& cell, RowBatch& batch) {
  if (!has_text(cell) || cell.text.empty() || cell.text == kMissingKey) return missing_key();
  if (part.shape.raw()) return cell.text;
  const std::string_view text = shaped(cell.text, part.shape, buffer_);
  if (text.empty() || text == kMissingKey) return missing_key();
  if (text.data() != buffer_.data()) return text;
  char* const place = batch.scratch(text.size());
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

bool RowBuilder::read_key(std::span<const Cell> cells, std::uint64_t line, RowBatch& batch,
                          std::string_view& key, bool& missing) {
  if (keys_.empty()) {
    key = one_key();
    return true;
  }
  std::size_t bound = 0;
  parts_.clear();
  for (const KeyPart& part : keys_) {
    const Cell& cell = cells[part.wanted];
    parts_.push_back(read_part(part, cell, batch));
    const std::string_view text = parts_.back();
    bound += keys_.size() == 1 ? text.size() : encoded_bound(text);
    if (text != kMissingKey) continue;
    missing = true;
    if (missing_ == MissingKey::kBad) {
      batch.add_bad(BadKind::kKey, line, cell.column,
                    [&] { return fmt::format("no {}", visible(part.shown)); });
      return false;
    }
  }
  if (bound > kMaxKeyBytes) {
    batch.add_bad(BadKind::kKey, line, cells[keys_[0].wanted].column,
                  [] { return std::string("the key is too long"); });
    return false;
  }
  if (keys_.size() == 1) {
    key = parts_[0];
    return true;
  }
  char* const start = batch.scratch(bound);
  char* end = start;
  for (const std::string_view part : parts_) end = encode_part(part, end);
  key = {start, static_cast<std::size_t>(end - start)};
  return true;
}

}  // namespace ratereplay
