// SPDX-License-Identifier: Apache-2.0
#include "driver/protocol.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "driver/told_number.hpp"
#include "error.hpp"
#include "report/json_value.hpp"
#include "report/json_writer.hpp"
#include "report/valid_utf8.hpp"
#include "spec/option_text.hpp"
#include "text/nearest.hpp"
#include "text/utf8.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

constexpr std::string_view kProtocol = "ratereplay.driver/1";
constexpr std::size_t kShownBytes = 60;
constexpr std::array<std::string_view, 6> kFields{"admitted", "remaining", "retryAfter",
                                                  "resetAt",  "fullAt",    "delay"};

std::string shown(std::string_view line) {
  if (line.empty()) return "an empty line";
  return fmt::format("'{}{}'", visible(line.substr(0, kShownBytes)),
                     line.size() > kShownBytes ? "…" : "");
}

/// Exact decimals.
std::string in_unit(Duration duration, Unit unit) {
  std::string text = fmt::format("{}", duration.count() / unit.nanos);
  std::int64_t rest = duration.count() % unit.nanos;
  if (rest != 0) text += '.';
  for (std::int64_t digit = unit.nanos / 10; rest != 0; digit /= 10) {
    text += static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
  return text;
}

void open_line(JsonWriter& json, Unit unit) {
  json.open_object(JsonWriter::kOneLine);
  json.member("protocol").text(kProtocol);
  json.member("unit").text(unit.name);
}

void write_limit(JsonWriter& json, const Limit& limit, Unit unit) {
  json.member("limit").count(static_cast<std::uint64_t>(limit.count));
  json.member("window").raw(in_unit(limit.window, unit));
}

/// The text of a key, one for each: a byte that is not UTF-8 is \xff, and before it and before an
/// `x` backslashes are doubled.
std::string key_text(std::string_view key) {
  std::string text;
  std::size_t backslashes = 0;
  for (std::size_t at = 0; at < key.size();) {
    const std::size_t bytes = decode_utf8(key, at).bytes;
    if (bytes == 0 || key[at] == 'x') text.append(backslashes, '\\');
    backslashes = key[at] == '\\' ? backslashes + 1 : 0;
    if (bytes == 0) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(key[at]));
    } else {
      text += key.substr(at, bytes);
    }
    at += std::max<std::size_t>(1, bytes);
  }
  return text;
}

JsonValue object_of(std::string_view line) {
  JsonValue value;
  try {
    value = parse_json(line, "line");
  } catch (const Error&) {
    throw NoAnswer(fmt::format("wrote a line that is not JSON: {}", shown(line)));
  }
  if (!std::holds_alternative<JsonValue::Object>(value.value)) {
    throw NoAnswer(fmt::format("wrote a line that is not an object: {}", shown(line)));
  }
  if (const JsonValue* const error = value.member("error")) {
    const auto* const reason = std::get_if<std::string>(&error->value);
    throw DriverRefusal(
        fmt::format("reports an error: {}", reason != nullptr ? visible(*reason) : shown(line)));
  }
  return value;
}

Told told(const JsonValue::Member& member, std::string_view line) {
  if (std::holds_alternative<JsonValue::Null>(member.value.value)) return kNever;
  const auto* const number = std::get_if<JsonValue::Number>(&member.value.value);
  if (number == nullptr) {
    throw NoAnswer(fmt::format("told a '{}' that is no number: {}", member.name, shown(line)));
  }
  const bool units = member.name == "remaining";
  const auto value = whole_number(number->digits, units ? Toward::kDown : Toward::kUp);
  if (!value)
    throw NoAnswer(fmt::format("told a '{}' beyond 64 bits: {}", member.name, shown(line)));
  return {.value = *value};
}

std::optional<Told>* field_of(Answer& answer, std::string_view name) {
  if (name == "remaining") return &answer.remaining;
  if (name == "retryAfter") return &answer.retry_after;
  if (name == "resetAt") return &answer.reset_at;
  if (name == "fullAt") return &answer.full_at;
  if (name == "delay") return &answer.delay;
  return nullptr;
}

[[noreturn]] void refuse_field(std::string_view name, std::string_view line) {
  const auto meant = suggestion(name, kFields);
  throw NoAnswer(fmt::format("told an unknown field '{}'{}: {}", visible(name),
                             meant ? fmt::format(" ({})", *meant) : "", shown(line)));
}

}  // namespace

std::string opening_line(const PolicySpec& spec, Unit unit) {
  std::string line;
  JsonWriter json(line);
  open_line(json, unit);
  json.member("policy").text(canonical_text(spec.policy));
  json.member("algorithm").text(policy_name(spec.policy));
  write_limit(json, limit_of(spec.policy), unit);
  const Options& options = options_of(spec.policy);
  for (const Option option : taken_options(spec.policy)) {
    json.member(option_name(option));
    if (option == Option::kClock) {
      options.clock ? json.raw(in_unit(*options.clock, unit)) : json.null();
    } else if (const auto text = option_text(options, option)) {
      option == Option::kCapacity ? json.raw(*text) : json.text(*text);
    }
  }
  json.close();
  return line;
}

std::string opening_line(const Limit& limit, std::optional<std::int64_t> capacity, Unit unit) {
  std::string line;
  JsonWriter json(line);
  open_line(json, unit);
  json.member("policy").null();
  write_limit(json, limit, unit);
  if (capacity) json.member("capacity").count(static_cast<std::uint64_t>(*capacity));
  json.close();
  return line;
}

std::string request_line(const Request& request) {
  std::string line = fmt::format("{{\"at\":{},\"key\":", request.at);
  append_json_string(line, key_text(request.key));
  if (!is_utf8(request.key)) line += fmt::format(",\"keyBase64\":\"{}\"", base64_text(request.key));
  line += fmt::format(",\"cost\":{}}}", request.cost);
  return line;
}

void read_ready(std::string_view line) {
  const JsonValue value = object_of(line);
  const JsonValue* const ready = value.member("ready");
  const bool* const yes = ready == nullptr ? nullptr : std::get_if<bool>(&ready->value);
  if (yes == nullptr || !*yes) {
    throw NoAnswer(fmt::format("answered the opening line with {}", shown(line)));
  }
}

Answer read_answer(std::string_view line) {
  const JsonValue value = object_of(line);
  Answer answer;
  for (const JsonValue::Member& member : std::get<JsonValue::Object>(value.value)) {
    std::optional<Told>* const field = field_of(answer, member.name);
    if (field != nullptr ? field->has_value() : member.name == "admitted" && answer.admitted) {
      throw NoAnswer(fmt::format("told '{}' twice: {}", member.name, shown(line)));
    }
    if (field != nullptr) {
      *field = told(member, line);
    } else if (member.name == "admitted") {
      const bool* const admitted = std::get_if<bool>(&member.value.value);
      if (admitted == nullptr) {
        throw NoAnswer(
            fmt::format("told an 'admitted' that is neither true nor false: {}", shown(line)));
      }
      answer.admitted = *admitted;
    } else {
      refuse_field(member.name, line);
    }
  }
  if (!answer.admitted) {
    throw NoAnswer(fmt::format("did not tell whether it admitted: {}", shown(line)));
  }
  return answer;
}

}  // namespace ratereplay
