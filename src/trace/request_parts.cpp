// SPDX-License-Identifier: Apache-2.0
#include "trace/request_parts.hpp"

#include <algorithm>
#include <array>

#include "trace/access_line.hpp"

namespace ratereplay {

RequestParts::RequestParts(std::vector<std::string> names)
    : names_(std::move(names)), parts_(names_.size()) {
  constexpr std::array<std::string_view, 3> kParts = {"method", "path", "protocol"};
  const auto request = std::find(names_.begin(), names_.end(), "request");
  if (request == names_.end()) return;
  const bool taken = std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return std::find(names_.begin(), names_.end(), part) != names_.end();
  });
  if (taken) return;
  request_ = static_cast<std::size_t>(request - names_.begin());
  names_.insert(names_.end(), kParts.begin(), kParts.end());
}

std::vector<std::size_t> RequestParts::places(const ReadPlan& plan) const {
  std::vector<std::size_t> places;
  for (const WantedField& wanted : plan.wanted) {
    const auto name = std::find(names_.begin(), names_.end(), wanted.name);
    const auto named = static_cast<std::size_t>(name - names_.begin());
    places.push_back(std::min(wanted.column.value_or(named), names_.size() - 1));
  }
  return places;
}

bool RequestParts::wants_parts(std::span<const std::size_t> places) const noexcept {
  return request_ && std::any_of(places.begin(), places.end(),
                                 [this](std::size_t place) { return place >= parts_; });
}

void RequestParts::split(std::span<std::string_view> texts) const noexcept {
  if (!request_) return;
  const RequestLine request = split_request(texts[*request_]);
  texts[parts_] = request.method;
  texts[parts_ + 1] = request.path;
  texts[parts_ + 2] = request.protocol;
}

}  // namespace ratereplay
