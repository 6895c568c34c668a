// SPDX-License-Identifier: Apache-2.0
// npm rate-limiter-flexible, RateLimiterMemory: points per duration. It reads Date.now() and sets
// timers that forget keys; both are replaced, so that time is what the driver is told.
import { createInterface } from 'node:readline';
import { RateLimiterMemory } from 'rate-limiter-flexible';

let now = 0;
Date.now = () => now;
globalThis.setTimeout = () => ({ unref() {} });
globalThis.clearTimeout = () => {};

const inMs = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };
let limiter;
let unit;

async function answer(message) {
  if (message.protocol) {
    unit = inMs[message.unit];
    const duration = (message.window * unit) / 1000;
    limiter = new RateLimiterMemory({ points: message.limit, duration });
    return { ready: true };
  }
  now = message.at * unit;
  const [admitted, result] = await limiter.consume(message.key, message.cost).then(
    (result) => [true, result],
    (result) => [false, result],
  );
  const retryAfter = admitted ? 0 : result.msBeforeNext / unit;
  return { admitted, remaining: result.remainingPoints, retryAfter };
}

let turn = Promise.resolve();
createInterface({ input: process.stdin }).on('line', (line) => {
  turn = turn
    .then(() => answer(JSON.parse(line)))
    .catch((error) => ({ error: String(error) }))
    .then((reply) => process.stdout.write(JSON.stringify(reply) + '\n'));
});
