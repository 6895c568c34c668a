// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ratereplay/policies.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// Everything a run found out, as plain data: what every output, check and stored JSON is drawn
/// from. Integers are exact; no text here is escaped, no key decoded.

/// A count over a total, kept apart so that ratios are made where they are shown.
struct Ratio {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;
};

struct TraceFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::string sha256;       ///< hex; empty unless an output shows it
  std::string compression;  ///< empty = none
  std::uint64_t rows = 0;
};

struct BadPlace {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string reason;
};

struct BadKindCount {
  std::string kind;
  std::uint64_t count = 0;
  std::vector<BadPlace> first;  ///< at most three, in the order of the files
};

struct TraceFacts {
  std::vector<TraceFile> files;
  std::string format;
  bool format_detected = true;
  std::string time_field;
  std::string time_format;
  bool absolute = true;                ///< false: instants count from the start of the trace
  std::string zone = "+00:00";         ///< of stamps that name none
  std::optional<Duration> resolution;  ///< the coarsest of 1 min, 1 s, 1 ms, 1 us, 100 ns and 1 ns
                                       ///< that every stamp is a multiple of
  /// Requests that share their stamp with another of their key, so that their order and spacing
  /// are not known.
  std::uint64_t shared_stamps = 0;
  std::string subsecond = "keep";   ///< or "spread": evenly over the resolution
  std::uint64_t repeated_hour = 0;  ///< stamps that the zone's clock showed twice
  std::vector<std::string> key;     ///< fields; empty = one key for all
  std::optional<std::string> cost;
  std::string time_is = "start";  ///< or "end": the stamp, of which the duration was taken off
  std::string order = "sort";
  std::uint64_t rows = 0;
  std::uint64_t requests = 0;
  std::uint64_t bad = 0;
  std::uint64_t filtered = 0;
  std::uint64_t keys = 0;
  std::uint64_t missing_keys = 0;  ///< requests whose key, or a part of it, is missing
  /// The share of the keys that was kept, in millionths; counts are those of the kept.
  std::optional<std::uint32_t> sampled_keys_per_million;
  std::uint64_t cost_total = 0;
  std::uint64_t out_of_order = 0;
  Duration max_back{0};
  Instant first{};
  Instant last{};
  std::uint64_t peak_per_second = 0;    ///< most requests in one second of the epoch grid
  std::vector<BadKindCount> bad_kinds;  ///< kinds that occurred, in the order of BadKind
};

/// The distribution of waits or delays. Quantiles are nearest rank over the finite values; exact
/// where `relative_error` is 0, else too high or low by at most that fraction.
struct Distribution {
  std::uint64_t count = 0;
  Duration min{0};
  Duration p50{0};
  Duration p90{0};
  Duration p99{0};
  Duration max{0};
  double relative_error = 0;
};

/// Nearest rank over all refusals, where a wait that never ends is longer than every other: what
/// checks compare. Absent = never.
struct WaitQuantiles {
  std::optional<Duration> p50;
  std::optional<Duration> p90;
  std::optional<Duration> p99;
};

/// `key` and `at` mean something only when something was admitted.
struct WorstWindow {
  std::uint64_t admitted = 0;  ///< cost units
  std::string key;             ///< shown form
  Instant at{};
};

struct Agreement {
  std::uint64_t agree = 0;
  std::uint64_t looser = 0;
  std::uint64_t stricter = 0;
};

struct Projection {
  std::uint64_t keys = 0;
  std::string bytes;  ///< decimal digits; may pass 64 bits
};

struct MemoryUse {
  std::uint64_t bytes_per_key = 0;
  std::string reserved_bytes = "0";  ///< decimal digits; may pass 64 bits
  std::string live_peak_bytes = "0";
  Instant live_peak_at{};  ///< start of the bucket
  std::optional<Projection> projected;
};

struct TopKey {
  std::string key;
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;
  Instant first_refused{};
};

/// One value per bucket; bucket i covers [start + i*bucket, start + (i+1)*bucket). Of a program
/// behind a driver nobody knows the state: the last two are empty.
struct Series {
  Duration bucket{0};
  Instant start{};
  std::vector<std::uint64_t> offered;
  std::vector<std::uint64_t> admitted;
  std::vector<std::uint64_t> refused;
  std::vector<std::uint64_t> live_keys;
  std::vector<std::uint64_t> live_bytes;
};

struct CheckResult {
  std::string expression;            ///< as given
  std::optional<std::string> value;  ///< decimal number; absent = undefined or never
  bool passed = false;
};

struct PolicyResult {
  std::string name;      ///< empty = none given
  std::string spec;      ///< canonical
  AnyPolicy policy;      ///< of a driver: what its program was told
  std::string driver{};  ///< the command of the program that decided; empty = none

  /// What outputs call it: the name, else the canonical form.
  [[nodiscard]] const std::string& label() const noexcept { return name.empty() ? spec : name; }

  std::uint64_t admitted = 0;
  std::uint64_t refused = 0;
  std::uint64_t never = 0;  ///< those of the refused that no wait cures
  std::uint64_t keys_refused = 0;
  Distribution retry_after{};                    ///< count = refused - never
  WaitQuantiles retry_or_never{};                ///< read by checks, and only when never > 0
  std::optional<Distribution> delay{};           ///< leaky-bucket in queue mode, over the admitted
  std::optional<std::uint64_t> longest_queue{};  ///< units, same
  WorstWindow worst{};
  Agreement agreement{};
  std::optional<MemoryUse> memory = MemoryUse{};  ///< absent: unknown, of a program
  std::vector<TopKey> top_keys{};                 ///< most refused first; ties by key
  Series series{};
  std::vector<CheckResult> checks{};
};

/// The simulator's own use of the machine; only with --stats, since it varies from run to run.
struct RunStats {
  unsigned threads = 0;
  double seconds_read = 0;
  double seconds_replay = 0;
  std::uint64_t peak_bytes = 0;
};

struct Result {
  std::string tool_version;  ///< of the program that made it; empty = this one
  std::vector<std::string> command;
  TraceFacts trace;
  std::string reference;  ///< label of the reference policy
  Duration tick{};
  std::vector<PolicyResult> policies;
  std::optional<RunStats> stats;
};

}  // namespace ratereplay
