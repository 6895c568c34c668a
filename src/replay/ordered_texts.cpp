// SPDX-License-Identifier: Apache-2.0
#include "replay/ordered_texts.hpp"

#include <utility>

namespace ratereplay {

OrderedTexts::OrderedTexts(std::span<DecisionSink* const> sinks, unsigned threads)
    : sinks_(sinks), pieces_(threads + 4), drawn_(pieces_.size()) {
  for (Piece& piece : pieces_) {
    piece.resize(sinks.size());
    free_.push_back(&piece);
  }
}

void OrderedTexts::begin(std::size_t pieces) {
  end_ = pieces;
  next_ = written_ = 0;
}

void OrderedTexts::work(unsigned thread, const Draw& draw) {
  Lock lock(mutex_);
  try {
    work(thread == 0, draw, lock);
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    failed_ = true;
    changed_.notify_all();
    throw;
  }
}

void OrderedTexts::work(bool writes, const Draw& draw, Lock& lock) {
  const auto done = [&] { return failed_ || (writes ? written_ : next_) == end_; };
  const auto can_write = [&] { return writes && drawn() != nullptr; };
  while (true) {
    changed_.wait(lock, [&] { return done() || can_write() || can_draw(); });
    if (done()) return;
    if (can_write()) {
      write_next(lock);
    } else {
      draw_next(draw, lock);
    }
  }
}

void OrderedTexts::draw_next(const Draw& draw, Lock& lock) {
  // Index and buffer are taken together, so that the next piece to be written has a buffer.
  const std::size_t index = next_++;
  Piece* const piece = free_.back();
  free_.pop_back();
  lock.unlock();
  for (TextBuffer& text : *piece) text.clear();
  draw(index, *piece);
  lock.lock();
  drawn_[index % drawn_.size()] = piece;
  changed_.notify_all();
}

void OrderedTexts::write_next(Lock& lock) {
  Piece* const piece = std::exchange(drawn(), nullptr);
  lock.unlock();
  for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
    sinks_[sink]->write((*piece)[sink].text());
  }
  lock.lock();
  ++written_;
  free_.push_back(piece);
  changed_.notify_all();
}

}  // namespace ratereplay
