# SPDX-License-Identifier: Apache-2.0
"""A driver in Python: put your own limiter in the place of SlidingLog."""

import collections
import json
import sys


class SlidingLog:
    def __init__(self, limit, window):
        self.limit, self.window = limit, window
        self.logs = collections.defaultdict(collections.deque)
        self.latest = {}

    def admit(self, key, at, cost):
        at = self.latest[key] = max(at, self.latest.get(key, at))
        log = self.logs[key]
        while log and log[0] <= at - self.window:
            log.popleft()
        admitted = cost == 0 or len(log) + cost <= self.limit
        retry_after = 0
        if admitted:
            log.extend([at] * cost)
        elif cost > self.limit:
            retry_after = None
        else:
            retry_after = log[len(log) + cost - self.limit - 1] + self.window - at
        return {
            "admitted": admitted,
            "remaining": self.limit - len(log),
            "retryAfter": retry_after,
        }


def open_limiter(policy):
    spec = policy["policy"] or "sliding-log:"  # null: whatever this limiter is
    if not spec.startswith("sliding-log:") or "," in spec:
        raise ValueError(f"only a plain sliding-log here, not {spec}")
    return SlidingLog(policy["limit"], policy["window"])


limiter = None
for line in sys.stdin:
    message = json.loads(line)
    answer = {"ready": True}
    try:
        if "protocol" in message:
            limiter = open_limiter(message)
        else:
            answer = limiter.admit(message["key"], message["at"], message["cost"])
    except ValueError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
