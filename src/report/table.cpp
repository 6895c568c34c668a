// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/grid.hpp"
#include "report/number_text.hpp"
#include "report/table_labels.hpp"
#include "spec/duration_text.hpp"
#include "spec/option_text.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

constexpr auto kLeft = Grid::Align::kLeft;

constexpr std::size_t kLeastLabel = 12;   ///< columns that no label is shortened below
constexpr std::size_t kRoomyLabel = 24;   ///< exact counts give way before labels get narrower
constexpr std::size_t kHeaderLabel = 50;  ///< columns of a label within a header
constexpr std::size_t kTopBlocks = 2;     ///< policies whose most refused keys are listed

constexpr const char* kTooManyBytes = ">1023 YiB";

Duration window_of(const PolicyResult& policy) { return limit_of(policy.policy).window; }

/// Of what nobody knows: `-`.
std::string memory_text(const std::optional<MemoryUse>& use, std::string MemoryUse::*digits) {
  if (!use) return "-";
  const auto bytes = parse_digits((*use).*digits);
  return bytes ? bytes_text(*bytes) : kTooManyBytes;
}

class Table {
 public:
  Table(const Result& result, bool color)
      : result_(result), policies_(result.policies), paint_{color}, labels_(result.policies) {}

  std::string text() {
    out_ = trace_text(result_.trace) + '\n';
    summary();
    if (const std::string lines = labels_.explained(paint_); !lines.empty()) out_ += '\n' + lines;
    agreement();
    worst_windows();
    delays();
    top_keys();
    checks();
    notes();
    return std::move(out_);
  }

 private:
  /// Takes the first form that fits: memory beside the rest, memory apart, shortened labels,
  /// rounded counts.
  void summary() {
    bool apart = summary_grid(false).width() > kTableColumns;
    if (apart) shorten_to_fit(kRoomyLabel);
    rounded_ = apart && summary_grid(true).width() > kTableColumns;
    if (rounded_) shorten_to_fit(kLeastLabel);
    out_ += summary_grid(apart).text(paint_);
    if (apart || projected()) memory();
  }

  void shorten_to_fit(std::size_t least) {
    const std::size_t width = summary_grid(true).width();
    const std::size_t label = labels_.width();
    if (width <= kTableColumns || label <= least) return;
    labels_.shorten(std::max(least, label - std::min(label, width - kTableColumns)));
  }

