// SPDX-License-Identifier: Apache-2.0
#include "trace/delimited_sniff.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "trace/delimited_reader.hpp"
#include "trace/delimited_scan.hpp"

namespace ratereplay {

namespace {

constexpr std::size_t kMaxRecords = 1000;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::array<std::string_view, 7> kTimeNames = {
    "timestamp", "time", "ts", "@timestamp", "datetime", "date", "start_time"};
constexpr std::array<std::string_view, 9> kOtherNames = {
    "key", "client_ip", "ip", "remote_addr", "user", "user_id", "client", "host", "cost"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// 12, -0.5, 1e9, and 1,5 where commas do not delimit.
bool is_number(std::string_view text, char delimiter) {
  std::size_t i = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  std::size_t digits = 0;
  std::size_t points = 0;
  for (; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      ++digits;
    } else if (text[i] == '.' || (text[i] == ',' && delimiter != ',')) {
      ++points;
    } else if ((text[i] == 'e' || text[i] == 'E') && digits > 0 && i + 1 < text.size()) {
      text.remove_prefix(i + (text[i + 1] == '-' || text[i + 1] == '+' ? 2 : 1));
      return !text.empty() && std::ranges::all_of(text, is_digit);
    } else {
      return false;
    }
  }
  return digits > 0 && points <= 1;
}

/// Looks like an instant, a date or an address: nothing that a header would say.
bool is_time_like(std::string_view text) {
  if (text.starts_with('[')) text.remove_prefix(1);
  const bool weekday = text.size() > 5 && text[3] == ',' && text[4] == ' ' && is_digit(text[5]);
  if (text.size() < 8 || text.size() > 45 || !(is_digit(text.front()) || weekday)) return false;
  const auto letters = std::ranges::count_if(text, is_letter);
  const auto dashes = std::ranges::count_if(text, [](char c) { return c == '-' || c == '/'; });
  if (text.find(':') != std::string_view::npos) return letters <= 9;
  return dashes == 2 && letters <= 3;
}

bool is_value(std::string_view text, char delimiter) {
  return is_number(text, delimiter) || is_time_like(text);
}

template <std::size_t N>
bool is_among(std::string_view text, const std::array<std::string_view, N>& names) {
  return std::ranges::any_of(names, [text](std::string_view name) {
    return std::ranges::equal(text, name, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    });
  });
}

/// `host ident user [day/month/year:…`: an access log, whatever its user agents contain.
bool is_access_line(std::string_view line, char delimiter) {
  const std::size_t bracket = line.find(" [");
  if (bracket == std::string_view::npos || bracket + 5 >= line.size()) return false;
  return line.find(delimiter) > bracket && is_digit(line[bracket + 2]) &&
         is_digit(line[bracket + 3]) && line[bracket + 4] == '/';
}

bool has_own_format(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return true;
  text.remove_prefix(first);
  if (text.front() == '{' || text.starts_with("#Fields:") || text.starts_with("#Version:") ||
      text.starts_with("#Software:") || text.starts_with("#separator ")) {
    return true;
  }
  const std::size_t inner = text.find_first_not_of(" \t\r\n[");
  return text.front() == '[' && inner != std::string_view::npos && text[inner] == '{';
}

/// The sample cut up by one delimiter.
struct Cut {
  char delimiter = 0;
  std::vector<std::vector<DelimitedScanner::Field>> records;
  std::string_view comment;  // the last # line before the first record that fits
  std::size_t unfit = 0;
  std::size_t access_lines = 0;
};

Cut cut_sample(std::string_view text, char delimiter) {
  Cut cut{.delimiter = delimiter, .records = {}, .comment = {}};
  DelimitedScanner scanner(delimiter);
  while (!text.empty() && cut.records.size() < kMaxRecords) {
    const DelimitedScanner::Found found = scanner.scan(text, true);
    const std::string_view line = text.substr(0, scanner.size());
    text.remove_prefix(scanner.size());
    if (found == DelimitedScanner::Found::kRecord) {
      cut.records.push_back(scanner.fields());
      if (is_access_line(line, delimiter)) ++cut.access_lines;
    } else if (found == DelimitedScanner::Found::kBad) {
      ++cut.unfit;
    } else if (cut.records.empty() && line.starts_with('#') &&
               line.find(delimiter) != std::string_view::npos) {
      cut.comment = line;
    }
  }
  return cut;
}

std::size_t usual_width(const Cut& cut) {
  std::map<std::size_t, std::size_t> widths;
  for (const auto& record : cut.records) ++widths[record.size()];
  const auto most = std::ranges::max_element(widths, {}, [&](const auto& width) {
    return std::pair(width.second, width.first == cut.records.front().size());
  });
  return most->first;
}

bool is_same(const std::vector<DelimitedScanner::Field>& a,
             const std::vector<DelimitedScanner::Field>& b) {
  return std::ranges::equal(a, b, {}, &DelimitedScanner::Field::text,
                            &DelimitedScanner::Field::text);
}

/// Columns that hold numbers or times in the records of the usual width from `from` on, or in all
/// when none has it. The first record again is a header.
std::size_t count_typed(const Cut& cut, std::size_t from) {
  const std::size_t width = usual_width(cut);
  const auto first = cut.records.begin();
  const bool any_usual = std::any_of(first + static_cast<std::ptrdiff_t>(from), cut.records.end(),
                                     [&](const auto& record) { return record.size() == width; });
  std::vector<std::size_t> values(width);
  std::vector<std::size_t> filled(width);
  for (std::size_t i = from; i < cut.records.size(); ++i) {
    const auto& record = cut.records[i];
    if ((any_usual && record.size() != width) || (i > 0 && is_same(record, *first))) continue;
    for (std::size_t column = 0; column < std::min(width, record.size()); ++column) {
      const std::string_view text = trim_blanks(record[column].text);
      if (text.empty() || text == "-") continue;
      ++filled[column];
      if (is_value(text, cut.delimiter)) ++values[column];
    }
  }
  std::size_t typed = 0;
  for (std::size_t column = 0; column < width; ++column) {
    if (filled[column] > 0 && values[column] * 5 >= filled[column] * 4) ++typed;
  }
  return typed;
}

bool has_header(const Cut& cut) {
  const auto& first = cut.records.front();
  bool any_name = false;
  bool known = false;
  for (const DelimitedScanner::Field& field : first) {
    const std::string name = name_of(field);
    if (is_among(name, kTimeNames)) return true;
    if (name.size() > kMaxNameBytes || is_value(name, cut.delimiter)) return false;
    any_name = any_name || !name.empty();
    known = known || is_among(name, kOtherNames);
  }
  return any_name && (known || (first.size() > 1 && count_typed(cut, 1) > 0));
}

/// Names from a comment above the first record: `# time, op, id`.
std::vector<std::string> names_from_comment(const Cut& cut, std::size_t width) {
  std::string_view text = cut.comment;
  if (text.empty()) return {};
  text.remove_prefix(1);
  std::vector<std::string> names;
  while (true) {
    const std::size_t stop = std::min(text.find(cut.delimiter), text.size());
    std::string_view name = trim_blanks(text.substr(0, stop));
    while (name.ends_with('\n') || name.ends_with('\r')) name.remove_suffix(1);
    if (name.empty() || is_value(name, cut.delimiter)) return {};
    names.emplace_back(name);
    if (stop == text.size()) break;
    text.remove_prefix(stop + 1);
  }
  return names.size() == width ? names : std::vector<std::string>{};
}

struct Guess {
  Recognition recognition;
  std::size_t typed = 0;
};

Guess judge(const Sample& sample, char delimiter) {
  Guess guess;
  Layout& layout = guess.recognition.layout;
  layout.delimiter = delimiter;
  const Cut cut = cut_sample(sample.text, delimiter);
  if (cut.records.empty()) {
    layout.names = {"1"};
    return guess;
  }
  layout.header = has_header(cut);
  if (layout.header) {
    for (const DelimitedScanner::Field& field : cut.records.front()) {
      layout.names.push_back(name_of(field));
    }
  } else {
    const std::size_t width = usual_width(cut);
    layout.names = names_from_comment(cut, width);
    for (std::size_t i = layout.names.size(); i < width; ++i) {
      layout.names.push_back(std::to_string(i + 1));
    }
  }
  const std::size_t from = layout.header ? 1 : 0;
  const FieldCount count(layout);
  std::size_t fitting = 0;
  std::size_t total = cut.unfit;
  for (std::size_t i = from; i < cut.records.size(); ++i) {
    if (is_header(cut.records[i], layout)) continue;
    ++total;
    if (count.fits(cut.records[i])) ++fitting;
  }
  guess.typed = count_typed(cut, from);
  if (has_own_format(sample.text) || cut.access_lines * 2 >= cut.records.size()) return guess;
  if (!layout.header && guess.typed == 0) return guess;
  std::size_t best = guess.typed == 0 ? 500 : 900;
  if (total == 0) best = 400;
  if (total == 1 && !layout.header) best = 600;
  if (layout.names.size() < 2) best = delimiter == ',' ? 250 : 0;
  if (best == 0) return guess;
  const std::size_t score = total == 0 ? best : std::max<std::size_t>(best * fitting / total, 100);
  guess.recognition.score = static_cast<int>(score);
  return guess;
}

}  // namespace

Recognition recognise_table(const Sample& sample, std::string_view own, std::string_view others) {
  const auto rank = [](const Guess& guess) {
    const Layout& layout = guess.recognition.layout;
    return std::tuple(guess.recognition.score, layout.names.size() > 1, guess.typed,
                      layout.names.size());
  };
  Guess best = judge(sample, own.front());
  for (const char delimiter : own.substr(1)) {
    Guess guess = judge(sample, delimiter);
    if (rank(guess) > rank(best)) best = std::move(guess);
  }
  if (best.recognition.layout.names.size() > 1 && best.recognition.score > 0) {
    return best.recognition;
  }
  for (const char delimiter : others) {
    Guess guess = judge(sample, delimiter);
    guess.recognition.score = 0;
    if (guess.recognition.layout.names.size() > 1) return guess.recognition;
  }
  return best.recognition;
}

}  // namespace ratereplay
