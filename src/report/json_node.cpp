// SPDX-License-Identifier: Apache-2.0
#include "report/json_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "error.hpp"
#include "interrupt.hpp"
#include "report/number_text.hpp"
#include "text/nearest.hpp"
#include "trace/source.hpp"

namespace ratereplay {

void JsonNode::fail(std::string_view what, std::vector<std::string> advice) const {
  throw Error(ErrorKind::kInput,
              fmt::format("'{}' is {}: {} {}", document_->name, document_->what,
                          path_.empty() ? "the document" : path_, what),
              std::move(advice));
}

void JsonNode::fail_type(std::string_view wanted) const { fail(fmt::format("is not {}", wanted)); }

std::string JsonNode::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

JsonNode JsonNode::operator[](std::string_view name) const {
  const JsonValue* member = value_->member(name);
  JsonNode node(member == nullptr ? *value_ : *member, *document_, path_of(name));
  if (member == nullptr) node.fail("is missing");
  return node;
}

std::optional<JsonNode> JsonNode::find(std::string_view name) const {
  const JsonValue* member = value_->member(name);
  if (member == nullptr) return std::nullopt;
  return JsonNode(*member, *document_, path_of(name));
}

void JsonNode::allow_only(std::initializer_list<std::string_view> names) const {
  const auto& members = as<JsonValue::Object>("an object");
  for (auto member = members.begin(); member != members.end(); ++member) {
    const JsonNode node(member->value, *document_, path_of(member->name));
    if (std::find(names.begin(), names.end(), member->name) == names.end()) {
      const std::vector<std::string_view> known(names);
      std::vector<std::string> advice;
      if (auto meant = suggestion(member->name, known)) advice.push_back(*std::move(meant));
      advice.push_back(fmt::format("members here: {}", fmt::join(known, ", ")));
      node.fail("is unknown", std::move(advice));
    }
    const bool again = std::any_of(members.begin(), member, [&](const JsonValue::Member& earlier) {
      return earlier.name == member->name;
    });
    if (again) node.fail("is given twice");
  }
}

std::string JsonNode::digits() const {
  if (!parse_digits(number())) fail("is not a whole number");
  return number();
}

std::uint64_t JsonNode::count() const {
  const auto value = parse_digits(number());
  if (!value || *value > std::numeric_limits<std::uint64_t>::max()) fail("is not a count");
  return static_cast<std::uint64_t>(*value);
}

std::int64_t JsonNode::integer() const {
  const std::string& text = number();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) fail("does not fit 64 bits");
  if (error != std::errc{} || end != text.data() + text.size()) fail("is not a whole number");
  return value;
}

Duration JsonNode::ms() const {
  const auto nanoseconds = parse_ms(number());
  if (!nanoseconds) fail("is not a time in milliseconds");
  return Duration{*nanoseconds};
}

std::vector<JsonNode> JsonNode::elements() const {
  const auto& values = as<JsonValue::Array>("a list");
  std::vector<JsonNode> nodes;
  nodes.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    nodes.emplace_back(values[i], *document_, fmt::format("{}[{}]", path_, i));
  }
  return nodes;
}

namespace {

std::string read_to_end(const std::string& path, std::string_view signs) {
  Source source(path);
  std::string text(source.peek().text);
  if (text.find_first_of(signs) == text.npos) return text;
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  constexpr std::size_t kMost = std::size_t{1} << 30;
  std::size_t size = 0;
  std::size_t got = 0;
  do {
    stop_if_interrupted();
    text.resize(size + kPiece);
    got = source.read(text.data() + size, kPiece);
    size += got;
    if (size > kMost) {
      throw Error(ErrorKind::kInput,
                  fmt::format("{} is longer than {} GiB", source.name(), kMost >> 30));
    }
  } while (got > 0);
  text.resize(size);
  return text;
}

}  // namespace

std::string read_document(const std::string& path, std::string_view signs) {
  try {
    return read_to_end(path, signs);
  } catch (const Error& error) {
    // What a Source advises is of traces.
    throw Error(error.kind(), {error.diagnostic().message, error.diagnostic().place, {}});
  }
}

}  // namespace ratereplay
