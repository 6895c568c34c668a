// SPDX-License-Identifier: Apache-2.0
#include "report/decisions.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "large_vector.hpp"
#include "report/csv.hpp"
#include "report/json_writer.hpp"
#include "report/near_numbers.hpp"
#include "report/number_text.hpp"
#include "report/valid_utf8.hpp"
#include "text/utf8.hpp"

namespace ratereplay {
namespace {

/// Texts by number, in memory that may be read in whole words. A short one is where it is looked
/// for.
class Texts {
 public:
  static constexpr std::size_t kWord = 16;

  void add(std::string_view text) {
    Slot slot{};
    if (text.size() <= slot.text.size()) {
      std::memcpy(slot.text.data(), text.data(), text.size());
      slot.size = static_cast<std::uint8_t>(text.size());
    } else {
      const std::size_t size = text.size();
      char* const place =
          long_.emplace_back(std::make_unique<char[]>(sizeof size + size + kWord)).get();
      std::memcpy(place, &size, sizeof size);
      std::memcpy(place + sizeof size, text.data(), size);
      std::memcpy(slot.text.data(), &place, sizeof place);
      slot.size = kLong;
    }
    slots_.push_back(slot);
  }

  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    const Slot& slot = slots_[index];
    if (slot.size != kLong) return {slot.text.data(), slot.size};
    const char* const place = slot.place();
    std::size_t size = 0;
    std::memcpy(&size, place, sizeof size);
    return {place + sizeof size, size};
  }

  /// Asks memory for what is needed soon: first for the slot, then for a text that is not there.
  void fetch_slot(std::size_t index) const noexcept { __builtin_prefetch(&slots_[index]); }
  void fetch_long(std::size_t index) const noexcept {
    if (slots_[index].size == kLong) __builtin_prefetch(slots_[index].place());
  }

 private:
  static constexpr std::uint8_t kLong = 255;

  struct Slot {
    std::array<char, kWord - 1> text;
    std::uint8_t size;  ///< kLong: `text` starts with the place of the text, its size before it

    [[nodiscard]] const char* place() const noexcept {
      const char* place = nullptr;
      std::memcpy(&place, text.data(), sizeof place);
      return place;
    }
  };
  static_assert(sizeof(Slot) == kWord);

  LargeVector<Slot> slots_;
  std::vector<std::unique_ptr<char[]>> long_;
};

/// Of text that is not empty and has a word less a byte of slack, to where a word more may be
/// written. The place may lie in that slack.
template <std::size_t kBytes = Texts::kWord>
char* put_words(char* out, std::string_view text) {
  std::size_t i = 0;
  do {
    std::array<char, kBytes> word;
    std::memcpy(word.data(), text.data() + i, word.size());
    std::memcpy(out + i, word.data(), word.size());
    i += kBytes;
  } while (i < text.size());
  return out + text.size();
}

struct CsvShape {
  static constexpr std::string_view kHeader =
      "row,atMs,key,cost,policy,admitted,remaining,retryAfterMs,resetAtMs,fullAtMs,delayMs\n";
  static constexpr bool kKeepsPlace = true;  ///< a field that is not known leaves its comma
  static constexpr std::string_view kRow = "";
  static constexpr std::string_view kAt = ",";
  static constexpr std::string_view kKey = ",";
  static constexpr std::string_view kCost = ",";
  static constexpr std::string_view kRemaining = ",";
  static constexpr std::string_view kRetryAfter = ",";
  static constexpr std::string_view kResetAt = ",";
  static constexpr std::string_view kFullAt = ",";
  static constexpr std::string_view kDelay = ",";
  static constexpr std::string_view kEnd = "\n";
  static constexpr std::string_view kNever = "never";
  static constexpr std::string_view kFull = "";

  static std::string key(std::string_view shown) {
    std::string out;
    append_csv_field(out, shown);
    return out;
  }
  /// What stands between the cost and whether it was admitted.
  static std::string policy(std::string_view label) {
    std::string out = ",";
    append_csv_field(out, label);
    return out += ',';
  }
};

struct JsonShape {
  static constexpr std::string_view kHeader = "";
  static constexpr bool kKeepsPlace = false;
  static constexpr std::string_view kRow = "{\"row\":";
  static constexpr std::string_view kAt = ",\"atMs\":";
  static constexpr std::string_view kKey = ",\"key\":";
  static constexpr std::string_view kCost = ",\"cost\":";
  static constexpr std::string_view kRemaining = ",\"remaining\":";
  static constexpr std::string_view kRetryAfter = ",\"retryAfterMs\":";
  static constexpr std::string_view kResetAt = ",\"resetAtMs\":";
  static constexpr std::string_view kFullAt = ",\"fullAtMs\":";
  static constexpr std::string_view kDelay = ",\"delayMs\":";
  static constexpr std::string_view kEnd = "}\n";
  static constexpr std::string_view kNever = "null";
  static constexpr std::string_view kFull = "null";

