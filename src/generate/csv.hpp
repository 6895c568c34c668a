// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "generate/generator.hpp"
#include "report/output_file.hpp"

namespace ratereplay {

/// Writes a whole trace as `timestamp_ms,key,cost`: times in milliseconds with as many digits as
/// they need. Stops early, without error, when nobody reads any more. Error(kOutput),
/// Error(kInterrupted).
void write_csv(Generator& generator, std::string_view key_prefix, OutputFile& out);

}  // namespace ratereplay
