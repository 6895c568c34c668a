// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ratereplay/time.hpp"
#include "report/json_value.hpp"

namespace ratereplay {

/// What the values of a document belong to, for messages: "'r.json' is no result: …".
struct JsonDocument {
  std::string name;       ///< of the file
  std::string_view what;  ///< what it should be, with its article: "no result"
};

/// A value of a document with its path, which messages name. What it is asked for and is not is
/// Error(kInput). Document and values outlive it.
class JsonNode {
 public:
  JsonNode(const JsonValue& value, const JsonDocument& document, std::string path = {})
      : value_(&value), document_(&document), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string_view what, std::vector<std::string> advice = {}) const;

  /// The member of that name, which must be there.
  [[nodiscard]] JsonNode operator[](std::string_view name) const;
  [[nodiscard]] std::optional<JsonNode> find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return value_->member(name) != nullptr; }
  /// Fails unless this is an object that has no members but these, each at most once.
  void allow_only(std::initializer_list<std::string_view> names) const;

  [[nodiscard]] bool null() const { return is<JsonValue::Null>(); }
  [[nodiscard]] bool is_text() const { return is<std::string>(); }
  [[nodiscard]] bool is_array() const { return is<JsonValue::Array>(); }

  [[nodiscard]] const std::string& text() const { return as<std::string>("a string"); }
  [[nodiscard]] std::string text_or_empty() const { return null() ? std::string() : text(); }
  [[nodiscard]] bool boolean() const { return as<bool>("true or false"); }
  [[nodiscard]] const std::string& number() const {
    return as<JsonValue::Number>("a number").digits;
  }
  [[nodiscard]] std::string digits() const;
  [[nodiscard]] std::uint64_t count() const;
  /// A whole number that fits 64 bits with its sign.
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] Duration ms() const;
  [[nodiscard]] Duration ms_or_zero() const { return null() ? Duration{0} : ms(); }
  [[nodiscard]] Instant at() const { return Instant{ms()}; }

  /// The elements of an array.
  [[nodiscard]] std::vector<JsonNode> elements() const;
  /// read(element) for each element.
  template <class Read>
  [[nodiscard]] auto each(Read read) const {
    std::vector<decltype(read(*this))> all;
    for (const JsonNode& element : elements()) all.push_back(read(element));
    return all;
  }
  [[nodiscard]] std::vector<std::uint64_t> counts() const {
    return each([](const JsonNode& node) { return node.count(); });
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    return each([](const JsonNode& node) { return node.text(); });
  }

 private:
  template <class Kind>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<Kind>(value_->value);
  }
  template <class Kind>
  [[nodiscard]] const Kind& as(std::string_view wanted) const {
    const Kind* held = std::get_if<Kind>(&value_->value);
    if (held == nullptr) fail_type(wanted);
    return *held;
  }
  [[noreturn]] void fail_type(std::string_view wanted) const;
  [[nodiscard]] std::string path_of(std::string_view name) const;

  const JsonValue* value_;
  const JsonDocument* document_;
  std::string path_;
};

/// The text of a document, decompressed if need be; "-" is standard input. One whose beginning
/// holds none of `signs` is not read further, since a device may never end. Error(kInput) when it
/// cannot be read or is longer than 1 GiB.
[[nodiscard]] std::string read_document(const std::string& path, std::string_view signs);

}  // namespace ratereplay
