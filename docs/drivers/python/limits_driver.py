# SPDX-License-Identifier: Apache-2.0
"""PyPI limits, in memory. The argument is the strategy: fixed-window, moving-window or
sliding-window-counter. It reads time.time(), which is replaced; its timer, which forgets old keys
in the background, is not started, so that time is what the driver is told."""

import json
import sys
import threading
import time

now = 0.0
time.time = lambda: now
threading.Timer.start = lambda self: None

import limits  # noqa: E402
from limits.storage import MemoryStorage  # noqa: E402
from limits.strategies import STRATEGIES  # noqa: E402

# Times begin a day after the epoch: before its first window limits finds none.
DAY = 86400
PER_SECOND = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}
strategy = STRATEGIES[sys.argv[1]]


def open_limiter(policy):
    unit = PER_SECOND[policy["unit"]]
    seconds = policy["window"] / unit
    if seconds != int(seconds):
        raise ValueError(f"limits counts windows in whole seconds, not {policy['policy']}")
    item = limits.RateLimitItemPerSecond(policy["limit"], int(seconds))
    return strategy(MemoryStorage()), item, unit


limiter = item = unit = None
for line in sys.stdin:
    message = json.loads(line)
    answer = {"ready": True}
    try:
        if "protocol" in message:
            limiter, item, unit = open_limiter(message)
        else:
            now = message["at"] / unit + DAY
            admitted = limiter.hit(item, message["key"], cost=message["cost"])
            remaining = limiter.get_window_stats(item, message["key"]).remaining
            answer = {"admitted": admitted, "remaining": remaining}
    except ValueError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
