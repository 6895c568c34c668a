// SPDX-License-Identifier: Apache-2.0
#include "trace/nginx_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trace/config_text.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

constexpr std::string_view kFamily = "nginx";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Variables that never hold a blank.
constexpr std::array<std::string_view, 36> kWords = {"remote_addr",
                                                     "remote_port",
                                                     "realip_remote_addr",
                                                     "server_addr",
                                                     "server_port",
                                                     "server_name",
                                                     "server_protocol",
                                                     "hostname",
                                                     "host",
                                                     "scheme",
                                                     "request_method",
                                                     "request_id",
                                                     "request_length",
                                                     "request_time",
                                                     "request_completion",
                                                     "status",
                                                     "bytes_sent",
                                                     "body_bytes_sent",
                                                     "connection",
                                                     "connection_requests",
                                                     "connection_time",
                                                     "msec",
                                                     "time_iso8601",
                                                     "pid",
                                                     "pipe",
                                                     "ssl_protocol",
                                                     "ssl_cipher",
                                                     "ssl_session_reused",
                                                     "gzip_ratio",
                                                     "tcpinfo_rtt",
                                                     "tcpinfo_rttvar",
                                                     "tcpinfo_snd_cwnd",
                                                     "https",
                                                     "binary_remote_addr",
                                                     "nginx_version",
                                                     "http2"};

FieldShape shape_of(std::string_view name) {
  if (std::find(kWords.begin(), kWords.end(), name) != kWords.end()) return FieldShape::kWord;
  if (name.starts_with("upstream_") || name == "http_x_forwarded_for" ||
      name == "proxy_add_x_forwarded_for") {
    return FieldShape::kList;
  }
  return FieldShape::kText;
}

TemplateField field_of(std::string before, std::string_view name) {
  TemplateField field{std::move(before), std::string(name), shape_of(name), false, {}};
  if (name == "time_local") {
    field.time = clf_time();
    field.blanks = 1;  // before the offset
  }
  if (name == "time_iso8601") field.time = TimeFormat{TimeStyle::kIso, {}, {}};
  if (name == "msec") field.time = TimeFormat{TimeStyle::kEpoch, std::chrono::seconds{1}, {}};
  field.digit = field.time.has_value();
  return field;
}

/// The name of the variable at `text[at]`, which is a `$`; moves `at` behind it.
std::string_view take_variable(std::string_view text, std::size_t& at) {
  const bool braces = text.substr(at + 1).starts_with('{');
  const std::size_t start = at + (braces ? 2 : 1);
  const std::size_t end = std::min(text.find_first_not_of(kLetters, start), text.size());
  if (end == start || (braces && !text.substr(end).starts_with('}'))) {
    refuse_format(kFamily, text, at, end - at, "a $ without the name of a variable",
                  "write $name or ${name}");
  }
  at = end + (braces ? 1 : 0);
  return text.substr(start, end - start);
}

LineTemplate compile(std::string_view text) {
  bool escapes = true;
  constexpr std::string_view kEscape = "escape=";
  std::string_view format = text;
  if (format.starts_with(kEscape)) {
    const std::size_t end = std::min(format.find(' '), format.size());
    const std::string_view how = format.substr(kEscape.size(), end - kEscape.size());
    if (how != "default" && how != "json" && how != "none") {
      refuse_format(kFamily, text, kEscape.size(), how.size(), "no such way to escape",
                    "known: escape=default, escape=json, escape=none");
    }
    escapes = how != "none";
    format.remove_prefix(std::min(end + 1, format.size()));
  }
  std::vector<TemplateField> fields;
  std::string literal;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '$') {
      literal += format[at++];
      continue;
    }
    const std::string_view name = take_variable(format, at);
    if (literal.empty() && !fields.empty()) {
      // Nothing tells where the one ends and the other begins: together they are one field.
      fields.back().name += fmt::format("${}", name);
      fields.back().shape = std::max(fields.back().shape, shape_of(name));
      fields.back().time.reset();
    } else {
      fields.push_back(field_of(std::move(literal), name));
      literal.clear();
    }
  }
  if (fields.empty()) {
    refuse_format(kFamily, text, 0, text.size(), "the format has no variable",
                  "write it as log_format has it: '$remote_addr [$time_local] \"$request\"'");
  }
  const std::size_t required = fields.size();
  return {std::move(fields), std::move(literal), {required, escapes}};
}

