package main

import (
	"fmt"
	"slices"
	"strings"
)

// checkUnacknowledged is C2.
func checkUnacknowledged(v *view) []string {
	var bad []string
	sent := map[string]*Op{}
	for i := range v.Ops {
		if token := v.Ops[i].token(); token != "" {
			sent[token] = &v.Ops[i]
		}
	}
	effects := map[string][]effect{} // of each key
	for i := range v.Truth.Versions {
		ver, before := &v.Truth.Versions[i], v.before[i]
		if kind := effectOf(ver, before); kind != "" {
			effects[ver.Key] = append(effects[ver.Key], effect{ver, before, kind})
			continue
		}
		tokens := fresh(ver, before)
		if len(tokens) != 1 {
			bad = append(bad, fmt.Sprintf("%s follows %s by %d writes, want one", ver, before, len(tokens)))
		}
		for _, token := range tokens {
			switch op := sent[token]; {
			case op == nil:
				bad = append(bad, fmt.Sprintf("nobody sent %s", ver))
			case op.Key != ver.Key:
				bad = append(bad, fmt.Sprintf("%s was written to another key: %s", ver, op))
			case op.Outcome == Failed:
				bad = append(bad, fmt.Sprintf("%s was written by a request that failed: %s", ver, op))
			}
		}
	}
	return append(bad, v.unexplained(effects)...)
}

// effect is what a write can do that leaves no token behind: a removal, a marking, or the end of a
// marked object.
type effect struct {
	ver, before *Version
	kind        string
}

// Kinds of effects.
const (
	removal = "deletion"
	marking = "marking"
	ending  = "end" // the last finalizer was taken off
)

// effectOf says what kind of effect a version is, "" for a write of content.
func effectOf(ver, before *Version) string {
	switch {
	case ver.Deleted && before != nil && before.Deleting:
		return ending
	case ver.Deleted:
		return removal
	case before != nil && !before.Deleted && ver.UID == before.UID && ver.Deleting && !before.Deleting && ver.Content == before.Content:
		return marking
	}
	return ""
}

// unexplained are the effects that no acknowledged request claims, and that can't be distributed
// among those of unknown outcome: each of them has one effect on a key at most.
func (v *view) unexplained(effects map[string][]effect) []string {
	claimed, unknown := v.claims(), v.unknown()
	var bad []string
	for key, all := range effects {
		all = slices.DeleteFunc(all, func(e effect) bool { return claimed[e.ver.Revision] || v.emptied(e) })
		for _, e := range unmatched(len(all), len(unknown), func(e, op int) bool { return unknown[op].mayHave(v, key, all[e]) }) {
			bad = append(bad, fmt.Sprintf("%s of %s at revision %d: more deletions happened than may have succeeded", all[e].kind, all[e].before, all[e].ver.Revision))
		}
	}
	slices.Sort(bad)
	return bad
}

// emptied says that the server itself may have had an effect, as the namespace was being deleted.
func (v *view) emptied(e effect) bool {
	namespace, _, _ := strings.Cut(e.ver.Key, "/")
	return e.kind != ending && v.spaceAt(namespace, e.ver.Revision-1).Terminating
}

// claims are the revisions that acknowledged requests made without leaving a token.
func (v *view) claims() map[int64]bool {
	claimed := map[int64]bool{}
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK || !op.written() {
			continue
		}
		if op.Verb == Delete {
			claimed[v.goneAt(op.UID)] = true
		}
		for _, item := range op.Items {
			l := v.lives[item.UID]
			switch {
			case l == nil:
			case op.Verb == Delete:
				claimed[item.Revision] = true
			case op.Verb == Collection && l.marked == nil:
				claimed[v.goneAt(item.UID)] = true
			case op.Verb == Collection && l.marked.Revision > v.clock.floor(op.Start) && l.markedBy(v.clock.ceiling(op.End)):
				claimed[l.marked.Revision] = true
			case item.finished() && l.last.Revision == item.Revision:
				claimed[v.goneAt(item.UID)] = true
			}
		}
	}
	return claimed
}

// unknown are the writes that may have had an effect which they do not claim.
func (v *view) unknown() []*Op {
	tokens := v.tokens()
	var ops []*Op
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome == Unknown && op.written() && tokens[op.token()] == nil {
			ops = append(ops, op)
		}
	}
	return ops
}

// mayHave says whether a write of unknown outcome may have had an effect.
func (op *Op) mayHave(v *view, key string, e effect) bool {
	floor := v.clock.floor(op.Start)
	if e.ver.Revision <= floor || e.before == nil {
		return false
	}
	switch op.Verb {
	case Delete:
		return op.Key == key && e.kind != ending && (op.Expect == 0 || op.Expect == e.before.Revision) && (op.ExpectUID == "" || op.ExpectUID == e.before.UID)
	case Collection:
		// The object was in its list, and may have changed since.
		return e.kind != ending && slices.ContainsFunc(v.during(key, floor, e.ver.Revision-1), func(ver *Version) bool {
			return op.Query.Scope.matches(ver) && ver.UID == e.before.UID
		})
	}
	return op.Key == key && e.kind == ending && op.finishes(e.before)
}

// unmatched distributes n effects among m requests that may have had them, one each, and returns
// those that are left.
func unmatched(n, m int, fits func(effect, request int) bool) []int {
	owner := make([]int, m)
	for r := range owner {
		owner[r] = -1
	}
	var place func(e int, tried []bool) bool
	place = func(e int, tried []bool) bool {
		for r := range m {
			if tried[r] || !fits(e, r) {
				continue
			}
			tried[r] = true
			if owner[r] < 0 || place(owner[r], tried) {
				owner[r] = e
				return true
			}
		}
		return false
	}
	var left []int
	for e := range n {
		if !place(e, make([]bool, m)) {
			left = append(left, e)
		}
	}
	return left
}
