// SPDX-License-Identifier: Apache-2.0
#include "text/nearest.hpp"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string_view>

namespace ratereplay {

TEST_CASE("edit distance: a swap of neighbours is one edit, case is none") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("sliding-lgo", "sliding-log") == 1);
  CHECK(edit_distance("GCRA", "gcra") == 0);
  CHECK(edit_distance("ca", "abc") == 3);  // optimal string alignment, not full Damerau
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("nearest: close names are suggested, far ones are not") {
  constexpr std::array<std::string_view, 4> kNames{"gcra", "sliding-log", "sliding-counter",
                                                   "token-bucket"};
  CHECK(nearest("sliding-lgo", kNames) == "sliding-log");
  CHECK(nearest("grca", kNames) == "gcra");
  CHECK(nearest("slidinglog", kNames) == "sliding-log");
  CHECK(nearest("token", kNames) == "token-bucket");
  CHECK(nearest("sliding", kNames) == "sliding-log");
  CHECK(nearest("foo", kNames) == std::nullopt);
  CHECK(nearest("", kNames) == std::nullopt);
  CHECK(nearest(std::string(100000, 'x'), kNames) == std::nullopt);
  CHECK(suggestion("grca", kNames) == "did you mean 'gcra'?");
}

}  // namespace ratereplay
