// SPDX-License-Identifier: Apache-2.0
//! crate governor, keyed, with its FakeRelativeClock: time is what the driver is told.

use governor::clock::{Clock, FakeRelativeClock};
use governor::{Quota, RateLimiter};
use serde_json::{json, Value};
use std::io::{stdin, stdout, BufRead, Write};
use std::num::NonZeroU32;
use std::time::Duration;

const DAY: i128 = 86_400_000_000_000;

fn main() {
    let nanos_in = |unit: &Value| -> u64 {
        match unit.as_str() {
            Some("s") => 1_000_000_000,
            Some("ms") => 1_000_000,
            Some("us") => 1_000,
            _ => 1,
        }
    };
    let mut unit = 1;
    let mut clock = FakeRelativeClock::default();
    let mut seen: Option<u64> = None;
    let mut limiter = None;
    for line in stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = if message.get("protocol").is_some() {
            unit = nanos_in(&message["unit"]);
            let limit = message["limit"].as_u64().unwrap();
            let capacity = message["capacity"].as_u64().unwrap_or(limit);
            let window = message["window"].as_f64().unwrap() * unit as f64;
            let each = Duration::from_nanos((window / limit as f64) as u64);
            clock = FakeRelativeClock::default();
            seen = None;
            let quota = Quota::with_period(each)
                .unwrap()
                .allow_burst(NonZeroU32::new(capacity as u32).unwrap());
            limiter = Some(RateLimiter::dashmap_with_clock(quota, clock.clone()));
            json!({"ready": true})
        } else {
            // The clock begins a day before 0 and does not go back.
            let at = message["at"].as_i64().unwrap() as i128 * unit as i128 + DAY;
            let now = at.max(0) as u64;
            clock.advance(Duration::from_nanos(now.saturating_sub(seen.unwrap_or(0))));
            seen = Some(now.max(seen.unwrap_or(0)));
            let key = message["key"].as_str().unwrap().to_string();
            let limiter = limiter.as_ref().unwrap();
            match NonZeroU32::new(message["cost"].as_u64().unwrap() as u32) {
                None => json!({"admitted": true}),
                Some(cost) => match limiter.check_key_n(&key, cost) {
                    Err(_) => json!({"admitted": false, "retryAfter": null}),
                    Ok(Ok(_)) => json!({"admitted": true, "retryAfter": 0}),
                    Ok(Err(refused)) => {
                        let wait = refused.wait_time_from(clock.now());
                        let told = wait.as_nanos() as f64 / unit as f64;
                        json!({"admitted": false, "retryAfter": told})
                    }
                },
            }
        };
        println!("{answer}");
        stdout().flush().unwrap();
    }
}
