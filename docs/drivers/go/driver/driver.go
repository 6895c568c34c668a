// SPDX-License-Identifier: Apache-2.0

// Package driver speaks ratereplay.driver/1 over standard input and output.
package driver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Policy is what the opening line says.
type Policy struct {
	Protocol  string  `json:"protocol"`
	Unit      string  `json:"unit"`
	Spec      string  `json:"policy"`
	Algorithm string  `json:"algorithm"`
	Limit     int     `json:"limit"`
	Window    float64 `json:"window"`
	Capacity  *int    `json:"capacity"`
}

// Length is the window as a duration.
func (p Policy) Length() time.Duration {
	return time.Duration(p.Window * float64(p.unit()))
}

// Burst is the capacity, which is the limit unless the policy says otherwise.
func (p Policy) Burst() int {
	if p.Capacity != nil {
		return *p.Capacity
	}
	return p.Limit
}

func (p Policy) unit() time.Duration {
	units := map[string]time.Duration{"s": time.Second, "ms": time.Millisecond,
		"us": time.Microsecond, "ns": time.Nanosecond}
	return units[p.Unit]
}

// Request is one line; At counts from the epoch.
type Request struct {
	At   time.Time
	Key  string
	Cost int
}

// Answer is what a limiter says. RetryAfter is left out where it is not told; Never is a refusal
// that no wait cures.
type Answer struct {
	Admitted   bool
	Remaining  *int
	RetryAfter *time.Duration
	Never      bool
}

// Limiter decides one request.
type Limiter func(Request) Answer

// Run answers every line until the input ends.
func Run(open func(Policy) (Limiter, error)) {
	var limiter Limiter
	var policy Policy
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Policy
			At   int64  `json:"at"`
			Key  string `json:"key"`
			Cost int    `json:"cost"`
		}
		reply := map[string]any{"ready": true}
		err := json.Unmarshal(lines.Bytes(), &line)
		if err == nil && line.Protocol != "" {
			policy = line.Policy
			limiter, err = open(policy)
		} else if err == nil {
			at := time.Unix(0, line.At*int64(policy.unit()))
			reply = told(limiter(Request{at, line.Key, line.Cost}), policy.unit())
		}
		if err != nil {
			reply = map[string]any{"error": err.Error()}
		}
		text, _ := json.Marshal(reply)
		fmt.Println(string(text))
	}
}

func told(answer Answer, unit time.Duration) map[string]any {
	reply := map[string]any{"admitted": answer.Admitted}
	if answer.Remaining != nil {
		reply["remaining"] = *answer.Remaining
	}
	if answer.Never {
		reply["retryAfter"] = nil
	} else if answer.RetryAfter != nil {
		reply["retryAfter"] = float64(*answer.RetryAfter) / float64(unit)
	}
	return reply
}
