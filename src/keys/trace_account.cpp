// SPDX-License-Identifier: Apache-2.0
#include "keys/trace_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "keys/time_unit.hpp"

namespace ratereplay {
namespace {

std::string name_of(Order order) {
  switch (order) {
    case Order::kSort:
      return "sort";
    case Order::kStrict:
      return "strict";
    case Order::kClamp:
      return "clamp";
  }
  return {};
}

}  // namespace

TraceAccount::TraceAccount(TraceFacts& facts, Order order)
    : facts_(facts), strict_(order == Order::kStrict) {
  facts_.order = name_of(order);
}

void TraceAccount::start_file(std::string path, std::string_view compression) {
  TraceFile& file = facts_.files.emplace_back();
  file.path = std::move(path);
  file.compression = compression;
  file_lines_ = 0;
  latest_.reset();
}

void TraceAccount::add(const RowBatch& batch) {
  for (std::size_t kind = 0; kind < kBadKindNames.size(); ++kind) {
    BadKindCount& count = bad_[kind];
    count.count += batch.bad(static_cast<BadKind>(kind));
    facts_.bad += batch.bad(static_cast<BadKind>(kind));
    for (const BadRow& row : batch.first_bad(static_cast<BadKind>(kind))) {
      if (count.first.size() == RowBatch::kKeptBadRows) break;
      count.first.push_back({file().path, file_lines_ + row.line, row.column, row.reason});
    }
  }
  note_times(batch.times());
  batch.for_each_second([&](const RowBatch::SecondCount& second) {
    std::uint64_t& requests = seconds_[second.second];
    requests += second.requests;
    facts_.peak_per_second = std::max(facts_.peak_per_second, requests);
    facts_.requests += second.requests;
  });
  facts_.filtered += batch.filtered();
  facts_.missing_keys += batch.missing_keys();
  facts_.repeated_hour += batch.repeated_hour();
  facts_.rows += batch.rows();
  file().rows += batch.rows();
  file_lines_ += batch.lines();
}

void TraceAccount::note_times(const RowBatch::Times& times) {
  if (times.earliest > times.latest) return;
  // The first request of the block can be late, or a later one.
  const bool late_start = latest_ && times.first < last_at_;
  if (strict_ && (late_start || times.out_of_order > 0)) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: row {} is earlier than the row before it", file().path,
                            file().rows + (late_start ? 0 : times.first_disorder) + 1),
                {"--order sort puts rows in time order; --order clamp keeps the file's order"});
  }
  facts_.out_of_order += times.out_of_order + (late_start ? 1 : 0);
  std::uint64_t back = times.max_back;
  if (latest_ && times.earliest < *latest_) {
    back = std::max(
        back, static_cast<std::uint64_t>(*latest_) - static_cast<std::uint64_t>(times.earliest));
  }
  max_back_ = std::max(max_back_, back);
  earliest_ = std::min(earliest_, times.earliest);
  latest_all_ = std::max(latest_all_, times.latest);
  latest_ = latest_ ? std::max(*latest_, times.latest) : times.latest;
  last_at_ = times.last;
}

void TraceAccount::finish(std::span<const Partition> partitions, const BadRowAllowance& allowance) {
  facts_.max_back = Duration{static_cast<std::int64_t>(
      std::min<std::uint64_t>(max_back_, std::numeric_limits<std::int64_t>::max()))};
  // A record that is cut off has been allowed with the file.
  const std::uint64_t cut_off = bad_[static_cast<std::size_t>(BadKind::kTruncated)].count;
  for (std::size_t kind = 0; kind < kBadKindNames.size(); ++kind) {
    if (bad_[kind].count == 0) continue;
    bad_[kind].kind = kBadKindNames[kind];
    facts_.bad_kinds.push_back(std::move(bad_[kind]));
  }
  const std::uint64_t bad = facts_.bad - cut_off;
  if (!allowance.holds(bad, facts_.rows)) throw too_many_bad_rows(bad, allowance);
  if (facts_.requests == 0) throw no_request();
  facts_.first = Instant{Duration{earliest_}};
  facts_.last = Instant{Duration{latest_all_}};
  TimeUnit unit;
  for (const Partition& partition : partitions) {
    facts_.keys += partition.keys();
    facts_.cost_total += partition.cost_total();
    unit.include(partition.unit());
  }
  facts_.resolution = Duration{unit.nanos(earliest_ < latest_all_)};
}

void TraceAccount::spread(const StampRanks& stamps) {
  if (const auto last = stamps.last()) {
    facts_.last = std::max(facts_.last, Instant{Duration{*last}});
  }
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto width = static_cast<std::uint64_t>(stamps.resolution() / kSecond);
  if (width <= 1) return;
  for (const auto& [stamp, count] : stamps.counts()) {
    seconds_[stamp] -= count;
    const auto before = [&, n = std::uint64_t{count}](std::uint64_t second) {
      return (second * n + width - 1) / width;
    };
    for (std::uint64_t i = 0; i < width && before(i) < count; ++i) {
      seconds_[stamp + static_cast<std::int64_t>(i) * kSecond] += before(i + 1) - before(i);
    }
  }
  facts_.peak_per_second = 0;
  for (const auto& [second, requests] : seconds_) {
    facts_.peak_per_second = std::max(facts_.peak_per_second, requests);
  }
}

Error TraceAccount::too_many_bad_rows(std::uint64_t bad, const BadRowAllowance& allowance) const {
  const BadPlace& first = facts_.bad_kinds.front().first.front();
  Diagnostic diagnostic;
  diagnostic.message = fmt::format("{} of {} rows could not be read; --max-bad-rows {} allows less",
                                   facts_.bad, facts_.rows, allowance.text());
  diagnostic.place = Place{fmt::format("{}:{}:{}  {}: {}", first.file, first.line, first.column,
                                       facts_.bad_kinds.front().kind, first.reason)};
  diagnostic.advice = {"see `ratereplay inspect` for all kinds of bad rows in this trace",
                       fmt::format("--max-bad-rows {} reads what can be read", bad)};
  return {ErrorKind::kInput, std::move(diagnostic)};
}

Error TraceAccount::no_request() const {
  const std::string& name = facts_.files.size() == 1 ? facts_.files.front().path : "the trace";
  if (facts_.rows == 0) {
    return {ErrorKind::kInput, fmt::format("no request in {}: it holds no rows", name)};
  }
  return {ErrorKind::kInput,
          fmt::format("no request in {}: of {} rows {} could not be read, {} were left out", name,
                      facts_.rows, facts_.bad, facts_.filtered)};
}

}  // namespace ratereplay
