// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/grid.hpp"
#include "report/result.hpp"

namespace ratereplay {

/// The text as it can be printed: controls visible, bytes that are not UTF-8 as U+FFFD.
[[nodiscard]] std::string shown_text(std::string_view text);

/// What the table calls each policy: its label, or a shortened one that ends in a mark, as in
/// "token-bucket:100/1s,cap… [2]".
class TableLabels {
 public:
  explicit TableLabels(const std::vector<PolicyResult>& policies);

  [[nodiscard]] std::size_t size() const { return shown_.size(); }
  [[nodiscard]] const std::string& operator[](std::size_t i) const { return shown_[i]; }

  /// Columns of the widest.
  [[nodiscard]] std::size_t width() const;

  /// Makes none wider than that (>= 8).
  void shorten(std::size_t columns);

  /// Lines that give the whole text behind each mark, and the spec behind each name; may be empty.
  [[nodiscard]] std::string explained(Paint paint) const;

 private:
  struct Entry {
    std::string label;
    std::string spec;  ///< empty when it is the label
    bool marked = false;
  };

  std::vector<Entry> entries_;
  std::vector<std::string> shown_;
};

}  // namespace ratereplay
