// SPDX-License-Identifier: Apache-2.0
#include "trace/fields.hpp"
#include "trace/line_formats.hpp"
#include "trace/template_format.hpp"

namespace ratereplay {
namespace {

bool is_mine(std::span<const std::string_view> texts) {
  const std::string_view host = texts[0];
  const std::string_view client = texts[1];
  const bool port = client.data() != host.data() + host.size() + 1;
  const bool named = port && host.find(':') == std::string_view::npos && client != "-";
  // A list of clients begins as a host does.
  if (host.ends_with(',') || host.starts_with('"')) return false;
  return is_clf_start(texts[4]) && (named || looks_like_address(client));
}

std::unique_ptr<const Format> make() {
  return make_template_format({"vhost",
                               "access log with the virtual host in front (Apache, nginx)",
                               {{
                                    {"", "vhost", FieldShape::kHost},
                                    {" ", "ip"},
                                    {" ", "ident"},
                                    {" ", "user", FieldShape::kText},
                                    {" [", "time", FieldShape::kText, true, clf_time()},
                                    {"] \"", "request", FieldShape::kText},
                                    {"\" ", "status"},
                                    {" ", "bytes"},
                                    {" \"", "referer", FieldShape::kText},
                                    {"\" \"", "user_agent", FieldShape::kText},
                                },
                                "\"",
                                {6}},
                               is_mine});
}

}  // namespace

const Format& vhost_format() {
  static const std::unique_ptr<const Format> format = make();
  return *format;
}

}  // namespace ratereplay
