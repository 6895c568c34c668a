// SPDX-License-Identifier: Apache-2.0

// github.com/throttled/throttled: GCRA over a store. The store tells the time, so that time is what
// the driver is told.
package main

import (
	"context"
	"time"

	"github.com/throttled/throttled/v2"

	"ratereplay/drivers/driver"
)

type store struct {
	now     time.Time
	values  map[string]int64
	expires map[string]time.Time
}

func (s *store) value(key string) (int64, bool) {
	if expires, timed := s.expires[key]; timed && !expires.After(s.now) {
		return 0, false
	}
	value, seen := s.values[key]
	return value, seen
}

func (s *store) set(key string, value int64, ttl time.Duration) {
	s.values[key] = value
	s.expires[key] = s.now.Add(ttl)
}

func (s *store) GetWithTime(_ context.Context, key string) (int64, time.Time, error) {
	if value, seen := s.value(key); seen {
		return value, s.now, nil
	}
	return -1, s.now, nil
}

func (s *store) SetIfNotExistsWithTTL(
	_ context.Context, key string, value int64, ttl time.Duration,
) (bool, error) {
	if _, seen := s.value(key); seen {
		return false, nil
	}
	s.set(key, value, ttl)
	return true, nil
}

func (s *store) CompareAndSwapWithTTL(
	_ context.Context, key string, old, value int64, ttl time.Duration,
) (bool, error) {
	if held, seen := s.value(key); !seen || held != old {
		return false, nil
	}
	s.set(key, value, ttl)
	return true, nil
}

func main() {
	driver.Run(func(p driver.Policy) (driver.Limiter, error) {
		held := &store{values: map[string]int64{}, expires: map[string]time.Time{}}
		quota := throttled.RateQuota{
			MaxRate:  throttled.PerDuration(p.Limit, p.Length()),
			MaxBurst: p.Burst() - 1,
		}
		limiter, err := throttled.NewGCRARateLimiterCtx(held, quota)
		if err != nil {
			return nil, err
		}
		return func(r driver.Request) driver.Answer {
			held.now = r.At
			limited, result, err := limiter.RateLimitCtx(context.Background(), r.Key, r.Cost)
			if err != nil {
				panic(err)
			}
			answer := driver.Answer{Admitted: !limited, Remaining: &result.Remaining}
			wait := max(0, result.RetryAfter)
			answer.Never = limited && result.RetryAfter < 0
			answer.RetryAfter = &wait
			return answer
		}, nil
	})
}
