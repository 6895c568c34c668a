// SPDX-License-Identifier: Apache-2.0
#include "report/outputs.hpp"

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "report/csv.hpp"
#include "report/decisions.hpp"
#include "report/json.hpp"
#include "report/markdown.hpp"
#include "report/output_choice.hpp"
#include "report/table.hpp"

namespace ratereplay {
namespace {

constexpr std::array kFormats{
    OutputFormat{.name = "table",
                 .summary = "the summary for reading, at most 100 columns",
                 .render = table_text,
                 .shows_checks = true},
    OutputFormat{.name = "json",
                 .summary = "everything, as in docs/schema/result.schema.json",
                 .render = [](const Result& result, bool) { return json_text(result); },
                 .shows_digests = true,
                 .shows_checks = true},
    OutputFormat{.name = "csv",
                 .summary = "one line per policy",
                 .render = [](const Result& result, bool) { return csv_text(result); }},
    OutputFormat{.name = "markdown",
                 .summary = "the summary as a Markdown table",
                 .render = [](const Result& result, bool) { return markdown_text(result); },
                 .shows_checks = true},
    OutputFormat{.name = "decisions.csv",
                 .summary = "one line per request and policy",
                 .open = decisions_csv},
    OutputFormat{.name = "decisions.ndjson",
                 .summary = "the same as one JSON object a line",
                 .open = decisions_ndjson},
    OutputFormat{.name = "series.csv",
                 .summary = "one line per time bucket and policy",
                 .render = [](const Result& result, bool) { return series_csv_text(result); }}};

}  // namespace

std::span<const OutputFormat> output_formats() { return kFormats; }

std::vector<OutputRequest> parse_outputs(std::span<const std::string> texts) {
  std::vector<std::string_view> names;
  for (const OutputFormat& format : kFormats) names.push_back(format.name);
  std::vector<OutputChoice> choices = parse_output_choices(texts, names);
  add_default_output(choices);
  std::vector<OutputRequest> requests;
  for (OutputChoice& choice : choices) {
    requests.push_back({&kFormats[choice.format], std::move(choice.path)});
  }
  return requests;
}

void require_writable(std::span<const OutputRequest> requests) {
  for (const OutputRequest& request : requests) {
    if (request.format->takes_decisions()) continue;
    std::error_code error;
    const auto type = std::filesystem::status(request.path, error).type();
    using enum std::filesystem::file_type;
    if (!request.path.empty() && (type == not_found || type == regular || type == directory)) {
      // Unless it is finished, it leaves nothing behind.
      const OutputFile file(request.path);
    }
  }
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
