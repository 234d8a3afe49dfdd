package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// Violation is a broken promise.
type Violation struct {
	Property string
	Text     string
}

func (v Violation) String() string { return v.Property + ": " + v.Text }

// properties are what is checked, each by a function of its own. C10, that no server panics, needs
// no history: see world.crashes.
var properties = []struct {
	name, about string
	check       func(*view) []string
}{
	{"C1", "a write that was acknowledged happened once, at its revision, with its content", checkAcknowledged},
	{"C2", "a write of unknown outcome happened once at most, one that failed never, and nothing else happened", checkUnacknowledged},
	{"C3", "a read shows exactly the state of its revision, pages included", checkReads},
	{"C4", "a read sees what was acknowledged before it began, and nothing that was not yet written", checkRealTime},
	{"C5", "of two writes on top of one version only one succeeds, and a write loses nothing of another", checkCompareAndSwap},
	{"C6", "a watch is the exact history of its scope from its start to where it ended", checkWatches},
	{"C7", "a bookmark comes behind all events up to its revision, and before all others", checkBookmarks},
	{"C8", "revisions never decrease", checkRevisions},
	{"C9", "when all faults are over, every server and member holds the same", checkFinals},
	{"C11", "an object stays while it has finalizers, marked when it was deleted, and goes with the last one", checkLives},
	{"C12", "a write is refused only for what there was, and the administrator for nothing else", checkRefusals},
	{"C13", "fields belong to who wrote them, and an apply patch takes none from another without force", checkOwners},
	{"C14", "deleting a collection deletes what was in its list, all of it and nothing else", checkCollections},
	{"C15", "requests outside of faults are answered", checkAnswers},
	{"C16", "a namespace holds no more than its quota allows, and the quota says at every revision how many there are", checkQuotas},
	{"C17", "nothing is created in a namespace that is missing or being deleted, and one that goes is empty", checkNamespaces},
	{"C18", "webhooks see what is stored and what it replaces, and what they refuse is not stored", checkHooks},
}

// mostOfOne bounds how many violations of one property are returned: the first ones tell the story.
const mostOfOne = 5

// Check returns what h violates.
func Check(h *History) []Violation {
	v := newView(h)
	var found []Violation
	for _, p := range properties {
		texts := p.check(v)
		for _, text := range texts[:min(len(texts), mostOfOne)] {
			found = append(found, Violation{p.name, text})
		}
		if more := len(texts) - mostOfOne; more > 0 {
			found = append(found, Violation{p.name, fmt.Sprintf("… and %d more", more)})
		}
	}
	return found
}

// view is a history with what makes it quick to ask.
type view struct {
	*History
	byKey  map[string][]int // of Truth.Versions
	before []*Version       // what each of Truth.Versions replaced; nil for nothing
	lives  map[string]*life // of each object, by its uid
	clock  clock
}

func newView(h *History) *view {
	v := &view{History: h, byKey: map[string][]int{}}
	v.before = make([]*Version, len(h.Truth.Versions))
	for i := range h.Truth.Versions {
		key := h.Truth.Versions[i].Key
		if all := v.byKey[key]; len(all) > 0 {
			v.before[i] = &h.Truth.Versions[all[len(all)-1]]
		}
		v.byKey[key] = append(v.byKey[key], i)
	}
	v.lives = newLives(v)
	v.clock = newClock(v)
	return v
}

// at returns the version that is written at exactly a revision, or nil.
func (v *view) at(revision int64) *Version {
	i := v.after(revision - 1)
	if i == len(v.Truth.Versions) || v.Truth.Versions[i].Revision != revision {
		return nil
	}
	return &v.Truth.Versions[i]
}

// after returns the index of the first version after a revision.
func (v *view) after(revision int64) int {
	i, _ := slices.BinarySearchFunc(v.Truth.Versions, revision+1, func(ver Version, r int64) int { return cmp.Compare(ver.Revision, r) })
	return i
}

