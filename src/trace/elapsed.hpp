// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "ratereplay/time.hpp"
#include "trace/format.hpp"

namespace ratereplay {

/// How long a request took, as logs write it: a number in the unit of the field, or one with a unit
/// of its own (`0.061s`, `12ms`, `250us`). Every digit counts.
class ElapsedReader {
 public:
  /// Without a unit only texts that carry one are read.
  explicit ElapsedReader(std::optional<Duration> unit) noexcept : unit_(unit) {}

  /// Why the text is no time that a request can take; empty when it was read.
  [[nodiscard]] std::string_view read(std::string_view text, Duration& elapsed) const noexcept;

 private:
  std::optional<Duration> unit_;
};

/// A field's name and the unit behind a colon: `taken:ms`.
[[nodiscard]] std::optional<std::pair<std::string_view, Duration>> split_unit(
    std::string_view text);

[[nodiscard]] std::string_view unit_suffix(Duration unit);

/// The unit that a field is known to have: by the suffix of its name (`_s _ms _us _ns`), by what
/// servers call it, or because every text carries its own (then 1 ns, which no text needs).
[[nodiscard]] std::optional<Duration> elapsed_unit(const SampleTable& table, std::size_t field);

}  // namespace ratereplay
