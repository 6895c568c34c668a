// SPDX-License-Identifier: Apache-2.0
// The floor that a run is measured against: `ratereplay_parse rows FILE` reads and parses the rows
// of a trace on one thread and drops them; `ratereplay_parse lines FILE` only counts its line
// feeds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "keys/row_batch.hpp"
#include "trace/block_stream.hpp"
#include "trace/detect.hpp"
#include "trace/source.hpp"

namespace {

using namespace ratereplay;

std::uint64_t count_rows(const char* path) {
  constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
  Source source(path);
  const ReadPlan plan = make_plan(source.peek(), source.name(), {});
  const std::unique_ptr<RecordCutter> cutter = plan.format->cutter(plan.layout);
  const std::unique_ptr<BlockReader> reader = plan.format->reader(plan);
  BlockStream stream(source, *cutter, kBlockBytes);
  BlockBuffer buffer;
  RowBatch batch(false);
  std::uint64_t rows = 0;
  while (stream.next(buffer)) {
    batch.clear();
    read_block(buffer.block, *reader, batch);
    rows += batch.rows();
  }
  return rows;
}

std::uint64_t count_lines(const char* path) {
  Source source(path);
  std::vector<char> buffer(std::size_t{256} << 10);
  std::uint64_t lines = 0;
  while (const std::size_t size = source.read(buffer.data(), buffer.size())) {
    lines += static_cast<std::uint64_t>(
        std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string_view what = argc == 3 ? argv[1] : "";
    if (what != "rows" && what != "lines") {
      fmt::print(stderr, "usage: ratereplay_parse rows|lines FILE\n");
      return 2;
    }
    fmt::print("{}\n", what == "rows" ? count_rows(argv[2]) : count_lines(argv[2]));
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 3;
  }
}
