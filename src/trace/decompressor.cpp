// SPDX-License-Identifier: Apache-2.0
#include "trace/decompressor.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ratereplay {

Decompressor::Decompressor(ByteStream& stored, const Compression& compression)
    : stored_(stored),
      compression_(compression),
      codec_(compression.codec()),
      input_(std::make_unique_for_overwrite<char[]>(kInputBytes)),
      pending_(input_.get(), 0) {}

std::size_t Decompressor::read(char* place, std::size_t size) {
  std::span<char> out(place, size);
  while (!out.empty() && !ended_) {
    if (!inside_ && !find_member()) {
      ended_ = true;
      break;
    }
    have(1);
    std::string_view left = pending_;
    const std::size_t room = out.size();
    const Codec::Step step = codec_->step(left, out);
    const std::size_t taken = pending_.size() - left.size();
    drop(taken);
    if (step == Codec::Step::kEnd) {
      inside_ = false;
    } else if (step == Codec::Step::kDamaged) {
      end({ArchiveFault::Kind::kDamaged, at_, 0, std::string(codec_->reason())});
    } else if (taken == 0 && out.size() == room) {
      if (pending_.empty()) {
        end({ArchiveFault::Kind::kTruncated, at_, 0, {}});
      } else {
        end({ArchiveFault::Kind::kDamaged, at_, 0, "the compressed data is not valid"});
      }
    }
  }
  return size - out.size();
}

/// Goes to the start of the next member; false when there is none.
bool Decompressor::find_member() {
  const bool first = at_ == 0;
  while (true) {
    have(1);
    const std::size_t zeros =
        first ? 0 : std::min(pending_.find_first_not_of('\0'), pending_.size());
    drop(zeros);
    if (!pending_.empty() || stored_ended_) break;
  }
  if (pending_.empty()) return false;
  have(Compression::kHeadBytes);
  if (compression_.starts(pending_.substr(0, Compression::kHeadBytes))) {
    codec_->start();
    inside_ = true;
    return true;
  }
  // What is left is read all the same: the file's size and digest are those of the whole.
  ArchiveFault fault{ArchiveFault::Kind::kTrailing, at_, 0, {}};
  for (; !pending_.empty(); have(1)) drop(pending_.size());
  fault.bytes = at_ - fault.at;
  end(std::move(fault));
  return false;
}

/// Reads on until `size` bytes are pending or the file ends.
void Decompressor::have(std::size_t size) {
  if (pending_.size() >= size || stored_ended_) return;
  std::memmove(input_.get(), pending_.data(), pending_.size());
  std::size_t filled = pending_.size();
  while (filled < size && !stored_ended_) {
    const std::size_t got = stored_.read(input_.get() + filled, kInputBytes - filled);
    stored_ended_ = got == 0;
    filled += got;
  }
  pending_ = {input_.get(), filled};
}

void Decompressor::drop(std::size_t size) {
  pending_.remove_prefix(size);
  at_ += size;
}

void Decompressor::end(ArchiveFault fault) {
  fault_ = std::move(fault);
  ended_ = true;
}

}  // namespace ratereplay
