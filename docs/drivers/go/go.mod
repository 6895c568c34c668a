module ratereplay/drivers

go 1.26.0

require (
	github.com/throttled/throttled/v2 v2.15.0
	golang.org/x/time v0.16.0
)
