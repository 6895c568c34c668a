// SPDX-License-Identifier: Apache-2.0
#include "keys/trace_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "interrupt.hpp"
#include "parallel.hpp"
#include "trace/block_stream.hpp"
#include "trace/detect.hpp"
#include "trace/recognise.hpp"
#include "trace/source.hpp"

namespace ratereplay {
namespace {

/// How many unread rows may be in a trace of so many.
class BadRowAllowance {
 public:
  explicit BadRowAllowance(const std::string& text) : text_(text) {
    per_million_ = parse_share(text);
    const char* const end = text.data() + text.size();
    const auto whole = std::from_chars(text.data(), end, count_);
    if (!per_million_ && (whole.ec != std::errc{} || whole.ptr != end)) {
      throw Error(ErrorKind::kUsage, fmt::format("--max-bad-rows {}: not a count or a share", text),
                  {"write a number of rows (0, 25) or a share of all rows (1%, 0.05%)"});
    }
  }

  [[nodiscard]] bool holds(std::uint64_t bad, std::uint64_t rows) const {
    if (!per_million_) return bad <= count_;
    __extension__ using Wide = unsigned __int128;
    return Wide{bad} * 1'000'000 <= Wide{rows} * *per_million_;
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  std::uint64_t count_ = 0;
  std::optional<std::uint32_t> per_million_;
};

/// Reads files one after the other into a store. A file is read in waves: threads parse a handful
/// of blocks side by side, then take their rows in, partition by partition. Blocks keep their
/// order, so nothing depends on the threads.
class Loader {
 public:
  Loader(const ReadOptions& options, Progress* progress)
      : options_(options),
        progress_(progress),
        allowance_(options.max_bad_rows),
        wave_bytes_(wave_bytes(options)),
        block_bytes_(std::min(options.block_bytes, wave_bytes_ / kLeastWaveBlocks)),
        wave_blocks_(wave_blocks(options)),
        buffers_(wave_blocks_),
        ranks_(wave_blocks_) {
    for (std::size_t i = 0; i < wave_blocks_; ++i) {
      batches_.emplace_back(options_.keep_rows || options_.spread_stamps);
    }
    if (options_.bad_rows == nullptr) return;
    for (RowBatch& batch : batches_) batch.keep_bad_places();
  }

  TraceStore load(const std::vector<std::string>& paths) {
    store_.order = options_.order;
    store_.facts.order = options_.order == Order::kSort     ? "sort"
                         : options_.order == Order::kStrict ? "strict"
                                                            : "clamp";
    if (options_.spread_stamps) store_.facts.subsecond = "spread";
    if (options_.sample_bytes) file_limit_ = *options_.sample_bytes / paths.size();
    for (const std::string& path : paths) {
      if (!reached_head()) load_file(path, paths.size() == 1);
    }
    if (sampled_) store_.sampled_bytes = text_bytes_;
    finish();
    return std::move(store_);
  }

 private:
  static constexpr std::size_t kWaveBytes = std::size_t{32} << 20;
  /// Shares of --max-memory. A wave's rows, on their way in, take about twice its text.
  static constexpr std::uint64_t kWaveShare = 10;
  static constexpr std::uint64_t kRowShare = 3;
  static constexpr std::size_t kLeastWaveBlocks = 4;

  static std::size_t wave_bytes(const ReadOptions& options) {
    if (!options.max_memory) return kWaveBytes;
    return std::min<std::size_t>(kWaveBytes, *options.max_memory / kWaveShare);
  }

  /// With --head, how much is read must not depend on the threads.
  [[nodiscard]] std::size_t wave_blocks(const ReadOptions& options) const {
    const std::size_t least = options.flags.head ? 1 : options.threads;
    return std::max<std::size_t>(wave_bytes_ / block_bytes_, least);
  }

