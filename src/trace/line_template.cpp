// SPDX-License-Identifier: Apache-2.0
#include "trace/line_template.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trace/digits.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool digit_at(std::string_view line, std::size_t at) noexcept {
  return at < line.size() && is_digit(line[at]);
}

/// An odd number of backslashes stands before `at`.
bool is_escaped(std::string_view line, std::size_t from, std::size_t at) noexcept {
  std::size_t slashes = 0;
  while (at - slashes > from && line[at - slashes - 1] == '\\') ++slashes;
  return slashes % 2 == 1;
}

std::size_t end_of_word(std::string_view line, std::size_t at) noexcept {
  return std::min(line.find(' ', at), line.size());
}

std::size_t without_port(std::string_view line, std::size_t at, std::size_t end) noexcept {
  std::size_t colon = end;
  while (colon > at && is_digit(line[colon - 1])) --colon;
  return colon < end && colon > at + 1 && line[colon - 1] == ':' ? colon - 1 : end;
}

/// Where a field begins that ends before ` [` and a digit; see FieldShape::kLead.
std::size_t end_of_lead(std::string_view line, std::size_t at) noexcept {
  for (std::size_t open = line.find(" [", at); open != kNone; open = line.find(" [", open + 1)) {
    if (!digit_at(line, open + 2)) continue;
    const std::size_t blank = open == at ? kNone : line.rfind(' ', open - 1);
    return blank == kNone || blank < at ? at : blank + 1;
  }
  return kNone;
}

/// Behind so many blanks, or at the end.
std::size_t behind_blanks(std::string_view line, std::size_t at, std::size_t blanks) noexcept {
  for (; blanks > 0 && at < line.size(); --blanks) at = end_of_word(line, at) + 1;
  return std::min(at, line.size());
}

/// An address and its port are one word, though an IPv6 address may stand in brackets. Of a client
/// the port is left out here, where it is known to be there: without brackets, `2001:db8::1:2817`
/// could be an address as a whole.
FieldShape token_shape(std::string_view name) noexcept {
  if (name == "client:port") return FieldShape::kHost;
  return name.ends_with(":port") ? FieldShape::kWord : FieldShape::kToken;
}

bool joins_list(std::string_view line, std::size_t at, std::size_t blank) noexcept {
  return (blank > at && (line[blank - 1] == ',' || line[blank - 1] == ':')) ||
         line.substr(blank).starts_with(" : ");
}

}  // namespace

LineTemplate::LineTemplate(std::vector<TemplateField> fields, const std::string& tail, Rules rules)
    : fields_(std::move(fields)), rules_(rules) {
  no_head_ = fmt::format("no '{}' where the line starts", fields_.front().before);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const bool last = i + 1 == fields_.size();
    const TemplateField& field = fields_[i];
    std::string stop = last ? tail : fields_[i + 1].before;
    const bool required = i + 1 < rules_.required;
    needs_blank_ |= required && stop.find(' ') != kNone;
    const bool quoted = field.before.ends_with('"') && stop.starts_with('"');
    parts_.push_back({field.shape, quoted, !last && fields_[i + 1].digit, field.blanks, stop,
                      field.shape == FieldShape::kLead
                          ? std::string("no [time] after the client")
                          : fmt::format("no '{}' after the field {}", stop, field.name),
                      last ? std::string()
                           : fmt::format("the line ends after the field {}, and {} is missing",
                                         field.name, fields_[i + 1].name),
                      fmt::format("the quote of the field {} is not closed", field.name)});
  }
}

LineFault LineTemplate::split(std::string_view line,
                              std::span<std::string_view> texts) const noexcept {
  const std::string_view head = fields_.front().before;
  if (!line.starts_with(head)) return {BadKind::kSyntax, 0, no_head_};
  std::size_t at = head.size();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const bool last = i + 1 == parts_.size();
    const End found = find_end(part, line, at, last);
    const bool stopped = found.next != kNone;
    if (!stopped && i + 1 < rules_.required) return fault(part, line, at, found.end);
    const std::size_t bracket =
        part.shape == FieldShape::kToken && at < line.size() && (line[at] == '"' || line[at] == '[')
            ? 1
            : 0;
    texts[i] = line.substr(at + bracket, found.end - at - bracket);
    if (!stopped) {
      std::fill(texts.begin() + static_cast<std::ptrdiff_t>(i) + 1, texts.end(),
                std::string_view{});
      return {};
    }
    at = found.next;
  }
  return {};
}

