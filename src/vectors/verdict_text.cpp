// SPDX-License-Identifier: Apache-2.0
#include "vectors/verdict_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "report/grid.hpp"
#include "report/valid_utf8.hpp"
#include "text/utf8.hpp"
#include "text/visible.hpp"

namespace ratereplay {
namespace {

/// The divergences of a file that the table shows.
constexpr std::size_t kMostShown = 8;

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string request_text(const Request& request) {
  return fmt::format("cost {} at {}, key {}", request.cost, request.at,
                     request.key.empty() ? "(empty)" : visible(request.key));
}

std::size_t steps_of(const FileVerdict& file) {
  std::size_t steps = 0;
  for (const CaseVerdict& one : file.cases) steps += one.steps;
  return steps;
}

/// "admitted 20, remaining 18 (2 not told)"
std::string compared_text(const FileVerdict& file) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, const FieldCount& count) {
    if (count.expected == 0) return;
    std::string part = fmt::format("{} {}", name, count.expected - count.untold);
    if (count.untold != 0) part += fmt::format(" ({} not told)", count.untold);
    parts.push_back(std::move(part));
  };
  add("admitted", file.admitted);
  for (std::size_t i = 0; i < kAnswerFields.size(); ++i) {
    add(kAnswerFields[i].name, file.fields[i]);
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

/// What people read of a divergence, a line each.
std::vector<std::string> divergence_lines(const Divergence& found) {
  return {fmt::format("step {}: {}", found.step, request_text(found.request)),
          fmt::format("expected  {}", answer_text(found.expected)),
          fmt::format("got       {}", answer_text(found.got)),
          fmt::format("differs   {}", fmt::join(found.fields, ", ")),
          fmt::format("our state before  {}", found.before),
          fmt::format("our state after   {}", found.after)};
}

void append_file(std::string& out, const FileVerdict& file, bool color) {
  const Paint paint{color};
  const std::size_t differing = file.differing();
  out += fmt::format("{}: {}, {}, unit {}; ", visible(file.path), plural(file.cases.size(), "case"),
                     plural(steps_of(file), "step"), file.unit.name);
  out += differing == 0 ? fmt::format("{}all agree{}", paint.good(), paint.off())
                        : fmt::format("{}{}{}{}", paint.bad(), differing,
                                      differing == 1 ? " differs" : " differ", paint.off());
  out += fmt::format("\ncompared: {}\n\n", compared_text(file));
  Grid grid;
  grid.add_column("POLICY", Grid::Align::kLeft);
  grid.add_column("STEPS");
  grid.add_column("RESULT", Grid::Align::kLeft);
  grid.add_column("CASE", Grid::Align::kLeft);
  for (const CaseVerdict& one : file.cases) {
    grid.add_row({one.policy, fmt::format("{}", one.steps),
                  one.divergence ? fmt::format("differs at step {}", one.divergence->step) : "ok",
                  visible(one.name)});
  }
  grid.fit_last_column();
  out += grid.text(paint);
  std::size_t shown = 0;
  for (const CaseVerdict& one : file.cases) {
    if (!one.divergence) continue;
    if (shown++ == kMostShown) break;
    out += fmt::format("\n{}{}{}  {}\n", paint.bad(), visible(one.name), paint.off(), one.policy);
    if (!one.note.empty()) out += fmt::format("  {}\n", visible(one.note));
    for (const std::string& line : divergence_lines(*one.divergence)) {
      out += fmt::format("  {}\n", line);
    }
  }
  if (differing > kMostShown) {
    out += fmt::format("\n{} more; -o json lists all\n", differing - kMostShown);
  }
}

void write_request(JsonWriter& json, const Request& request) {
  json.member("at").raw(fmt::format("{}", request.at));
  json.member("key").text(request.key).member("cost").count(request.cost);
}

void write_divergence(JsonWriter& json, const Divergence& found) {
  json.open_object(JsonWriter::kLines).member("step").count(found.step);
  write_request(json, found.request);
  write_answer(json.member("expected"), found.expected);
  write_answer(json.member("got"), found.got);
  json.member("fields").open_array(JsonWriter::kOneLine);
  for (const std::string_view field : found.fields) json.text(field);
  json.close();
  json.member("stateBefore").text(found.before).member("stateAfter").text(found.after).close();
}

/// Text inside an attribute or an element; what XML 1.0 has no characters for becomes U+FFFD.
std::string xml_text(std::string_view text) {
  std::string out;
  const std::string valid = valid_utf8(text);
  for (std::size_t at = 0; at < valid.size();) {
    const CodePoint point = decode_utf8(valid, at);
    const std::string_view bytes = std::string_view(valid).substr(at, point.bytes);
    at += point.bytes;
    const bool control = point.value < 0x20 && point.value != '\n';
    if (point.value == '&') {
      out += "&amp;";
    } else if (point.value == '<') {
      out += "&lt;";
    } else if (point.value == '>') {
      out += "&gt;";
    } else if (point.value == '"') {
      out += "&quot;";
    } else if (control || point.value == 0xFFFE || point.value == 0xFFFF) {
      out += "\xef\xbf\xbd";
    } else {
      out += bytes;
    }
  }
  return out;
}

}  // namespace

bool VerifyReport::agrees() const noexcept {
  return std::all_of(files.begin(), files.end(),
                     [](const FileVerdict& file) { return file.differing() == 0; });
}

std::string verify_table(const VerifyReport& report, bool color) {
  std::string out;
  for (const FileVerdict& file : report.files) {
    if (!out.empty()) out += '\n';
    append_file(out, file, color);
  }
  return out;
}

std::string verify_json(const VerifyReport& report) {
  std::string out;
  JsonWriter json(out);
  json.open_object(JsonWriter::kLines).member("subject").text(report.subject);
  json.member("agrees").boolean(report.agrees());
  json.member("files").open_array(JsonWriter::kLines);
  for (const FileVerdict& file : report.files) {
    json.open_object(JsonWriter::kLines).member("path").text(file.path);
    json.member("unit").text(file.unit.name).member("compared").open_object(JsonWriter::kOneLine);
    json.member("admitted").count(file.admitted.expected - file.admitted.untold);
    for (std::size_t i = 0; i < kAnswerFields.size(); ++i) {
      json.member(kAnswerFields[i].name).count(file.fields[i].expected - file.fields[i].untold);
    }
    json.close().member("cases").open_array(JsonWriter::kLines);
    for (const CaseVerdict& one : file.cases) {
      json.open_object(JsonWriter::kLines).member("name").text(one.name);
      json.member("policy").text(one.policy).member("steps").count(one.steps);
      json.member("divergence");
      if (one.divergence) {
        write_divergence(json, *one.divergence);
      } else {
        json.null();
      }
      json.close();
    }
    json.close().close();
  }
  json.close().close();
  return out + '\n';
}

std::string verify_junit(const VerifyReport& report) {
  std::size_t tests = 0;
  std::size_t failures = 0;
  for (const FileVerdict& file : report.files) {
    tests += file.cases.size();
    failures += file.differing();
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"ratereplay vectors\" tests=\"{}\" failures=\"{}\">\n",
                     tests, failures);
  for (const FileVerdict& file : report.files) {
    out += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                       xml_text(file.path), file.cases.size(), file.differing());
    for (const CaseVerdict& one : file.cases) {
      out += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(one.policy),
                         xml_text(one.name));
      if (!one.divergence) {
        out += "/>\n";
        continue;
      }
      const std::vector<std::string> lines = divergence_lines(*one.divergence);
      out +=
          fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                      xml_text(lines.front()), xml_text(fmt::format("{}", fmt::join(lines, "\n"))));
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace ratereplay
