// SPDX-License-Identifier: Apache-2.0
#include "trace/lines.hpp"

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
  return line;
}

std::string_view skip_bom(std::string_view text) noexcept {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

}  // namespace ratereplay
