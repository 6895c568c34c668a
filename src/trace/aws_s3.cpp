// SPDX-License-Identifier: Apache-2.0
#include "trace/line_formats.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

bool is_mine(std::span<const std::string_view> texts) {
  constexpr std::size_t kOwnerLetters = 64;
  const std::string_view owner = texts[0];
  return owner.size() == kOwnerLetters &&
         owner.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         is_clf_start(texts[2]);
}

constexpr std::string_view kFields =
    "bucket_owner bucket time remote_ip requester request_id operation key request "
    "http_status error_code bytes_sent object_size total_time turn_around_time referer "
    "user_agent version_id host_id signature_version cipher_suite authentication_type "
    "host_header tls_version access_point_arn acl_required source_region";

}  // namespace

const Format& s3_format() {
  static const std::unique_ptr<const Format> format =
      make_template_format({"s3", "AWS S3 server access log", token_template(kFields, 9), is_mine});
  return *format;
}

}  // namespace ratereplay
