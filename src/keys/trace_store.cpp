// SPDX-License-Identifier: Apache-2.0
#include "keys/trace_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "interrupt.hpp"
#include "keys/bad_row_allowance.hpp"
#include "keys/trace_account.hpp"
#include "parallel.hpp"
#include "trace/detect.hpp"
#include "trace/recognise.hpp"
#include "trace/source.hpp"

namespace ratereplay {
namespace {

/// Reads files one after the other into a store. A file is read in waves: threads parse a handful
/// of blocks side by side, then take their rows in, partition by partition. Blocks keep their
/// order, so nothing depends on the threads.
class Loader {
 public:
  Loader(const ReadOptions& options, Progress* progress)
      : options_(options),
        progress_(progress),
        allowance_(options.max_bad_rows),
        account_(store_.facts, options.order),
        wave_bytes_(wave_bytes(options)),
        block_bytes_(std::min(options.block_bytes, wave_bytes_ / kLeastWaveBlocks)),
        wave_blocks_(wave_blocks(options)),
        reads_again_(options.flags.head || options.bad_rows != nullptr),
        buffers_(wave_blocks_),
        ranks_(wave_blocks_) {
    const auto memory = std::make_shared<GrowingRowMemory>();
    for (std::size_t i = 0; i < wave_blocks_; ++i) {
      batches_.emplace_back(options_.keep_rows || options_.spread_stamps, memory);
    }
    if (options_.bad_rows == nullptr) return;
    for (RowBatch& batch : batches_) batch.keep_bad_places();
  }

  TraceStore load(const std::vector<std::string>& paths) {
    store_.order = options_.order;
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
    share_out(options_.threads, store_.partitions.size(),
              [&](unsigned, std::size_t i) { store_.partitions[i].spill(store_.spill); });
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
    account_.start_file(path, source.compression());
    file_text_bytes_ = 0;
    file_sampled_ = false;
    if (options_.spread_stamps) stamps_.push_back(std::make_shared<StampRanks>());
  }

  void end_file(Source& source) {
    store_.warnings.insert(store_.warnings.end(), source.warnings().begin(),
                           source.warnings().end());
    text_bytes_ += file_text_bytes_;
    sampled_ = sampled_ || file_sampled_;
    // How far ahead of the rows a file is read is a matter of chance.
    const bool in_part = file_sampled_ || reached_head();
    TraceFile& file = account_.file();
    file.bytes = in_part ? source.size().value_or(source.bytes_read()) : source.bytes_read();
    if (options_.digests && !in_part) file.sha256 = source.sha256();
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
          BlockBuffer& buffer = buffers_[blocks];
          if (!free_buffers_.empty()) {
            buffer = std::move(free_buffers_.back());
            free_buffers_.pop_back();
          }
          if (!stream.next(buffer)) {
            ended = true;
            return;
          }
          if (file_text_bytes_ >= file_limit_) {
            ended = file_sampled_ = true;
            return;
          }
          file_text_bytes_ += buffer.block.text.size();
          mine = blocks++;
        }
        RowBatch& batch = batches_[mine];
        batch.clear();
        read_block(buffers_[mine].block, *readers[thread], batch);
        if (reads_again_ || batch.has_long_keys()) continue;
        const std::lock_guard lock(turn);
        free_buffers_.push_back(std::move(buffers_[mine]));
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
      account_.add(batches_[i]);
      if (options_.bad_rows == nullptr) continue;
      for (const std::string_view record :
           bad_records(buffers_[i].block, *readers.front(), batches_[i])) {
        options_.bad_rows->write(record);
      }
    }
    if (!wave.empty()) {
      share_out(options_.threads, store_.partitions.size(), [&](unsigned, std::size_t i) {
        store_.partitions[i].absorb(wave, i, options_.keep_rows, row_memory_);
      });
      keep_within_memory();
    }
    if (progress_ != nullptr) {
      progress_->advance(source.bytes_read(), source.size().value_or(0), store_.facts.requests);
    }
    return !ended && !reached_head();
  }

  /// The store is whole: its facts are counted to the end.
  void finish() {
    account_.finish(store_.partitions, allowance_);
    for (const auto& stamps : stamps_) account_.spread(*stamps);
    store_.pin = pin_flags(*first_plan_, shared_);
    if (zoned_later_) store_.pin += " --tz " + store_.facts.zone;
    if (year_later_) store_.pin += fmt::format(" --year {}", *options_.flags.year);
    if (options_.spread_stamps) store_.pin += " --subsecond spread";
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

  const ReadOptions& options_;
  Progress* progress_;
  BadRowAllowance allowance_;
  TraceStore store_;
  TraceAccount account_;
  std::size_t wave_bytes_;
  std::size_t block_bytes_;
  std::size_t wave_blocks_;
  bool reads_again_;  ///< the text of a block may be asked for once more after it was read
  std::vector<BlockBuffer> buffers_;
  std::vector<BlockBuffer> free_buffers_;  ///< whose text is not needed any more
  std::vector<RowBatch> batches_;
  RowMemory row_memory_;
  std::vector<std::vector<std::uint32_t>> ranks_;
  std::vector<std::shared_ptr<StampRanks>> stamps_;  ///< by file, with --subsecond spread
  std::optional<ReadPlan> first_plan_;
  std::string first_name_;
  SharedPins shared_;         ///< what all files have in common with the first
  bool zoned_later_ = false;  ///< a later file needs --tz, the first does not
  bool year_later_ = false;
  std::uint64_t file_limit_ = ~std::uint64_t{0};  ///< bytes of text to read of a file
  std::uint64_t file_text_bytes_ = 0;
  bool file_sampled_ = false;  ///< it goes on where the reading stopped
  std::uint64_t text_bytes_ = 0;
  bool sampled_ = false;
};

}  // namespace

void count_shared_stamps(TraceStore& trace, unsigned threads) {
  std::vector<GroupedRows> grouped(threads);
  std::atomic<std::uint64_t> shared{0};
  share_out(threads, trace.partitions.size(), [&](unsigned thread, std::size_t i) {
    stop_if_interrupted();
    trace.partitions[i].group(trace.order, grouped[thread]);
    shared += grouped[thread].shared_stamps;
  });
  trace.facts.shared_stamps = shared;
}

TraceStore read_trace(const std::vector<std::string>& paths, const ReadOptions& options,
                      Progress* progress) {
  return Loader(options, progress).load(paths);
}

}  // namespace ratereplay
