// SPDX-License-Identifier: Apache-2.0
#include "trace/json_scan.hpp"

#include <bit>
#include <cstdint>

#include "trace/bytes16.hpp"

namespace ratereplay {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char* skip_digits(const char* at, const char* end) noexcept {
  while (at < end && is_digit(*at)) ++at;
  return at;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::uint32_t read_hex4(const char* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 4 | static_cast<std::uint32_t>(hex_value(at[i]));
  return value;
}

char* write_utf8(std::uint32_t code, char* to) {
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return to;
}

}  // namespace

const char* find_string_end(const char* at, const char* end) noexcept {
#if defined(__x86_64__)
  const __m128i quotes = _mm_set1_epi8('"');
  const __m128i slashes = _mm_set1_epi8('\\');
  const __m128i controls = _mm_set1_epi8(0x1F);
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = load16(at);
    const __m128i hits =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, slashes)),
                     _mm_cmpeq_epi8(_mm_min_epu8(bytes, controls), bytes));
    const std::uint32_t mask = byte_bits(hits);
    if (mask != 0) return at + std::countr_zero(mask);
  }
#endif
  while (at < end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
  return at;
}

const char* find_number_end(const char* at, const char* end) noexcept {
  if (at < end && *at == '-') ++at;
  if (at == end || !is_digit(*at)) return nullptr;
  at = *at == '0' ? at + 1 : skip_digits(at, end);
  if (at < end && *at == '.') {
    const char* const fraction = at + 1;
    at = skip_digits(fraction, end);
    if (at == fraction) return nullptr;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end && (*at == '+' || *at == '-')) ++at;
    const char* const exponent = at;
    at = skip_digits(exponent, end);
    if (at == exponent) return nullptr;
  }
  return at;
}

bool JsonScanner::skip_plain() {
  const auto left = static_cast<std::size_t>(end_ - at_);
  const std::string_view text(at_, left);
  for (const std::string_view word : {"true", "false", "null"}) {
    if (!text.starts_with(word)) continue;
    at_ += word.size();
    return true;
  }
  const char* const number = find_number_end(at_, end_);
  if (number == nullptr) return fail(at_, at_ == end_ ? "the record ends here" : "no JSON value");
  at_ = number;
  return true;
}

bool JsonScanner::skip_escape() {
  ++at_;
  if (at_ == end_) return fail(at_, "the record ends inside a string");
  const char c = *at_++;
  if (std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos) return true;
  if (c != 'u') return fail(at_ - 2, "no such escape");
  for (int i = 0; i < 4; ++i, ++at_) {
    if (at_ == end_ || hex_value(*at_) < 0) return fail(at_, "four hex digits belong here");
  }
  return true;
}

bool JsonScanner::take_string(std::string_view& raw, bool& escaped) {
  const char* const quote = at_;
  if (at_ == end_ || *at_ != '"') return fail(at_, "a name in quotes belongs here");
  ++at_;
  escaped = false;
  while (true) {
    at_ = find_string_end(at_, end_);
    if (at_ == end_) return fail(quote, "the string that starts here is not closed");
    if (*at_ == '"') break;
    if (*at_ != '\\') return fail(at_, "a control character inside a string");
    escaped = true;
    if (!skip_escape()) return false;
  }
  raw = {quote + 1, static_cast<std::size_t>(at_ - quote - 1)};
  ++at_;
  return true;
}

bool JsonScanner::skip_value(int depth) {
  std::string_view raw;
  bool escaped = false;
  const char c = next();
  if (c == '"') return take_string(raw, escaped);
  if (c != '{' && c != '[') return skip_plain();
  if (depth == kMaxDepth) return fail(at_, "nested too deeply");
  ++at_;
  const char close = c == '{' ? '}' : ']';
  if (take(close)) return true;
  while (true) {
    if (c == '{') {
      next();
      if (!take_string(raw, escaped)) return false;
      if (!take(':')) return fail(at_, "a colon belongs here");
    }
    if (!skip_value(depth + 1)) return false;
    if (take(close)) return true;
    if (!take(',')) return fail(at_, "a comma or a closing bracket belongs here");
  }
}

std::size_t unescape_json(std::string_view raw, char* place) {
  char* to = place;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      *to++ = raw[i];
      continue;
    }
    const char c = raw[++i];
    if (c != 'u') {
      constexpr std::string_view kFrom = "bfnrt";
      constexpr std::string_view kTo = "\b\f\n\r\t";
      const std::size_t known = kFrom.find(c);
      *to++ = known == std::string_view::npos ? c : kTo[known];
      continue;
    }
    std::uint32_t code = read_hex4(raw.data() + i + 1);
    i += 4;
    if (code >= 0xD800 && code < 0xDC00 && raw.substr(i + 1).starts_with("\\u")) {
      const std::uint32_t low = read_hex4(raw.data() + i + 3);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        i += 6;
      }
    }
    to = write_utf8(code, to);
  }
  return static_cast<std::size_t>(to - place);
}

}  // namespace ratereplay
