# SPDX-License-Identifier: Apache-2.0
# A plain sliding log 100/1s per key over timestamp_ms,key,cost: a ring of times for each key.
BEGIN { FS = ","; limit = 100; window = 1000 }
NR > 1 {
  key = $2
  n = count[key] + 0
  if (n < limit || $1 - ring[key, n % limit] >= window) {
    ring[key, n % limit] = $1
    count[key] = n + 1
    ++admitted
  } else {
    ++refused
  }
}
END { print admitted + 0, refused + 0 }
