// SPDX-License-Identifier: Apache-2.0
#include "text/visible.hpp"

#include <doctest/doctest.h>

#include "text/utf8.hpp"

namespace ratereplay {

TEST_CASE("visible: what a terminal would obey or hide is spelt out") {
  CHECK(visible("plain 'text'") == "plain 'text'");
  CHECK(visible("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(visible("\x1b[31mred") == "\\x1b[31mred");
  CHECK(visible(std::string_view("\0x", 2)) == "\\x00x");
  CHECK(visible("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(visible("caf\xe9!") == "caf\\xe9!");
  CHECK(visible("\xe2\x80\xae"
                "evil") == "\\u202eevil");
  CHECK(visible("\xc2\x9b") == "\\u009b");
  CHECK(visible_width("caf\xc3\xa9") == 4);
  CHECK(visible_width("\n") == 2);
}

TEST_CASE("utf-8: overlong forms, surrogates and cut sequences are refused") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("\xf0\x9f\x98\x80"));
  CHECK(is_utf8("\xf4\x8f\xbf\xbf"));
  CHECK_FALSE(is_utf8("\xf4\x90\x80\x80"));  // above U+10FFFF
  CHECK_FALSE(is_utf8("\xc0\x80"));          // overlong zero
  CHECK_FALSE(is_utf8("\xe0\x9f\xbf"));      // overlong
  CHECK_FALSE(is_utf8("\xed\xa0\x80"));      // surrogate
  CHECK_FALSE(is_utf8("\xe2\x82"));          // cut
  CHECK_FALSE(is_utf8("\x80"));
}

}  // namespace ratereplay
