package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A server that says 504 to everything breaks no other promise.
func TestNothingAnswered(t *testing.T) {
	silent := func(change func(*Op)) *History {
		h := &History{}
		for i := range 100 {
			op := Op{Verb: Get, Version: storedVersion, Key: "n/a", Outcome: Unknown, Status: 504, Start: time.Duration(i) * time.Second, End: time.Duration(i)*time.Second + ms}
			if i%8 == 0 {
				op.Outcome, op.Status = OK, 200
			}
			change(&op)
			h.Ops = append(h.Ops, op)
		}
		return h
	}
	found := func(h *History) []string {
		var names []string
		for _, v := range Check(h) {
			names = append(names, v.Property)
			if !strings.Contains(v.Text, "were not answered") {
				t.Error(v)
			}
		}
		return names
	}
	if got := found(silent(func(*Op) {})); !slices.Equal(got, []string{"C15"}) {
		t.Errorf("a server that says 504 to everything breaks %q", got)
	}
	if got := found(silent(func(op *Op) { op.Outcome, op.Status = Failed, 500 })); !slices.Equal(got, []string{"C15"}) {
		t.Errorf("a server that says 500 to everything breaks %q", got)
	}
	if got := found(silent(func(op *Op) { op.Hasty = true })); got != nil {
		t.Errorf("clients that give up: %q", got)
	}
	during := silent(func(*Op) {})
	during.Outages = []Outage{{KillEtcd, 0, 95 * time.Second}}
	if got := found(during); got != nil {
		t.Errorf("during a fault: %q", got)
	}
	during.Outages[0].End = 50 * time.Second
	if got := found(during); got == nil {
		t.Error("a server that says 504 to everything after a fault breaks nothing")
	}
}