LineTemplate::End LineTemplate::find_end(const Part& part, std::string_view line, std::size_t at,
                                         bool last) const noexcept {
  const std::string_view stop = part.stop;
  const auto stops_at = [&](std::size_t end) {
    return line.substr(end).starts_with(stop) &&
           (!part.digit_follows || digit_at(line, end + stop.size()));
  };
  if (part.quoted) return find_quoted(part, line, at, last);
  switch (part.shape) {
    case FieldShape::kToken: {
      std::size_t end = 0;
      std::size_t behind = 0;
      if (line.substr(at).starts_with('"')) {
        end = at + 1 + closing_quote(line.substr(at + 1));
        if (end == line.size()) return {end, kNone};
        behind = end + 1;
      } else if (line.substr(at).starts_with('[')) {
        end = line.find(']', at);
        if (end == kNone) return {line.size(), kNone};
        behind = end + 1;
      } else {
        behind = end = end_of_word(line, at);
      }
      return {end, last || stops_at(behind) ? behind + stop.size() : kNone};
    }
    case FieldShape::kLead: {
      const std::size_t end = end_of_lead(line, at);
      return {end == kNone ? line.size() : end, end};
    }
    case FieldShape::kWord:
    case FieldShape::kHost:
      if (stop.empty() || stop.front() == ' ') {
        const std::size_t word = end_of_word(line, at);
        const bool host = part.shape == FieldShape::kHost;
        return {host ? without_port(line, at, word) : word,
                stops_at(word) ? word + stop.size() : kNone};
      } else {
        const std::size_t word = end_of_word(line, at);
        const std::size_t end = line.substr(0, word + stop.size()).find(stop, at);
        if (end > word) return {word, kNone};
        return {end, stops_at(end) ? end + stop.size() : kNone};
      }
    case FieldShape::kText:
    case FieldShape::kList:
      if (stop.empty()) return {line.size(), line.size()};
      for (std::size_t end = line.find(stop, behind_blanks(line, at, part.blanks)); end != kNone;
           end = line.find(stop, end + 1)) {
        if (part.digit_follows && !digit_at(line, end + stop.size())) continue;
        if (part.shape == FieldShape::kList && stop.front() == ' ' && joins_list(line, at, end)) {
          continue;
        }
        return {end, end + stop.size()};
      }
      break;
  }
  return {line.size(), kNone};
}

LineTemplate::End LineTemplate::find_quoted(const Part& part, std::string_view line, std::size_t at,
                                            bool last) const noexcept {
  const std::string_view stop = part.stop;
  for (std::size_t end = line.find(stop, at); end != kNone; end = line.find(stop, end + 1)) {
    if (rules_.escapes && is_escaped(line, at, end)) continue;
    const std::size_t next = end + stop.size();
    if (part.digit_follows && !digit_at(line, next)) continue;
    // Behind the last field only a further one may stand.
    if (last && next < line.size() && line[next] != ' ') continue;
    return {end, next};
  }
  const std::size_t close = closing_quote(line.substr(at));
  return {at + close, kNone};
}

LineFault LineTemplate::fault(const Part& part, std::string_view line, std::size_t at,
                              std::size_t end) const noexcept {
  if (part.shape == FieldShape::kLead) return {BadKind::kSyntax, at, part.no_stop};
  const bool opens = part.shape == FieldShape::kToken && at < line.size() && line[at] == '"';
  if (part.quoted || opens) {
    if (end == line.size()) return {BadKind::kQuote, opens ? at : at - 1, part.open_quote};
    if (end + 1 == line.size()) return {BadKind::kColumns, line.size(), part.cut_short};
    return {BadKind::kSyntax, end, part.no_stop};
  }
  const bool word = part.shape != FieldShape::kText && part.shape != FieldShape::kList;
  if (word && end_of_word(line, at) == line.size()) {
    return {BadKind::kColumns, line.size(), part.cut_short};
  }
  return {BadKind::kSyntax, word ? end : at, part.no_stop};
}

LineTemplate token_template(std::string_view names, std::size_t required) {
  std::vector<TemplateField> fields;
  while (!names.empty()) {
    const std::size_t end = end_of_word(names, 0);
    const std::string_view name = names.substr(0, end);
    fields.push_back({fields.empty() ? "" : " ", std::string(name), token_shape(name), false, {}});
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return {std::move(fields), "", {required}};
}

}  // namespace ratereplay
