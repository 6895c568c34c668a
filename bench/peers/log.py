# SPDX-License-Identifier: Apache-2.0
"""A plain sliding log 100/1s per key over timestamp_ms,key,cost: a deque of times for each key."""
import sys
from collections import deque

LIMIT, WINDOW = 100, 1000
logs = {}
admitted = refused = 0
with open(sys.argv[1]) as lines:
    next(lines)
    for line in lines:
        at, key, _ = line.split(",")
        now = int(at)
        log = logs.get(key)
        if log is None:
            log = logs[key] = deque()
        while log and now - log[0] >= WINDOW:
            log.popleft()
        if len(log) < LIMIT:
            log.append(now)
            admitted += 1
        else:
            refused += 1
print(admitted, refused)