// held returns what key held at a revision, nil if nothing, and the revision of what replaced it.
func (v *view) held(key string, revision int64) (held *Version, until int64) {
	all := v.byKey[key]
	n := sort.Search(len(all), func(i int) bool { return v.Truth.Versions[all[i]].Revision > revision })
	until = math.MaxInt64
	if n < len(all) {
		until = v.Truth.Versions[all[n]].Revision
	}
	if n == 0 || v.Truth.Versions[all[n-1]].Deleted {
		return nil, until
	}
	return &v.Truth.Versions[all[n-1]], until
}

// absentWithin says whether key held nothing at some revision from low to high.
func (v *view) absentWithin(key string, low, high int64) bool {
	if held, _ := v.held(key, low); held == nil {
		return true
	}
	for _, i := range v.byKey[key] {
		ver := &v.Truth.Versions[i]
		if ver.Deleted && ver.Revision > low && ver.Revision <= high {
			return true
		}
	}
	return false
}

// matches says whether a version is in the scope.
func (s Scope) matches(ver *Version) bool {
	if ver == nil || ver.Deleted {
		return false
	}
	namespace, name, _ := strings.Cut(ver.Key, "/")
	return (s.Namespace == "" || s.Namespace == namespace) && (s.Name == "" || s.Name == name) &&
		(s.Group == "" || s.Group == ver.Group || s.Group[0] == '!' && s.Group[1:] != ver.Group) && (s.Shelf == "" || s.Shelf == ver.Shelf)
}

func (s Scope) selects() bool { return s.Name != "" || s.Group != "" || s.Shelf != "" }

// states walks through the states of the past.
type states struct {
	v    *view
	next int
	now  map[string]*Version
}

func (v *view) states() *states { return &states{v: v, now: map[string]*Version{}} }

// to goes on to a revision, which must not be before the one it is at.
func (s *states) to(revision int64) {
	for ; s.next < len(s.v.Truth.Versions) && s.v.Truth.Versions[s.next].Revision <= revision; s.next++ {
		s.step()
	}
}

func (s *states) step() {
	ver := &s.v.Truth.Versions[s.next]
	s.now[ver.Key] = ver
	if ver.Deleted {
		delete(s.now, ver.Key)
	}
}

// list returns what is in a scope behind a key, in the order of keys.
func (s *states) list(scope Scope, after string) []*Version {
	var out []*Version
	for _, ver := range s.now {
		if scope.matches(ver) && ver.Key > after {
			out = append(out, ver)
		}
	}
	slices.SortFunc(out, func(a, b *Version) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// is says whether an item is a version, unchanged.
func (i Item) is(ver *Version) bool {
	return ver != nil && !ver.Deleted && i.Key == ver.Key && i.Revision == ver.Revision && i.Digest == ver.Digest
}

func (i Item) String() string { return fmt.Sprintf("%s@%d (%s)", i.Key, i.Revision, i.Token) }

func (ver *Version) String() string {
	switch {
	case ver == nil:
		return "nothing"
	case ver.Deleted:
		return fmt.Sprintf("deletion of %s@%d", ver.Key, ver.Revision)
	}
	return fmt.Sprintf("%s@%d (%s)", ver.Key, ver.Revision, ver.Token)
}

// written says that an op is a write.
func (op *Op) written() bool { return op.Verb != Get && op.Verb != List && op.Verb != Touch }

func (op *Op) String() string {
	text := fmt.Sprintf("client %d, server %d, %v to %v: %s %s %s", op.Client, op.Server, op.Start.Round(time.Microsecond), op.End.Round(time.Microsecond), op.Verb, op.Version, op.Key)
	if op.written() {
		text += fmt.Sprintf(" by %s %+v %s force %t dry %t expecting %d %s", op.Manager, op.Sent, op.Finalize, op.Force, op.Dry, op.Expect, op.ExpectUID)
	}
	if !op.written() || op.Verb == Collection {
		text += fmt.Sprintf(" %+v", op.Query)
	}
	return fmt.Sprintf("%s → %s %d %s", text, op.Outcome, op.Status, op.Message)
}