  /// Moves rows out of memory when they take more of it than they may.
  void keep_within_memory() {
    if (!options_.max_memory) return;
    store_.row_memory = *options_.max_memory / kRowShare;
    std::uint64_t bytes = 0;
    for (const Partition& partition : store_.partitions) bytes += partition.row_bytes();
    if (bytes <= store_.row_memory) return;
    if (!store_.spill) store_.spill = std::make_shared<SpillFile>();
    std::atomic<std::size_t> next{0};
    in_parallel(options_.threads, [&](unsigned) {
      for (std::size_t i = next++; i < store_.partitions.size(); i = next++) {
        store_.partitions[i].spill(store_.spill);
      }
    });
  }

  [[nodiscard]] bool reached_head() const {
    return options_.flags.head && store_.facts.rows >= *options_.flags.head;
  }

  /// Reads a block again as far as --head goes, when it holds more rows than that.
  void cut_at_head(const Block& block, BlockReader& reader, RowBatch& batch) const {
    const std::uint64_t left = *options_.flags.head - store_.facts.rows;
    if (batch.rows() <= left) return;
    batch.clear();
    batch.limit_rows(static_cast<std::uint32_t>(left));
    read_block(block, reader, batch);
  }

  void load_file(const std::string& path, bool only_file) {
    Source source(path, {options_.digests, options_.allow_truncated});
    const Sample sample = source.peek();
    if (!only_file && sample.whole && sample.text.empty()) {
      // The log that was rotated a moment ago. Others hold the requests.
      store_.notes.push_back({fmt::format("{} is empty", source.name()), std::nullopt, {}});
      start_file(path, source);
      end_file(source);
      return;
    }
    const ReadPlan plan = planned(sample, source.name());
    start_file(path, source);
    const std::unique_ptr<RecordCutter> cutter = plan.format->cutter(plan.layout);
    BlockStream stream(source, *cutter, block_bytes_, options_.allow_truncated);
    std::vector<std::unique_ptr<BlockReader>> readers;
    for (unsigned i = 0; i < options_.threads; ++i) readers.push_back(plan.format->reader(plan));
    while (read_wave(source, stream, readers)) {
    }
    if (stream.truncation() && !reached_head()) store_.warnings.push_back(*stream.truncation());
    end_file(source);
  }

  /// The plan of the next file, noted.
  ReadPlan planned(const Sample& sample, const std::string& name) {
    try {
      ReadPlan plan = make_plan(sample, name, options_.flags);
      note_plan(plan, name);
      return plan;
    } catch (const Error&) {
      // Of `split`, only the first part has the header.
      if (first_plan_ && lacks_header(sample, name)) throw no_header(name);
      throw;
    }
  }

  /// Whether a file is a table like the first one, but without the header that one has.
  [[nodiscard]] bool lacks_header(const Sample& sample, const std::string& name) const {
    if (!first_plan_->layout.header) return false;
    try {
      const FormatChoice choice = choose_format(sample, name, options_.flags.format);
      return choice.format == first_plan_->format && !choice.layout.header;
    } catch (const Error&) {
      return false;
    }
  }

  [[nodiscard]] Error no_header(const std::string& name) const {
    return {ErrorKind::kInput,
            fmt::format("{} has no header and {} has one", name, first_name_),
            {"parts of one file make it again: `cat` them in order into `ratereplay run -`",
             "or give every file the header line of the first"}};
  }

  void start_file(const std::string& path, const Source& source) {
    file_ = &store_.facts.files.emplace_back();
    file_->path = path;
    file_->compression = source.compression();
    file_lines_ = 0;
    file_text_bytes_ = 0;
    file_sampled_ = false;
    latest_.reset();
    if (options_.spread_stamps) stamps_.push_back(std::make_shared<StampRanks>());
  }

  void end_file(Source& source) {
    store_.warnings.insert(store_.warnings.end(), source.warnings().begin(),
                           source.warnings().end());
    text_bytes_ += file_text_bytes_;
    sampled_ = sampled_ || file_sampled_;
    // How far ahead of the rows a file is read is a matter of chance.
    const bool in_part = file_sampled_ || reached_head();
    file_->bytes = in_part ? source.size().value_or(source.bytes_read()) : source.bytes_read();
    if (options_.digests && !in_part) file_->sha256 = source.sha256();
  }

