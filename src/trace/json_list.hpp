// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/format.hpp"

namespace ratereplay {

/// Where the list that holds the records starts in a JSON document: the document itself, or the
/// first member of its one object that is a list of objects.
struct JsonListStart {
  enum class Found : std::uint8_t {
    kList,
    kNone,  ///< the document holds no such list
    kOpen,  ///< more text is needed to tell
  };
  Found found = Found::kOpen;
  std::size_t offset = 0;     ///< just behind the bracket
  bool wrapped = false;       ///< it is a member of an object
  bool first_member = false;  ///< the first one
};
[[nodiscard]] JsonListStart find_json_list(std::string_view text);

/// Finds where values end, by strings and brackets alone; text may come in pieces. A string does
/// not go beyond the end of its line.
class JsonDepth {
 public:
  /// The offset of the first comma or closing bracket outside of everything that opened since the
  /// start; npos when the piece holds none.
  std::size_t find_end(std::string_view piece);
  void restart() { *this = JsonDepth(); }

 private:
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

/// Cuts a JSON list between its elements. Throws Error (kInput) for a document that holds no list
/// of objects, or two, or that is followed by something else.
class JsonListCutter final : public RecordCutter {
 public:
  std::size_t cut(std::string_view text, bool last) override;
  Skipped skip(std::string_view text) override;
  [[nodiscard]] bool past_records() const override { return phase_ == Phase::kBehind; }
  [[nodiscard]] std::optional<std::string> unfinished() const override;

 private:
  enum class Phase : std::uint8_t { kBefore, kInside, kBehind };
  std::size_t cut_elements(std::string_view text, std::size_t from);
  void check_tail(std::string_view text);

  Phase phase_ = Phase::kBefore;
  bool wrapped_ = false;
  JsonDepth depth_;
  struct Tail {
    bool in_string = false;
    bool escaped = false;
    bool list_opened = false;
    bool ended = false;
    int depth = 0;
  } tail_;
};

}  // namespace ratereplay
