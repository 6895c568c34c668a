// SPDX-License-Identifier: Apache-2.0
#include "trace/formats.hpp"

#include <array>

#include "trace/combined.hpp"
#include "trace/delimited.hpp"
#include "trace/headered.hpp"
#include "trace/json.hpp"
#include "trace/logfmt.hpp"

namespace ratereplay {

std::span<const Format* const> formats() {
  static const std::array list = {&combined_format(), &common_format(), &w3c_format(),
                                  &zeek_format(),     &ndjson_format(), &json_format(),
                                  &csv_format(),      &tsv_format(),    &logfmt_format()};
  return list;
}

}  // namespace ratereplay
