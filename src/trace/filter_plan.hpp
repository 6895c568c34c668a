// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "trace/key_expression.hpp"
#include "trace/plan.hpp"

namespace ratereplay {

/// The filters that the flags ask for. `want` gives a field of the sample its place among the
/// wanted fields. Error(kUsage) for a flag that cannot be understood, or names what is not there.
[[nodiscard]] RowFilter plan_filter(const ReadFlags& flags, const TimeFormat& time,
                                    const FieldScope& scope,
                                    const std::function<std::size_t(std::size_t)>& want);

/// `24,64` of --ip-prefix. Error(kUsage) for another text.
[[nodiscard]] IpPrefix parse_ip_prefix(const std::string& text);

inline constexpr std::string_view kLeaveRefusedOut =
    "--exclude-status 429,503 leaves such rows out";

/// A warning, with that advice at its end, when requests of the sample were refused already (429 or
/// 503).
[[nodiscard]] std::optional<Diagnostic> warn_refused(const FieldScope& scope);

/// --missing-key, --ip-prefix and every filter, as they were given, for a shell.
[[nodiscard]] std::string filter_flags(const ReadFlags& flags);

}  // namespace ratereplay
