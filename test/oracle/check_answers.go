package main

import (
	"fmt"
	"time"
)

// answered is the least share of requests outside of faults that must have an answer other than an
// error of the server. A request of unknown outcome excuses a server from nearly every other
// promise: one that answers nothing would keep them all.
const answered = 0.9

// Outage is a fault, from when it was made until it was mended.
type Outage struct {
	Fault      Fault
	Begin, End time.Duration
}

// recovery is how long after a fault requests may still be without an answer. A server that was
// started again is ready already.
func (o Outage) recovery() time.Duration {
	switch o.Fault {
	case KillServer, StopServer, CutPower:
		return time.Second
	}
	return 5 * time.Second
}

// checkAnswers is C15.
func checkAnswers(v *view) []string {
	asked, silent, example := v.unanswered()
	if float64(asked-silent) >= answered*float64(asked) {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d requests outside of faults were not answered, among them %v", silent, asked, example)}
}

// unanswered counts the requests outside of faults, and those of them without an answer. What a
// client gave up itself, or told the server to give up soon, does not count.
func (v *view) unanswered() (asked, silent int, example *Op) {
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Hasty || v.disturbed(op) {
			continue
		}
		asked++
		if op.Outcome != OK && (op.Status == 0 || op.Status >= 500) {
			silent++
			example = op
		}
	}
	return asked, silent, example
}

// disturbed says if an op was on its way during a fault, or soon after one.
func (v *view) disturbed(op *Op) bool {
	for _, o := range v.Outages {
		if op.End >= o.Begin && op.Start <= o.End+o.recovery() {
			return true
		}
	}
	return false
}
