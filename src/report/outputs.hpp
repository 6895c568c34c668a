// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/output_file.hpp"
#include "report/result.hpp"

namespace ratereplay {

class DecisionSink;

/// One format of `-o`: draws the finished result, or takes every decision while it is made.
struct OutputFormat {
  using Render = std::string (*)(const Result& result, bool color);
  using Open = std::unique_ptr<DecisionSink> (*)(OutputFile& file,
                                                 std::span<const std::string> labels);

  std::string_view name;
  std::string_view summary;
  Render render = nullptr;     ///< the whole output; null for the decisions
  Open open = nullptr;         ///< `file` must outlive the sink; null for all others
  bool shows_digests = false;  ///< shows TraceFile::sha256
  bool shows_checks = false;   ///< shows what came out of the checks

  [[nodiscard]] bool takes_decisions() const noexcept { return open != nullptr; }
};

/// The only list of output formats.
[[nodiscard]] std::span<const OutputFormat> output_formats();

/// What one `-o` asks for.
struct OutputRequest {
  const OutputFormat* format = nullptr;
  std::string path;  ///< empty = standard output
};

/// Parses every `-o FORMAT[=FILE]` and adds the table on standard output when nothing else goes
/// there. Error(kUsage): unknown format (the nearest is suggested), two on standard output, one
/// file twice.
[[nodiscard]] std::vector<OutputRequest> parse_outputs(std::span<const std::string> texts);

/// Error(kOutput) where write_outputs could not make its file, before anything is read. Devices and
/// pipes are left alone: to open one may wait for its reader.
void require_writable(std::span<const OutputRequest> requests);

/// Renders the result for every request that does not take decisions, each to its place.
/// `color` is for what goes to standard output. Error(kOutput).
void write_outputs(std::span<const OutputRequest> requests, const Result& result, bool color);

}  // namespace ratereplay
