// SPDX-License-Identifier: Apache-2.0
#include "trace/row_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "error.hpp"
#include "keys/shown_key.hpp"
#include "trace/decimal.hpp"
#include "trace/delimited_scan.hpp"
#include "trace/digits.hpp"

namespace ratereplay {
namespace {

using Op = Condition::Op;

// Two bytes before one, so that `<=` is not taken for `<`.
constexpr std::array<std::pair<std::string_view, Op>, 7> kOps = {{{"!=", Op::kUnequal},
                                                                  {"<=", Op::kAtMost},
                                                                  {">=", Op::kAtLeast},
                                                                  {"=", Op::kEqual},
                                                                  {"<", Op::kLess},
                                                                  {">", Op::kMore},
                                                                  {"~", Op::kContains}}};
// What other languages write, and what it is here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kForeignOps = {
    {{"<>", "!="},
     {"!==", "!="},
     {"==", "="},
     {"=>", ">="},
     {"=<", "<="},
     {"=~", "~"},
     {"!~", {}},
     {"~=", "~"}}};
constexpr std::uint32_t kWhole = 1'000'000;

[[noreturn]] void refuse_condition(std::string_view text, std::string_view why) {
  throw Error(ErrorKind::kUsage, fmt::format("--where '{}': {}", text, why),
              {"write FIELD OP VALUE, with = != < <= > >= or ~ (contains), e.g. 'status >= 500'",
               "~ stands apart, as in 'path ~ /login'; quote a value to compare it as text"});
}

/// Refuses `==` and its like, which would else be an operator and the begin of a value.
void refuse_foreign(std::string_view text, std::string_view from) {
  for (const auto& [foreign, ours] : kForeignOps) {
    if (!from.starts_with(foreign)) continue;
    if (ours.empty()) refuse_condition(text, fmt::format("no operator {}", foreign));
    refuse_condition(text, fmt::format("no operator {}; write {}", foreign, ours));
  }
}

/// Takes the quotes off; true when there were any.
bool unquote(std::string_view& text) {
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'')) return false;
  if (text.back() != text.front()) return false;
  text = text.substr(1, text.size() - 2);
  return true;
}

bool holds(Op op, std::strong_ordering order) noexcept {
  switch (op) {
    case Op::kEqual:
      return order == 0;
    case Op::kUnequal:
      return order != 0;
    case Op::kLess:
      return order < 0;
    case Op::kAtMost:
      return order <= 0;
    case Op::kMore:
      return order > 0;
    case Op::kAtLeast:
      return order >= 0;
    case Op::kContains:
      break;
  }
  return false;
}

bool holds(const Condition& condition, std::span<const Cell> cells, std::string& buffer) {
  const Cell& cell = cells[condition.wanted];
  std::string_view text;
  if (cell.kind >= CellKind::kText) text = shaped(cell.text, condition.shape, buffer);
  if (text.empty()) text = kMissingKey;
  const Op op = condition.op;
  if (op == Op::kContains) return text != kMissingKey && text.find(condition.value) != text.npos;
  if (condition.number) {
    if (const std::optional<Decimal> number = read_decimal(text)) {
      return holds(op, compare(*number, *read_decimal(condition.value)));
    }
    // A text is neither above nor below a number.
    return op == Op::kUnequal;
  }
  const bool ordered = op != Op::kEqual && op != Op::kUnequal;
  if (ordered && text == kMissingKey) return false;
  return holds(op, text <=> std::string_view(condition.value));
}

/// A status code: three digits.
std::optional<int> status_of(std::string_view text) noexcept {
  if (text.size() < 3 || !is_digit(text[0]) || !is_digit(text[1]) || !is_digit(text[2])) {
    return std::nullopt;
  }
  // `200.0` and `200 OK` are codes, `2000` is not.
  if (text.size() > 3 && is_digit(text[3])) return std::nullopt;
  return (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
}

std::uint64_t mixed(std::uint64_t word) noexcept {
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
  word = (word ^ word >> 27) * 0x94D049BB133111EB;
  return word ^ word >> 31;
}

}  // namespace

