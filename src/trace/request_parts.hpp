// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/plan.hpp"

namespace ratereplay {

/// The fields of a record by name, and behind them method, path and protocol, where one of the
/// fields is a `request` and none has such a name.
class RequestParts {
 public:
  explicit RequestParts(std::vector<std::string> names);

  /// All names, in the order of the texts that split() completes.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  /// For each wanted field, its place among them.
  [[nodiscard]] std::vector<std::size_t> places(const ReadPlan& plan) const;

  /// Whether one of the places is filled by split().
  [[nodiscard]] bool wants_parts(std::span<const std::size_t> places) const noexcept;

  /// Fills in the parts of the request.
  void split(std::span<std::string_view> texts) const noexcept;

 private:
  std::vector<std::string> names_;
  std::optional<std::size_t> request_;  // its place, if it is taken apart
  std::size_t parts_;                   // the place of the method
};

}  // namespace ratereplay
