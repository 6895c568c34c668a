// SPDX-License-Identifier: Apache-2.0
#include "trace/table_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "trace/digits.hpp"
#include "trace/lines.hpp"
#include "trace/time_text.hpp"

namespace ratereplay {
namespace {

constexpr std::string_view kBlanks = " \t";

// By HeaderLines::Name.
constexpr std::array<std::string_view, HeaderLines::kNames> kLineNames = {
    "#Date:", "#Fields:", "#separator", "#empty_field", "#unset_field", "#fields"};

bool is_named(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return false;
  if (name.ends_with(':') || line.size() == name.size()) return true;
  const char next = line[name.size()];
  return next == ' ' || next == '\t' || std::ispunct(static_cast<unsigned char>(next)) != 0;
}

/// `\x09` as the byte that it stands for.
char separator_of(std::string_view text) {
  if (!text.starts_with("\\x") || text.size() < 4) return text.empty() ? '\t' : text.front();
  unsigned byte = 0;
  for (const char c : text.substr(2, 2)) {
    const unsigned digit = is_digit(c) ? static_cast<unsigned>(c - '0')
                                       : (static_cast<unsigned char>(c) | 0x20U) - 'a' + 10U;
    byte = byte * 16 + (digit & 15U);
  }
  return static_cast<char>(byte);
}

/// The end of the quoted text that starts at `from`, which holds a quote: the place behind the
/// closing quote. 0 when none closes before a delimiter or the end.
std::size_t quoted_end(std::string_view row, std::size_t from, char delimiter, bool& doubled) {
  for (std::size_t at = row.find('"', from + 1); at != row.npos; at = row.find('"', at + 1)) {
    if (at + 1 == row.size() || row[at + 1] == delimiter) return at + 1;
    if (row[at + 1] != '"') return 0;
    doubled = true;
    ++at;
  }
  return 0;
}

}  // namespace

bool HeaderLines::note(std::string_view line) {
  if (line.size() > kMaxBytes) return false;
  for (std::size_t i = 0; i < kNames; ++i) {
    if (!is_named(line, kLineNames[i])) continue;
    if (lines_[i] == line) return false;
    lines_[i] = line;
    return true;
  }
  return false;
}

std::string HeaderLines::text() const {
  std::string all;
  for (const std::string& line : lines_) {
    if (!line.empty()) all += line + '\n';
  }
  return all;
}

std::string_view HeaderLines::value(Name name) const {
  const auto index = static_cast<std::size_t>(name);
  const std::string_view line = lines_[index];
  if (line.empty()) return {};
  // One byte stands between name and value; behind a colon any number of blanks.
  const std::size_t behind = kLineNames[index].size();
  if (!kLineNames[index].ends_with(':')) return line.substr(std::min(behind + 1, line.size()));
  return line.substr(std::min(line.find_first_not_of(kBlanks, behind), line.size()));
}

TableHeader::TableHeader(HeaderedKind kind, char delimiter)
    : kind_(kind), fallback_(delimiter), delimiter_(delimiter) {}

void TableHeader::restart(std::string_view text) {
  lines_ = HeaderLines();
  while (!text.empty()) lines_.note(take_line(text));
  settle();
}

bool TableHeader::apply(std::string_view line) {
  if (!lines_.note(line)) return false;
  settle();
  return true;
}

void TableHeader::settle() {
  using Name = HeaderLines::Name;
  if (kind_ == HeaderedKind::kW3c) {
    take_names(lines_.value(Name::kW3cFields));
    take_date(lines_.value(Name::kDate));
    return;
  }
  const auto or_else = [](std::string_view text, std::string_view usual) {
    return std::string(text.data() == nullptr ? usual : text);
  };
  const std::string_view separator = lines_.value(Name::kSeparator);
  delimiter_ = separator.data() == nullptr ? fallback_ : separator_of(separator);
  unset_ = or_else(lines_.value(Name::kUnset), "-");
  empty_ = or_else(lines_.value(Name::kEmpty), "(empty)");
  take_names(lines_.value(Name::kZeekFields));
}

void TableHeader::take_names(std::string_view text) {
  names_.clear();
  const bool blanks = kind_ == HeaderedKind::kW3c && delimiter_ != ',';
  while (!text.empty()) {
    const std::size_t stop =
        std::min(blanks ? text.find_first_of(kBlanks) : text.find(delimiter_), text.size());
    const std::string_view name = trim_blanks(text.substr(0, stop));
    if (!blanks || !name.empty()) names_.emplace_back(name);
    text.remove_prefix(std::min(stop + 1, text.size()));
  }
}

void TableHeader::take_date(std::string_view text) {
  dated_ = false;
  time_column_.reset();
  const auto time = std::ranges::find(names_, "time");
  if (time == names_.end() || std::ranges::find(names_, "date") != names_.end()) return;
  TimeReader iso(TimeFormat{TimeStyle::kIso, {}, {}});
  TimeReader named(parse_time_format("%d-%b-%Y %H:%M:%S"));
  Instant at{};
  if (!iso.read(text, at) && !named.read(text, at)) return;
  using std::chrono::days;
  const auto day = std::chrono::floor<days>(at);
  const auto spelled = [](std::chrono::sys_days of) {
    const std::chrono::year_month_day date{of};
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  };
  const std::chrono::sys_days today(std::chrono::duration_cast<days>(day.time_since_epoch()));
  date_ = spelled(today);
  next_date_ = spelled(today + days{1});
  const auto early = std::chrono::duration_cast<std::chrono::seconds>(at - day).count() - 3'600;
  earliest_time_ =
      early < 0 ? std::string()
                : fmt::format("{:02}:{:02}:{:02}", early / 3'600, early / 60 % 60, early % 60);
  time_column_ = static_cast<std::size_t>(time - names_.begin());
  names_.emplace_back("date");
  dated_ = true;
}

std::string_view TableHeader::date_of(std::string_view time) const {
  return time < earliest_time_ ? next_date_ : date_;
}

void TableHeader::split(std::string_view row, std::vector<Field>& fields) const {
  fields.clear();
  const bool runs = kind_ == HeaderedKind::kW3c && delimiter_ == ' ';
  const bool quotes = kind_ == HeaderedKind::kW3c && delimiter_ != '\t';
  std::size_t at = 0;
  while (true) {
    if (runs) {
      while (at < row.size() && row[at] == ' ') ++at;
      if (at == row.size()) return;
    }
    const auto offset = static_cast<std::uint32_t>(at);
    bool doubled = false;
    std::size_t end = 0;
    if (quotes && at < row.size() && row[at] == '"') end = quoted_end(row, at, delimiter_, doubled);
    if (end > 0) {
      fields.push_back({row.substr(at + 1, end - at - 2), offset, doubled});
    } else {
      end = std::min(row.find(delimiter_, at), row.size());
      fields.push_back({row.substr(at, end - at), offset, false});
    }
    if (end == row.size()) return;
    at = end + 1;
  }
}

std::size_t HeaderedCutter::cut(std::string_view text, bool last) {
  const std::size_t feed = last ? text.size() : text.rfind('\n');
  const std::size_t size = last ? text.size() : feed == text.npos ? 0 : feed + 1;
  std::string_view rest = text.substr(0, size);
  bool changed = false;
  while (!rest.empty()) {
    if (rest.front() != '#') {
      const std::size_t next = rest.find("\n#");
      if (next == rest.npos) break;
      rest.remove_prefix(next + 1);
    }
    if (lines_.note(take_line(rest))) changed = true;
  }
  if (changed) header_ = std::make_shared<const std::string>(lines_.text());
  return size;
}

}  // namespace ratereplay
