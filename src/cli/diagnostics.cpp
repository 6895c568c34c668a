// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnostics.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "text/utf8.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::string_view kArrow = "  --> ";
constexpr std::string_view kReset = "\x1b[0m";

struct Look {
  std::string_view word;
  std::string_view color;
};
constexpr std::array<Look, 3> kLooks{
    {{"error", "\x1b[1;31m"}, {"warning", "\x1b[1;33m"}, {"note", "\x1b[1;36m"}}};

/// The end of the first word. What stands in single quotes is one, so that a flag can be copied.
std::size_t end_of_word(std::string_view text) {
  if (text.starts_with('\'')) {
    for (std::size_t at = text.find('\'', 1); at != text.npos; at = text.find('\'', at + 1)) {
      if (at + 1 == text.size() || text[at + 1] == ' ') return at + 1;
    }
  }
  return std::min(text.find(' '), text.size());
}

/// Where a command line begins that is there to be copied, and goes to the end of the text: what
/// is piped into the program belongs to it. The end of the text if there is none.
std::size_t begin_of_command(std::string_view text) {
  const std::size_t call = text.find("ratereplay run ");
  if (call == text.npos) return text.size();
  if (call > 0 && text[call - 1] == '`') return call - 1;
  const std::size_t lead = text.substr(0, call).rfind(": ");
  return lead == text.npos ? 0 : lead + 2;
}

/// Appends words, breaking lines at kColumns; the cursor stands at `column`, later lines start at
/// `indent`. A word that is too long for any line stays whole, and so does a command.
void append_wrapped(std::string& out, std::string_view text, std::size_t column,
                    std::size_t indent) {
  bool first = true;
  std::size_t prose = begin_of_command(text);
  while (!text.empty()) {
    const std::size_t end = prose == 0 ? text.size() : end_of_word(text);
    const std::string_view word = text.substr(0, end);
    const std::size_t width = visible_width(word);
    if (!first && column + 1 + width > kColumns && !word.empty()) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += visible(word);
    column += width;
    first = false;
    const std::size_t taken = std::min(end + 1, text.size());
    prose -= std::min(taken, prose);
    text.remove_prefix(taken);
  }
  out += '\n';
}

/// The part of a source line that is shown, with the bytes to underline.
struct Excerpt {
  std::string_view text;
  std::size_t offset;
  std::size_t length;
  bool cut_front = false;
  bool cut_back = false;
};

constexpr std::string_view kEllipsis = "...";

std::size_t next_boundary(std::string_view text, std::size_t at) {
  return at + std::max<std::size_t>(decode_utf8(text, at).bytes, 1);
}

std::size_t previous_boundary(std::string_view text, std::size_t at) {
  const std::size_t reach = std::min<std::size_t>(at, 4);
  for (std::size_t back = 2; back <= reach; ++back) {
    if (decode_utf8(text.substr(0, at), at - back).bytes == back) return at - back;
  }
  return at - 1;
}

/// Cuts a line to `width` columns so that the start of the underlined part stays in sight.
Excerpt cut(const Place& place, std::size_t width) {
  const std::string_view text = place.text;
  const std::size_t offset = std::min(place.offset, text.size());
  const std::size_t length = std::min(place.length, text.size() - offset);
  if (visible_width(text) <= width) return {text, offset, length};
  const std::size_t room = width - 2 * kEllipsis.size();
  const auto take = [&](std::size_t from, std::size_t columns) {
    std::size_t end = from;
    std::size_t used = 0;
    while (end < text.size()) {
      const std::size_t next = next_boundary(text, end);
      used += visible_width(text.substr(end, next - end));
      if (used > columns) break;
      end = next;
    }
    return end;
  };
  std::size_t begin = offset;
  std::size_t before = 0;
  while (begin > 0) {
    const std::size_t previous = previous_boundary(text, begin);
    before += visible_width(text.substr(previous, begin - previous));
    if (before > room / 3) break;
    begin = previous;
  }
  const std::size_t end = take(begin, room);
  return {text.substr(begin, end - begin), offset - begin, std::min(length, end - offset),
          begin > 0, end < text.size()};
}

void append_place(std::string& out, const Place& place, const Look& look, bool color) {
  out += kArrow;
  std::size_t column = kArrow.size();
  if (place.text.empty() && place.length == 0) {
    append_wrapped(out, place.at, column, column);
    return;
  }
  const std::size_t at_width = visible_width(place.at) + 3;
  const bool same_line = column + at_width + visible_width(place.text) <= kColumns;
  out += visible(place.at);
  out += ':';
  if (same_line) {
    out += "  ";
    column += at_width;
  } else {
    out += '\n';
    out.append(column, ' ');
  }
  const Excerpt shown = cut(place, kColumns - column);
  if (shown.cut_front) {
    out += kEllipsis;
    column += kEllipsis.size();
  }
  const std::string_view front = shown.text.substr(0, shown.offset);
  const std::string_view marked = shown.text.substr(shown.offset, shown.length);
  out += visible(front);
  out += visible(marked);
  out += visible(shown.text.substr(shown.offset + shown.length));
  if (shown.cut_back) out += kEllipsis;
  out += '\n';
  out.append(column + visible_width(front), ' ');
  if (color) out += look.color;
  out.append(std::max<std::size_t>(visible_width(marked), 1), '^');
  if (color) out += kReset;
  out += '\n';
}

}  // namespace

bool use_color(ColorMode mode, int descriptor) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return isatty(descriptor) != 0;
}

std::string message_text(Severity severity, const Diagnostic& diagnostic, bool color) {
  const Look& look = kLooks[static_cast<std::size_t>(severity)];
  std::string out;
  if (color) out += look.color;
  out += look.word;
  out += ':';
  if (color) out += kReset;
  out += ' ';
  const std::size_t indent = look.word.size() + 2;
  append_wrapped(out, diagnostic.message, indent, indent);
  if (diagnostic.place) append_place(out, *diagnostic.place, look, color);
  for (const std::string& advice : diagnostic.advice) {
    const std::size_t extra = std::min(advice.find_first_not_of(' '), advice.size());
    out.append(2 + extra, ' ');
    append_wrapped(out, std::string_view(advice).substr(extra), 2 + extra, 2 + extra);
  }
  return out;
}

void print_message(Severity severity, const Diagnostic& diagnostic, ColorMode mode) {
  const std::string text = message_text(severity, diagnostic, use_color(mode, STDERR_FILENO));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace ratereplay