  /// False at the end of the file.
  bool read_wave(Source& source, BlockStream& stream,
                 std::vector<std::unique_ptr<BlockReader>>& readers) {
    std::mutex turn;
    std::size_t blocks = 0;
    bool ended = false;
    in_parallel(options_.threads, [&](unsigned thread) {
      while (true) {
        std::size_t mine = 0;
        {
          const std::lock_guard lock(turn);
          stop_if_interrupted();
          if (ended || blocks == wave_blocks_) return;
          if (!stream.next(buffers_[blocks])) {
            ended = true;
            return;
          }
          if (file_text_bytes_ >= file_limit_) {
            ended = file_sampled_ = true;
            return;
          }
          file_text_bytes_ += buffers_[blocks].block.text.size();
          mine = blocks++;
        }
        batches_[mine].clear();
        read_block(buffers_[mine].block, *readers[thread], batches_[mine]);
      }
    });

    std::vector<Partition::Piece> wave;
    for (std::size_t i = 0; i < blocks && !reached_head(); ++i) {
      if (options_.flags.head) cut_at_head(buffers_[i].block, *readers.front(), batches_[i]);
      Partition::Piece& piece = wave.emplace_back(&batches_[i], store_.facts.rows);
      if (options_.spread_stamps) {
        stamps_.back()->rank(batches_[i], ranks_[i]);
        piece.ranks = ranks_[i].data();
        piece.stamps = stamps_.back();
      }
      note_batch(batches_[i]);
      if (options_.bad_rows == nullptr) continue;
      for (const std::string_view record :
           bad_records(buffers_[i].block, *readers.front(), batches_[i])) {
        options_.bad_rows->write(record);
      }
    }
    if (!wave.empty()) {
      std::atomic<std::size_t> next{0};
      in_parallel(options_.threads, [&](unsigned) {
        for (std::size_t i = next++; i < store_.partitions.size(); i = next++) {
          store_.partitions[i].absorb(wave, i, options_.keep_rows);
        }
      });
      keep_within_memory();
    }
    if (progress_ != nullptr) {
      progress_->advance(source.bytes_read(), source.size().value_or(0), store_.facts.requests);
    }
    return !ended && !reached_head();
  }

  void note_plan(const ReadPlan& plan, const std::string& name) {
    TraceFacts& facts = store_.facts;
    store_.notes.insert(store_.notes.end(), plan.notes.begin(), plan.notes.end());
    store_.warnings.insert(store_.warnings.end(), plan.warnings.begin(), plan.warnings.end());
    std::vector<std::string> key;
    for (const KeyPart& part : plan.key) key.push_back(part.shown);
    if (plan.time_format.zoned()) facts.zone = plan.time_format.zone.name();
    if (!first_plan_) {
      first_plan_ = plan;
      first_name_ = name;
      facts.format = plan.format->name();
      facts.format_detected = plan.format_detected;
      facts.time_field = plan.time_field;
      facts.time_format = plan.time_format.name();
      facts.absolute = plan.time_format.absolute();
      if (plan.duration) facts.time_is = "end";
      facts.key = std::move(key);
      facts.sampled_keys_per_million = plan.filter.keys_per_million;
      if (!plan.cost.empty()) facts.cost = plan.cost_field;
      store_.key = plan.key;
      store_.candidates = plan.candidates;
      return;
    }
    // Rows of several files are one trace only when they mean the same.
    if (key != facts.key) {
      throw Error(ErrorKind::kInput, "the files do not have the same key field",
                  {"pin it for all of them with -k"});
    }
    if (plan.time_format.absolute() != facts.absolute) {
      throw Error(ErrorKind::kInput,
                  "some files hold instants, others times since the start of a trace",
                  {"replay them one by one"});
    }
    const ReadPlan& first = *first_plan_;
    shared_.format = shared_.format && plan.format == first.format;
    shared_.time_field = shared_.time_field && plan.time_field == first.time_field;
    shared_.time_format =
        shared_.time_format && plan.time_format.name() == first.time_format.name();
    zoned_later_ = zoned_later_ || (plan.time_format.zoned() && !first.time_format.zoned());
    year_later_ = year_later_ || (plan.year && !first.year);
  }