Condition parse_condition(std::string_view text) {
  std::size_t from = 0;
  // A quoted field may hold operators.
  if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
    from = text.find(text.front(), 1);
    if (from == text.npos) refuse_condition(text, "a quote that never closes");
  }
  for (std::size_t at = from; at < text.size(); ++at) {
    const std::string_view here = text.substr(at);
    const auto op = std::find_if(kOps.begin(), kOps.end(),
                                 [&](const auto& one) { return here.starts_with(one.first); });
    if (op == kOps.end()) {
      if (here.starts_with("!~")) refuse_foreign(text, here);
      continue;
    }
    // `path~2 = /api` is a field of two segments.
    if (op->second == Op::kContains && (at == 0 || text[at - 1] != ' ')) continue;
    refuse_foreign(text, here);
    std::string_view field = trim_blanks(text.substr(0, at));
    std::string_view value = trim_blanks(here.substr(op->first.size()));
    unquote(field);
    const bool quoted = unquote(value);
    if (!quoted && !value.empty() && (value.front() == '"' || value.front() == '\'')) {
      refuse_condition(text, "a quote that never closes");
    }
    if (field.empty()) refuse_condition(text, "no field before the operator");
    if (value.empty() && !quoted) refuse_condition(text, "no value behind the operator");
    if (value.empty()) value = kMissingKey;
    Condition condition;
    condition.field = field;
    condition.op = op->second;
    condition.value = value;
    condition.number = !quoted && read_decimal(value).has_value();
    return condition;
  }
  refuse_condition(text, "no operator");
}

std::vector<StatusRange> parse_statuses(std::string_view text) {
  std::vector<StatusRange> ranges;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view part = trim_blanks(text.substr(from, comma - from));
    from = comma + 1;
    const std::size_t dash = std::min(part.find('-'), part.size());
    const auto first = status_of(part.substr(0, dash));
    const auto last = dash == part.size() ? first : status_of(part.substr(dash + 1));
    if (part.size() == 3 && is_digit(part[0]) && (part.ends_with("xx") || part.ends_with("XX"))) {
      const int hundreds = (part[0] - '0') * 100;
      ranges.push_back({hundreds, hundreds + 99});
    } else if (first && last && *first <= *last && dash == 3 &&
               (part.size() == 3 || part.size() == 7)) {
      ranges.push_back({*first, *last});
    } else {
      throw Error(
          ErrorKind::kUsage, fmt::format("--exclude-status {}: '{}' is no status code", text, part),
          {"write codes, classes or ranges, with commas between: 429,503 or 5xx or 400-499"});
    }
  }
  return ranges;
}

std::optional<std::uint32_t> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const char* at = text.data();
  const char* const end = at + text.size() - 1;
  std::uint32_t share = 0;
  const auto whole = std::from_chars(at, end, share);
  if (whole.ec != std::errc{} || whole.ptr == at || share > 100) return std::nullopt;
  share *= kWhole / 100;
  at = whole.ptr;
  if (at != end && *at == '.') {
    std::uint32_t place = kWhole / 1'000;
    for (++at; at != end && place > 0 && is_digit(*at); ++at, place /= 10) {
      share += static_cast<std::uint32_t>(*at - '0') * place;
    }
  }
  return at == end && share <= kWhole ? std::optional(share) : std::nullopt;
}

bool in_key_sample(std::string_view key, std::uint32_t per_million) noexcept {
  std::uint64_t hash = mixed(0x726174657265706C ^ key.size());
  for (; key.size() >= 8; key.remove_prefix(8)) hash = mixed(hash ^ load8(key.data()));
  std::uint64_t tail = 0;
  if (!key.empty()) std::memcpy(&tail, key.data(), key.size());
  hash = mixed(hash ^ tail);
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{hash} * kWhole >> 64) < per_million;
}

bool RowFilter::keeps(Instant at, std::span<const Cell> cells, std::string_view key,
                      std::string& buffer) const {
  if (since && at < *since) return false;
  if (until && at >= *until) return false;
  if (!statuses.empty()) {
    const Cell& cell = cells[status];
    const auto code = cell.kind >= CellKind::kText ? status_of(cell.text) : std::nullopt;
    const auto excluded = [&](const StatusRange& range) {
      return code && *code >= range.first && *code <= range.last;
    };
    if (std::any_of(statuses.begin(), statuses.end(), excluded)) return false;
  }
  if (keys_per_million && !in_key_sample(key, *keys_per_million)) return false;
  return std::all_of(where.begin(), where.end(),
                     [&](const Condition& condition) { return holds(condition, cells, buffer); });
}

}  // namespace ratereplay
