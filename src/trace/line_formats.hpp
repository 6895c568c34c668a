// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format.hpp"

namespace ratereplay {

/// Formats of one record a line that are known by their fields; each has a file of its own, and a
/// section with an example in docs/traces.md.

/// Access logs with the virtual host in front: `www.example.com:443 192.0.2.1 - - [time] "…" …`.
[[nodiscard]] const Format& vhost_format();
/// Traefik: combined, then a count, the router, the URL of the server and the duration in ms.
[[nodiscard]] const Format& traefik_clf_format();
/// AWS Application Load Balancer.
[[nodiscard]] const Format& alb_format();
/// AWS Classic Load Balancer.
[[nodiscard]] const Format& elb_format();
/// AWS Network Load Balancer, TLS listeners.
[[nodiscard]] const Format& nlb_format();
/// AWS S3 server access log.
[[nodiscard]] const Format& s3_format();
/// Envoy's default access log.
[[nodiscard]] const Format& envoy_format();
/// The same with what Istio adds.
[[nodiscard]] const Format& istio_format();
/// HAProxy's HTTP log, with or without what syslog writes in front.
[[nodiscard]] const Format& haproxy_format();

}  // namespace ratereplay
