// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ratereplay {

/// A JSON document as it stands in the text: numbers keep their digits, members their order.
struct JsonValue {
  struct Null {};
  struct Number {
    std::string digits;
  };
  using Array = std::vector<JsonValue>;
  struct Member;
  using Object = std::vector<Member>;

  std::variant<Null, bool, Number, std::string, Array, Object> value;

  /// The object's member of that name; null when there is none or this is no object.
  [[nodiscard]] const JsonValue* member(std::string_view name) const;
};

struct JsonValue::Member {
  std::string name;
  JsonValue value;
};

/// Error(kInput), saying where, when the text is not one JSON document of at most 32 levels.
/// `name` is what the message calls it.
[[nodiscard]] JsonValue parse_json(std::string_view text, const std::string& name);

/// The path of the first value ("policies[0].admitted") in which the two differ; nullopt when they
/// are the same but for the order of members and zeros at the end of a fraction.
[[nodiscard]] std::optional<std::string> first_difference(const JsonValue& a, const JsonValue& b);

}  // namespace ratereplay
