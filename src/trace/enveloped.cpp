// SPDX-License-Identifier: Apache-2.0
#include "trace/enveloped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "trace/json_scan.hpp"
#include "trace/lines.hpp"

namespace ratereplay {
namespace {

class EnvelopedCutter final : public RecordCutter {
 public:
  explicit EnvelopedCutter(const Envelope& envelope) : envelope_(envelope) {}

  std::size_t cut(std::string_view text, bool last) override {
    if (last) return text.size();
    PartGroup group;
    std::size_t good = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t feed = text.find('\n', at);
      const std::size_t end = feed == text.npos ? text.size() : feed + 1;
      if (!group.admits(end - at)) {
        group.end();
        good = at;
      }
      if (feed == text.npos) break;
      std::string_view line = text.substr(at, end - at);
      if (line.size() <= kMaxRecordBytes) {
        const std::size_t size = line.size();
        group.add(envelope_.unwrap(take_line(line)), size);
      }
      at = end;
      if (!group.open()) good = at;
    }
    return good;
  }

 private:
  const Envelope& envelope_;
};

class EnvelopedReader final : public BlockReader {
 public:
  EnvelopedReader(const Envelope& envelope, std::unique_ptr<BlockReader> inner)
      : envelope_(envelope), unwrapped_(envelope), inner_(std::move(inner)) {}

  void read(const Block& block, RowBatch& batch) override {
    std::string_view text = block.text;
    std::uint64_t number = 0;
    while (!text.empty()) {
      const std::size_t before = text.size();
      const std::string_view line = take_line(text);
      const std::size_t size = before - text.size();
      ++number;
      if (size > kMaxRecordBytes || !unwrapped_.admits(size)) {
        unwrapped_.finish();
        add_broken(batch);
      }
      if (size > kMaxRecordBytes) {
        flush(batch);
        batch.add_bad(BadKind::kLength, number, 1, too_long);
      } else if (!unwrapped_.take(line, number, size)) {
        flush(batch);
        batch.add_bad(BadKind::kSyntax, number, 1,
                      [this] { return fmt::format("not a line of {}", envelope_.title()); });
      }
    }
    unwrapped_.finish();
    add_broken(batch);
    flush(batch);
    const bool unended = !block.text.empty() && block.text.back() != '\n';
    batch.set_lines(number - (unended ? 1 : 0));
  }

 private:
  void add_broken(RowBatch& batch) {
    if (unwrapped_.broken().empty()) return;
    flush(batch);
    for (const std::uint64_t line : unwrapped_.broken()) {
      batch.add_bad(BadKind::kSyntax, line, 1,
                    [] { return std::string("the rest of the line does not come"); });
    }
    unwrapped_.broken().clear();
  }

  /// Reads what has been unwrapped so far; the text must live as long as the batch.
  void flush(RowBatch& batch) {
    const std::string& text = unwrapped_.text();
    if (!text.empty()) {
      char* const place = batch.scratch(text.size() + 2 * Block::kSlack);
      std::memset(place, 0, Block::kSlack);
      std::memcpy(place + Block::kSlack, text.data(), text.size());
      std::memset(place + Block::kSlack + text.size(), 0, Block::kSlack);
      Block inner;
      inner.text = {place + Block::kSlack, text.size()};
      batch.set_rewritten(&unwrapped_);
      inner_->read(inner, batch);
      batch.set_rewritten(nullptr);
    }
    unwrapped_.clear();
  }

  const Envelope& envelope_;
  UnwrappedText unwrapped_;
  std::unique_ptr<BlockReader> inner_;
};

class EnvelopedFormat final : public Format {
 public:
  EnvelopedFormat(const Envelope& envelope, std::shared_ptr<const Format> inner)
      : envelope_(envelope),
        inner_(std::move(inner)),
        name_(fmt::format("{}+{}", envelope.name(), inner_->name())) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string flag() const override {
    return fmt::format("{}+{}", envelope_.name(), inner_->flag());
  }
  [[nodiscard]] std::string_view summary() const override { return inner_->summary(); }
  [[nodiscard]] std::string_view default_key() const override { return inner_->default_key(); }
  [[nodiscard]] bool dash_is_missing() const override { return inner_->dash_is_missing(); }
  [[nodiscard]] Recognition recognise(const Sample& sample) const override {
    const UnwrappedSample inside = unwrap_sample(envelope_, sample);
    return inner_->recognise({inside.text, sample.whole});
  }
  [[nodiscard]] SampleTable tabulate(const Sample& sample, const Layout& layout) const override {
    const std::string text = unwrap_sample(envelope_, sample).text;
    auto kept = std::make_unique<char[]>(text.size() + 2 * Block::kSlack);
    char* const place = kept.get() + Block::kSlack;
    std::memcpy(place, text.data(), text.size());
    SampleTable table = inner_->tabulate({{place, text.size()}, sample.whole}, layout);
    table.storage.push_back(std::move(kept));
    return table;
  }
  [[nodiscard]] std::unique_ptr<RecordCutter> cutter(const Layout&) const override {
    return std::make_unique<EnvelopedCutter>(envelope_);
  }
  [[nodiscard]] std::unique_ptr<BlockReader> reader(const ReadPlan& plan) const override {
    return std::make_unique<EnvelopedReader>(envelope_, inner_->reader(plan));
  }

