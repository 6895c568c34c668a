// SPDX-License-Identifier: Apache-2.0
#include "trace/line_formats.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

bool is_mine(std::span<const std::string_view> texts) {
  constexpr std::size_t kCount = 9;
  return is_clf_start(texts[3]) && is_number(texts[kCount]) && is_number(texts[kCount + 3]);
}

std::unique_ptr<const Format> make() {
  return make_template_format({"traefik",
                               "Traefik access log in text (combined, router, server, duration)",
                               {{
                                    {"", "ip"},
                                    {" ", "ident"},
                                    {" ", "user", FieldShape::kText},
                                    {" [", "time", FieldShape::kText, true, clf_time()},
                                    {"] \"", "request", FieldShape::kText},
                                    {"\" ", "status"},
                                    {" ", "bytes"},
                                    {" \"", "referer", FieldShape::kText},
                                    {"\" \"", "user_agent", FieldShape::kText},
                                    {"\" ", "request_count"},
                                    {" \"", "router", FieldShape::kText},
                                    {"\" \"", "server_url", FieldShape::kText},
                                    {"\" ", "duration_ms"},
                                },
                                "ms",
                                {9}},
                               is_mine});
}

}  // namespace

const Format& traefik_clf_format() {
  static const std::unique_ptr<const Format> format = make();
  return *format;
}

}  // namespace ratereplay
