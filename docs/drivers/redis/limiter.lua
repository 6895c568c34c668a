-- SPDX-License-Identifier: Apache-2.0
-- A sliding log in one sorted set for each key. ARGV: limit, window, at, cost, in one unit of time;
-- returns admitted (0 or 1), remaining, and the wait (-1 = never). Put your own script in its place.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local at, cost = tonumber(ARGV[3]), tonumber(ARGV[4])
local latest = tonumber(redis.call('GET', KEYS[1] .. ':latest') or at)
if at < latest then at = latest end
redis.call('SET', KEYS[1] .. ':latest', at)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', at - window)
local held = redis.call('ZCARD', KEYS[1])
if cost == 0 or held + cost <= limit then
  for unit = 1, cost do
    redis.call('ZADD', KEYS[1], at, redis.call('INCR', KEYS[1] .. ':next'))
  end
  return {1, limit - held - cost, 0}
end
if cost > limit then return {0, limit - held, -1} end
local last = held + cost - limit - 1
local oldest = redis.call('ZRANGE', KEYS[1], last, last, 'WITHSCORES')
return {0, limit - held, tonumber(oldest[2]) + window - at}
