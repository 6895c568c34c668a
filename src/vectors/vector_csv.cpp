// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"
#include "report/csv.hpp"
#include "report/grid.hpp"
#include "text/nearest.hpp"
#include "text/utf8.hpp"
#include "vectors/answer_fields.hpp"
#include "vectors/vector_file.hpp"
#include "vectors/vector_parts.hpp"

namespace ratereplay {
namespace {

using std::string_view;

constexpr std::array<string_view, 13> kColumns{
    "policy",   "unit",      "case",       "note",    "at",     "key",  "cost",
    "admitted", "remaining", "retryAfter", "resetAt", "fullAt", "delay"};

constexpr string_view kNeverText = "never";

std::string field_text(const std::optional<Told>& told) {
  if (!told) return {};
  return told->never ? std::string(kNeverText) : fmt::format("{}", told->value);
}

struct Cell {
  std::string text;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Records of comma-separated fields, quoted as in RFC 4180.
class Records {
 public:
  Records(string_view text, const std::string& name) : text_(text), name_(name) {}

  [[noreturn]] void fail(std::size_t line, std::size_t column, std::string message,
                         std::vector<std::string> advice = {}) const {
    throw Error(ErrorKind::kInput,
                Diagnostic{fmt::format("'{}' is no vectors: {}", name_, message),
                           Place{fmt::format("{}:{}:{}", name_, line, column)}, std::move(advice)});
  }
  [[noreturn]] void fail(const Cell& cell, std::string message,
                         std::vector<std::string> advice = {}) const {
    fail(cell.line, cell.column, std::move(message), std::move(advice));
  }

  /// The next record; empty at the end. Blank lines are skipped.
  std::vector<Cell> next() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n"))) {
      at_ += text_[at_] == '\n' ? 1 : 2;
      begin_line();
    }
    std::vector<Cell> cells;
    while (at_ < text_.size()) {
      cells.push_back(read_cell());
      if (at_ == text_.size()) break;
      const char end = text_[at_++];
      if (end == ',') {
        if (at_ == text_.size()) cells.push_back({"", line_, at_ - line_begin_ + 1});
        continue;
      }
      if (end == '\r') ++at_;
      begin_line();
      break;
    }
    return cells;
  }

 private:
  void begin_line() {
    ++line_;
    line_begin_ = at_;
  }

  [[nodiscard]] bool at_end_of_cell() const {
    return at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' ||
           text_.substr(at_).starts_with("\r\n");
  }

  Cell read_cell() {
    Cell cell{"", line_, at_ - line_begin_ + 1};
    if (at_ == text_.size() || text_[at_] != '"') {
      while (!at_end_of_cell()) cell.text += text_[at_++];
    } else {
      read_quoted(cell);
    }
    if (!is_utf8(cell.text)) fail(cell, "the field is not UTF-8");
    return cell;
  }

  void read_quoted(Cell& cell) {
    for (++at_;; ++at_) {
      const std::size_t quote = std::min(text_.find('"', at_), text_.size());
      for (; at_ < quote; ++at_) {
        cell.text += text_[at_];
        if (text_[at_] != '\n') continue;
        ++line_;
        line_begin_ = at_ + 1;
      }
      if (quote == text_.size()) {
        fail(cell, "the quotes of this field are not closed",
             {"was the file cut off while it was copied?"});
      }
      if (!text_.substr(quote + 1).starts_with('"')) break;
      cell.text += '"';
      ++at_;
    }
    ++at_;
    if (!at_end_of_cell()) fail(cell, "text follows the closing quote");
  }

