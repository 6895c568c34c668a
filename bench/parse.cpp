// SPDX-License-Identifier: Apache-2.0
// What a run is measured against: `ratereplay_parse rows FILE` reads and parses the rows of a trace
// on one thread and drops them; `ratereplay_parse lines FILE` only counts its line feeds;
// `ratereplay_parse audit FILE` prints what the search for the worst window of both policies takes
// and what the rest of their replay does, in ns, without reading and grouping.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "keys/row_batch.hpp"
#include "keys/trace_store.hpp"
#include "measure/worst_window.hpp"
#include "replay/engine.hpp"
#include "spec/policy_spec.hpp"
#include "trace/block_stream.hpp"
#include "trace/detect.hpp"
#include "trace/source.hpp"

namespace {

using namespace ratereplay;

std::uint64_t count_rows(const char* path) {
  Source source(path);
  const ReadPlan plan = make_plan(source.peek(), source.name(), {});
  const std::unique_ptr<RecordCutter> cutter = plan.format->cutter(plan.layout);
  const std::unique_ptr<BlockReader> reader = plan.format->reader(plan);
  BlockStream stream(source, *cutter, BlockBuffer::kUsualBytes);
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

/// ns that `work` takes.
template <class Work>
std::int64_t time_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::nanoseconds{std::chrono::steady_clock::now() - start}.count();
}

void print_audit(const char* path) {
  TraceStore trace = read_trace({path}, ReadOptions{}, nullptr);
  const std::array specs{parse_policy("sliding-log:100/1s", "bench"),
                         parse_policy("sliding-counter:100/1s", "bench")};
  GroupedRows grouped;
  std::array<WorstWindowSearch, 2> searches{WorstWindowSearch{std::chrono::seconds{1}},
                                            WorstWindowSearch{std::chrono::seconds{1}}};
  std::int64_t grouping = 0;
  std::int64_t audit = 0;
  for (const Partition& partition : trace.partitions) {
    grouping += time_of([&] { partition.group(trace.order, grouped); });
    audit += time_of([&] {
      for (std::size_t key = 0; key < grouped.keys.size(); ++key) {
        const std::size_t first = grouped.first[key];
        const auto at = std::span(grouped.at).subspan(first, grouped.first[key + 1] - first);
        for (WorstWindowSearch& search : searches) search.add(grouped.keys[key], at, {});
      }
    });
  }
  const std::int64_t whole =
      time_of([&] { static_cast<void>(replay(trace, specs, ReplayOptions{}, false)); });
  fmt::print("{} {}\n", audit, whole - grouping - audit);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string_view what = argc == 3 ? argv[1] : "";
    if (what != "rows" && what != "lines" && what != "audit") {
      fmt::print(stderr, "usage: ratereplay_parse rows|lines|audit FILE\n");
      return 2;
    }
    if (what == "audit") {
      print_audit(argv[2]);
      return 0;
    }
    fmt::print("{}\n", what == "rows" ? count_rows(argv[2]) : count_lines(argv[2]));
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 3;
  }
}
