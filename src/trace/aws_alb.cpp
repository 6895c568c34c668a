// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "trace/line_formats.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

bool is_mine(std::span<const std::string_view> texts) {
  constexpr std::array<std::string_view, 6> kTypes = {"http", "https", "h2", "grpcs", "ws", "wss"};
  return std::find(kTypes.begin(), kTypes.end(), texts[0]) != kTypes.end() &&
         is_iso_start(texts[1]);
}

constexpr std::string_view kFields =
    "type time elb client:port target:port request_processing_time "
    "target_processing_time response_processing_time elb_status_code target_status_code "
    "received_bytes sent_bytes request user_agent ssl_cipher ssl_protocol "
    "target_group_arn trace_id domain_name chosen_cert_arn matched_rule_priority "
    "request_creation_time actions_executed redirect_url error_reason target:port_list "
    "target_status_code_list classification classification_reason conn_trace_id "
    "transformed_host transformed_uri request_transform_status";

}  // namespace

const Format& alb_format() {
  static const std::unique_ptr<const Format> format = make_template_format(
      {"alb", "AWS Application Load Balancer access log", token_template(kFields, 13), is_mine});
  return *format;
}

}  // namespace ratereplay
