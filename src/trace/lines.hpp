// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// Cuts where every record is one line.
class LineCutter final : public RecordCutter {
 public:
  std::size_t cut(std::string_view text, bool last) override;
};

/// Takes the next line off `text`: without its line feed and a carriage return before it.
[[nodiscard]] std::string_view take_line(std::string_view& text) noexcept;

/// How many bytes of `text` so many lines take, line feeds included.
[[nodiscard]] std::size_t size_of_lines(std::string_view text, std::uint64_t lines) noexcept;

/// Text without a UTF-8 byte order mark in front.
[[nodiscard]] std::string_view skip_bom(std::string_view text) noexcept;

}  // namespace ratereplay
