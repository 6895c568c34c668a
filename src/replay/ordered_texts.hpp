// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "report/decided.hpp"

namespace ratereplay {

/// What all threads draw, piece by piece, as long as there are free buffers. The first thread alone
/// writes, in order: it is the one that a signal frees from a pipe that nobody reads.
class OrderedTexts {
 public:
  /// For each sink, in the order of the sinks.
  using Piece = std::vector<TextBuffer>;
  using Draw = std::function<void(std::size_t index, Piece& piece)>;

  OrderedTexts(std::span<DecisionSink* const> sinks, unsigned threads);

  /// So many pieces are to be drawn now; all before are written.
  void begin(std::size_t pieces);
  /// To be called by every thread, of which 0 is the first: draws pieces until all are taken; the
  /// first returns when all are written.
  void work(unsigned thread, const Draw& draw);

 private:
  using Lock = std::unique_lock<std::mutex>;

  void work(bool writes, const Draw& draw, Lock& lock);
  void draw_next(const Draw& draw, Lock& lock);
  void write_next(Lock& lock);
  /// The piece to be written next, or null if it is not drawn.
  [[nodiscard]] Piece*& drawn() { return drawn_[written_ % drawn_.size()]; }
  [[nodiscard]] bool can_draw() const { return next_ != end_ && !free_.empty(); }

  std::span<DecisionSink* const> sinks_;
  std::vector<Piece> pieces_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Piece*> free_;
  std::vector<Piece*> drawn_;  ///< by index modulo their number, if it is drawn and not written
  std::size_t end_ = 0;
  std::size_t next_ = 0;     ///< to be drawn
  std::size_t written_ = 0;  ///< of the pieces of now
  bool failed_ = false;      ///< a thread has thrown
};

}  // namespace ratereplay
