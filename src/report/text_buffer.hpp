// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace ratereplay {

/// A text that is written in place at its end. It keeps its memory when it is cleared.
class TextBuffer {
 public:
  /// The end of the text, where so many bytes may be written.
  [[nodiscard]] char* room(std::size_t bytes) {
    if (bytes > capacity_ - size_) grow(bytes);
    return bytes_.get() + size_;
  }
  /// How far they were.
  void set_end(const char* end) noexcept { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  void clear() noexcept { size_ = 0; }
  [[nodiscard]] std::string_view text() const noexcept { return {bytes_.get(), size_}; }

 private:
  void grow(std::size_t bytes) {
    const std::size_t capacity = std::max(2 * capacity_, size_ + bytes);
    auto grown = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace ratereplay
