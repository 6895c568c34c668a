// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "error.hpp"
#include "fuzz/targets.hpp"
#include "report/json.hpp"
#include "report/outputs.hpp"
#include "report/result_json_reader.hpp"
#include "text/utf8.hpp"

/// Input: a stored result in JSON.
namespace ratereplay::fuzz {
namespace {

std::optional<Result> read(std::string_view text) {
  try {
    return result_from_json(text, "result.json");
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kInput, "a document that is no result is an input error");
    return std::nullopt;
  }
}

}  // namespace

void result(std::string_view bytes) {
  const auto stored = read(bytes);
  if (!stored) return;
  for (const OutputFormat& format : output_formats()) {
    if (format.render == nullptr) continue;
    require(is_utf8(format.render(*stored, true)), "every output is UTF-8");
  }
  const std::string text = json_text(*stored);
  const auto again = read(text);
  require(again && json_text(*again) == text, "a result that was stored again is the same");
}

}  // namespace ratereplay::fuzz
