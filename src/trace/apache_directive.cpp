// SPDX-License-Identifier: Apache-2.0
#include "trace/apache_directive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "trace/config_text.hpp"
#include "trace/digits.hpp"

namespace ratereplay {
namespace {

struct Letter {
  char letter;
  std::string_view name;
  FieldShape shape;
};

constexpr FieldShape kWord = FieldShape::kWord;
constexpr FieldShape kText = FieldShape::kText;

/// Directives without an argument.
constexpr std::array<Letter, 28> kPlain = {{
    {'a', "client_ip", kWord},  {'A', "local_ip", kWord},    {'b', "bytes", kWord},
    {'B', "bytes", kWord},      {'D', "duration_us", kWord}, {'f', "file", kText},
    {'h', "ip", kWord},         {'H', "protocol", kWord},    {'I', "bytes_in", kWord},
    {'k', "keepalives", kWord}, {'l', "ident", kWord},       {'L', "log_id", kWord},
    {'m', "method", kWord},     {'O', "bytes_out", kWord},   {'p', "port", kWord},
    {'P', "pid", kWord},        {'q', "query", kText},       {'r', "request", kText},
    {'R', "handler", kText},    {'s', "status", kWord},      {'S', "bytes_total", kWord},
    {'t', "time", kText},       {'T', "duration_s", kWord},  {'u', "user", kText},
    {'U', "path", kText},       {'v', "vhost", kWord},       {'V', "server_name", kWord},
    {'X', "connection", kWord},
}};

/// The name of a header or variable as the name of a field: `User-Agent` is user_agent.
std::string field_name(std::string_view prefix, std::string_view argument) {
  std::string name(prefix);
  for (const char c : argument) {
    name += c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  return name;
}

/// What %{argument}t reads as.
std::string time_pattern(std::string_view argument) {
  for (const std::string_view when : {"begin:", "end:"}) {
    if (argument.starts_with(when)) argument.remove_prefix(when.size());
  }
  if (argument == "sec") return "%s";
  if (argument == "msec_frac" || argument == "usec_frac") return "%f";
  return std::string(argument);  // also msec and usec
}

std::string duration_name(std::string_view unit) {
  return fmt::format("duration_{}", unit == "ms" || unit == "us" ? unit : "s");
}

bool fill(ApacheDirective& directive, std::string_view argument, std::string_view letter) {
  const auto set = [&](std::string name, FieldShape shape) {
    directive.name = std::move(name);
    directive.shape = shape;
    return true;
  };
  if (letter == "^FB") return set("first_byte_us", kWord);
  if (letter == "^ti") return set(field_name("", argument), kText);
  if (letter == "^to") return set(field_name("sent_", argument), kText);
  if (letter.size() != 1) return false;
  const char c = letter.front();
  if (c == 'i' || c == 'o' || c == 'C' || c == 'e' || c == 'n' || c == 'x' || c == 'c') {
    if (argument.empty()) return false;
    const std::string_view prefix = c == 'o'   ? "sent_"
                                    : c == 'C' ? "cookie_"
                                    : c == 'e' ? "env_"
                                    : c == 'n' ? "note_"
                                               : "";
    const std::string name = field_name(prefix, argument);
    return set(name, name == "x_forwarded_for" ? FieldShape::kList : kText);
  }
  if (c == 't' && !argument.empty()) {
    directive.pattern = time_pattern(argument);
    const bool blank = directive.pattern.find(' ') != std::string::npos;
    return set("time", blank ? kText : kWord);
  }
  if (c == 'T' && !argument.empty()) return set(duration_name(argument), kWord);
  if (c == 'a' && argument == "c") return set("peer_ip", kWord);
  const auto known = std::find_if(kPlain.begin(), kPlain.end(),
                                  [c](const Letter& plain) { return plain.letter == c; });
  return known != kPlain.end() && set(std::string(known->name), known->shape);
}

}  // namespace

ApacheDirective take_directive(std::string_view family, std::string_view text, std::size_t& at) {
  ApacheDirective directive;
  directive.offset = at;
  // %!200,304{Referer}i: modifiers stand before or behind the argument.
  std::string_view argument;
  std::size_t end = at + 1;
  const auto modifiers = [&] {
    while (end < text.size() &&
           (is_digit(text[end]) || std::string_view("!,<>").find(text[end]) != text.npos)) {
      ++end;
    }
  };
  modifiers();
  if (end < text.size() && text[end] == '{') {
    const std::size_t close = text.find('}', end);
    if (close == text.npos) {
      refuse_format(family, text, end, 1, "this brace is not closed", "write %{Name}i");
    }
    argument = text.substr(end + 1, close - end - 1);
    end = close + 1;
    modifiers();
  }
  const std::size_t size = end < text.size() && text[end] == '^' ? 3 : 1;
  const std::string_view letter = text.substr(std::min(end, text.size()), size);
  if (!fill(directive, argument, letter)) {
    refuse_format(family, text, at, end - at + letter.size(), "this directive is not known",
                  "known: %a %A %b %B %{NAME}C %D %{NAME}e %f %h %H %{NAME}i %I %k %l %L %m "
                  "%{NAME}n %{NAME}o %O %p %P %q %r %R %s %S %t %{FORMAT}t %T %u %U %v %V %X");
  }
  at = end + letter.size();
  return directive;
}

}  // namespace ratereplay
