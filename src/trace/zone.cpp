// SPDX-License-Identifier: Apache-2.0
#include "trace/zone.hpp"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <vector>

#include "error.hpp"
#include "text/nearest.hpp"
#include "trace/time_cursor.hpp"

namespace ratereplay {

struct Zone::Region {
  absl::TimeZone zone;
};

namespace {

constexpr absl::CivilSecond kEpoch(1970, 1, 1);
constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();

std::int64_t wall_of(absl::CivilSecond time) { return time - kEpoch; }

/// Names are paths below the database's folder; nothing else is to be opened.
bool is_name(std::string_view text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/";
  return !text.empty() && text.front() != '/' && text.find_first_not_of(kSafe) == text.npos &&
         text != "localtime";
}

std::vector<std::string> known_names() {
  const char* const set = std::getenv("TZDIR");
  const std::filesystem::path root = set != nullptr ? set : "/usr/share/zoneinfo";
  std::vector<std::string> names;
  std::error_code failed;
  for (std::filesystem::recursive_directory_iterator at(root, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().lexically_relative(root).string();
    if (name.starts_with("posix") || name.starts_with("right")) {
      at.disable_recursion_pending();
    } else if (is_name(name) && at->is_regular_file(failed)) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Error unknown_zone(std::string_view text) {
  std::vector<std::string> advice;
  const std::vector<std::string> names = known_names();
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (names.empty()) {
    advice.emplace_back("there is no tz database here: install tzdata, or set TZDIR to its folder");
  } else if (auto near = suggestion(text, views)) {
    advice.push_back(*std::move(near));
  }
  advice.emplace_back("write UTC, an offset like +02:00, or a name like Europe/Berlin");
  return {ErrorKind::kUsage, fmt::format("--tz {}: no such zone", text), std::move(advice)};
}

}  // namespace

Zone::Span Zone::span_at(std::int64_t wall) const {
  if (region_ == nullptr) return {-kEver, kEver, offset_, Shown::kOnce};
  const absl::TimeZone& zone = region_->zone;
  const absl::TimeZone::TimeInfo info = zone.At(kEpoch + wall);
  const std::int64_t offset = wall - absl::ToUnixSeconds(info.pre);
  absl::TimeZone::CivilTransition change;
  if (info.kind != absl::TimeZone::TimeInfo::UNIQUE) {
    const bool twice = info.kind == absl::TimeZone::TimeInfo::REPEATED;
    zone.PrevTransition(info.trans + absl::Seconds(1), &change);
    const std::int64_t from = wall_of(change.from);
    const std::int64_t to = wall_of(change.to);
    return {std::min(from, to), std::max(from, to), offset, twice ? Shown::kTwice : Shown::kNever};
  }
  Span span{-kEver, kEver, offset, Shown::kOnce};
  if (zone.PrevTransition(info.pre + absl::Seconds(1), &change)) {
    span.from = std::max(wall_of(change.from), wall_of(change.to));
  }
  if (zone.NextTransition(info.pre, &change)) {
    span.until = std::min(wall_of(change.from), wall_of(change.to));
  }
  return span;
}

Zone parse_zone(std::string_view text) {
  Zone zone;
  if (text == "UTC" || text == "GMT" || text == "Z") return zone;
  TimeCursor cursor(text);
  std::int32_t offset = 0;
  bool valid = true;
  if (cursor.offset(offset, valid) && cursor.done()) {
    if (!valid) throw unknown_zone(text);
    const std::int32_t minutes = (offset < 0 ? -offset : offset) / 60;
    zone.offset_ = offset;
    if (offset != 0) {
      zone.name_ = fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
    }
    return zone;
  }
  absl::TimeZone loaded;
  if (!is_name(text) || !absl::LoadTimeZone(std::string(text), &loaded)) throw unknown_zone(text);
  zone.name_ = text;
  zone.region_ = std::make_shared<const Zone::Region>(Zone::Region{loaded});
  return zone;
}

}  // namespace ratereplay
