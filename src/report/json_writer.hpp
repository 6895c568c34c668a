// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ratereplay/time.hpp"

namespace ratereplay {

/// Appends the text between quotes, escaped; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// Writes one JSON document, numbers digit by digit. Two spaces of indentation; what is opened
/// with kOneLine stays on its line. Calls must nest; nothing checks them.
class JsonWriter {
 public:
  enum class Layout : std::uint8_t { kLines, kOneLine };
  static constexpr Layout kLines = Layout::kLines;
  static constexpr Layout kOneLine = Layout::kOneLine;

  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& open_object(Layout layout) { return open('{', '}', layout); }
  JsonWriter& open_array(Layout layout) { return open('[', ']', layout); }
  JsonWriter& close();

  /// The name of the next value.
  JsonWriter& member(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  JsonWriter& count(std::uint64_t value);
  JsonWriter& ms(std::int64_t nanoseconds);
  JsonWriter& ms(Duration duration) { return ms(duration.count()); }
  JsonWriter& ms(Instant instant) { return ms(instant.time_since_epoch()); }

  /// A value that is JSON already.
  JsonWriter& raw(std::string_view json);

 private:
  struct Level {
    char close;
    bool one_line;
    bool empty;
  };

  JsonWriter& open(char begin, char end, Layout layout);
  void separate();
  void new_line();

  std::string& out_;
  std::vector<Level> levels_;
  bool named_ = false;
};

}  // namespace ratereplay
