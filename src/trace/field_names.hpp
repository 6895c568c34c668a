// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ratereplay {

/// What names of fields mean, in one place: which hold a time, a key, or play a role.

/// The last step of a path in lower case, without `_`, `-`, `@`, blanks and brackets, so that
/// ClientIP, client_ip and request.client_ip are one.
[[nodiscard]] std::string plain_name(std::string_view name);

/// How probably a field of that name holds the arrival: 0 is best, nullopt not at all.
[[nodiscard]] std::optional<int> time_rank(std::string_view name);

/// Names of a start: StartUTC, started_at, request_creation_time.
[[nodiscard]] bool is_start(std::string_view name);

/// The name of how long something took, such as `time_taken`, though instants may be in it.
[[nodiscard]] bool is_duration(std::string_view name);

/// Plain names of fields that may be the key, best first.
[[nodiscard]] std::span<const std::string_view> key_names();

/// Plain names that may play the role ip, user, method, path, host or status, best first; empty for
/// a text that is no role.
[[nodiscard]] std::span<const std::string_view> role_names(std::string_view role);

/// Of the names of ip, the ones that hold an address.
[[nodiscard]] bool is_address_name(std::string_view plain);

/// True for a path whose last step names the object that holds a request in logs of events
/// (request, httpRequest).
[[nodiscard]] bool is_request_object(std::string_view path);

/// Names of byte counts (bytes, sc-bytes, object_size, response_body_len, Content-Length), for
/// which servers write `-` where no byte was sent.
[[nodiscard]] bool is_byte_count(std::string_view plain);

}  // namespace ratereplay
