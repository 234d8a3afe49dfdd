package main

import (
	"cmp"
	"fmt"
	"slices"
)

// checkReads is C3.
func checkReads(v *view) []string {
	var bad []string
	var lists []*Op
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK {
			continue
		}
		switch op.Verb {
		case Get, Touch:
			for _, item := range op.Items {
				if op.Expect != 0 && op.Expect != item.Revision {
					bad = append(bad, fmt.Sprintf("a write of nothing new on top of revision %d came to %s: %s", op.Expect, item, op))
				}
				if ver := v.at(item.Revision); !item.is(ver) {
					bad = append(bad, fmt.Sprintf("a read object %s never was; that revision is %s: %s", item, ver, op))
				}
			}
		case List:
			lists = append(lists, op)
		}
	}
	slices.SortFunc(lists, func(a, b *Op) int { return cmp.Compare(a.Revision, b.Revision) })
	s := v.states()
	for _, op := range lists {
		s.to(op.Revision)
		if text := wrongList(op, s.list(op.Query.Scope, op.Query.After)); text != "" {
			bad = append(bad, fmt.Sprintf("list at revision %d: %s: %s", op.Revision, text, op))
		}
	}
	return bad
}

// wrongList says what is wrong with a list, or a page, at whose revision there were these versions.
func wrongList(op *Op, want []*Version) string {
	q := op.Query
	switch {
	case q.Match == Exact && op.Revision != q.Revision:
		return fmt.Sprintf("want exactly revision %d", q.Revision)
	case q.Match == NotOlderThan && op.Revision < q.Revision:
		return fmt.Sprintf("want revision %d or later", q.Revision)
	}
	total := len(want)
	if q.Limit > 0 && q.Match != Any {
		want = want[:min(q.Limit, len(want))]
	}
	if text := difference(op.Items, want); text != "" {
		return text
	}
	rest := total - len(op.Items)
	switch {
	case rest > 0 && !op.More:
		return fmt.Sprintf("no continuation, although %d items follow", rest)
	case rest == 0 && op.More && !q.selects():
		return "a continuation, although nothing follows"
	case op.Remaining >= 0 && int(op.Remaining) != rest:
		return fmt.Sprintf("%d items follow, not %d", rest, op.Remaining)
	}
	return ""
}

// difference names the first item that is not as it should be.
func difference(got []Item, want []*Version) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i == len(got):
			return fmt.Sprintf("%s is missing, and %d more", want[i], len(want)-i-1)
		case i == len(want):
			return fmt.Sprintf("%s should not be there, and %d more", got[i], len(got)-i-1)
		case !got[i].is(want[i]):
			return fmt.Sprintf("item %d is %s, want %s", i, got[i], want[i])
		}
	}
	return ""
}
