// SPDX-License-Identifier: Apache-2.0
#include "report/table_labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/valid_utf8.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

/// A text without blanks to break it at, cut where the line ends.
void append_cut(std::string& out, std::string_view text, std::size_t column, std::size_t indent) {
  while (!text.empty()) {
    const std::size_t bytes = head_bytes(text, kTableColumns - column);
    out += text.substr(0, bytes);
    out += '\n';
    text.remove_prefix(bytes);
    if (!text.empty()) out.append(indent, ' ');
    column = indent;
  }
}

}  // namespace

std::string shown_text(std::string_view text) { return visible(valid_utf8(text)); }

TableLabels::TableLabels(const std::vector<PolicyResult>& policies) {
  for (const PolicyResult& policy : policies) {
    entries_.push_back({shown_text(policy.label()),
                        policy.name.empty() ? std::string() : shown_text(policy.spec)});
    shown_.push_back(entries_.back().label);
  }
}

std::size_t TableLabels::width() const {
  std::size_t width = 0;
  for (const std::string& label : shown_) width = std::max(width, text_columns(label));
  return width;
}

void TableLabels::shorten(std::size_t columns) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (text_columns(entry.label) <= columns) continue;
    const std::string mark = fmt::format(" [{}]", i + 1);
    shown_[i] = shortened(entry.label, columns - std::min(columns - 2, mark.size())) + mark;
    entry.marked = true;
  }
}

std::string TableLabels::explained(Paint paint) const {
  std::string lines;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.marked && entry.spec.empty()) continue;
    const std::string head =
        entry.marked ? fmt::format("  [{}]  ", i + 1) : fmt::format("  {}  ", entry.label);
    std::string text = entry.marked ? entry.label : entry.spec;
    if (entry.marked && !entry.spec.empty()) text += " = " + entry.spec;
    lines += head;
    append_cut(lines, text, text_columns(head), entry.marked ? text_columns(head) : 6);
  }
  if (lines.empty()) return lines;
  return fmt::format("{}POLICIES{}\n{}", paint.head(), paint.off(), lines);
}

}  // namespace ratereplay
