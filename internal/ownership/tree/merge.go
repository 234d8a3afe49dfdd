package tree

// Merge is an object into which another one was merged. Where both say what a field is, the other
// one counts. No field is lost. Lists have their items in the order of the other one where that
// says something about them.
func (t *Type) Merge(old, other map[string]any) map[string]any {
	merged, _ := t.merge(old, other).(map[string]any)
	return merged
}

// merge merges two values, one of which may be absent: then it is the other one.
func (t *Type) merge(old, other any) any {
	switch {
	case !there(other):
		return old
	case !there(old):
		return other
	}
	switch t.of(other).first() {
	case isObject:
		was, _ := old.(map[string]any)
		more, _ := other.(map[string]any)
		if !t.object.atomic && len(was)+len(more) > 0 {
			return t.object.merge(was, more)
		}
	case isList:
		was, _ := old.([]any)
		more, _ := other.([]any)
		if !t.list.atomic && len(was)+len(more) > 0 {
			return t.list.merge(was, more)
		}
	}
	return other
}

func (o *object) merge(was, more map[string]any) map[string]any {
	merged := make(map[string]any, len(was)+len(more))
	for name, old := range was {
		merged[name] = old
	}
	for name, other := range more {
		old, ok := was[name]
		if !ok {
			old = absent
		}
		t, _ := o.member(name)
		merged[name] = t.merge(old, other)
	}
	return merged
}

// merge merges lists whose items have identities. Items that both have are in the order of more;
// others of was stay where they are, before the next one that both have.
func (l *list) merge(was, more []any) []any {
	before, after := l.itemsOf(was), l.itemsOf(more)
	var shared []string // what is left of those in both, in the order of more
	for _, id := range after.order {
		if _, ok := before.at[id]; ok {
			shared = append(shared, id)
		}
	}
	taken := make(map[string]bool, len(after.order))
	merged := make([]any, 0, max(len(was), len(more)))
	take := func(id string) {
		taken[id] = true
		merged = append(merged, l.items.merge(before.one(id), after.one(id)))
		if len(shared) > 0 && shared[0] == id {
			shared = shared[1:]
		}
	}
	i, j := 0, 0
	for i < len(before.order) || j < len(after.order) {
		if i < len(before.order) && j < len(after.order) {
			id := before.order[i]
			if id == after.order[j] {
				take(id)
				i, j = i+1, j+1
				continue
			}
			if _, ok := after.at[id]; ok && len(shared) > 0 && shared[0] != id {
				i++ // it comes with another place
				continue
			}
		}
		if i < len(before.order) {
			id := before.order[i]
			if _, ok := after.at[id]; !ok {
				merged = append(merged, was[i])
				i++
				continue
			}
			if taken[id] {
				i++
			}
		}
		if j < len(after.order) {
			take(after.order[j])
			j++
		}
	}
	return merged
}
