// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ratereplay/decision.hpp"
#include "ratereplay/limit.hpp"
#include "ratereplay/time.hpp"

namespace ratereplay {

/// One request of a synthetic trace. The key's text is Recipe::key_prefix and this number.
struct GeneratedEvent {
  Instant at;
  std::uint32_t key;
  Cost cost;

  friend bool operator==(const GeneratedEvent&, const GeneratedEvent&) = default;
};

/// What a trace is made from. Two equal recipes of one model give the same trace on every platform.
struct Recipe {
  std::uint32_t seed = 1;
  Limit rate{100, std::chrono::seconds{1}};      ///< mean requests in a time, over all keys
  std::uint32_t keys = 1;                        ///< Zipf (alpha = 1) where there are several
  std::optional<Duration> length;                ///< arrivals before this; absent = no end
  std::optional<std::uint64_t> rows;             ///< at most as many; absent = no end
  Duration step = std::chrono::milliseconds{1};  ///< resolution of the arrivals
  Duration on{0};                                ///< bursty, onoff: how long requests come
  Duration off{0};                               ///< bursty, onoff: how long none comes
  Duration window{0};                            ///< boundary: distance of the edges
  Duration spread{0};                            ///< boundary: how far from an edge requests lie
  Cost least_cost = 1;
  Cost greatest_cost = 1;  ///< every cost from least to greatest is as likely
  std::string key_prefix;
};

/// Makes the events of one trace, in the order of time.
class Generator {
 public:
  Generator() = default;
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  virtual ~Generator() = default;

  /// Fills `out` from the front and returns how many there were; fewer than its size = the end.
  /// Error(kInterrupted).
  [[nodiscard]] virtual std::size_t next(std::span<GeneratedEvent> out) = 0;
};

/// The parts of a recipe that only some models use.
enum class RecipeField : std::uint8_t { kOn, kOff, kWindow, kSpread };

struct Model {
  std::string_view name;
  std::string_view description;
  Recipe defaults;
  std::span<const RecipeField> fields;
  /// Error(kUsage) when the recipe cannot be followed.
  std::unique_ptr<Generator> (*make)(const Recipe&);
};

/// The only list of models.
[[nodiscard]] std::span<const Model> models();

/// nullptr when there is none of this name.
[[nodiscard]] const Model* find_model(std::string_view name);

}  // namespace ratereplay
