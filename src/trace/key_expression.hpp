// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trace/fields.hpp"

namespace ratereplay {

/// Where the fields of an expression are looked up.
struct FieldScope {
  const SampleTable& table;
  const Layout& layout;
  /// The format named the fields itself, so that `ip` and `path` are the roles.
  bool own_names = false;
  std::string_view file;  ///< as messages call it
};

/// What `-k` and `--where` take: a field (see find_field), with what is made of its text. Before
/// it, any of `lower:` (ASCII lower case), `ip:` and `path:` (the role, whatever the field is
/// called) and `raw:` (no role); behind it `[I]` (an element of a list with commas, from 0, or from
/// -1 for the last) and `~N` (a path to N segments), in this order. A field that has the whole text
/// as its name goes first. Error(kUsage) with what was probably meant.
[[nodiscard]] FieldChoice need_expression(const FieldScope& scope, std::string_view text,
                                          std::string_view flag);

}  // namespace ratereplay
