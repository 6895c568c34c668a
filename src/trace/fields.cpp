// SPDX-License-Identifier: Apache-2.0
#include "trace/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "error.hpp"
#include "text/nearest.hpp"
#include "trace/field_names.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kEnough = 2'000;
constexpr std::size_t kListed = 60;

bool has_value(const Cell& cell) {
  return cell.kind >= CellKind::kText && !cell.text.empty() && cell.text != "-";
}

FieldChoice key_choice(const SampleTable& table, std::size_t index) {
  const SampleTable::Field& field = table.fields[index];
  FieldChoice choice{index, {}, field.name};
  // With ports left on, every connection would be a key of its own, and so would every spelling.
  std::string buffer;
  const std::vector<std::string_view> texts = texts_of(field);
  const bool spelled = std::any_of(texts.begin(), texts.end(), [&](std::string_view text) {
    return looks_like_address(text) && plain_address(text, {}, buffer) != text;
  });
  if (!spelled) return choice;
  const std::optional<FieldChoice> role = find_field(table, {}, "ip", true);
  if (role && role->index == index && role->shape.role == KeyRole::kIp) return *role;
  choice.shape.role = KeyRole::kIp;
  choice.shown = "ip:" + choice.shown;
  return choice;
}

bool may_be_client(std::string_view text) {
  const std::string_view bare = strip_port(text);
  // `unix:` is what servers write for a socket of their own machine.
  if (text == "unix:" || looks_like_address(text.substr(0, text.find('%')))) return true;
  constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  return bare.find_first_not_of(kOfNames) == bare.npos;
}

}  // namespace

bool holds_address_list(const SampleTable::Field& field) {
  for (const std::string_view text : texts_of(field)) {
    const std::size_t comma = text.find(',');
    if (comma != text.npos && looks_like_address(text.substr(0, comma))) return true;
  }
  return false;
}

StrangeClients strange_clients(const SampleTable& table, std::size_t index) {
  const auto cells_of = [&](std::string_view name) -> const std::vector<Cell>* {
    for (const SampleTable::Field& field : table.fields) {
      if (field.name == name) return &field.cells;
    }
    return nullptr;
  };
  const std::vector<Cell>* const idents = cells_of("ident");
  const std::vector<Cell>* const users = cells_of("user");
  const bool both = idents != nullptr && users != nullptr;
  const std::vector<Cell>& clients = table.fields[index].cells;
  StrangeClients strange;
  for (std::size_t i = 0; i < clients.size() && strange.of < kEnough; ++i) {
    if (!has_value(clients[i])) continue;
    ++strange.of;
    const std::string_view text = clients[i].text;
    const bool more =
        both && (*idents)[i].text != "-" && (*users)[i].text.find(' ') != std::string_view::npos;
    if (may_be_client(text) && (!more || looks_like_address(text))) continue;
    if (strange.count++ == 0) strange.first = text;
  }
  return strange;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == path.npos ? std::string_view() : path.substr(0, dot);
}

bool looks_like_address(std::string_view text) {
  const std::string_view bare = strip_port(text);
  const auto of = [&](std::string_view set) {
    return bare.find_first_not_of(set) == std::string_view::npos;
  };
  const auto dots = std::count(bare.begin(), bare.end(), '.');
  const auto colons = std::count(bare.begin(), bare.end(), ':');
  return (dots == 3 && of("0123456789.")) || (colons >= 2 && of("0123456789abcdefABCDEF:."));
}

std::vector<std::string_view> texts_of(const SampleTable::Field& field) {
  std::vector<std::string_view> texts;
  for (const Cell& cell : field.cells) {
    if (texts.size() == kEnough) break;
    if (has_value(cell) && cell.kind != CellKind::kOther) texts.push_back(cell.text);
  }
  return texts;
}

bool is_common(const SampleTable& table, std::size_t index) {
  const auto& cells = table.fields[index].cells;
  const auto present = std::count_if(cells.begin(), cells.end(), has_value);
  return present > 0 && static_cast<std::size_t>(present) * 2 >= table.records;
}

bool is_headless(const SampleTable& table) {
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const std::string& name = table.fields[i].name;
    if (!name.empty() && name != std::to_string(i + 1)) return false;
  }
  return true;
}

