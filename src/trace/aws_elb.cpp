// SPDX-License-Identifier: Apache-2.0
#include "trace/fields.hpp"
#include "trace/line_formats.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

bool is_mine(std::span<const std::string_view> texts) {
  return is_iso_start(texts[0]) && looks_like_address(texts[2]);
}

constexpr std::string_view kFields =
    "time elb client:port backend:port request_processing_time backend_processing_time "
    "response_processing_time elb_status_code backend_status_code received_bytes "
    "sent_bytes request user_agent ssl_cipher ssl_protocol";

}  // namespace

const Format& elb_format() {
  static const std::unique_ptr<const Format> format = make_template_format(
      {"elb", "AWS Classic Load Balancer access log", token_template(kFields, 12), is_mine});
  return *format;
}

}  // namespace ratereplay
