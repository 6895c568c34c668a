// SPDX-License-Identifier: Apache-2.0
#include "trace/read_text.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "keys/row_batch.hpp"
#include "trace/block_stream.hpp"

namespace ratereplay::testing {

namespace {

class TextStream final : public ByteStream {
 public:
  explicit TextStream(std::string_view text) : text_(text) {}
  std::size_t read(char* place, std::size_t size) override {
    const std::size_t taken = std::min(size, text_.size());
    if (taken > 0) std::memcpy(place, text_.data(), taken);
    text_.remove_prefix(taken);
    return taken;
  }

 private:
  std::string_view text_;
};

}  // namespace

void ReadResult::add(const RowBatch& batch) {
  const auto before = static_cast<std::ptrdiff_t>(requests.size());
  for (std::size_t i = 0; i < RowBatch::kPartitions; ++i) {
    const std::span<const RowDetail> details = batch.details(i);
    for (std::size_t j = 0; j < details.size(); ++j) {
      const RawRow& row = batch.partition(i)[j];
      requests.push_back(
          {rows + details[j].row + 1, row.at, std::string(row.key.text()), details[j].cost});
    }
  }
  std::ranges::sort(requests.begin() + before, requests.end(), {}, &ReadRow::row);
  for (std::size_t i = 0; i < kBadKindNames.size(); ++i) {
    const auto kind = static_cast<BadKind>(i);
    for (const BadRow& row : batch.first_bad(kind)) {
      const auto same = std::ranges::count_if(bad_rows, [&](const std::string& text) {
        return text.find(fmt::format(" {} ", kBadKindNames[i])) != std::string::npos;
      });
      if (same == static_cast<std::ptrdiff_t>(RowBatch::kKeptBadRows)) break;
      bad_rows.push_back(
          fmt::format("{}:{} {} {}", lines + row.line, row.column, kBadKindNames[i], row.reason));
    }
    bad[i] += batch.bad(kind);
  }
  rows += batch.rows();
  filtered += batch.filtered();
  lines += batch.lines();
}

std::uint64_t ReadResult::all_bad() const {
  return std::accumulate(bad.begin(), bad.end(), std::uint64_t{0});
}

std::unique_ptr<Source> text_source(std::string_view text) {
  return std::make_unique<Source>(std::make_unique<TextStream>(text), "text");
}

ReadResult read_source(Source& source, const ReadPlan& plan, std::size_t block_bytes) {
  ReadResult result;
  result.format = plan.format->name();
  const auto cutter = plan.format->cutter(plan.layout);
  const auto reader = plan.format->reader(plan);
  BlockStream stream(source, *cutter, block_bytes, true);
  BlockBuffer buffer;
  RowBatch batch;
  try {
    while (stream.next(buffer)) {
      batch.clear();
      read_block(buffer.block, *reader, batch);
      result.add(batch);
    }
  } catch (const Error& error) {
    result.error = error.what();
  }
  if (stream.truncation()) result.truncation = stream.truncation()->message;
  std::ranges::sort(result.bad_rows);
  return result;
}

ReadResult read_text(std::string_view text, const ReadFlags& flags, std::size_t block_bytes) {
  const auto source = text_source(text);
  const ReadPlan plan = make_plan(source->peek(), "text", flags);
  ReadResult result = read_source(*source, plan, block_bytes);
  CHECK(result.requests.size() + result.all_bad() + result.filtered == result.rows);
  return result;
}

ReadResult read_text_in_all_blocks(std::string_view text, const ReadFlags& flags) {
  ReadResult whole = read_text(text, flags);
  for (const std::size_t bytes : {1, 7, 64, 100, 1000, 65'536}) {
    const ReadResult blocks = read_text(text, flags, bytes);
    CAPTURE(bytes);
    CHECK(blocks.bad_rows == whole.bad_rows);
    CHECK(blocks.requests == whole.requests);
    CHECK((blocks == whole));
  }
  return whole;
}

ReadFlags flags_of(const char* format, const char* time, const char* style, const char* key,
                   const char* cost) {
  ReadFlags flags;
  const auto set = [](std::optional<std::string>& to, const char* from) {
    if (*from != '\0') to = from;
  };
  set(flags.format, format);
  set(flags.time_field, time);
  set(flags.time_format, style);
  set(flags.cost_field, cost);
  if (*key != '\0') flags.keys = {key};
  return flags;
}

std::optional<std::filesystem::path> recorded_trace(const char* name) {
  const auto path =
      std::filesystem::path(RATEREPLAY_SOURCE_DIR) / ".." / "shared" / "traces" / name;
  if (std::filesystem::exists(path)) return path;
  // A checkout one level further down.
  const auto deeper =
      std::filesystem::path(RATEREPLAY_SOURCE_DIR) / ".." / ".." / "shared" / "traces" / name;
  if (std::filesystem::exists(deeper)) return deeper;
  MESSAGE("skipped: no recorded trace ", name);
  return std::nullopt;
}

}  // namespace ratereplay::testing
