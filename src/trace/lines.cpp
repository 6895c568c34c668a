// SPDX-License-Identifier: Apache-2.0
#include "trace/lines.hpp"

#include <algorithm>
#include <cstring>

namespace ratereplay {

std::size_t LineCutter::cut(std::string_view text, bool last) {
  if (last) return text.size();
  const std::size_t feed = text.rfind('\n');
  return feed == std::string_view::npos ? 0 : feed + 1;
}

std::string_view take_line(std::string_view& text) noexcept {
  std::string_view line = text;
  const void* feed = text.empty() ? nullptr : std::memchr(text.data(), '\n', text.size());
  if (feed == nullptr) {
    text = text.substr(text.size());
  } else {
    line = text.substr(0, static_cast<std::size_t>(static_cast<const char*>(feed) - text.data()));
    text.remove_prefix(line.size() + 1);
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return skip_no_text(line);
}

std::size_t size_of_lines(std::string_view text, std::uint64_t lines) noexcept {
  std::size_t size = 0;
  for (; lines > 0 && size < text.size(); --lines) {
    size = std::min(text.find('\n', size), text.size() - 1) + 1;
  }
  return size;
}

std::vector<std::string_view> BlockReader::records(const Block& block,
                                                   std::span<const BadRowPlace> places) {
  return records_at(block, places, [](std::string_view text) { return size_of_lines(text, 1); });
}

std::string_view skip_no_text(std::string_view line) noexcept {
  if (line.empty() || (line.front() != '\0' && line.front() != '\xEF')) [[likely]]
    return line;
  line.remove_prefix(std::min(line.find_first_not_of('\0'), line.size()));
  return skip_bom(line);
}

std::string_view skip_bom(std::string_view text) noexcept {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

}  // namespace ratereplay
