package view

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// A row that is kept is as old as the answer that it is in.
func TestFillAges(t *testing.T) {
	then := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	row := []byte("[1,")
	for _, cell := range []any{metav1.NewTime(then), "a\x00b", metav1.Time{}, nil} {
		var err error
		if row, err = appendCell(row, cell); err != nil {
			t.Fatal(err)
		}
		row = append(row, ',')
	}
	for _, tc := range []struct {
		now  time.Time
		want string
	}{
		{then.Add(time.Second), `[1,"1s","a\u0000b","\u003cunknown\u003e",null,`},
		{then.Add(5 * 365 * 24 * time.Hour), `[1,"5y","a\u0000b","\u003cunknown\u003e",null,`},
	} {
		if got := string(fillAges(nil, row, tc.now)); got != tc.want {
			t.Errorf("%s, want %s", got, tc.want)
		}
	}
}