 private:
  const Envelope& envelope_;
  std::shared_ptr<const Format> inner_;
  std::string name_;
};

}  // namespace

bool UnwrappedText::take(std::string_view line, std::uint64_t number, std::size_t size) {
  const WrappedLine wrapped = envelope_.unwrap(line);
  group_.add(wrapped, size);
  if (wrapped.what == WrappedLine::What::kForeign) return !is_row(line);
  Line place{number, static_cast<std::size_t>(wrapped.text.data() - line.data()), 0, wrapped.event};
  Parts& parts = parts_[wrapped.stream];
  if (wrapped.what == WrappedLine::What::kPart || parts.begun) {
    if (!parts.begun) parts.line = place;
    parts.begun = true;
    append(wrapped, parts.text);
    if (wrapped.what == WrappedLine::What::kPart) return true;
    emit(parts.text, parts.line);
    parts.text.clear();
    parts.begun = false;
    return true;
  }
  scratch_.clear();
  if (!wrapped.time.empty() && wrapped.text.starts_with('{')) {
    const std::size_t next = wrapped.text.find_first_not_of(" \t", 1);
    const bool empty = next == wrapped.text.npos || wrapped.text[next] == '}';
    scratch_ = fmt::format("{{\"ts\":\"{}\"{}", wrapped.time, empty ? "" : ",");
    place.added = scratch_.size();
    scratch_ += wrapped.text.substr(1);
    ++place.before;
  } else {
    append(wrapped, scratch_);
  }
  emit(scratch_, place);
  return true;
}

void UnwrappedText::append(const WrappedLine& wrapped, std::string& to) {
  if (!wrapped.escaped) {
    to += wrapped.text;
    return;
  }
  const std::size_t from = to.size();
  to.resize(from + wrapped.text.size());
  to.resize(from + unescape_json(wrapped.text, to.data() + from));
}

void UnwrappedText::emit(std::string_view text, const Line& line) {
  text_ += text;
  text_ += '\n';
  // A program's line may hold line feeds when its log was not cut at them.
  const auto feeds = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  lines_.insert(lines_.end(), feeds + 1, line);
}

void UnwrappedText::finish() {
  for (Parts& parts : parts_) {
    if (parts.begun) broken_.push_back(parts.line.number);
    parts.begun = false;
    parts.text.clear();
  }
  group_.end();
}

void UnwrappedText::clear() {
  text_.clear();
  lines_.clear();
}

bool UnwrappedText::find_in_block(BadKind kind, std::uint64_t& line, std::uint64_t& column) const {
  const Line& found = lines_[std::min<std::size_t>(line, lines_.size()) - 1];
  const bool other =
      kind == BadKind::kSyntax || kind == BadKind::kColumns || kind == BadKind::kQuote;
  if (found.event && other) return false;
  line = found.number;
  column = found.before + (column > found.added ? column - found.added : 1);
  return true;
}

UnwrappedSample unwrap_sample(const Envelope& envelope, const Sample& sample) {
  UnwrappedSample found;
  UnwrappedText unwrapped(envelope);
  std::string_view text = sample.text;
  while (!text.empty()) {
    const std::size_t before = text.size();
    const std::string_view line = take_line(text);
    const std::size_t size = before - text.size();
    if (!unwrapped.admits(size)) unwrapped.finish();
    if (is_row(line)) ++found.lines;
    if (!unwrapped.take(line, 1, size)) ++found.foreign;
  }
  found.text = unwrapped.text();
  return found;
}

std::shared_ptr<const Format> enveloped(const Envelope& envelope,
                                        std::shared_ptr<const Format> inner) {
  return std::make_shared<EnvelopedFormat>(envelope, std::move(inner));
}

}  // namespace ratereplay
