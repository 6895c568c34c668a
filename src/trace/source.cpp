// SPDX-License-Identifier: Apache-2.0
#include "trace/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "error.hpp"
#include "trace/block.hpp"
#include "trace/codec.hpp"
#include "trace/decompressor.hpp"
#include "trace/read_ahead.hpp"
#include "trace/stored_file.hpp"

namespace ratereplay {
namespace {

/// Where a tar archive says what it is.
constexpr std::size_t kTarMagicAt = 257;

/// The encoding that a byte order mark tells, as iconv calls it; empty where there is none. That of
/// UTF-32 begins with that of UTF-16.
std::string_view wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xff\xfe\0\0"sv) || text.starts_with("\0\0\xfe\xff"sv)) return "UTF-32";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return "UTF-16";
  return {};
}

}  // namespace

Source::Source(const std::string& path, SourceOptions options)
    : name_(path == "-" ? "standard input" : path),
      allow_truncated_(options.allow_truncated),
      file_(std::make_unique<StoredFile>(path, name_, options.digest)),
      text_(file_.get()) {
  compression_ = compression_of(file_->head(Compression::kHeadBytes));
  if (compression_ == nullptr) return;
  decoder_ = std::make_unique<Decompressor>(*file_, *compression_);
  ahead_ = std::make_unique<ReadAhead>(*decoder_);
  text_ = ahead_.get();
}

Source::Source(std::unique_ptr<ByteStream> text, std::string name)
    : name_(std::move(name)), given_(std::move(text)), text_(given_.get()) {}

Source::~Source() {
  if (file_) file_->cancel();
}

std::size_t Source::read_text(char* place, std::size_t size) {
  const std::size_t got = text_->read(place, size);
  if (got == 0 && decoder_ && decoder_->fault() && !fault_noted_) {
    fault_noted_ = true;
    note_fault(*decoder_->fault());
  }
  return got;
}

void Source::note_fault(const ArchiveFault& fault) {
  Diagnostic told;
  told.place = Place{fmt::format("{}, after byte {} as stored", name_, fault.at)};
  switch (fault.kind) {
    case ArchiveFault::Kind::kDamaged:
      told.message = fmt::format("the {} archive is damaged: {}", compression_->name, fault.reason);
      told.advice = {fmt::format("`{}` tests the file; get a good copy of it", compression_->check),
                     fmt::format("or pipe in what can be saved: {} {} | ratereplay run -",
                                 compression_->to_text, name_)};
      throw Error(ErrorKind::kInput, std::move(told));
    case ArchiveFault::Kind::kTruncated:
      told.message = fmt::format("the {} archive is cut off", compression_->name);
      if (!allow_truncated_) {
        told.advice = {"--allow-truncated takes the rows up to there"};
        throw Error(ErrorKind::kInput, std::move(told));
      }
      told.message += "; the rows up to there were taken";
      truncated_ = true;
      break;
    case ArchiveFault::Kind::kTrailing:
      told.message = fmt::format("{} byte{} behind the end of the {} archive left out", fault.bytes,
                                 fault.bytes == 1 ? "" : "s", compression_->name);
      break;
  }
  warnings_.push_back(std::move(told));
}

void Source::fill_sample() {
  if (sample_filled_) return;
  sample_filled_ = true;
  // One byte more than is shown tells whether the file goes on.
  sample_.assign(kSampleBytes + 1 + 2 * Block::kSlack, '\0');
  sample_begin_ = sample_end_ = Block::kSlack;
  const std::size_t limit = sample_begin_ + kSampleBytes + 1;
  while (sample_end_ < limit && !sample_whole_) {
    const std::size_t got = read_text(sample_.data() + sample_end_, limit - sample_end_);
    sample_whole_ = got == 0;
    sample_end_ += got;
  }
  const std::string_view text(sample_.data() + sample_begin_, sample_end_ - sample_begin_);
  if (text.starts_with("\xef\xbb\xbf")) sample_begin_ += 3;
  require_text(text);
  sample_taken_ = sample_begin_;
}

Sample Source::peek() {
  fill_sample();
  Sample sample;
  sample.text = {sample_.data() + sample_begin_, sample_end_ - sample_begin_};
  sample.whole = sample_whole_;
  if (!sample.whole || truncated_) {
    const std::size_t line = sample.text.rfind('\n');
    if (line != std::string_view::npos) sample.text = sample.text.substr(0, line + 1);
  }
  return sample;
}

std::size_t Source::read(char* place, std::size_t size) {
  fill_sample();
  if (sample_taken_ < sample_end_) {
    const std::size_t taken = std::min(size, sample_end_ - sample_taken_);
    std::memcpy(place, sample_.data() + sample_taken_, taken);
    sample_taken_ += taken;
    return taken;
  }
  return sample_whole_ ? 0 : read_text(place, size);
}

/// Refuses what begins like something that is not read, and says how to make text of it.
void Source::require_text(std::string_view text) const {
  const std::string unpacked =
      compression_ == nullptr ? name_ : fmt::format("{} {}", compression_->to_text, name_);
  const std::string in_compression =
      compression_ == nullptr ? "" : fmt::format(" in {}", compression_->name);
  if (const std::string_view encoding = wide_encoding(text); !encoding.empty()) {
    throw Error(
        ErrorKind::kInput, fmt::format("{}: this is {}; only UTF-8 is read", name_, encoding),
        {compression_ == nullptr
             ? fmt::format("iconv -f {} -t UTF-8 {} | ratereplay run -", encoding, name_)
             : fmt::format("{} | iconv -f {} -t UTF-8 | ratereplay run -", unpacked, encoding)});
  }
  if (const Compression* const inner = compression_of(text); inner && compression_) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: this is {} in {}; one compression is undone", name_, inner->name,
                            compression_->name),
                {fmt::format("undo the outer one: {} | ratereplay run -", unpacked)});
  }
  if (text.size() > kTarMagicAt && text.substr(kTarMagicAt).starts_with("ustar")) {
    throw Error(
        ErrorKind::kInput,
        fmt::format("{}: this is a tar archive{}, not a trace", name_, in_compression),
        {fmt::format("unpack it and name its files, or: tar -xOf {} | ratereplay run -", name_)});
  }
}

std::string_view Source::compression() const noexcept {
  return compression_ == nullptr ? std::string_view() : compression_->name;
}

std::optional<std::uint64_t> Source::size() const noexcept {
  return file_ ? file_->size() : std::nullopt;
}

std::uint64_t Source::bytes_read() const noexcept { return file_ ? file_->bytes_read() : 0; }

std::string Source::sha256() { return file_ ? file_->sha256() : std::string(); }

}  // namespace ratereplay