/// Words and strings of a configuration, without comments.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  /// `;`, `{` and `}` are tokens of their own; nothing at the end.
  std::optional<std::string> next() {
    skip_blanks();
    quoted_ = false;
    if (text_.empty()) return std::nullopt;
    const char first = text_.front();
    if (first == ';' || first == '{' || first == '}') return take(1);
    if (first == '\'' || first == '"') {
      quoted_ = true;
      return string(first);
    }
    std::size_t end = 0;
    while (end < text_.size() && (std::string_view(" \t\r\n;{}").find(text_[end]) == kNone)) ++end;
    return take(end);
  }

  [[nodiscard]] bool quoted() const { return quoted_; }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  std::string take(std::size_t size) {
    std::string token(text_.substr(0, size));
    text_.remove_prefix(size);
    return token;
  }

  void skip_blanks() {
    while (!text_.empty()) {
      text_.remove_prefix(std::min(text_.find_first_not_of(kBlanks), text_.size()));
      if (!text_.starts_with('#')) return;
      text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
    }
  }

  std::string string(char quote) {
    std::string value;
    std::size_t at = 1;
    for (; at < text_.size() && text_[at] != quote; ++at) {
      const char after = at + 1 < text_.size() ? text_[at + 1] : '\0';
      if (text_[at] != '\\' || after == '\0') {
        value += text_[at];
        continue;
      }
      constexpr std::string_view kFrom = "trn\"'\\";
      constexpr std::string_view kTo = "\t\r\n\"'\\";
      const std::size_t known = kFrom.find(after);
      if (known == kNone) value += '\\';
      value += known == kNone ? after : kTo[known];
      ++at;
    }
    text_.remove_prefix(std::min(at + 1, text_.size()));
    return value;
  }

  std::string_view text_;
  bool quoted_ = false;
};

std::vector<NamedFormat> log_formats(std::string_view config) {
  std::vector<NamedFormat> found;
  Tokens tokens(config);
  bool begins = true;  // the next token is the name of a directive
  while (auto token = tokens.next()) {
    const bool directive = begins && !tokens.quoted() && *token == "log_format";
    begins = !tokens.quoted() && (*token == ";" || *token == "{" || *token == "}");
    if (!directive) continue;
    NamedFormat format;
    if (auto name = tokens.next()) format.name = *std::move(name);
    while ((token = tokens.next())) {
      if (!tokens.quoted() && *token == ";") break;
      const bool option = format.text.empty() && !tokens.quoted() && token->starts_with("escape=");
      format.text += *token + (option ? " " : "");
    }
    begins = true;
    found.push_back(std::move(format));
  }
  return found;
}

std::string format_text(std::string_view parameter) {
  if (parameter.find('$') != std::string_view::npos) {
    // The whole directive, as it stands in a configuration.
    const std::vector<NamedFormat> pasted = log_formats(parameter);
    return pasted.empty() ? std::string(parameter) : pasted.front().text;
  }
  const ConfigPlace place = config_place(parameter);
  return choose_named(log_formats(read_config(place.file)), place, kFamily, "log_format").text;
}

}  // namespace

std::shared_ptr<const Format> make_nginx_format(std::string_view parameter) {
  return make_template_format({std::string(kFamily), "lines of an nginx log_format",
                               compile(format_text(parameter)), nullptr,
                               fmt::format("{}:{}", kFamily, parameter)});
}

}  // namespace ratereplay
