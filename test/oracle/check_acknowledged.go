package main

import "fmt"

// checkAcknowledged is C1.
func checkAcknowledged(v *view) []string {
	var bad []string
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK {
			continue
		}
		text := ""
		switch op.Verb {
		case Create, Update, Patch, Apply:
			text = v.acknowledged(op)
		case Delete:
			text = v.acknowledgedDeletion(op)
		}
		if text != "" {
			bad = append(bad, fmt.Sprintf("%s; %s", text, op))
		}
	}
	return append(append(bad, v.deletedTwice()...), v.doneTwice()...)
}

// acknowledged says what is wrong with the effect of an acknowledged write.
func (v *view) acknowledged(op *Op) string {
	if len(op.Items) != 1 {
		return "the answer has no object"
	}
	item := op.Items[0]
	ver := v.at(item.Revision)
	if ver == nil || ver.Deleted || ver.Key != op.Key {
		return fmt.Sprintf("an acknowledged write is not at revision %d: there is %s", item.Revision, ver)
	}
	if item.finished() && op.Verb != Create {
		return v.acknowledgedEnd(op, item, ver)
	}
	if !item.is(ver) {
		return fmt.Sprintf("the answer %s is not what was written, %s", item, ver)
	}
	before, _ := v.held(op.Key, ver.Revision-1)
	want := op.after(before)
	if want.refused != "" {
		return fmt.Sprintf("revision %d should not be: %s", ver.Revision, want.refused)
	}
	if ver.Content != want.Content {
		return fmt.Sprintf("revision %d holds %+v, want %+v", ver.Revision, ver.Content, want.Content)
	}
	return ""
}

// acknowledgedEnd is of a write that took the last finalizer off ver, which was being deleted. Then
// the object is removed, by this write or by another one that did the same. The answer shows it as
// it would have been.
func (v *view) acknowledgedEnd(op *Op, item Item, ver *Version) string {
	_, until := v.held(op.Key, ver.Revision)
	switch gone := v.goneAt(ver.UID); {
	case !op.finishes(ver):
		return fmt.Sprintf("the answer says that it was the end of %s, which it could not be", ver)
	case item.UID != ver.UID || item.Content != op.after(ver).Content:
		return fmt.Sprintf("the answer says that %+v was the end of %s, want %+v", item.Content, ver, op.after(ver).Content)
	case gone == 0 || gone >= v.clock.ceiling(op.End):
		return fmt.Sprintf("the last finalizer of %s was taken off, but it was not removed", ver)
	case until <= v.clock.floor(op.Start):
		return fmt.Sprintf("%s was replaced at revision %d before the write began", ver, until)
	}
	return ""
}

// acknowledgedDeletion says what is wrong with a deletion. It has removed the object, or found or
// made it marked.
func (v *view) acknowledgedDeletion(op *Op) string {
	if len(op.Items) == 0 {
		l := v.lives[op.UID]
		switch {
		case l == nil || l.gone == nil || l.born.Key != op.Key:
			return fmt.Sprintf("an acknowledged deletion of uid %s did not happen", op.UID)
		case l.marked != nil:
			return fmt.Sprintf("a deletion is said to have removed %s, which waited for its finalizers", l.last)
		}
		return ""
	}
	item := op.Items[0]
	ver := v.at(item.Revision)
	if !item.is(ver) || ver.Key != op.Key || !ver.Deleting {
		return fmt.Sprintf("an acknowledged deletion shows %s, which is no object that is being deleted: there is %s", item, ver)
	}
	if _, until := v.held(op.Key, ver.Revision); until <= v.clock.floor(op.Start) {
		return fmt.Sprintf("a deletion shows %s, which was replaced at revision %d before it began", item, until)
	}
	return ""
}

// deletedTwice looks for removals that several requests claim for themselves.
func (v *view) deletedTwice() []string {
	var bad []string
	by := map[string]*Op{}
	claim := func(uid string, op *Op) {
		if by[uid] != nil {
			bad = append(bad, fmt.Sprintf("two deletions of the same object were acknowledged: %s, and %s", by[uid], op))
		}
		by[uid] = op
	}
	for i := range v.Ops {
		op := &v.Ops[i]
		switch {
		case op.Outcome != OK:
		case op.Verb == Delete && op.UID != "":
			claim(op.UID, op)
		case op.Verb == Collection:
			for _, item := range op.Items {
				if l := v.lives[item.UID]; l != nil && l.marked == nil {
					claim(item.UID, op)
				}
			}
		}
	}
	return bad
}

// doneTwice looks for writes that had two effects.
func (v *view) doneTwice() []string {
	var bad []string
	done := map[string]*Version{}
	for i := range v.Truth.Versions {
		ver := &v.Truth.Versions[i]
		if ver.Deleted {
			continue
		}
		tokens := fresh(ver, v.before[i])
		if len(tokens) == 0 && effectOf(ver, v.before[i]) == "" {
			bad = append(bad, fmt.Sprintf("one write happened twice: %s and %s", v.before[i], ver))
		}
		for _, token := range tokens {
			if first := done[token]; first != nil {
				bad = append(bad, fmt.Sprintf("one write happened twice: %s and %s", first, ver))
			}
			done[token] = ver
		}
	}
	return bad
}
