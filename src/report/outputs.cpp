// SPDX-License-Identifier: Apache-2.0
#include "report/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "error.hpp"
#include "report/csv.hpp"
#include "report/decisions.hpp"
#include "report/json.hpp"
#include "report/markdown.hpp"
#include "report/table.hpp"
#include "text/nearest.hpp"

namespace ratereplay {
namespace {

constexpr std::array kFormats{
    OutputFormat{"table", "the summary for reading, at most 100 columns", table_text},
    OutputFormat{"json", "everything, as in docs/schema/result.schema.json",
                 [](const Result& result, bool) { return json_text(result); }, nullptr, true},
    OutputFormat{"csv", "one line per policy",
                 [](const Result& result, bool) { return csv_text(result); }},
    OutputFormat{"markdown", "the summary as a Markdown table",
                 [](const Result& result, bool) { return markdown_text(result); }},
    OutputFormat{"decisions.csv", "one line per request and policy", nullptr, decisions_csv},
    OutputFormat{"decisions.ndjson", "the same as one JSON object a line", nullptr,
                 decisions_ndjson},
    OutputFormat{"series.csv", "one line per time bucket and policy",
                 [](const Result& result, bool) { return series_csv_text(result); }}};

[[noreturn]] void refuse_format(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OutputFormat& format : kFormats) names.push_back(format.name);
  std::vector<std::string> advice;
  if (auto near = suggestion(name, names)) advice.push_back(*std::move(near));
  advice.push_back(fmt::format("formats: {}", fmt::join(names, ", ")));
  throw Error(ErrorKind::kUsage, fmt::format("unknown output format '{}'", name),
              std::move(advice));
}

OutputRequest parse_output(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view name = text.substr(0, equals);
  const auto format = std::find_if(kFormats.begin(), kFormats.end(),
                                   [&](const OutputFormat& entry) { return entry.name == name; });
  if (format == kFormats.end()) refuse_format(name);
  std::string_view path = text.substr(std::min(equals + 1, text.size()));
  if (equals < text.size() && path.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("-o {} names no file behind '='", text),
                {fmt::format("write -o {} for standard output", name)});
  }
  if (path == "-") path = {};
  return {format, std::string(path)};
}

void require_apart(const OutputRequest& a, const OutputRequest& b) {
  if (a.path.empty() != b.path.empty()) return;
  if (a.path.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("-o {} and -o {} both go to standard output", a.format->name, b.format->name),
        {fmt::format("name a file for one of them, as in -o {}=FILE", b.format->name)});
  }
  if (!is_same_output(a.path, b.path)) return;
  throw Error(ErrorKind::kUsage, fmt::format("-o {} and -o {} both go to '{}'", a.format->name,
                                             b.format->name, b.path));
}

}  // namespace

std::span<const OutputFormat> output_formats() { return kFormats; }

std::vector<OutputRequest> parse_outputs(std::span<const std::string> texts) {
  std::vector<OutputRequest> requests;
  for (const std::string& text : texts) {
    OutputRequest request = parse_output(text);
    for (const OutputRequest& other : requests) require_apart(other, request);
    requests.push_back(std::move(request));
  }
  const bool taken = std::any_of(requests.begin(), requests.end(),
                                 [](const OutputRequest& request) { return request.path.empty(); });
  if (!taken) requests.push_back({kFormats.data(), {}});
  return requests;
}

void write_outputs(std::span<const OutputRequest> requests, const Result& result, bool color) {
  for (const OutputRequest& request : requests) {
    if (request.format->takes_decisions()) continue;
    OutputFile file(request.path);
    file.write(request.format->render(result, color && request.path.empty()));
    file.finish();
  }
}

}  // namespace ratereplay
