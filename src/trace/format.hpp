// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/bad_row.hpp"
#include "trace/block.hpp"
#include "trace/cell.hpp"
#include "trace/plan.hpp"

namespace ratereplay {

class RowBatch;

/// The first bytes of a file (at most some 256 KiB, cut at a line where the file goes on).
struct Sample {
  std::string_view text;
  bool whole = false;  ///< the file ends here
};

/// What a format makes of a sample. Score 0 = not mine, 1000 = every record fits and nothing else
/// explains it.
struct Recognition {
  int score = 0;
  Layout layout;
};

/// A sample as a table, for the choice of time, key and cost.
struct SampleTable {
  struct Field {
    std::string name;
    std::vector<Cell> cells;         ///< one per record; text lives in `storage` or the sample
    std::optional<TimeFormat> time;  ///< how its instants are written where the format says so
  };
  std::vector<Field> fields;  ///< JSON: every scalar leaf by its path a.b.c, in order of appearance
  std::vector<std::string> objects;  ///< JSON: paths of the objects in records
  std::size_t records = 0;
  std::vector<std::unique_ptr<char[]>> storage;

  /// A place for the text of a cell, with the bytes behind it that a cell asks for.
  [[nodiscard]] char* room(std::size_t size) {
    storage.push_back(std::make_unique<char[]>(size + 16));
    return storage.back().get();
  }
};

/// Turns blocks into rows. One object per thread; it keeps scratch memory only.
class BlockReader {
 public:
  virtual ~BlockReader() = default;
  /// Calls batch.add, add_bad or add_filtered once for every record in `block`, in order, and
  /// set_lines at the end.
  virtual void read(const Block& block, RowBatch& batch) = 0;

  /// The bytes of the bad rows of a block that was read, line ends included; `places` are in order.
  /// Here for formats whose records are lines.
  [[nodiscard]] virtual std::vector<std::string_view> records(const Block& block,
                                                              std::span<const BadRowPlace> places);
};

/// Where a stream may be cut into blocks. Exact: what the records are depends on the bytes of the
/// file alone. One object per file: it is asked from the first byte on, and each time starts where
/// it last cut.
class RecordCutter {
 public:
  virtual ~RecordCutter() = default;
  /// `text` starts at a record. Returns the length of the longest prefix that ends with a whole
  /// record; 0 when it holds none. With `last`, text is all there is up to the end of the file, and
  /// the answer is text.size().
  virtual std::size_t cut(std::string_view text, bool last) = 0;

  /// Where the file is cut off, cut() finds no whole record in `text`, the end of it all. How much
  /// of it is read all the same, since only what comes behind is a record in two: 0 where the
  /// records are lines.
  virtual std::size_t cut_before_loss(std::string_view text) {
    static_cast<void>(text);
    return 0;
  }

  struct Skipped {
    std::size_t bytes = 0;
    bool done = false;
  };
  /// Drops a record that is too long to keep. Called with successive pieces from the start of the
  /// record; says how many bytes of the piece belong to it, and whether it ends there.
  virtual Skipped skip(std::string_view text);

  /// Lines before the last cut that records behind it cannot be read without, such as the names of
  /// the columns; null where records stand alone.
  [[nodiscard]] virtual std::shared_ptr<const std::string> header() const { return nullptr; }

  /// True when what follows the last cut holds no more records.
  [[nodiscard]] virtual bool past_records() const { return false; }

  /// After the last cut: what the file lacks when it ended inside a document.
  [[nodiscard]] virtual std::optional<std::string> unfinished() const { return std::nullopt; }
};

/// One input format. Stateless; the lists are in trace/formats.hpp.
class Format {
 public:
  virtual ~Format() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// What -F takes to name it.
  [[nodiscard]] virtual std::string flag() const { return std::string(name()); }
  /// One line for help.
  [[nodiscard]] virtual std::string_view summary() const = 0;
  /// The field or role that holds the client when the format fixes it ("ip" of access logs); empty
  /// otherwise.
  [[nodiscard]] virtual std::string_view default_key() const { return {}; }
  /// Every line can be read without the lines before it; then it may stand in an envelope.
  [[nodiscard]] virtual bool line_by_line() const { return true; }
  /// True where `-` is written for what is not there, so that it costs nothing.
  [[nodiscard]] virtual bool dash_is_missing() const { return false; }
  [[nodiscard]] virtual Recognition recognise(const Sample& sample) const = 0;
  [[nodiscard]] virtual SampleTable tabulate(const Sample& sample, const Layout& layout) const = 0;
  [[nodiscard]] virtual std::unique_ptr<RecordCutter> cutter(const Layout& layout) const = 0;
  [[nodiscard]] virtual std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const = 0;
};

}  // namespace ratereplay
