// SPDX-License-Identifier: Apache-2.0
#include "report/json_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "error.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kMostLevels = 32;

/// Builds the document from the parser's events, where numbers still have their digits.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add({JsonValue::Null{}}); }
  bool boolean(bool value) override { return add({value}); }
  bool number_integer(std::int64_t value) override {
    return add({JsonValue::Number{std::to_string(value)}});
  }
  bool number_unsigned(std::uint64_t value) override {
    return add({JsonValue::Number{std::to_string(value)}});
  }
  bool number_float(double, const std::string& digits) override {
    return add({JsonValue::Number{digits}});
  }
  bool string(std::string& value) override { return add({std::move(value)}); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open({JsonValue::Object{}}); }
  bool start_array(std::size_t) override { return open({JsonValue::Array{}}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    names_.back() = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    error_position_ = position;
    return false;
  }

  [[nodiscard]] JsonValue& document() { return document_; }
  [[nodiscard]] std::optional<std::size_t> error_position() const { return error_position_; }

 private:
  bool add(JsonValue value) {
    if (levels_.empty()) {
      document_ = std::move(value);
    } else if (auto* array = std::get_if<JsonValue::Array>(&levels_.back().value)) {
      array->push_back(std::move(value));
    } else {
      auto& object = std::get<JsonValue::Object>(levels_.back().value);
      object.emplace_back(std::move(names_.back()), std::move(value));
    }
    return true;
  }
  bool open(JsonValue value) {
    if (levels_.size() == kMostLevels) return false;
    levels_.push_back(std::move(value));
    names_.emplace_back();
    return true;
  }
  bool close() {
    JsonValue value = std::move(levels_.back());
    levels_.pop_back();
    names_.pop_back();
    return add(std::move(value));
  }

  JsonValue document_;
  std::vector<JsonValue> levels_;   ///< what is open
  std::vector<std::string> names_;  ///< of the next member, per level
  std::optional<std::size_t> error_position_;
};

std::string_view without_zeros(std::string_view digits) {
  if (digits.find('.') == digits.npos) return digits;
  digits = digits.substr(0, digits.find_last_not_of('0') + 1);
  return digits.ends_with('.') ? digits.substr(0, digits.size() - 1) : digits;
}

std::optional<std::string> difference(const JsonValue& a, const JsonValue& b,
                                      const std::string& path) {
  if (a.value.index() != b.value.index()) return path;
  if (const auto* object = std::get_if<JsonValue::Object>(&a.value)) {
    const auto& other = std::get<JsonValue::Object>(b.value);
    for (const auto& [name, value] : *object) {
      const std::string at = path.empty() ? name : path + '.' + name;
      const JsonValue* same = b.member(name);
      if (same == nullptr) return at;
      if (auto found = difference(value, *same, at)) return found;
    }
    for (const auto& [name, value] : other) {
      if (a.member(name) == nullptr) return path.empty() ? name : path + '.' + name;
    }
    return object->size() == other.size() ? std::nullopt : std::optional(path);
  }
  if (const auto* array = std::get_if<JsonValue::Array>(&a.value)) {
    const auto& other = std::get<JsonValue::Array>(b.value);
    for (std::size_t i = 0; i < std::min(array->size(), other.size()); ++i) {
      if (auto found = difference((*array)[i], other[i], fmt::format("{}[{}]", path, i))) {
        return found;
      }
    }
    return array->size() == other.size() ? std::nullopt : std::optional(path);
  }
  if (const auto* number = std::get_if<JsonValue::Number>(&a.value)) {
    const auto& other = std::get<JsonValue::Number>(b.value);
    const bool same = without_zeros(number->digits) == without_zeros(other.digits);
    return same ? std::nullopt : std::optional(path);
  }
  const bool same = std::holds_alternative<std::string>(a.value)
                        ? std::get<std::string>(a.value) == std::get<std::string>(b.value)
                        : !std::holds_alternative<bool>(a.value) ||
                              std::get<bool>(a.value) == std::get<bool>(b.value);
  return same ? std::nullopt : std::optional(path);
}

}  // namespace

const JsonValue* JsonValue::member(std::string_view name) const {
  const auto* object = std::get_if<Object>(&value);
  if (object == nullptr) return nullptr;
  const auto found = std::find_if(object->begin(), object->end(),
                                  [&](const auto& entry) { return entry.name == name; });
  return found == object->end() ? nullptr : &found->value;
}

JsonValue parse_json(std::string_view text, const std::string& name) {
  Builder builder;
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::move(builder.document());
  }
  const std::optional<std::size_t> position = builder.error_position();
  if (!position) {
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' is nested deeper than {} levels", name, kMostLevels));
  }
  if (*position > text.size()) {
    throw Error(ErrorKind::kInput, fmt::format("'{}' ends in the middle of the document", name),
                {"was it cut off while it was copied?"});
  }
  const std::string_view read = text.substr(0, std::max<std::size_t>(*position, 1) - 1);
  const std::size_t line = static_cast<std::size_t>(std::count(read.begin(), read.end(), '\n')) + 1;
  const std::size_t begin = read.rfind('\n') + 1;
  throw Error(ErrorKind::kInput,
              Diagnostic{fmt::format("'{}' is not JSON from byte {} on", name, *position),
                         Place{fmt::format("{}:{}:{}", name, line, read.size() - begin + 1),
                               std::string(text.substr(begin, text.find('\n', begin) - begin)),
                               read.size() - begin, 1},
                         {}});
}

std::optional<std::string> first_difference(const JsonValue& a, const JsonValue& b) {
  return difference(a, b, "");
}

}  // namespace ratereplay