  string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

template <class Number>
std::optional<Number> read_number(const std::string& text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
 public:
  Reader(string_view text, const std::string& name) : records_(text, name) {}

  VectorFile read() {
    read_header();
    std::size_t steps = 0;
    for (auto cells = records_.next(); !cells.empty(); cells = records_.next()) {
      if (++steps > kMostSteps) {
        records_.fail(cells.front(), fmt::format("it has more than {} steps", kMostSteps));
      }
      read_row(cells);
    }
    return std::move(file_);
  }

 private:
  void read_header() {
    const std::vector<Cell> header = records_.next();
    for (const Cell& cell : header) {
      const auto known = std::find(kColumns.begin(), kColumns.end(), cell.text);
      if (known == kColumns.end()) {
        std::vector<std::string> advice;
        if (auto meant = suggestion(cell.text, kColumns)) advice.push_back(*std::move(meant));
        advice.push_back(fmt::format("columns: {}", fmt::join(kColumns, ", ")));
        records_.fail(cell, fmt::format("there is no column '{}'", shortened(cell.text, 40)),
                      std::move(advice));
      }
      const auto index = static_cast<std::size_t>(known - kColumns.begin());
      if (std::find(columns_.begin(), columns_.end(), index) != columns_.end()) {
        records_.fail(cell, fmt::format("the column '{}' is there twice", cell.text));
      }
      columns_.push_back(index);
    }
    for (const std::size_t needed : {kPolicy, kUnit, kAt}) {
      if (std::find(columns_.begin(), columns_.end(), needed) != columns_.end()) continue;
      records_.fail(1, 1, fmt::format("the column '{}' is missing", kColumns[needed]),
                    {fmt::format("columns: {}", fmt::join(kColumns, ", "))});
    }
  }

  void read_row(const std::vector<Cell>& cells) {
    if (cells.size() != columns_.size()) {
      records_.fail(cells.front(), fmt::format("the row has {} fields, the header {}", cells.size(),
                                               columns_.size()));
    }
    std::array<const Cell*, kColumns.size()> row{};
    for (std::size_t i = 0; i < cells.size(); ++i) row[columns_[i]] = &cells[i];
    const auto text = [&](std::size_t column) {
      return row[column] == nullptr ? std::string() : row[column]->text;
    };
    read_unit(*row[kUnit]);
    if (file_.cases.empty() || text(kCase) != case_name_ || text(kPolicy) != policy_text_) {
      case_name_ = text(kCase);
      policy_text_ = text(kPolicy);
      file_.cases.push_back(
          {.name = case_name_.empty() ? fmt::format("case {}", file_.cases.size() + 1) : case_name_,
           .note = text(kNote),
           .policy = read_policy(*row[kPolicy])});
    }
    VectorStep step;
    step.request.at = read_at(*row[kAt]);
    step.request.key = row[kKey] == nullptr ? std::string(kDefaultKey) : row[kKey]->text;
    if (!text(kCost).empty()) step.request.cost = read_cost(*row[kCost]);
    if (const Cell* cell = row[kAdmitted]; cell != nullptr && !cell->text.empty()) {
      if (cell->text != "true" && cell->text != "false") {
        records_.fail(*cell, fmt::format("'{}' is not true or false", cell->text));
      }
      step.expect.admitted = cell->text == "true";
    }
    for (std::size_t i = 0; i < kAnswerFields.size(); ++i) {
      const Cell* cell = row[kAdmitted + 1 + i];
      if (cell == nullptr || cell->text.empty()) continue;
      step.expect.*kAnswerFields[i].value = read_told(*cell, kAnswerFields[i]);
    }
    file_.cases.back().steps.push_back(std::move(step));
  }

  void read_unit(const Cell& cell) {
    const Unit* unit = find_unit(cell.text);
    if (unit == nullptr) {
      records_.fail(cell, fmt::format("'{}' is no unit", cell.text), {unit_advice()});
    }
    if (!file_.cases.empty() && *unit != file_.unit) {
      records_.fail(cell,
                    fmt::format("the unit changes from {} to {}", file_.unit.name, unit->name),
                    {"one file has one unit"});
    }
    file_.unit = *unit;
  }

  PolicySpec read_policy(const Cell& cell) {
    try {
      return parse_policy(cell.text, "policy");
    } catch (const Error& error) {
      std::vector<std::string> advice = error.diagnostic().advice;
      records_.fail(cell, fmt::format("'{}' is no policy: {}", cell.text, error.what()),
                    std::move(advice));
    }
  }

  std::int64_t read_at(const Cell& cell) {
    const auto at = read_number<std::int64_t>(cell.text);
    if (!at) records_.fail(cell, fmt::format("'{}' is not a whole number", cell.text));
    if (!file_.unit.holds(*at)) {
      records_.fail(cell, fmt::format("{} is beyond all time", *at), {range_advice(file_.unit)});
    }
    return *at;
  }

  Cost read_cost(const Cell& cell) {
    const auto cost = read_number<Cost>(cell.text);
    if (cost) return *cost;
    records_.fail(cell, fmt::format("'{}' is no cost", cell.text),
                  {fmt::format("costs are from 0 to {}", std::numeric_limits<Cost>::max())});
  }

  Told read_told(const Cell& cell, const AnswerField& field) {
    if (cell.text == kNeverText && field.can_be_never) return kNever;
    const auto value = read_number<std::int64_t>(cell.text);
    if (!value || (*value < 0 && !field.is_instant)) {
      records_.fail(cell, fmt::format("'{}' is no {}", cell.text, field.name),
                    {"write a whole number, or nothing where it is not to be compared"});
    }
    return Told{.value = *value};
  }

  // Indexes of kColumns.
  static constexpr std::size_t kPolicy = 0;
  static constexpr std::size_t kUnit = 1;
  static constexpr std::size_t kCase = 2;
  static constexpr std::size_t kNote = 3;
  static constexpr std::size_t kAt = 4;
  static constexpr std::size_t kKey = 5;
  static constexpr std::size_t kCost = 6;
  static constexpr std::size_t kAdmitted = 7;

  Records records_;
  std::vector<std::size_t> columns_;  ///< indexes of kColumns
  std::string case_name_;
  std::string policy_text_;
  VectorFile file_;
};

}  // namespace

std::string vectors_csv(const VectorFile& file) {
  std::string out = fmt::format("{}\n", fmt::join(kColumns, ","));
  for (const VectorCase& one : file.cases) {
    for (const VectorStep& step : one.steps) {
      append_csv_field(out, one.policy.canonical);
      out += fmt::format(",{},", file.unit.name);
      append_csv_field(out, one.name);
      out += ',';
      if (&step == &one.steps.front()) append_csv_field(out, one.note);
      out += fmt::format(",{},", step.request.at);
      append_csv_field(out, step.request.key);
      out += fmt::format(",{},", step.request.cost);
      if (step.expect.admitted) out += *step.expect.admitted ? "true" : "false";
      for (const AnswerField& field : kAnswerFields) {
        out += ',';
        out += field_text(step.expect.*field.value);
      }
      out += '\n';
    }
  }
  return out;
}

VectorFile vectors_from_csv(string_view text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace ratereplay