std::optional<FieldChoice> find_field(const SampleTable& table, const Layout& layout,
                                      std::string_view text, bool roles) {
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    if (table.fields[i].name == text) return FieldChoice{i, {}, std::string(text)};
  }
  std::size_t column = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, column);
  if (!layout.names.empty() && read.ec == std::errc{} && read.ptr == end && column >= 1 &&
      column <= table.fields.size()) {
    return FieldChoice{column - 1, {}, table.fields[column - 1].name};
  }
  if (!roles) return std::nullopt;
  KeyShape shape;
  if (text == "ip") shape.role = KeyRole::kIp;
  if (text == "path") shape.role = KeyRole::kPath;
  for (const bool common : {true, false}) {
    for (const std::string_view name : role_names(text)) {
      for (std::size_t i = 0; i < table.fields.size(); ++i) {
        if (plain_name(table.fields[i].name) == name && (!common || is_common(table, i))) {
          return FieldChoice{i, shape, std::string(text)};
        }
      }
    }
  }
  return std::nullopt;
}

FieldChoice need_field(const SampleTable& table, const Layout& layout, std::string_view text,
                       std::string_view flag, std::string_view file, bool roles) {
  if (auto found = find_field(table, layout, text, roles)) return *std::move(found);
  std::vector<std::string_view> names;
  for (const SampleTable::Field& field : table.fields) names.push_back(field.name);
  std::vector<std::string> advice;
  if (auto near = suggestion(text, names)) advice.push_back(*std::move(near));
  for (std::string& line : field_lines(table)) advice.push_back(std::move(line));
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: {} has no such field", flag, text, file),
              std::move(advice));
}

std::vector<std::size_t> need_sum(const SampleTable& table, const Layout& layout,
                                  std::string_view text, std::string_view flag,
                                  std::string_view file) {
  if (const auto whole = find_field(table, layout, text, false)) return {whole->index};
  std::vector<std::size_t> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t plus = std::min(text.find('+', from), text.size());
    parts.push_back(
        need_field(table, layout, text.substr(from, plus - from), flag, file, false).index);
    from = plus + 1;
  }
  return parts;
}

std::vector<FieldChoice> key_candidates(const SampleTable& table) {
  std::vector<FieldChoice> found;
  for (const std::string_view name : key_names()) {
    // Inside the object of the request before the same name elsewhere.
    for (const bool inside : {true, false}) {
      for (std::size_t i = 0; i < table.fields.size(); ++i) {
        const std::string& path = table.fields[i].name;
        if (plain_name(path) == name && is_common(table, i) &&
            is_request_object(parent_of(path)) == inside) {
          found.push_back(key_choice(table, i));
        }
      }
    }
  }
  if (!found.empty() || !is_headless(table)) return found;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const std::vector<std::string_view> texts = texts_of(table.fields[i]);
    if (!texts.empty() && std::all_of(texts.begin(), texts.end(), looks_like_address)) {
      found.push_back(key_choice(table, i));
    }
  }
  return found;
}

KeyCandidate count_keys(const SampleTable& table, const FieldChoice& choice) {
  std::unordered_set<std::string> keys;
  std::string buffer;
  for (const Cell& cell : table.fields[choice.index].cells) {
    std::string_view text;
    if (has_value(cell)) text = shaped(cell.text, choice.shape, buffer);
    keys.emplace(text.empty() ? "-" : text);
  }
  return {choice.shown, keys.size(), table.records};
}

std::vector<std::string> field_lines(const SampleTable& table) {
  constexpr std::size_t kWidth = 90;
  std::vector<std::string> lines = {"fields:"};
  const std::size_t count = std::min(table.fields.size(), kListed);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = table.fields[i].name;
    if (lines.back().size() + 2 + name.size() > kWidth && lines.back().size() > 8) {
      lines.emplace_back("       ");
    }
    lines.back() += " " + name + (i + 1 < table.fields.size() ? "," : "");
  }
  if (count < table.fields.size()) {
    lines.push_back(fmt::format("        and {} more", table.fields.size() - count));
  }
  return lines;
}

}  // namespace ratereplay
