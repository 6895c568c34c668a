// SPDX-License-Identifier: Apache-2.0
// npm limiter, RateLimiter: a token bucket with a count for each interval, one for each key. It
// reads performance.now(), which is replaced, so that time is what the driver is told.
import { createInterface } from 'node:readline';
import { RateLimiter } from 'limiter';

let now = 0;
performance.now = () => now;

const inMs = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };
let options;
let unit;
let limiters;

function answer(message) {
  if (message.protocol) {
    unit = inMs[message.unit];
    options = { tokensPerInterval: message.limit, interval: message.window * unit };
    limiters = new Map();
    return { ready: true };
  }
  const { key, cost } = message;
  now = message.at * unit;
  if (!limiters.has(key)) limiters.set(key, new RateLimiter(options));
  const limiter = limiters.get(key);
  const admitted = limiter.tryRemoveTokens(cost);
  if (admitted) return { admitted, retryAfter: 0 };
  const never = cost > options.tokensPerInterval;
  return { admitted, retryAfter: never ? null : limiter.getWaitTime(cost) / unit };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n');
});