  void note_batch(const RowBatch& batch) {
    TraceFacts& facts = store_.facts;
    for (std::size_t kind = 0; kind < kBadKindNames.size(); ++kind) {
      BadKindCount& count = bad_[kind];
      count.count += batch.bad(static_cast<BadKind>(kind));
      facts.bad += batch.bad(static_cast<BadKind>(kind));
      for (const BadRow& row : batch.first_bad(static_cast<BadKind>(kind))) {
        if (count.first.size() == RowBatch::kKeptBadRows) break;
        count.first.push_back({file_->path, file_lines_ + row.line, row.column, row.reason});
      }
    }
    const RowBatch::Times times = batch.times();
    if (times.earliest <= times.latest) {
      const bool late_start = latest_ && times.first < last_at_;
      if (options_.order == Order::kStrict && (late_start || times.out_of_order > 0)) {
        // The first request of the block is late, or a later one is.
        throw Error(ErrorKind::kInput,
                    fmt::format("{}: row {} is earlier than the row before it", file_->path,
                                file_->rows + (late_start ? 0 : times.first_disorder) + 1),
                    {"--order sort puts rows in time order; --order clamp keeps the file's order"});
      }
      facts.out_of_order += times.out_of_order + (late_start ? 1 : 0);
      std::uint64_t back = times.max_back;
      if (latest_ && times.earliest < *latest_) {
        back = std::max(back, static_cast<std::uint64_t>(*latest_) -
                                  static_cast<std::uint64_t>(times.earliest));
      }
      max_back_ = std::max(max_back_, back);
      earliest_ = std::min(earliest_, times.earliest);
      latest_all_ = std::max(latest_all_, times.latest);
      latest_ = latest_ ? std::max(*latest_, times.latest) : times.latest;
      last_at_ = times.last;
    }
    batch.for_each_second([&](const RowBatch::SecondCount& second) {
      std::uint64_t& requests = seconds_[second.second];
      requests += second.requests;
      facts.peak_per_second = std::max(facts.peak_per_second, requests);
      facts.requests += second.requests;
    });
    facts.filtered += batch.filtered();
    facts.missing_keys += batch.missing_keys();
    facts.repeated_hour += batch.repeated_hour();
    facts.rows += batch.rows();
    file_->rows += batch.rows();
    file_lines_ += batch.lines();
  }

  void finish() {
    TraceFacts& facts = store_.facts;
    facts.max_back = Duration{static_cast<std::int64_t>(
        std::min<std::uint64_t>(max_back_, std::numeric_limits<std::int64_t>::max()))};
    // A record that is cut off has been allowed with the file.
    const std::uint64_t cut_off = bad_[static_cast<std::size_t>(BadKind::kTruncated)].count;
    for (std::size_t kind = 0; kind < kBadKindNames.size(); ++kind) {
      if (bad_[kind].count == 0) continue;
      bad_[kind].kind = kBadKindNames[kind];
      facts.bad_kinds.push_back(std::move(bad_[kind]));
    }
    if (!allowance_.holds(facts.bad - cut_off, facts.rows)) throw too_many_bad_rows();
    if (facts.requests == 0) throw no_request();
    facts.first = Instant{Duration{earliest_}};
    facts.last = Instant{Duration{latest_all_}};
    TimeUnit unit;
    for (const Partition& partition : store_.partitions) {
      facts.keys += partition.keys();
      facts.cost_total += partition.cost_total();
      unit.include(partition.unit());
    }
    facts.resolution = Duration{unit.nanos(earliest_ < latest_all_)};
    for (const auto& stamps : stamps_) spread(*stamps);
    store_.pin = pin_flags(*first_plan_, shared_);
    if (zoned_later_) store_.pin += " --tz " + facts.zone;
    if (year_later_) store_.pin += fmt::format(" --year {}", *options_.flags.year);
    if (options_.spread_stamps) store_.pin += " --subsecond spread";
  }

