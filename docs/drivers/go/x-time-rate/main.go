// SPDX-License-Identifier: Apache-2.0

// golang.org/x/time/rate, one limiter for each key. It takes the time as an argument.
package main

import (
	"math"
	"time"

	"golang.org/x/time/rate"

	"ratereplay/drivers/driver"
)

func main() {
	driver.Run(func(p driver.Policy) (driver.Limiter, error) {
		limiters := map[string]*rate.Limiter{}
		perSecond := rate.Limit(float64(p.Limit) / p.Length().Seconds())
		return func(r driver.Request) driver.Answer {
			limiter, seen := limiters[r.Key]
			if !seen {
				limiter = rate.NewLimiter(perSecond, p.Burst())
				limiters[r.Key] = limiter
			}
			answer := driver.Answer{Admitted: limiter.AllowN(r.At, r.Cost)}
			var wait time.Duration
			tokens := limiter.TokensAt(r.At)
			if !answer.Admitted {
				// A reservation would tell the wait too, but moves the limiter's clock.
				answer.Never = r.Cost > p.Burst()
				missing := float64(r.Cost) - tokens
				wait = time.Duration(math.Round(missing / float64(perSecond) * 1e9))
			}
			remaining := max(0, int(math.Floor(tokens)))
			answer.Remaining, answer.RetryAfter = &remaining, &wait
			return answer
		}, nil
	})
}
