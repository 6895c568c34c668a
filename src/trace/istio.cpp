// SPDX-License-Identifier: Apache-2.0
#include "trace/line_formats.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

bool is_mine(std::span<const std::string_view> texts) {
  constexpr std::size_t kBytesReceived = 7;
  return is_iso_start(texts[0]) && is_number(texts[kBytesReceived]);
}

std::unique_ptr<const Format> make() {
  return make_template_format({"istio",
                               "Istio access log in its default text format",
                               {{
                                    {"[", "start_time", FieldShape::kWord, true},
                                    {"] \"", "request", FieldShape::kText},
                                    {"\" ", "response_code"},
                                    {" ", "response_flags"},
                                    {" ", "response_code_details"},
                                    {" ", "connection_termination_details"},
                                    {" \"", "upstream_transport_failure_reason", FieldShape::kText},
                                    {"\" ", "bytes_received"},
                                    {" ", "bytes_sent"},
                                    {" ", "duration"},
                                    {" ", "upstream_service_time"},
                                    {" \"", "x_forwarded_for", FieldShape::kText},
                                    {"\" \"", "user_agent", FieldShape::kText},
                                    {"\" \"", "request_id", FieldShape::kText},
                                    {"\" \"", "authority", FieldShape::kText},
                                    {"\" \"", "upstream_host", FieldShape::kText},
                                    {"\" ", "upstream_cluster"},
                                    {" ", "upstream_local_address"},
                                    {" ", "downstream_local_address"},
                                    {" ", "downstream_remote_address"},
                                    {" ", "requested_server_name"},
                                    {" ", "route_name"},
                                },
                                "",
                                {12}},
                               is_mine});
}

}  // namespace

const Format& istio_format() {
  static const std::unique_ptr<const Format> format = make();
  return *format;
}

}  // namespace ratereplay
