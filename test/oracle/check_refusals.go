package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// checkRefusals is C12: what a refusal says of its key was so at some moment between the request
// and its answer. A server that looks at what it remembers must not refuse for it. All clients are
// the administrator, whom each server knows.
func checkRefusals(v *view) []string {
	var bad []string
	for i := range v.Ops {
		if text := v.wrongRefusal(&v.Ops[i]); text != "" {
			bad = append(bad, fmt.Sprintf("%s: %s", text, &v.Ops[i]))
		}
	}
	return bad
}

// wrongRefusal says why a request should not have been refused, "" if it was not.
func (v *view) wrongRefusal(op *Op) string {
	low, high := v.clock.floor(op.Start), v.clock.ceiling(op.End)-1
	so, ruled := v.ruledOut(op, low, high)
	if op.Status == http.StatusUnauthorized || op.Status == http.StatusForbidden && op.Outcome == Failed && !ruled {
		return "the administrator was refused"
	}
	if op.Outcome != Failed || !op.written() && op.Verb != Touch || op.Verb == Collection {
		return ""
	}
	states, reasoned := v.during(op.Key, low, high), op.refusedFor()
	switch {
	case ruled && !so:
		return fmt.Sprintf("a write was refused for a rule that did not refuse it; there was %v", states)
	case !ruled && reasoned != nil && !slices.ContainsFunc(states, reasoned):
		return fmt.Sprintf("a write was refused for what there was not; there was %v", states)
	}
	return ""
}

// refusedFor returns what would be a reason for the refusal, nil if anything may be.
func (op *Op) refusedFor() func(*Version) bool {
	reason, _, _ := strings.Cut(op.Message, ":")
	switch {
	case op.Status == http.StatusNotFound:
		return func(ver *Version) bool { return ver == nil && op.Verb != Create && op.Verb != Apply }
	case reason == string(metav1.StatusReasonAlreadyExists):
		return func(ver *Version) bool { return ver != nil && op.Verb == Create }
	case reason == string(metav1.StatusReasonConflict): // a client in haste may have the status and no reason
		return op.conflictsWith
	}
	return nil
}

func (op *Op) conflictsWith(ver *Version) bool {
	if ver == nil {
		return op.Verb == Apply && op.Expect != 0
	}
	return op.Expect != 0 && op.Expect != ver.Revision || op.ExpectUID != "" && op.ExpectUID != ver.UID ||
		op.Verb == Apply && !op.Force && len(op.after(ver).conflicts) > 0
}
