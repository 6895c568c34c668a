// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace ratereplay {

/// Walks JSON text value by value and accepts exactly what RFC 8259 does, but for the bytes inside
/// strings, which need not be UTF-8. Sixteen bytes past the end of the text may be read.
class JsonScanner {
 public:
  static constexpr int kMaxDepth = 256;

  explicit JsonScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] const char* at() const noexcept { return at_; }
  [[nodiscard]] const char* end() const noexcept { return end_; }
  void move_to(const char* at) noexcept { at_ = at; }

  /// Skips white space; the byte there, or 0 at the end.
  char next() noexcept {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ < end_ ? *at_ : '\0';
  }
  /// Skips white space and, if it is there, the byte `c`.
  bool take(char c) noexcept {
    if (next() != c || at_ == end_) return false;
    ++at_;
    return true;
  }

  /// Each skips what stands at at(), white space done; false with a fault when it is not that.
  bool skip_value(int depth = 0);
  bool skip_plain();  ///< a number, true, false or null
  /// `raw` is what is between the quotes, `escaped` whether it holds backslashes.
  bool take_string(std::string_view& raw, bool& escaped);

  bool fail(const char* where, std::string_view reason) noexcept {
    fault_ = where;
    reason_ = reason;
    return false;
  }
  [[nodiscard]] const char* fault() const noexcept { return fault_; }
  [[nodiscard]] std::string_view reason() const noexcept { return reason_; }

 private:
  bool skip_escape();

  const char* at_;
  const char* end_;
  const char* fault_ = nullptr;
  std::string_view reason_;
};

/// The first quote, backslash or control byte from `at` on, or `end`.
[[nodiscard]] const char* find_string_end(const char* at, const char* end) noexcept;
/// The end of the JSON number at `at`; null when there is none.
[[nodiscard]] const char* find_number_end(const char* at, const char* end) noexcept;

/// A string that take_string found sound, without its escapes: writes it to `place`, which has room
/// for raw.size() bytes, and returns its length. Lone surrogates become three bytes each.
std::size_t unescape_json(std::string_view raw, char* place);

}  // namespace ratereplay
