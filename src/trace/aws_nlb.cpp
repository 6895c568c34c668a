// SPDX-License-Identifier: Apache-2.0
#include "trace/line_formats.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

bool is_mine(std::span<const std::string_view> texts) {
  return texts[0] == "tls" && is_iso_start(texts[2]);
}

constexpr std::string_view kFields =
    "type version time elb listener client:port destination:port connection_time "
    "tls_handshake_time received_bytes sent_bytes incoming_tls_alert chosen_cert_arn "
    "chosen_cert_serial tls_cipher tls_protocol_version tls_named_group domain_name "
    "alpn_fe_protocol alpn_be_protocol alpn_client_preference_list "
    "tls_connection_creation_time";

}  // namespace

const Format& nlb_format() {
  static const std::unique_ptr<const Format> format =
      make_template_format({"nlb", "AWS Network Load Balancer access log (TLS listeners)",
                            token_template(kFields, 11), is_mine});
  return *format;
}

}  // namespace ratereplay
