// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ratereplay {

/// Which clock wrote the stamps that name no zone: UTC, a fixed offset from it, or a zone of the tz
/// database. Cheap to copy.
class Zone {
 public:
  /// UTC.
  Zone() = default;

  /// What pins it: "UTC", "+02:00", "Europe/Berlin".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool is_utc() const noexcept { return region_ == nullptr && offset_ == 0; }

  /// How often a wall clock shows a time: where it is put back, twice; where it is put forward, the
  /// times between do not occur.
  enum class Shown : std::uint8_t { kOnce, kTwice, kNever };

  /// A stretch of wall-clock seconds (as if UTC, since 1970) with one answer for all of them.
  struct Span {
    std::int64_t from;
    std::int64_t until;
    std::int64_t offset;  ///< seconds east of UTC; of the first of two
    Shown shown;
  };
  [[nodiscard]] Span span_at(std::int64_t wall) const;

  friend bool operator==(const Zone& a, const Zone& b) noexcept { return a.name_ == b.name_; }

 private:
  struct Region;
  friend Zone parse_zone(std::string_view text);

  std::string name_ = "UTC";
  std::int64_t offset_ = 0;
  std::shared_ptr<const Region> region_;
};

/// `UTC`, `GMT`, `Z`, an offset (`+02:00`, `+0530`, `-08`) or a name of the tz database. Throws
/// Error(kUsage) for another text.
[[nodiscard]] Zone parse_zone(std::string_view text);

}  // namespace ratereplay