  static std::string key(std::string_view shown) {
    std::string out;
    append_json_string(out, shown);
    if (!is_utf8(shown)) out.append(",\"keyBase64\":\"").append(base64_text(shown)).append("\"");
    return out;
  }
  static std::string policy(std::string_view label) {
    std::string out = ",\"policy\":";
    append_json_string(out, label);
    return out += ",\"admitted\":";
  }
};

char* put(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

template <class Shape>
class DecisionText final : public DecisionSink {
 public:
  DecisionText(OutputFile& file, std::span<const std::string> labels)
      : file_(file), policies_count_(labels.size()) {
    for (const std::string& label : labels) {
      for (const std::string_view admitted : {"false", "true"}) {
        const std::string said = Shape::policy(label).append(admitted);
        said_.add(said);
        said_bytes_ += said.size();
      }
    }
    file_.write(Shape::kHeader);
  }

  void add_key(std::string_view shown) override { keys_.add(Shape::key(shown)); }

  void draw(const DecidedBatch& batch, TextBuffer& text) const override {
    const std::span<const Timeline::Event> requests = batch.requests;
    const PackedDecision* answer = batch.answers.data();
    NearNumbers numbers;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      // Most keys are not in cache.
      if (i + 2 * kAhead < requests.size()) keys_.fetch_slot(requests[i + 2 * kAhead].key);
      if (i + kAhead < requests.size()) keys_.fetch_long(requests[i + kAhead].key);
      const std::string_view key = keys_[requests[i].key];
      char* at = text.room(said_bytes_ + policies_count_ * (kRestBytes + key.size()));
      const char* const begin = at;
      at = put_request(at, requests[i], key, numbers);
      const std::string_view request(begin, static_cast<std::size_t>(at - begin));
      for (std::size_t policy = 0; policy < policies_count_; ++policy, ++answer) {
        if (policy != 0) at = put_words<2 * Texts::kWord>(at, request);
        const ToldDecision* const told = answer->told();
        const bool admitted = told == nullptr ? answer->admitted() : told->decision.admitted();
        at = put_words(at, said_[2 * policy + (admitted ? 1 : 0)]);
        at = told == nullptr ? put_decision(at, *answer, numbers) : put_told(at, *told);
      }
      text.set_end(at);
    }
  }

  void write(std::string_view text) override { file_.write(text); }

 private:
  static constexpr std::size_t kAhead = 8;
  /// Of a line: all names and numbers, and the slack behind the texts.
  static constexpr std::size_t kRestBytes = 128 + 7 * kNumberBytes + 4 * Texts::kWord;

  static char* put_request(char* at, const Timeline::Event& request, std::string_view key,
                           NearNumbers& numbers) {
    at = numbers.near_count(put(at, Shape::kRow), request.row + 1);
    at = numbers.ms(put(at, Shape::kAt), request.at);
    at = put_words(put(at, Shape::kKey), key);
    return NearNumbers::count(put(at, Shape::kCost), request.cost);
  }

  static char* put_decision(char* at, const PackedDecision& decision, NearNumbers& numbers) {
    at = NearNumbers::count(put(at, Shape::kRemaining),
                            static_cast<std::uint64_t>(decision.remaining()));
    at = put(at, Shape::kRetryAfter);
    if (decision.admitted()) {
      at = put(at, "0");
    } else {
      at = decision.never() ? put(at, Shape::kNever) : write_ms(at, decision.retry_after());
    }
    if (decision.full()) {
      at = put(put(at, Shape::kResetAt), Shape::kFull);
      at = put(put(at, Shape::kFullAt), Shape::kFull);
    } else {
      char* const reset_at = put(at, Shape::kResetAt);
      at = numbers.ms(reset_at, decision.reset_at());
      const std::string_view written(reset_at, static_cast<std::size_t>(at - reset_at));
      at = put(at, Shape::kFullAt);
      at = decision.full_at() == decision.reset_at() ? put_words(at, written)
                                                     : numbers.ms(at, decision.full_at());
    }
    at = put(at, Shape::kDelay);
    at =
        decision.admitted() && decision.delay() > 0 ? write_ms(at, decision.delay()) : put(at, "0");
    return put(at, Shape::kEnd);
  }

  /// Without the fields that are not known.
  static char* put_told(char* at, const ToldDecision& told) {
    const Decision& decision = told.decision;
    const auto field = [&](bool absent, std::string_view name, auto put_value) {
      if (!absent) {
        at = put_value(put(at, name));
      } else if (Shape::kKeepsPlace) {
        at = put(at, name);
      }
    };
    const auto instant = [&](Instant value) {
      return [&decision, value](char* to) {
        return decision.reset_at ? write_ms(to, value.time_since_epoch().count())
                                 : put(to, Shape::kFull);
      };
    };
    field(told.untold.remaining, Shape::kRemaining, [&](char* to) {
      return write_count(to, static_cast<std::uint64_t>(decision.remaining));
    });
    field(told.untold.retry_after, Shape::kRetryAfter, [&](char* to) {
      return decision.retry_after ? write_ms(to, decision.retry_after->count())
                                  : put(to, Shape::kNever);
    });
    field(told.untold.reset_at, Shape::kResetAt, instant(decision.reset_at.value_or(Instant{})));
    field(told.untold.full_at, Shape::kFullAt, instant(decision.full_at));
    field(told.untold.delay, Shape::kDelay,
          [&](char* to) { return write_ms(to, decision.delay.count()); });
    return put(at, Shape::kEnd);
  }

  OutputFile& file_;
  std::size_t policies_count_;
  Texts said_;  ///< from the cost to the remaining: of each policy, when it refuses and when not
  std::size_t said_bytes_ = 0;
  Texts keys_;
};

}  // namespace

std::unique_ptr<DecisionSink> decisions_csv(OutputFile& file, std::span<const std::string> labels) {
  return std::make_unique<DecisionText<CsvShape>>(file, labels);
}

std::unique_ptr<DecisionSink> decisions_ndjson(OutputFile& file,
                                               std::span<const std::string> labels) {
  return std::make_unique<DecisionText<JsonShape>>(file, labels);
}

}  // namespace ratereplay
