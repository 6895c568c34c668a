// SPDX-License-Identifier: Apache-2.0
// A plain sliding log 100/1s per key over timestamp_ms,key,cost: a limiter object for each key.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

class SlidingLog {
  constructor(limit, window) {
    this.limit = limit;
    this.window = window;
    this.times = [];
    this.first = 0;
  }
  admit(now) {
    while (this.first < this.times.length && now - this.times[this.first] >= this.window) ++this.first;
    if (this.first > 64 && this.first * 2 > this.times.length) {
      this.times = this.times.slice(this.first);
      this.first = 0;
    }
    if (this.times.length - this.first >= this.limit) return false;
    this.times.push(now);
    return true;
  }
}

const keys = new Map();
let admitted = 0;
let refused = 0;
let header = true;
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  if (header) {
    header = false;
    continue;
  }
  const [at, key] = line.split(",");
  let limiter = keys.get(key);
  if (!limiter) keys.set(key, (limiter = new SlidingLog(100, 1000)));
  if (limiter.admit(Number(at))) ++admitted;
  else ++refused;
}
console.log(admitted, refused);
