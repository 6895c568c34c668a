// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trace/format.hpp"
#include "trace/line_template.hpp"

namespace ratereplay {

/// What a format needs that is nothing but a line template.
struct TemplateSpec {
  std::string name;
  std::string summary;
  LineTemplate lines;
  /// For detection: whether a line that fits the template is one of this format, by the texts of
  /// its fields. Without it the format is never detected.
  bool (*is_mine)(std::span<const std::string_view> texts) = nullptr;
  std::string flag = {};  ///< what -F takes, where that is more than the name
};

/// A format of one record a line. A field named `request` also gives method, path and protocol,
/// where the template has no fields of these names.
[[nodiscard]] std::unique_ptr<const Format> make_template_format(TemplateSpec spec);

/// The time of access logs, for TemplateField::time.
[[nodiscard]] inline TimeFormat clf_time() { return {TimeStyle::kClf, {}, {}}; }

/// `yyyy-mm-ddThh:mm:ss` and what may follow it.
[[nodiscard]] bool is_iso_start(std::string_view text) noexcept;

/// Digits alone.
[[nodiscard]] bool is_number(std::string_view text) noexcept;

/// `dd/Mon/yyyy:hh:mm:ss` and what may follow it.
[[nodiscard]] bool is_clf_start(std::string_view text) noexcept;

}  // namespace ratereplay
