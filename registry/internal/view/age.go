package view

import (
	"fmt"
	"time"
)

// day and year are as long as kubectl takes them to be.
const (
	day  = 24 * time.Hour
	year = 365 * day
)

// unknownAge is shown for a time that is not set.
const unknownAge = "<unknown>"

// since is the time between then and now as kubectl shows it.
func since(then, now time.Time) string {
	if then.IsZero() {
		return unknownAge
	}
	return age(now.Sub(then))
}

// age writes a duration in the two or three digits that matter. That is the unit that fits, and
// beside it the next smaller one while the number of the larger is small. What is a second in the
// future is now: clocks differ.
func age(d time.Duration) string {
	switch {
	case d <= -2*time.Second:
		return "<invalid>"
	case d < 0:
		return "0s"
	case d < 2*time.Minute:
		return units(d, time.Second, "s", 0, "")
	case d < 10*time.Minute:
		return units(d, time.Minute, "m", time.Second, "s")
	case d < 3*time.Hour:
		return units(d, time.Minute, "m", 0, "")
	case d < 8*time.Hour:
		return units(d, time.Hour, "h", time.Minute, "m")
	case d < 2*day:
		return units(d, time.Hour, "h", 0, "")
	case d < 8*day:
		return units(d, day, "d", time.Hour, "h")
	case d < 2*year:
		return units(d, day, "d", 0, "")
	case d < 8*year:
		return units(d, year, "y", day, "d")
	}
	return units(d, year, "y", 0, "")
}

// units writes how many of the large unit d is, and what remains in the small one, if there is a
// small one and a rest.
func units(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := fmt.Sprint(int64(d/large), largeName)
	if small == 0 || d%large < small {
		return text
	}
	return fmt.Sprint(text, int64(d%large/small), smallName)
}
