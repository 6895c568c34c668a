// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/format.hpp"
#include "trace/time_text.hpp"

namespace ratereplay {

/// Which field holds the time of a trace, and how it is written.
struct TimeChoice {
  std::vector<std::size_t> fields;  ///< one, or date and time
  std::string shown;
  TimeFormat format;
};

struct TimeChoices {
  std::vector<TimeChoice> good;      ///< best first
  std::vector<std::string> refused;  ///< "field 'x': why not", for those whose name promised a time
};

/// What is said of stamps that lack something.
struct TimeDefaults {
  Zone zone;
  std::optional<int> year;

  /// The format, with both; the year is where the first of the texts is.
  [[nodiscard]] TimeFormat complete(TimeFormat format,
                                    const std::vector<std::string_view>& texts) const;
};

/// How the texts are written, when at least half of them are instants of one style. Numbers are
/// taken by the size of their median. `why` is set otherwise.
[[nodiscard]] std::optional<TimeFormat> guess_time_format(std::vector<std::string_view> texts,
                                                          std::string_view name,
                                                          const TimeDefaults& defaults,
                                                          std::string& why);

/// Every way to read a time out of a table; with `pinned`, only in that format.
[[nodiscard]] TimeChoices time_choices(const SampleTable& table,
                                       const std::optional<TimeFormat>& pinned,
                                       const TimeDefaults& defaults);

/// The texts of a date field and a time field, joined.
[[nodiscard]] std::vector<std::string> joined_texts(const SampleTable& table, std::size_t date,
                                                    std::size_t time);

}  // namespace ratereplay
