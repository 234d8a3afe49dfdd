package view

import (
	"encoding/json"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// An age reads as kubectl and Kubernetes' own printers write it, at and around every border.
func TestAge(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, border := range []time.Duration{
		0, -time.Second, -2 * time.Second, time.Minute, 2 * time.Minute, 3 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 5 * time.Hour,
		8 * time.Hour, 24 * time.Hour, 48 * time.Hour, 5 * day, 8 * day, year, 2 * year, 3 * year, 8 * year, 100 * year,
	} {
		for _, around := range []time.Duration{0, time.Millisecond, time.Second, time.Minute, time.Hour, day, 100 * day} {
			for _, d := range []time.Duration{border - around, border + around} {
				if got, want := since(t, now.Add(-d), now), duration.HumanDuration(d); got != want {
					t.Errorf("the age of %v is %q, want %q", d, got, want)
				}
			}
		}
	}
	if got := since(t, time.Time{}, now); got != "<unknown>" {
		t.Errorf("no time is %q", got)
	}
	if got := since(t, now.Add(-192*time.Second), now); got != "3m12s" {
		t.Errorf("192 s are %q", got)
	}
}

func since(t *testing.T, then, now time.Time) (text string) {
	t.Helper()
	data := appendSince(nil, then, now)
	if err := json.Unmarshal(data, &text); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return text
}
