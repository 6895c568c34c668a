// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "report/grid.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"
#include "report/table_labels.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kNameColumns = 40;
constexpr std::size_t kFieldColumns = 40;

std::string field_text(std::string_view field) {
  return shortened(shown_text(field), kFieldColumns, Cut::kMiddle);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped_text(count), count == 1 ? one : many);
}

std::string name_text(const TraceFacts& trace) {
  if (trace.files.empty()) return "trace";
  const std::string more =
      trace.files.size() == 1 ? "" : fmt::format(" and {} more", trace.files.size() - 1);
  return shortened(shown_text(trace.files.front().path), kNameColumns - more.size(), Cut::kMiddle) +
         more;
}

std::string format_text(const TraceFacts& trace) {
  std::string text = shown_text(trace.format);
  std::vector<std::string> seen;
  for (const TraceFile& file : trace.files) {
    if (file.compression.empty()) continue;
    if (std::find(seen.begin(), seen.end(), file.compression) != seen.end()) continue;
    seen.push_back(file.compression);
    text += ", " + shown_text(file.compression);
  }
  return text;
}

std::string time_text(const TraceFacts& trace) {
  std::string text = "time";
  if (trace.time_field != "time" && !trace.time_field.empty()) {
    text += ' ' + field_text(trace.time_field);
  }
  if (trace.time_is == "end") text += " (end)";
  if (trace.absolute && trace.zone != "+00:00") text += " (" + shown_text(trace.zone) + ")";
  if (!trace.absolute) text += " (relative)";
  if (trace.resolution) text += " to " + span_text(*trace.resolution);
  return text;
}

std::string key_text(const TraceFacts& trace) {
  if (trace.key.empty()) return "one key for all";
  std::string text = "key";
  for (std::size_t i = 0; i < trace.key.size(); ++i) {
    text += (i == 0 ? " " : " | ") + field_text(trace.key[i]);
  }
  return text;
}

/// Millionths as a percentage: "1%", "0.05%".
std::string share_text(std::uint32_t per_million) {
  std::string text = *ratio_text({per_million, 10'000});
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + '%';
}

std::string order_text(const TraceFacts& trace) {
  std::string text = grouped_text(trace.out_of_order) + " out of order";
  if (trace.out_of_order == 0) return text;
  const std::string_view what = trace.order == "sort"    ? "sorted"
                                : trace.order == "clamp" ? "clamped"
                                                         : std::string_view(trace.order);
  return text + fmt::format(" ({}, by up to {})", shown_text(what), span_text(trace.max_back));
}

/// What cannot be known from stamps that several requests of a key share; finer than that, two are
/// hardly ever equal by chance.
std::string shared_lines(const TraceFacts& trace, std::size_t indent) {
  constexpr Duration kCoarse = std::chrono::milliseconds{1};
  if (trace.shared_stamps == 0 || !trace.resolution || *trace.resolution < kCoarse) return {};
  const std::vector<std::string> words{
      grouped_text(trace.shared_stamps) + " requests",
      fmt::format("share a {} stamp of their key:", span_text(*trace.resolution)),
      "order and spacing unknown", trace.subsecond == "spread" ? "(spread evenly)" : "(kept)"};
  return std::string(indent, ' ') + wrapped(words, indent, indent) + '\n';
}

}  // namespace

std::string instant_text(Instant instant, bool absolute) {
  if (!absolute) return ms_text(instant) + " ms";
  const Duration since = instant.time_since_epoch();
  const auto day = std::chrono::floor<std::chrono::days>(since);
  const std::chrono::year_month_day date{std::chrono::sys_days{day}};
  // Not since - day: the first day begins before the first instant that 64 bits can hold.
  constexpr Duration kDay = std::chrono::days{1};
  const std::chrono::hh_mm_ss time{(since % kDay + kDay) % kDay};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  time.hours().count(), time.minutes().count(), time.seconds().count());
  if (const std::int64_t fraction = time.subseconds().count(); fraction != 0) {
    text += fmt::format(".{:09}", fraction);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + 'Z';
}

std::string trace_text(const TraceFacts& trace) {
  const std::string name = name_text(trace);
  const std::size_t indent = text_columns(name) + 2;
  std::vector<std::string> read{format_text(trace) + ';', time_text(trace) + ';',
                                key_text(trace) + ';'};
  if (trace.cost) {
    read.push_back(fmt::format("cost {}, {} in all;", field_text(*trace.cost),
                               grouped_text(trace.cost_total)));
  }
  read.push_back(counted(trace.requests, "request,", "requests,"));
  read.push_back(counted(trace.keys, "key,", "keys,"));
  read.push_back(span_text(trace.first, trace.last) + ',');
  read.push_back(fmt::format("peak {}/s", grouped_text(trace.peak_per_second)));

  std::vector<std::string> left{counted(trace.bad, "bad row,", "bad rows,")};
  if (trace.filtered != 0) left.push_back(grouped_text(trace.filtered) + " filtered,");
  if (trace.sampled_keys_per_million) {
    left.push_back(
        fmt::format("a sample of {} of the keys,", share_text(*trace.sampled_keys_per_million)));
  }
  left.push_back(order_text(trace));
  if (trace.absolute) {
    left.back() += ',';
    left.push_back("from " + instant_text(trace.first, true));
  }
  return name + "  " + wrapped(read, indent, indent) + '\n' + std::string(indent, ' ') +
         wrapped(left, indent, indent) + '\n' + shared_lines(trace, indent);
}

}  // namespace ratereplay
