// SPDX-License-Identifier: Apache-2.0
#include "trace/line_formats.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

bool is_mine(std::span<const std::string_view> texts) {
  return is_clf_start(texts[2]) && texts.back().data() != nullptr;
}

std::unique_ptr<const Format> make() {
  return make_template_format({"haproxy",
                               "HAProxy HTTP log, with or without a syslog prefix",
                               {{
                                    {"", "syslog", FieldShape::kLead},
                                    {"", "client_ip", FieldShape::kHost},
                                    {" [", "accept_date", FieldShape::kWord, true, clf_time()},
                                    {"] ", "frontend"},
                                    {" ", "backend"},
                                    {"/", "server"},
                                    {" ", "TR"},
                                    {"/", "Tw"},
                                    {"/", "Tc"},
                                    {"/", "Tr"},
                                    {"/", "Ta"},
                                    {" ", "status"},
                                    {" ", "bytes"},
                                    {" ", "request_cookie"},
                                    {" ", "response_cookie"},
                                    {" ", "termination_state"},
                                    {" ", "actconn"},
                                    {"/", "feconn"},
                                    {"/", "beconn"},
                                    {"/", "srv_conn"},
                                    {"/", "retries"},
                                    {" ", "srv_queue"},
                                    {"/", "backend_queue"},
                                    {" ", "captures", FieldShape::kText},
                                    {"\"", "request", FieldShape::kText},
                                },
                                "\"",
                                {13}},
                               is_mine});
}

}  // namespace

const Format& haproxy_format() {
  static const std::unique_ptr<const Format> format = make();
  return *format;
}

}  // namespace ratereplay
