// SPDX-License-Identifier: Apache-2.0
#include "report/inspection.hpp"

#include <fmt/format.h>

#include "report/json.hpp"
#include "report/json_writer.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

constexpr std::size_t kFieldColumns = 40;

std::string field_column(const std::string& field) {
  std::string shown = visible(field);
  const std::size_t width = visible_width(field);
  if (width < kFieldColumns) shown.append(kFieldColumns - width, ' ');
  return shown;
}

}  // namespace

std::string inspection_table(const Inspection& inspection) {
  const TraceFacts& trace = inspection.trace;
  std::string out = trace_text(trace);
  out += fmt::format("\n  time  {} ({}), {} to {}\n", visible(trace.time_field),
                     visible(trace.time_format), instant_text(trace.first, trace.absolute),
                     instant_text(trace.last, trace.absolute));
  out += inspection.sampled_bytes
             ? fmt::format("  read  a sample: the first {} MiB of text; --full reads all of it\n",
                           grouped_text(*inspection.sampled_bytes >> 20))
             : "  read  in full\n";
  if (!inspection.candidates.empty()) {
    out += fmt::format("\n  {:40}  KEYS IN THE FIRST {} ROWS\n", "KEY CANDIDATE",
                       grouped_text(inspection.candidates.front().rows));
    for (const Inspection::Candidate& candidate : inspection.candidates) {
      out += fmt::format("  {}  {}{}\n", field_column(candidate.field),
                         grouped_text(candidate.distinct), candidate.chosen ? "  (chosen)" : "");
    }
  }
  for (const BadKindCount& kind : trace.bad_kinds) {
    out += fmt::format("\n  bad {}: {}\n", kind.kind, grouped_text(kind.count));
    for (const BadPlace& place : kind.first) {
      out += fmt::format("    {}:{}:{}  {}\n", visible(place.file), place.line, place.column,
                         place.reason);
    }
  }
  out += fmt::format("\n  replay it as read here:\n    {}\n", inspection.run);
  return out;
}

std::string inspection_json(const Inspection& inspection) {
  std::string out;
  JsonWriter json(out);
  json.open_object(JsonWriter::kLines);
  write_trace_members(json, inspection.trace);
  json.member("sampledBytes");
  inspection.sampled_bytes ? json.count(*inspection.sampled_bytes) : json.null();
  json.member("candidates").open_array(JsonWriter::kLines);
  for (const Inspection::Candidate& candidate : inspection.candidates) {
    json.open_object(JsonWriter::kOneLine);
    json.member("field").text(candidate.field);
    json.member("distinct").count(candidate.distinct);
    json.member("sampleRows").count(candidate.rows);
    json.member("chosen").boolean(candidate.chosen);
    json.close();
  }
  json.close();
  json.member("run").text(inspection.run);
  json.close();
  out += '\n';
  return out;
}

}  // namespace ratereplay