  [[nodiscard]] Grid summary_grid(bool memory_apart) const {
    const bool never = std::any_of(policies_.begin(), policies_.end(),
                                   [](const PolicyResult& policy) { return policy.never != 0; });
    Grid grid;
    grid.add_column("POLICY", kLeft);
    for (const char* header : {"ADMITTED", "REFUSED", "%"}) grid.add_column(header);
    if (never) grid.add_column("NEVER");
    grid.add_column("KEYS");
    grid.add_column("MAX/" + shared_window());
    for (const char* header : {"RETRY p50", "p99"}) grid.add_column(header);
    if (!memory_apart) grid.add_column("RESERVED");
    if (!memory_apart) grid.add_column("LIVE PEAK");
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const PolicyResult& policy = policies_[i];
      const Distribution& waits = policy.retry_after;
      std::vector<std::string> row{
          labels_[i], count(policy.admitted), count(policy.refused),
          percent_text({policy.refused, policy.admitted + policy.refused})};
      if (never) row.push_back(count(policy.never));
      row.push_back(count(policy.keys_refused));
      row.push_back(count(policy.worst.admitted));
      row.push_back(waits.count == 0 ? "-" : span_text(waits.p50));
      row.push_back(waits.count == 0 ? "-" : span_text(waits.p99));
      if (!memory_apart) row.push_back(memory_text(policy.memory, &MemoryUse::reserved_bytes));
      if (!memory_apart) row.push_back(memory_text(policy.memory, &MemoryUse::live_peak_bytes));
      grid.add_row(std::move(row));
    }
    return grid;
  }

  /// The window that all policies share, when its text is short; else "W".
  [[nodiscard]] std::string shared_window() const {
    for (const PolicyResult& policy : policies_) {
      if (window_of(policy) != window_of(policies_.front())) return "W";
    }
    std::string text = policies_.empty() ? "W" : duration_text(window_of(policies_.front()));
    return text.size() <= 6 ? text : "W";
  }

  /// The number of keys that memory is projected to.
  [[nodiscard]] std::optional<std::uint64_t> projected() const {
    for (const PolicyResult& policy : policies_) {
      if (policy.memory && policy.memory->projected) return policy.memory->projected->keys;
    }
    return std::nullopt;
  }

  void memory() {
    Grid grid;
    grid.add_column("MEMORY", kLeft);
    for (const char* header : {"PER KEY", "RESERVED", "LIVE PEAK"}) grid.add_column(header);
    const std::optional<std::uint64_t> keys = projected();
    if (keys) grid.add_column(fmt::format("AT {} KEYS", grouped_text(*keys)));
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const std::optional<MemoryUse>& use = policies_[i].memory;
      std::vector<std::string> row{labels_[i], use ? bytes_text(use->bytes_per_key) : "-",
                                   memory_text(use, &MemoryUse::reserved_bytes),
                                   memory_text(use, &MemoryUse::live_peak_bytes)};
      if (keys) row.push_back(projected_text(use));
      grid.add_row(std::move(row));
    }
    block(grid);
  }

  static std::string projected_text(const std::optional<MemoryUse>& use) {
    if (!use || !use->projected) return "-";
    const auto bytes = parse_digits(use->projected->bytes);
    return bytes ? bytes_text(*bytes) : kTooManyBytes;
  }

  void agreement() {
    std::string reference = shown_text(result_.reference);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (policies_[i].label() == result_.reference) reference = labels_[i];
    }
    Grid grid;
    grid.add_column("AGREEMENT with " + shortened(reference, kHeaderLabel), kLeft);
    for (const char* header : {"looser", "stricter", "agree"}) grid.add_column(header);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (policies_[i].label() == result_.reference) continue;
      const Agreement& counts = policies_[i].agreement;
      const std::uint64_t all = counts.agree + counts.looser + counts.stricter;
      grid.add_row({labels_[i], count(counts.looser), count(counts.stricter),
                    all == 0 ? "-" : percent_text({counts.agree, all}) + '%'});
    }
    block(grid);
  }

  void worst_windows() {
    Grid grid;
    grid.add_column("MOST ADMITTED to one key", kLeft);
    grid.add_column("units");
    for (const char* header : {"in", "up to", "key"}) grid.add_column(header, kLeft);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const WorstWindow& worst = policies_[i].worst;
      if (worst.admitted == 0) continue;
      grid.add_row({labels_[i], count(worst.admitted), span_text(window_of(policies_[i])),
                    instant_text(worst.at, result_.trace.absolute), key_text(worst.key)});
    }
    cut_ |= grid.fit_last_column();
    block(grid);
  }

  void delays() {
    Grid grid;
    grid.add_column("DELAY of the admitted", kLeft);
    for (const char* header : {"p50", "p90", "p99", "max", "longest queue"}) {
      grid.add_column(header);
    }
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (!policies_[i].delay) continue;
      const Distribution& delay = *policies_[i].delay;
      std::vector<std::string> row{labels_[i]};
      for (const Duration value : {delay.p50, delay.p90, delay.p99, delay.max}) {
        row.push_back(delay.count == 0 ? "-" : span_text(value));
      }
      row.push_back(policies_[i].longest_queue ? count(*policies_[i].longest_queue) : "-");
      grid.add_row(std::move(row));
    }
    block(grid);
  }

  void top_keys() {
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const PolicyResult& policy = policies_[i];
      if (policy.top_keys.empty()) continue;
      if (policies_.size() > kTopBlocks && policy.label() != result_.reference) continue;
      if (++blocks > kTopBlocks) return;
      Grid grid;
      for (const char* header : {"refused", "of", "%"}) grid.add_column(header);
      for (const char* header : {"first at", "key"}) grid.add_column(header, kLeft);
      for (const TopKey& key : policy.top_keys) {
        grid.add_row({count(key.refused), count(key.requests),
                      percent_text({key.refused, key.requests}),
                      instant_text(key.first_refused, result_.trace.absolute), key_text(key.key)});
      }
      cut_ |= grid.fit_last_column();
      out_ += fmt::format("\n{}MOST REFUSED by {}{}\n", paint_.head(),
                          shortened(labels_[i], kHeaderLabel), paint_.off());
      out_ += grid.text(Paint{}, 2);
    }
  }

  void checks() {
    Grid grid;
    grid.add_column("CHECKS", kLeft);
    grid.add_column("value");
    for (const char* header : {"policy", "check"}) grid.add_column(header, kLeft);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      for (const CheckResult& check : policies_[i].checks) {
        grid.add_row({check.passed ? "ok" : "FAIL", check_value(policies_[i], check), labels_[i],
                      shown_text(check.expression)});
      }
    }
    cut_ |= grid.fit_last_column();
    const std::size_t from = out_.size();
    block(grid);
    paint_word(from, "\n  ok", paint_.good());
    paint_word(from, "\n  FAIL", paint_.bad());
  }

  static std::string check_value(const PolicyResult& policy, const CheckResult& check) {
    const auto measures = [&](std::string_view metric) {
      return check.expression.find(metric) != std::string::npos;
    };
    const bool wait = measures("retry_after");
    if (check.value) return wait || measures("delay.") ? *check.value + " ms" : *check.value;
    if (wait && policy.never != 0) return "never";
    const bool told = policy.driver.empty() || (wait && policy.refused == 0) ||
                      !(wait || measures("delay.") || measures("_bytes"));
    return told ? "-" : "not told";
  }

  void paint_word(std::size_t from, std::string_view word, std::string_view code) {
    if (!paint_.color) return;
    for (std::size_t at = out_.find(word, from); at != std::string::npos;
         at = out_.find(word, at)) {
      out_.insert(at + word.size(), paint_.off());
      out_.insert(at + 3, code);
      at += 3 + code.size();
    }
  }

  void notes() {
    std::vector<std::string> notes{"Open loop: clients do not react to refusals."};
    notes.push_back(fmt::format("Waits in ticks of {}.", duration_text(result_.tick)));
    if (!policies_.empty()) {
      notes.push_back(
          fmt::format("Live state per {}.", span_text(policies_.front().series.bucket)));
      if (shared_window() == "W") notes.emplace_back("W is the policy's own window.");
    }
    if (rounded_) notes.emplace_back("Counts are rounded (k M G T P E); exact with -o json.");
    if (cut_) notes.emplace_back("A text with … is whole in -o json.");
    if (result_.stats) {
      const RunStats& stats = *result_.stats;
      notes.push_back(fmt::format("{} threads, read {}, replay {}, peak {}.", stats.threads,
                                  seconds_text(stats.seconds_read),
                                  seconds_text(stats.seconds_replay),
                                  bytes_text(stats.peak_bytes)));
    }
    out_ += '\n';
    out_ += wrapped(notes, 0, 0);
    out_ += '\n';
  }

  static std::string seconds_text(double seconds) {
    return span_text(std::chrono::microseconds(std::llround(seconds * 1e6)));
  }

  [[nodiscard]] std::string count(std::uint64_t value) const {
    return rounded_ ? compact_text(value) : grouped_text(value);
  }

  static std::string key_text(std::string_view key) {
    return key.empty() ? "(empty)" : visible(key);
  }

  void block(const Grid& grid) {
    if (!grid.empty()) out_ += '\n' + grid.text(paint_, 0);
  }

  const Result& result_;
  const std::vector<PolicyResult>& policies_;
  Paint paint_;
  TableLabels labels_;
  bool rounded_ = false;
  bool cut_ = false;
  std::string out_;
};

}  // namespace

std::string table_text(const Result& result, bool color) { return Table(result, color).text(); }

}  // namespace ratereplay
