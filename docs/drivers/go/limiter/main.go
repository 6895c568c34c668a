// SPDX-License-Identifier: Apache-2.0

// A driver in Go: put your own limiter in the place of slidingLog.
package main

import (
	"fmt"
	"strings"
	"time"

	"ratereplay/drivers/driver"
)

type slidingLog struct {
	limit  int
	window time.Duration
	logs   map[string][]time.Time
	latest map[string]time.Time
}

func (l *slidingLog) admit(r driver.Request) driver.Answer {
	now := r.At
	if latest, seen := l.latest[r.Key]; seen && latest.After(now) {
		now = latest
	}
	l.latest[r.Key] = now
	log := l.logs[r.Key]
	for len(log) > 0 && !log[0].Add(l.window).After(now) {
		log = log[1:]
	}
	answer := driver.Answer{Admitted: r.Cost == 0 || len(log)+r.Cost <= l.limit}
	var wait time.Duration
	if answer.Admitted {
		for unit := 0; unit < r.Cost; unit++ {
			log = append(log, now)
		}
	} else if answer.Never = r.Cost > l.limit; !answer.Never {
		wait = log[len(log)+r.Cost-l.limit-1].Add(l.window).Sub(now)
	}
	l.logs[r.Key] = log
	remaining := l.limit - len(log)
	answer.Remaining, answer.RetryAfter = &remaining, &wait
	return answer
}

func main() {
	driver.Run(func(p driver.Policy) (driver.Limiter, error) {
		// No policy: whatever this limiter is.
		plain := strings.HasPrefix(p.Spec, "sliding-log:") && !strings.Contains(p.Spec, ",")
		if p.Spec != "" && !plain {
			return nil, fmt.Errorf("only a plain sliding-log here, not %s", p.Spec)
		}
		log := &slidingLog{p.Limit, p.Length(), map[string][]time.Time{}, map[string]time.Time{}}
		return log.admit, nil
	})
}
