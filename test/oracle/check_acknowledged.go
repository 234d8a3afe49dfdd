package main

import "fmt"

// checkAcknowledged is C1.
func checkAcknowledged(v *view) []string {
	var bad []string
	deletions := v.deletions()
	deletedBy := map[string]*Op{}
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK {
			continue
		}
		switch op.Verb {
		case Create, Update, Patch:
			if text := v.acknowledged(op); text != "" {
				bad = append(bad, fmt.Sprintf("%s; %s", text, op))
			}
		case Delete:
			ver := deletions[op.UID]
			switch {
			case ver == nil || ver.Key != op.Key:
				bad = append(bad, fmt.Sprintf("an acknowledged deletion of uid %s did not happen: %s", op.UID, op))
			case deletedBy[op.UID] != nil:
				bad = append(bad, fmt.Sprintf("two deletions of the same object were acknowledged: %s, and %s", deletedBy[op.UID], op))
			}
			deletedBy[op.UID] = op
		}
	}
	tokens := map[string]*Version{}
	for i := range v.Truth.Versions {
		ver := &v.Truth.Versions[i]
		if ver.Deleted {
			continue
		}
		if first := tokens[ver.Token]; first != nil {
			bad = append(bad, fmt.Sprintf("one write happened twice: %s and %s", first, ver))
		}
		tokens[ver.Token] = ver
	}
	return bad
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
	if !item.is(ver) {
		return fmt.Sprintf("the answer %s is not what was written, %s", item, ver)
	}
	want := op.Sent
	if op.Verb == Patch {
		before, _ := v.held(op.Key, ver.Revision-1)
		if before == nil {
			return "a patch made an object"
		}
		want = before.Content.with(op.Sent)
	}
	if ver.Content != want {
		return fmt.Sprintf("revision %d holds %+v, want %+v", ver.Revision, ver.Content, want)
	}
	return ""
}

// with is what a patch makes of c.
func (c Content) with(patch Content) Content {
	c.Token = patch.Token
	if patch.Title != "" {
		c.Title = patch.Title
	}
	if patch.Group != "" {
		c.Group = patch.Group
	}
	if patch.Shelf != "" {
		c.Shelf = patch.Shelf
	}
	return c
}
