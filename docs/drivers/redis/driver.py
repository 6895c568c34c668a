# SPDX-License-Identifier: Apache-2.0
"""A driver for a Lua script in Redis: limiter.lua beside it, or the file named as an argument. The
server is at $REDIS_HOST:$REDIS_PORT (127.0.0.1:6379). Keys get a prefix of their own for each
opening line, and are deleted at the end."""

import json
import os
import pathlib
import socket
import sys


class Redis:
    def __init__(self):
        host = os.environ.get("REDIS_HOST", "127.0.0.1")
        port = int(os.environ.get("REDIS_PORT", "6379"))
        self.stream = socket.create_connection((host, port)).makefile("rwb")

    def call(self, *words):
        parts = [str(word).encode() for word in words]
        lengths = [b"$%d\r\n%s\r\n" % (len(part), part) for part in parts]
        self.stream.write(b"*%d\r\n" % len(parts) + b"".join(lengths))
        self.stream.flush()
        return self.reply()

    def reply(self):
        line = self.stream.readline().rstrip()
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise ValueError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        if kind == b"$":
            return self.stream.read(int(rest) + 2)[:-2] if int(rest) >= 0 else None
        return rest


here = pathlib.Path(__file__).parent
script = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "limiter.lua"
redis = Redis()
sha = redis.call("SCRIPT", "LOAD", script.read_text()).decode()
run = f"ratereplay:{os.getpid()}"
opened = 0
policy = None
for line in sys.stdin:
    message = json.loads(line)
    answer = {"ready": True}
    try:
        if "protocol" in message:
            spec = message["policy"] or "sliding-log:"  # null: whatever the script is
            if not spec.startswith("sliding-log:") or "," in spec:
                raise ValueError(f"only a plain sliding-log here, not {spec}")
            opened += 1
            policy = message
        else:
            key = f"{run}:{opened}:{message['key']}"
            admitted, remaining, wait = redis.call(
                "EVALSHA", sha, 1, key,
                policy["limit"], policy["window"], message["at"], message["cost"],
            )
            answer = {
                "admitted": admitted == 1,
                "remaining": remaining,
                "retryAfter": None if wait < 0 else wait,
            }
    except ValueError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
for key in redis.call("KEYS", f"{run}:*"):
    redis.call("DEL", key.decode())
