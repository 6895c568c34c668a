// SPDX-License-Identifier: Apache-2.0
#include "trace/key_shape.hpp"

#include <algorithm>
#include <array>

#include "trace/json_picker.hpp"

namespace ratereplay {
namespace {

constexpr std::array<char, 32> kRoot = {'/'};

bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }

std::string_view path_of(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  const std::size_t scheme = target.find("://");
  if (scheme != target.npos && scheme > 0 && target.find('/') == scheme + 1) {
    const std::size_t slash = target.find('/', scheme + 3);
    target = slash == target.npos ? std::string_view() : target.substr(slash);
  }
  return target.empty() ? std::string_view(kRoot.data(), 1) : target;
}

/// Up to the slash behind the last of so many segments.
std::string_view first_segments(std::string_view path, std::uint32_t segments) {
  std::uint32_t seen = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i] == '/' && path[i - 1] != '/' && ++seen == segments) return path.substr(0, i);
  }
  return path;
}

}  // namespace

std::string_view shaped(std::string_view text, const KeyShape& shape, std::string& buffer) {
  if (shape.element) text = element_of_text(text, *shape.element);
  if (text.empty()) return {};
  if (shape.role == KeyRole::kIp) text = plain_address(text, shape.prefix, buffer);
  if (shape.role == KeyRole::kPath) text = path_of(text);
  if (shape.segments > 0) text = first_segments(text, shape.segments);
  if (shape.lower && std::any_of(text.begin(), text.end(), is_upper)) {
    // The text may lie in the buffer already.
    std::string lowered(text);
    for (char& c : lowered) c = is_upper(c) ? static_cast<char>(c | 0x20) : c;
    buffer = std::move(lowered);
    text = buffer;
  }
  return text;
}

}  // namespace ratereplay
