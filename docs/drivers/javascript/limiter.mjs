// SPDX-License-Identifier: Apache-2.0
// A driver in JavaScript: put your own limiter in the place of SlidingLog.
import { createInterface } from 'node:readline';

class SlidingLog {
  constructor(limit, window) {
    Object.assign(this, { limit, window, keys: new Map() });
  }

  admit(key, at, cost) {
    const state = this.keys.get(key) ?? { log: [], latest: -Infinity };
    this.keys.set(key, state);
    at = state.latest = Math.max(at, state.latest);
    const log = (state.log = state.log.filter((entry) => entry > at - this.window));
    const admitted = cost === 0 || log.length + cost <= this.limit;
    let retryAfter = 0;
    if (!admitted) {
      const last = log[log.length + cost - this.limit - 1];
      retryAfter = cost > this.limit ? null : last + this.window - at;
    } else {
      for (let unit = 0; unit < cost; ++unit) log.push(at);
    }
    return { admitted, remaining: this.limit - log.length, retryAfter };
  }
}

function open({ policy, limit, window }) {
  // A policy of null: whatever this limiter is.
  if (policy && !/^sliding-log:[^,]*$/.test(policy)) {
    throw new Error(`only a plain sliding-log here, not ${policy}`);
  }
  return new SlidingLog(limit, window);
}

let limiter;
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  let answer = { ready: true };
  try {
    if (message.protocol) limiter = open(message);
    else answer = limiter.admit(message.key, message.at, message.cost);
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
});
