// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"
#include "trace/key_shape.hpp"
#include "trace/row_filter.hpp"
#include "trace/time_text.hpp"

namespace ratereplay {

class Format;

/// What becomes of a row whose key, or a part of it, is missing, null, empty or `-`.
enum class MissingKey : std::uint8_t {
  kOwn,   ///< the key `-`, as any other
  kSkip,  ///< filtered
  kBad,   ///< a bad row
};

/// How the user pins the reading (the flags of cli.md, section Reading). Absent = detect.
struct ReadFlags {
  std::optional<std::string> format;
  std::vector<std::string> keys;  ///< several make a tuple; {"none"} = one key for all
  std::optional<std::string> time_field;
  std::optional<std::string> cost_field;  ///< may be a sum A+B
  std::optional<std::string> time_format;
  MissingKey missing_key = MissingKey::kOwn;
  std::optional<std::string> ip_prefix;       ///< `24,64`: bits of IPv4 and IPv6
  std::optional<std::uint64_t> head;          ///< so many rows, over all files
  std::optional<std::string> since;           ///< see parse_bound
  std::optional<std::string> until;           ///< the same
  std::vector<std::string> where;             ///< see parse_condition
  std::optional<std::string> exclude_status;  ///< see parse_statuses
  std::optional<std::string> sample_keys;     ///< see parse_share
  std::optional<std::string> zone;            ///< of stamps without one; absent = UTC
  std::optional<int> year;                    ///< of the first stamp without one
  bool time_is_end = false;                   ///< else of the start of a request
  std::optional<std::string> duration_field;  ///< with or without a unit: NAME:ms
};

/// What a format found out about a file: the things its reader needs besides the wanted fields.
struct Layout {
  char delimiter = 0;              ///< tables
  bool header = false;             ///< tables: the first record holds the names
  std::vector<std::string> names;  ///< fields by position; empty where records name their own
};

/// A field to fetch from every record. Readers put the cell of the i-th wanted field into the i-th
/// place of what they hand to RowBuilder.
struct WantedField {
  std::string name;                   ///< exact name, or JSON path a.b.c
  std::optional<std::size_t> column;  ///< 0-based position, for formats with Layout::names
};

/// What a key component is made of.
struct KeyPart {
  std::size_t wanted;  ///< index into ReadPlan::wanted
  KeyShape shape{};
  std::string shown;  ///< what outputs call it, and what -k takes to pin it
};

/// How long a request took.
struct DurationField {
  std::size_t wanted;  ///< index into ReadPlan::wanted
  Duration unit;
  std::string shown;  ///< what --duration-field takes to pin it, with the unit
};

/// A field that could be the key, with how many keys it would make of the sample.
struct KeyCandidate {
  std::string field;  ///< what -k takes
  std::uint64_t distinct = 0;
  std::uint64_t rows = 0;  ///< of the sample
};

/// The object of a JSON record that makes it a request, such as `request` in logs that hold other
/// events too: a record without it is none. `wanted` is a field inside the object.
struct RequestObject {
  std::string path;
  std::size_t wanted = 0;  ///< index into ReadPlan::wanted
};

/// Everything about how one trace file is read; chosen once per file, before any row.
struct ReadPlan {
  const Format* format = nullptr;
  std::shared_ptr<const Format> made_format;  ///< keeps a format that was made from a flag
  bool format_detected = true;
  Layout layout;
  std::vector<WantedField> wanted;
  std::vector<std::size_t> time;  ///< one field, or date and time to be joined by a space
  std::string time_field;         ///< as shown, e.g. "date+time"
  TimeFormat time_format;
  std::optional<int> year;                ///< what --year says, where stamps have none
  std::optional<DurationField> duration;  ///< taken off the stamp, which is the end of the request
  std::vector<KeyPart> key;               ///< empty = one key for all
  std::optional<RequestObject> request;   ///< absent = every record is a request
  std::vector<std::size_t> cost;          ///< summed; empty = cost 1
  std::string cost_field;                 ///< as shown, e.g. "A+B"
  bool cost_dash_is_zero = false;         ///< `-` is 0: servers write it where no byte was sent
  MissingKey missing_key = MissingKey::kOwn;
  RowFilter filter;
  bool may_end_early = false;            ///< RowBatch::limit_rows may be used
  std::vector<KeyCandidate> candidates;  ///< those chosen first
  std::vector<Diagnostic> notes;     ///< what was guessed and how to pin it, runner-up when close
  std::vector<Diagnostic> warnings;  ///< what makes the answer another than expected
};

}  // namespace ratereplay
