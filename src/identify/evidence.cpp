// SPDX-License-Identifier: Apache-2.0
#include "identify/evidence.hpp"

#include <algorithm>
#include <numeric>

#include "interrupt.hpp"
#include "parallel.hpp"
#include "replay/ordered_lane.hpp"

namespace ratereplay {
namespace {

Match match_of(const Evidence& evidence, const PolicySpec& spec, std::size_t variant) {
  constexpr std::size_t kBatch = 4096;
  const auto lane = ordered_lane(spec.policy, evidence.tick, evidence.keys.size());
  const std::span<const Timeline::Event> events(evidence.events);
  std::vector<PackedDecision> answers(std::min(kBatch, events.size()));
  std::vector<std::uint32_t> places(answers.size());
  std::iota(places.begin(), places.end(), 0U);
  Match match{.variant = variant};
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i % kBatch == 0) {
      stop_if_interrupted();
      const std::size_t size = std::min(kBatch, events.size() - i);
      lane->decide(events.subspan(i, size), std::span(places).first(size), {answers.data(), 1});
    }
    const Decision ours = answers[i % kBatch].unpacked().decision;
    bool same = ours.admitted() == evidence.admitted[i];
    if (same && ours.admitted() && !evidence.delay.empty() && evidence.delay[i]) {
      same = wait_until(Instant{}, Instant{ours.delay}, evidence.tick) == *evidence.delay[i];
    }
    match.agreed += same;
    if (!same && !match.first) match.first = {i, ours};
  }
  return match;
}

}  // namespace

std::vector<Match> match_variants(const Evidence& evidence, std::span<const PolicySpec> variants,
                                  unsigned threads) {
  std::vector<Match> matches(variants.size());
  share_out(threads, variants.size(),
            [&](unsigned, std::size_t i) { matches[i] = match_of(evidence, variants[i], i); });
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.agreed > b.agreed; });
  return matches;
}

}  // namespace ratereplay
