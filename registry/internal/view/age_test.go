package view

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// An age reads as kubectl and Kubernetes' own printers write it, at and around every border.
func TestAge(t *testing.T) {
	for _, border := range []time.Duration{
		0, -time.Second, -2 * time.Second, time.Minute, 2 * time.Minute, 3 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 5 * time.Hour,
		8 * time.Hour, 24 * time.Hour, 48 * time.Hour, 5 * day, 8 * day, year, 2 * year, 3 * year, 8 * year, 100 * year,
	} {
		for _, around := range []time.Duration{0, time.Millisecond, time.Second, time.Minute, time.Hour, day, 100 * day} {
			for _, d := range []time.Duration{border - around, border + around} {
				if got, want := age(d), duration.HumanDuration(d); got != want {
					t.Errorf("age(%v) = %q, want %q", d, got, want)
				}
			}
		}
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	if got := since(time.Time{}, now); got != "<unknown>" {
		t.Errorf("no time is %q", got)
	}
	if got := since(now.Add(-192*time.Second), now); got != "3m12s" {
		t.Errorf("192 s are %q", got)
	}
}
