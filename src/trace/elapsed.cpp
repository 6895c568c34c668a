// SPDX-License-Identifier: Apache-2.0
#include "trace/elapsed.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "trace/field_names.hpp"
#include "trace/fields.hpp"
#include "trace/time_scan.hpp"

namespace ratereplay {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

const TimeCount* unit_named(std::string_view suffix) {
  if (suffix == "\xC2\xB5s") suffix = "us";
  const auto found = std::ranges::find(kTimeCounts, suffix, &TimeCount::suffix);
  return found == kTimeCounts.end() ? nullptr : found;
}

const TimeCount* unit_of(Duration length) {
  const auto found = std::ranges::find(kTimeCounts, length, &TimeCount::length);
  return found == kTimeCounts.end() ? nullptr : found;
}

/// Where the number ends and a unit of its own begins.
std::size_t number_size(std::string_view text) { return text.find_last_not_of("smun\xC2\xB5") + 1; }

}  // namespace

std::string_view ElapsedReader::read(std::string_view text, Duration& elapsed) const noexcept {
  const std::size_t size = number_size(text);
  const TimeCount* const unit = size < text.size() ? unit_named(text.substr(size))
                                : unit_            ? unit_of(*unit_)
                                                   : nullptr;
  if (unit == nullptr) return size < text.size() ? "not a duration" : "a duration without a unit";
  std::int64_t nanos = 0;
  const TimeFault fault = scan_number(text.substr(0, size), unit->digits, nanos);
  if (fault.what == TimeFault::What::kEmpty) return "the duration is empty";
  if (fault.what == TimeFault::What::kTooLate) return "the duration is above 292 years";
  if (fault.what == TimeFault::What::kTooEarly || nanos < 0) return "the duration is negative";
  if (!fault.none()) return "not a duration";
  elapsed = Duration{nanos};
  return {};
}

std::optional<std::pair<std::string_view, Duration>> split_unit(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  const TimeCount* const unit = unit_named(text.substr(colon + 1));
  if (unit == nullptr) return std::nullopt;
  return std::pair{text.substr(0, colon), unit->length};
}

std::string_view unit_suffix(Duration unit) { return unit_of(unit)->suffix; }

std::optional<Duration> elapsed_unit(const SampleTable& table, std::size_t field) {
  const std::string& name = table.fields[field].name;
  if (const std::size_t mark = name.rfind('_'); mark != name.npos && mark > 0) {
    const TimeCount* const unit = unit_named(std::string_view(name).substr(mark + 1));
    if (unit != nullptr) return unit->length;
  }
  const std::vector<std::string_view> texts = texts_of(table.fields[field]);
  const auto all = [&](auto holds) {
    return !texts.empty() && std::all_of(texts.begin(), texts.end(), holds);
  };
  if (all([](std::string_view text) { return unit_named(text.substr(number_size(text))); })) {
    return nanoseconds{1};
  }
  const bool fraction = std::any_of(texts.begin(), texts.end(), [](std::string_view text) {
    return text.find('.') != text.npos;
  });
  const std::string plain = plain_name(name);
  // nginx, Envoy's and AWS's upstream times are seconds with a fraction.
  if (plain == "requesttime" || plain == "upstreamresponsetime") return seconds{1};
  // IIS counts milliseconds, CloudFront writes seconds as 0.001.
  if (plain == "timetaken") return fraction ? Duration{seconds{1}} : Duration{milliseconds{1}};
  if (plain == "duration") {
    // Caddy writes seconds, Traefik nanoseconds beside its StartUTC.
    if (fraction) return seconds{1};
    if (std::any_of(table.fields.begin(), table.fields.end(),
                    [](const SampleTable::Field& one) { return one.name == "StartUTC"; })) {
      return nanoseconds{1};
    }
  }
  // JMeter.
  if (plain == "elapsed") return milliseconds{1};
  return std::nullopt;
}

}  // namespace ratereplay
