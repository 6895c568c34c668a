// SPDX-License-Identifier: Apache-2.0
// The same driver in TypeScript, with the types of the protocol.
import { createInterface } from 'node:readline';

interface Opening {
  protocol: 'ratereplay.driver/1';
  unit: 's' | 'ms' | 'us' | 'ns';
  policy: string | null;
  algorithm?: string;
  limit: number;
  window: number;
  boundary?: 'half-open' | 'closed';
  charge?: 'admitted' | 'attempted';
  clock?: number | null;
}
interface Request {
  at: number;
  key: string;
  cost: number;
}
interface Answer {
  admitted: boolean;
  remaining?: number;
  retryAfter?: number | null;
  resetAt?: number | null;
  fullAt?: number | null;
  delay?: number;
}

class SlidingLog {
  private readonly keys = new Map<string, { log: number[]; latest: number }>();
  constructor(
    private readonly limit: number,
    private readonly window: number,
  ) {}

  admit({ at, key, cost }: Request): Answer {
    const state = this.keys.get(key) ?? { log: [], latest: -Infinity };
    this.keys.set(key, state);
    const now = (state.latest = Math.max(at, state.latest));
    const log = (state.log = state.log.filter((entry) => entry > now - this.window));
    const admitted = cost === 0 || log.length + cost <= this.limit;
    let retryAfter: number | null = 0;
    if (!admitted) {
      const last = log[log.length + cost - this.limit - 1];
      retryAfter = cost > this.limit ? null : last + this.window - now;
    } else {
      for (let unit = 0; unit < cost; ++unit) log.push(now);
    }
    return { admitted, remaining: this.limit - log.length, retryAfter };
  }
}

function open({ policy, limit, window }: Opening): SlidingLog {
  // A policy of null: whatever this limiter is.
  if (policy && !/^sliding-log:[^,]*$/.test(policy)) {
    throw new Error(`only a plain sliding-log here, not ${policy}`);
  }
  return new SlidingLog(limit, window);
}

let limiter: SlidingLog;
createInterface({ input: process.stdin }).on('line', (line: string) => {
  const message = JSON.parse(line) as Opening | Request;
  let answer: Answer | { ready: true } | { error: string } = { ready: true };
  try {
    if ('protocol' in message) limiter = open(message);
    else answer = limiter.admit(message);
  } catch (error) {
    answer = { error: (error as Error).message };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
});
