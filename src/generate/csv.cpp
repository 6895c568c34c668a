// SPDX-License-Identifier: Apache-2.0
#include "generate/csv.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "interrupt.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kBatch = 4096;
/// Three numbers, a fraction and the delimiters.
constexpr std::size_t kLongestRow = 64;

template <class Number>
char* put_number(char* to, Number number) {
  return std::to_chars(to, to + 20, number).ptr;
}

/// Decimal milliseconds of an instant at or after 0.
char* put_time(char* to, Instant at) {
  const auto nanoseconds = static_cast<std::uint64_t>(at.time_since_epoch().count());
  to = put_number(to, nanoseconds / 1'000'000);
  auto rest = static_cast<std::uint32_t>(nanoseconds % 1'000'000);
  if (rest == 0) return to;
  *to++ = '.';
  for (std::uint32_t place = 100'000; rest > 0; place /= 10) {
    *to++ = static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return to;
}

}  // namespace

void write_csv(Generator& generator, std::string_view key_prefix, OutputFile& out) {
  out.write("timestamp_ms,key,cost\n");
  std::vector<GeneratedEvent> events(kBatch);
  std::string rows(kBatch * (kLongestRow + key_prefix.size()), '\0');
  for (std::size_t made = kBatch; made == kBatch && !out.closed();) {
    stop_if_interrupted();
    made = generator.next(events);
    char* to = rows.data();
    for (std::size_t i = 0; i < made; ++i) {
      to = put_time(to, events[i].at);
      *to++ = ',';
      std::memcpy(to, key_prefix.data(), key_prefix.size());
      to = put_number(to + key_prefix.size(), events[i].key);
      *to++ = ',';
      to = put_number(to, events[i].cost);
      *to++ = '\n';
    }
    out.write({rows.data(), static_cast<std::size_t>(to - rows.data())});
  }
}

}  // namespace ratereplay
