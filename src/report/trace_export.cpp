// SPDX-License-Identifier: Apache-2.0
#include "report/trace_export.hpp"

#include <fmt/format.h>

#include <vector>

#include "error.hpp"
#include "keys/shown_key.hpp"
#include "keys/timeline.hpp"
#include "report/csv.hpp"
#include "report/json_writer.hpp"
#include "text/utf8.hpp"

namespace ratereplay {
namespace {

std::vector<std::string> key_columns(const TraceStore& trace) {
  const std::size_t parts = trace.key.size();
  if (parts == 1) return {"key"};
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < parts; ++i) columns.push_back(fmt::format("key_{}", i + 1));
  return columns;
}

/// As in RFC 4180, and so that no byte is taken for a blank at the edge.
void append_bytes(std::string& out, std::string_view field) {
  const bool edged = !field.empty() && (field.front() == ' ' || field.front() == '\t' ||
                                        field.back() == ' ' || field.back() == '\t');
  if (!edged && field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  append_quoted(out, field);
}

/// The part of every line that tells the key, for each key of the timeline.
std::vector<std::string> key_texts(const Timeline& timeline, const TraceStore& trace,
                                   ExportFormat format) {
  const std::vector<std::string> columns = key_columns(trace);
  std::vector<std::string> texts;
  texts.reserve(timeline.keys().size());
  for (const std::string_view key : timeline.keys()) {
    const std::vector<std::string> parts = key_parts(key, trace.key);
    std::string& text = texts.emplace_back();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (format == ExportFormat::kCsv) {
        append_bytes(text, parts[i]);
        text += ',';
        continue;
      }
      if (!is_utf8(parts[i])) {
        throw Error(ErrorKind::kOutput, "a key is not valid UTF-8, so no JSON text can hold it",
                    {"--export csv keeps its bytes"});
      }
      text += fmt::format("\"{}\":", columns[i]);
      append_json_string(text, parts[i]);
      text += ',';
    }
  }
  return texts;
}

}  // namespace

void export_trace(const TraceStore& trace, ExportFormat format, OutputFile& file) {
  const Timeline timeline(trace);
  const std::vector<std::string> keys = key_texts(timeline, trace, format);
  if (format == ExportFormat::kCsv) {
    std::string names = "time,";
    for (const std::string& column : key_columns(trace)) names += column + ',';
    file.write(names + "cost\n");
  }
  std::string line;
  timeline.for_each([&](const Timeline::Event& event) {
    if (file.closed()) return;
    line.clear();
    if (format == ExportFormat::kCsv) {
      fmt::format_to(std::back_inserter(line), "{},{}{}\n", event.at, keys[event.key], event.cost);
    } else {
      fmt::format_to(std::back_inserter(line), "{{\"time\":{},{}\"cost\":{}}}\n", event.at,
                     keys[event.key], event.cost);
    }
    file.write(line);
  });
}

std::string export_pin(const TraceStore& trace, ExportFormat format) {
  std::string flags = fmt::format("-F {} --time-field time --time-format {}",
                                  format == ExportFormat::kCsv ? "csv" : "ndjson",
                                  trace.facts.absolute ? "epoch-ns" : "relative-ns");
  if (trace.key.empty()) flags += " -k none";
  for (const std::string& column : key_columns(trace)) flags += " -k " + column;
  return flags + " --cost-field cost";
}

}  // namespace ratereplay
