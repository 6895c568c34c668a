// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "keys/row_batch.hpp"
#include "trace/envelope.hpp"
#include "trace/format.hpp"

namespace ratereplay {

/// Lines that belong together because parts of lines are among them: up to where every line that
/// began has ended. What does not end within kMaxBytes of the first of them is broken.
class PartGroup {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  /// False when the group must end before a further line of that size.
  [[nodiscard]] bool admits(std::size_t size) const noexcept {
    return !open() || bytes_ + size <= kMaxBytes;
  }
  void add(const WrappedLine& line, std::size_t size) noexcept {
    const auto bit = static_cast<std::uint8_t>(1U << line.stream);
    if (line.what == WrappedLine::What::kPart) begun_ |= bit;
    if (line.what == WrappedLine::What::kWhole) begun_ &= static_cast<std::uint8_t>(~bit);
    bytes_ = open() ? bytes_ + size : 0;
  }
  void end() noexcept { *this = PartGroup(); }
  [[nodiscard]] bool open() const noexcept { return begun_ != 0; }

 private:
  std::uint8_t begun_ = 0;  // a bit per stream
  std::size_t bytes_ = 0;
};

/// The text inside, line by line, and where its lines stand in the wrapped text.
class UnwrappedText final : public RewrittenText {
 public:
  explicit UnwrappedText(const Envelope& envelope) : envelope_(envelope) {}

  /// False when what has begun must be finished before a line of that size.
  [[nodiscard]] bool admits(std::size_t size) const noexcept { return group_.admits(size); }
  /// What has begun is broken.
  void finish();
  /// Takes `line` (without its line end), which is number `number` and `size` bytes long with it.
  /// False when it is not of the envelope, and neither blank nor a comment.
  bool take(std::string_view line, std::uint64_t number, std::size_t size);

  /// The numbers of lines that began and did not end.
  [[nodiscard]] std::vector<std::uint64_t>& broken() noexcept { return broken_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  void clear();

  [[nodiscard]] bool find_in_block(BadKind kind, std::uint64_t& line,
                                   std::uint64_t& column) const override;

 private:
  struct Line {
    std::uint64_t number = 0;
    std::size_t before = 0;  // bytes of the prefix that was taken off
    std::size_t added = 0;   // bytes that stand in front instead
    bool event = false;
  };
  struct Parts {
    Line line;
    std::string text;
    bool begun = false;
  };
  void append(const WrappedLine& wrapped, std::string& to);
  void emit(std::string_view text, const Line& line);

  const Envelope& envelope_;
  PartGroup group_;
  std::string text_;
  std::vector<Line> lines_;
  std::array<Parts, 2> parts_;  // by stream
  std::vector<std::uint64_t> broken_;
  std::string scratch_;
};

/// The format of lines of `inner` in an envelope, named envelope+inner. `inner` must be read line
/// by line.
[[nodiscard]] std::shared_ptr<const Format> enveloped(const Envelope& envelope,
                                                      std::shared_ptr<const Format> inner);

/// What is inside the lines of a sample.
struct UnwrappedSample {
  std::string text;
  std::size_t lines = 0;    ///< that are not blank
  std::size_t foreign = 0;  ///< of them not of the envelope
};
[[nodiscard]] UnwrappedSample unwrap_sample(const Envelope& envelope, const Sample& sample);

}  // namespace ratereplay
