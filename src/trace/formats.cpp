// SPDX-License-Identifier: Apache-2.0
#include "trace/formats.hpp"

#include <array>

#include "trace/apache_format.hpp"
#include "trace/combined.hpp"
#include "trace/delimited.hpp"
#include "trace/headered.hpp"
#include "trace/json.hpp"
#include "trace/line_formats.hpp"
#include "trace/logfmt.hpp"
#include "trace/nginx_format.hpp"
#include "trace/regex_format.hpp"

namespace ratereplay {

std::span<const Format* const> formats() {
  // Those of lines go before tables, which explain many a text; what has more fields goes first.
  static const std::array list = {&vhost_format(),  &traefik_clf_format(), &combined_format(),
                                  &common_format(), &alb_format(),         &elb_format(),
                                  &nlb_format(),    &s3_format(),          &envoy_format(),
                                  &istio_format(),  &haproxy_format(),     &w3c_format(),
                                  &zeek_format(),   &ndjson_format(),      &json_format(),
                                  &csv_format(),    &tsv_format(),         &logfmt_format()};
  return list;
}

std::span<const FormatFamily> format_families() {
  static constexpr std::array<FormatFamily, 3> kFamilies = {{
      {"nginx", "LOG_FORMAT|FILE#NAME", "-F 'nginx:$remote_addr [$time_local] \"$request\"'",
       make_nginx_format},
      {"apache", "LOGFORMAT|FILE#NAME", "-F 'apache:%h %l %u %t \"%r\" %>s %b'",
       make_apache_format},
      {"regex", "PATTERN", "-F 'regex:^(?P<time>\\S+) (?P<ip>\\S+)'", make_regex_format},
  }};
  return kFamilies;
}

}  // namespace ratereplay