  /// What changes when the requests on one stamp move apart.
  void spread(const StampRanks& stamps) {
    TraceFacts& facts = store_.facts;
    if (const auto last = stamps.last()) {
      facts.last = std::max(facts.last, Instant{Duration{*last}});
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
    facts.peak_per_second = 0;
    for (const auto& [second, requests] : seconds_) {
      facts.peak_per_second = std::max(facts.peak_per_second, requests);
    }
  }

  [[nodiscard]] Error too_many_bad_rows() const {
    const TraceFacts& facts = store_.facts;
    const BadPlace& first = facts.bad_kinds.front().first.front();
    Diagnostic diagnostic;
    diagnostic.message =
        fmt::format("{} of {} rows could not be read; --max-bad-rows {} allows less", facts.bad,
                    facts.rows, allowance_.text());
    diagnostic.place = Place{fmt::format("{}:{}:{}  {}: {}", first.file, first.line, first.column,
                                         facts.bad_kinds.front().kind, first.reason)};
    diagnostic.advice = {"see `ratereplay inspect` for all kinds of bad rows in this trace",
                         "--max-bad-rows 50% reads what can be read"};
    return {ErrorKind::kInput, std::move(diagnostic)};
  }

  [[nodiscard]] Error no_request() const {
    const TraceFacts& facts = store_.facts;
    const std::string& name = facts.files.size() == 1 ? facts.files.front().path : "the trace";
    if (facts.rows == 0) {
      return {ErrorKind::kInput, fmt::format("no request in {}: it holds no rows", name)};
    }
    return {ErrorKind::kInput,
            fmt::format("no request in {}: of {} rows {} could not be read, {} were left out", name,
                        facts.rows, facts.bad, facts.filtered)};
  }

  const ReadOptions& options_;
  Progress* progress_;
  BadRowAllowance allowance_;
  std::size_t wave_bytes_;
  std::size_t block_bytes_;
  std::size_t wave_blocks_;
  std::vector<BlockBuffer> buffers_;
  std::vector<RowBatch> batches_;
  std::vector<std::vector<std::uint32_t>> ranks_;
  std::vector<std::shared_ptr<StampRanks>> stamps_;  ///< by file, with --subsecond spread
  TraceStore store_;
  TraceFile* file_ = nullptr;
  std::optional<ReadPlan> first_plan_;
  std::string first_name_;
  SharedPins shared_;         ///< what all files have in common with the first
  bool zoned_later_ = false;  ///< a later file needs --tz, the first does not
  bool year_later_ = false;
  std::uint64_t file_lines_ = 0;                  ///< in the blocks before
  std::uint64_t file_limit_ = ~std::uint64_t{0};  ///< bytes of text to read of a file
  std::uint64_t file_text_bytes_ = 0;
  bool file_sampled_ = false;  ///< it goes on where the reading stopped
  std::uint64_t text_bytes_ = 0;
  bool sampled_ = false;
  std::optional<std::int64_t> latest_;  ///< in this file
  std::int64_t last_at_ = 0;            ///< of the last request before the block, in this file
  std::int64_t earliest_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t latest_all_ = std::numeric_limits<std::int64_t>::min();
  std::uint64_t max_back_ = 0;
  std::array<BadKindCount, kBadKindNames.size()> bad_;
  std::unordered_map<std::int64_t, std::uint64_t> seconds_;
};

}  // namespace

void count_shared_stamps(TraceStore& trace, unsigned threads) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> shared{0};
  in_parallel(threads, [&](unsigned) {
    GroupedRows grouped;
    for (std::size_t i = next++; i < trace.partitions.size(); i = next++) {
      stop_if_interrupted();
      trace.partitions[i].group(trace.order, grouped);
      shared += grouped.shared_stamps;
    }
  });
  trace.facts.shared_stamps = shared;
}

TraceStore read_trace(const std::vector<std::string>& paths, const ReadOptions& options,
                      Progress* progress) {
  return Loader(options, progress).load(paths);
}

}  // namespace ratereplay
