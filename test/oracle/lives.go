package main

// life is what became of one object, from its creation to its removal.
type life struct {
	born, marked, gone *Version // nil for what has not happened; marked is the first version with a deletionTimestamp
	last               *Version // the last that it was
}

// newLives finds out what became of each object, by its uid.
func newLives(v *view) map[string]*life {
	lives := map[string]*life{}
	for i := range v.Truth.Versions {
		ver, before := &v.Truth.Versions[i], v.before[i]
		if ver.Deleted {
			if before != nil && !before.Deleted {
				lives[before.UID].gone = ver
			}
			continue
		}
		l := lives[ver.UID]
		if l == nil {
			l = &life{born: ver}
			lives[ver.UID] = l
		}
		if l.marked == nil && ver.Deleting {
			l.marked = ver
		}
		l.last = ver
	}
	return lives
}

// goneAt is the revision at which an object was removed; 0 if it was not.
func (v *view) goneAt(uid string) int64 {
	if l := v.lives[uid]; l != nil && l.gone != nil {
		return l.gone.Revision
	}
	return 0
}

// finished says that the item in the answer to a write is not there any more: the write took the
// last finalizer off it.
func (i Item) finished() bool { return i.Deleting && i.Finalizers == "" }

// markedBy says whether an object was marked as being deleted before a revision.
func (l *life) markedBy(revision int64) bool { return l.marked != nil && l.marked.Revision < revision }

// fresh returns the tokens that a version has and the one before it has not: those of the writes
// that made it.
func fresh(ver, before *Version) []string {
	var all, old []string
	if before != nil && !before.Deleted && before.UID == ver.UID {
		old = before.tokens()
	}
next:
	for _, token := range ver.tokens() {
		for _, was := range old {
			if token == was {
				continue next
			}
		}
		all = append(all, token)
	}
	return all
}

// saw is the newest revision that the answer proves there was.
func (v *view) saw(op *Op) int64 {
	newest := op.Revision
	for _, item := range op.Items {
		newest = max(newest, item.Revision)
		if op.written() && item.finished() {
			newest = max(newest, v.goneAt(item.UID))
		}
	}
	switch op.Verb {
	case Delete:
		newest = max(newest, v.goneAt(op.UID))
	case Collection:
		for _, item := range op.Items {
			if l := v.lives[item.UID]; l != nil && l.marked == nil {
				newest = max(newest, v.goneAt(item.UID))
			}
		}
	}
	return newest
}

// made is the revision that an acknowledged write made; 0 if it need not have made one, or made
// several.
func (v *view) made(op *Op) int64 {
	switch {
	case op.Verb == Collection, op.Verb == Delete && len(op.Items) > 0:
		return 0
	}
	return v.saw(op)
}

// replaced is the version that an acknowledged write was on top of, and whether it changed it
// itself. It need not have: a deletion may find an object that is marked already, and two may take
// off the last finalizer.
func (v *view) replaced(op *Op) (before *Version, changed bool) {
	switch {
	case op.Verb == Collection || op.Verb == Delete && op.UID == "" && len(op.Items) == 0:
		return nil, false
	case op.Verb == Delete && op.UID != "":
		if l := v.lives[op.UID]; l != nil {
			return l.last, true
		}
		return nil, false
	case len(op.Items) == 0:
		return nil, false
	}
	revision := op.Items[0].Revision
	ver := v.at(revision)
	switch {
	case ver == nil:
		return nil, false
	case op.Items[0].finished(), op.Verb == Delete && ver.Revision == op.Expect:
		return ver, false
	}
	before, _ = v.held(op.Key, revision-1)
	return before, true
}

// during returns what a key held at the revisions from low to high: nil stands for nothing.
func (v *view) during(key string, low, high int64) []*Version {
	held, _ := v.held(key, low)
	all := []*Version{held}
	for _, i := range v.byKey[key] {
		switch ver := &v.Truth.Versions[i]; {
		case ver.Revision <= low || ver.Revision > high:
		case ver.Deleted:
			all = append(all, nil)
		default:
			all = append(all, ver)
		}
	}
	return all
}
