// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/format.hpp"

namespace ratereplay {

/// A field of a sample, chosen.
struct FieldChoice {
  std::size_t index = 0;  ///< in SampleTable::fields
  KeyShape shape{};
  std::string shown;
};

/// A dotted IPv4 or a coloned IPv6 address, with or without port: enough to tell it from a name.
[[nodiscard]] bool looks_like_address(std::string_view text);

/// The texts a sample has for one field, without those that are missing, null, empty or `-`; at
/// most some thousand.
[[nodiscard]] std::vector<std::string_view> texts_of(const SampleTable::Field& field);

/// At least one text is a list with commas whose first element is an address.
[[nodiscard]] bool holds_address_list(const SampleTable::Field& field);

/// Clients of a sample that are neither an address nor a host name, or have more words behind them
/// than identity and user.
struct StrangeClients {
  std::size_t count = 0;
  std::size_t of = 0;
  std::string_view first;
};
[[nodiscard]] StrangeClients strange_clients(const SampleTable& table, std::size_t index);

/// `a.b` of the path `a.b.c`; empty for a name of its own.
[[nodiscard]] std::string_view parent_of(std::string_view path);

/// In at least half of the records.
[[nodiscard]] bool is_common(const SampleTable& table, std::size_t index);

/// True when the columns have no names but their numbers.
[[nodiscard]] bool is_headless(const SampleTable& table);

/// Looks up what a flag names: an exact name, else a 1-based column number where records have
/// columns, else (with `roles`) a role.
[[nodiscard]] std::optional<FieldChoice> find_field(const SampleTable& table, const Layout& layout,
                                                    std::string_view text, bool roles);

/// The same, or Error(kUsage) with the nearest name and the list of the fields.
[[nodiscard]] FieldChoice need_field(const SampleTable& table, const Layout& layout,
                                     std::string_view text, std::string_view flag,
                                     std::string_view file, bool roles);

/// The fields that `A+B` names; a field of just that name wins.
[[nodiscard]] std::vector<std::size_t> need_sum(const SampleTable& table, const Layout& layout,
                                                std::string_view text, std::string_view flag,
                                                std::string_view file);

/// Fields that could be the key of a format that fixes none, best first.
[[nodiscard]] std::vector<FieldChoice> key_candidates(const SampleTable& table);

/// How many keys a field makes of a sample.
[[nodiscard]] KeyCandidate count_keys(const SampleTable& table, const FieldChoice& choice);

/// "fields: a, b, c", in lines that fit a message.
[[nodiscard]] std::vector<std::string> field_lines(const SampleTable& table);

}  // namespace ratereplay
