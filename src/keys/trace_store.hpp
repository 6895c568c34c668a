// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keys/partition.hpp"
#include "report/result.hpp"
#include "trace/block_stream.hpp"
#include "trace/plan.hpp"

namespace ratereplay {

/// A trace in memory: its requests by partition, and what is known of it.
struct TraceStore {
  std::array<Partition, RowBatch::kPartitions> partitions;
  Order order = Order::kSort;
  TraceFacts facts;
  std::vector<KeyPart> key;              ///< how keys were composed, for showing them
  std::vector<KeyCandidate> candidates;  ///< fields of the first file that could be the key
  /// The flags that read the trace alike: without detection, except for what its files differ in.
  std::string pin;
  std::vector<Diagnostic> notes;     ///< guesses of the reading
  std::vector<Diagnostic> warnings;  ///< what was wrong, or makes another answer, and is no error
  std::shared_ptr<SpillFile> spill;  ///< where rows are that memory had no room for, if any
  std::uint64_t row_memory = 0;      ///< bytes that rows may take in memory, where there is one
  /// How much text was read, where some file was read in part (ReadOptions::sample_bytes).
  std::optional<std::uint64_t> sampled_bytes;
};

/// Takes the bytes of every bad row, in the order of the files.
class BadRowSink {
 public:
  virtual ~BadRowSink() = default;
  /// `record` may end with its line feed or without one.
  virtual void write(std::string_view record) = 0;
};

/// The least memory that --max-memory may allow.
inline constexpr std::uint64_t kLeastMemory = std::uint64_t{16} << 20;

struct ReadOptions {
  ReadFlags flags;
  Order order = Order::kSort;
  bool spread_stamps = false;       ///< --subsecond spread
  std::string max_bad_rows = "1%";  ///< a count, or a share of all rows with `%`
  bool keep_rows = false;           ///< row numbers, for outputs that list decisions
  bool digests = false;             ///< SHA-256 of every file
  bool allow_truncated = false;     ///< of files that are cut off the rows up to there are taken
  BadRowSink* bad_rows = nullptr;   ///< hears of every bad row, if there is one
  /// Only about so many bytes of text are read, if there is a number: of each file the same.
  std::optional<std::uint64_t> sample_bytes;
  /// Bytes; beyond what it allows to them, rows go to a temporary file. At least kLeastMemory.
  std::optional<std::uint64_t> max_memory;
  unsigned threads = 1;
  std::size_t block_bytes = BlockBuffer::kUsualBytes;
};

/// Hears how far the reading has come; called from any thread, seldom.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Bytes and requests so far; total bytes when known, else 0.
  virtual void advance(std::uint64_t bytes, std::uint64_t total, std::uint64_t requests) = 0;
};

/// Reads files (`-` is stdin) into memory. Error(kInput) when one cannot be read, is of no known
/// format, holds too many bad rows or is out of order under Order::kStrict, or when no request is
/// left; Error(kUsage) when a flag names what is not there.
[[nodiscard]] TraceStore read_trace(const std::vector<std::string>& paths,
                                    const ReadOptions& options, Progress* progress);

/// Sets facts.shared_stamps, for a trace that is not replayed.
void count_shared_stamps(TraceStore& trace, unsigned threads);

}  // namespace ratereplay
