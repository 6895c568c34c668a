// SPDX-License-Identifier: Apache-2.0
//! A driver in Rust: put your own limiter in the place of SlidingLog.

use serde_json::{json, Value};
use std::collections::{HashMap, VecDeque};
use std::io::{stdin, stdout, BufRead, Write};

struct SlidingLog {
    limit: u64,
    window: i64,
    keys: HashMap<String, (VecDeque<i64>, i64)>,
}

impl SlidingLog {
    fn admit(&mut self, key: &str, at: i64, cost: u64) -> Value {
        let (log, latest) = self.keys.entry(key.into()).or_insert((VecDeque::new(), at));
        let now = at.max(*latest);
        *latest = now;
        while log.front().is_some_and(|&entry| entry <= now - self.window) {
            log.pop_front();
        }
        let held = log.len() as u64;
        let admitted = cost == 0 || held + cost <= self.limit;
        let retry_after = if admitted {
            log.extend((0..cost).map(|_| now));
            json!(0)
        } else if cost > self.limit {
            Value::Null
        } else {
            json!(log[(held + cost - self.limit - 1) as usize] + self.window - now)
        };
        json!({"admitted": admitted, "remaining": self.limit - log.len() as u64,
               "retryAfter": retry_after})
    }
}

fn open(policy: &Value) -> Result<SlidingLog, String> {
    // A policy of null: whatever this limiter is.
    let spec = policy["policy"].as_str().unwrap_or("sliding-log:");
    let plain = spec.starts_with("sliding-log:") && !spec.contains(',');
    match (plain, policy["limit"].as_u64(), policy["window"].as_i64()) {
        (true, Some(limit), Some(window)) => Ok(SlidingLog {
            limit,
            window,
            keys: HashMap::new(),
        }),
        _ => Err(format!(
            "only a plain sliding-log here, not {}",
            policy["policy"]
        )),
    }
}

fn main() {
    let mut limiter = None;
    for line in stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = if message.get("protocol").is_some() {
            match open(&message) {
                Ok(opened) => {
                    limiter = Some(opened);
                    json!({"ready": true})
                }
                Err(reason) => json!({ "error": reason }),
            }
        } else {
            let limiter = limiter.as_mut().unwrap();
            let (key, at) = (message["key"].as_str(), message["at"].as_i64());
            limiter.admit(key.unwrap(), at.unwrap(), message["cost"].as_u64().unwrap())
        };
        println!("{answer}");
        stdout().flush().unwrap();
    }
}
