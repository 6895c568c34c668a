// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/time.hpp"
#include "trace/cell.hpp"
#include "trace/key_shape.hpp"

namespace ratereplay {

/// `FIELD OP VALUE` of --where, taken apart.
struct Condition {
  enum class Op : std::uint8_t { kEqual, kUnequal, kLess, kAtMost, kMore, kAtLeast, kContains };
  std::string field;  ///< an expression as -k takes it
  Op op = Op::kEqual;
  std::string value;
  bool number = false;  ///< the value is one, and was not quoted

  // Set where the field is looked up.
  std::size_t wanted = 0;  ///< index into ReadPlan::wanted
  KeyShape shape;
};

/// Error(kUsage) with the grammar.
[[nodiscard]] Condition parse_condition(std::string_view text);

/// Status codes of --exclude-status: `429,503`, `5xx`, `400-499`.
struct StatusRange {
  int first = 0;
  int last = 0;
};
[[nodiscard]] std::vector<StatusRange> parse_statuses(std::string_view text);

/// The millionths that `1%` or `0.05%` are, above 0 and at most 100%; nullopt for another text.
[[nodiscard]] std::optional<std::uint32_t> parse_share(std::string_view text);

/// Whether the key belongs to a sample of so many millionths of all keys. Depends on the bytes of
/// the key alone, and not on those bits of its hash that choose a partition.
[[nodiscard]] bool in_key_sample(std::string_view key, std::uint32_t per_million) noexcept;

/// Which of the rows that could be read are replayed.
struct RowFilter {
  std::optional<Instant> since;  ///< from here on
  std::optional<Instant> until;  ///< before this
  std::vector<Condition> where;  ///< all must hold
  std::vector<StatusRange> statuses;
  std::size_t status = 0;  ///< index into ReadPlan::wanted
  std::optional<std::uint32_t> keys_per_million;

  /// False when every row is kept.
  [[nodiscard]] bool any() const noexcept {
    return since || until || !where.empty() || !statuses.empty() || keys_per_million;
  }
  [[nodiscard]] bool keeps(Instant at, std::span<const Cell> cells, std::string_view key,
                           std::string& buffer) const;
};

}  // namespace ratereplay
