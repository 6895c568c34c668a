// SPDX-License-Identifier: Apache-2.0
#include "keys/shown_key.hpp"

#include <fmt/format.h>

namespace ratereplay {
namespace {

constexpr char kEnd = 0;
constexpr char kEscape = 1;

}  // namespace

char* encode_part(std::string_view part, char* out) noexcept {
  for (const char c : part) {
    if (c == kEnd || c == kEscape) {
      *out++ = kEscape;
      *out++ = static_cast<char>(c + 1);
    } else {
      *out++ = c;
    }
  }
  *out++ = kEnd;
  return out;
}

std::vector<std::string> key_parts(std::string_view key, const std::vector<KeyPart>& parts) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return {std::string(key)};
  std::vector<std::string> fields(1);
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] == kEscape && i + 1 < key.size()) {
      fields.back() += static_cast<char>(key[++i] - 1);
    } else if (key[i] != kEnd) {
      fields.back() += key[i];
    } else if (i + 1 < key.size()) {
      fields.emplace_back();
    }
  }
  return fields;
}

std::string shown_key(std::string_view key, const std::vector<KeyPart>& parts) {
  if (parts.empty()) return "(all)";
  if (parts.size() == 1) return std::string(key);
  return fmt::format("{}", fmt::join(key_parts(key, parts), " | "));
}

}  // namespace ratereplay
