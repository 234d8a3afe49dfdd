package view

import (
	"strconv"
	"time"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// day and year are as long as kubectl takes them to be.
const (
	day  = 24 * time.Hour
	year = 365 * day
)

// appendSince appends, as a string in JSON, the time between then and now as kubectl shows it. Of
// no time it is unknown.
func appendSince(dst []byte, then, now time.Time) []byte {
	if then.IsZero() {
		return runtimejson.AppendString(dst, "<unknown>")
	}
	d := now.Sub(then)
	if d <= -2*time.Second {
		return runtimejson.AppendString(dst, "<invalid>")
	}
	return append(appendAge(append(dst, '"'), d), '"')
}

// appendAge appends a duration in the two or three digits that matter. That is the unit that fits,
// and beside it the next smaller one while the number of the larger is small. What is less than
// nothing is now: clocks differ.
func appendAge(dst []byte, d time.Duration) []byte {
	switch {
	case d < 0:
		return append(dst, "0s"...)
	case d < 2*time.Minute:
		return appendUnits(dst, d, time.Second, "s", 0, "")
	case d < 10*time.Minute:
		return appendUnits(dst, d, time.Minute, "m", time.Second, "s")
	case d < 3*time.Hour:
		return appendUnits(dst, d, time.Minute, "m", 0, "")
	case d < 8*time.Hour:
		return appendUnits(dst, d, time.Hour, "h", time.Minute, "m")
	case d < 2*day:
		return appendUnits(dst, d, time.Hour, "h", 0, "")
	case d < 8*day:
		return appendUnits(dst, d, day, "d", time.Hour, "h")
	case d < 2*year:
		return appendUnits(dst, d, day, "d", 0, "")
	case d < 8*year:
		return appendUnits(dst, d, year, "y", day, "d")
	}
	return appendUnits(dst, d, year, "y", 0, "")
}

// appendUnits appends how many of the large unit d is, and what remains in the small one, if there
// is a small one and a rest.
func appendUnits(dst []byte, d, large time.Duration, largeName string, small time.Duration, smallName string) []byte {
	dst = append(strconv.AppendInt(dst, int64(d/large), 10), largeName...)
	if small == 0 || d%large < small {
		return dst
	}
	return append(strconv.AppendInt(dst, int64(d%large/small), 10), smallName...)
}
