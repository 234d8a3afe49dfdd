package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The history of finalizers, apply patches and collections that the tests of their checks begin
// with.
//
//	revision   2        3        4         5         6         7        8         9        10       11       12
//	n/a        created  marked   patched   gone      applied   forced
//	n/b                                                                 created            marked            gone
//	n/c                                                                           created           gone
//
// n/a has the finalizer f until a write at revision 5 takes it off. Then another object of the same
// name is applied. Both n/b and n/c are deleted as a collection, which marks n/b. An update ends
// n/b.

var (
	x2 = Item{"n/a", 2, life1("t1", "red", false)}
	x3 = Item{"n/a", 3, life1("t1", "red", true)}
	x4 = Item{"n/a", 4, life1("t2", "blue", true)}
	y6 = Item{"n/a", 6, Object{UID: "u2", Digest: "y6", Owners: "tool-0 Apply: applied 0, group, title",
		Content: Content{Title: "one", Group: "red", Applied: [appliers]string{"t4"}}}}
	y7 = Item{"n/a", 7, Object{UID: "u2", Digest: "y7", Owners: "tool-0 Apply: applied 0, title; tool-1 Apply: applied 1, group",
		Content: Content{Title: "one", Group: "blue", Applied: [appliers]string{"t4", "t5"}}}}
	b8  = Item{"n/b", 8, life2("u3", "t6", "f", false)}
	c9  = Item{"n/c", 9, life2("u4", "t7", "", false)}
	b10 = Item{"n/b", 10, life2("u3", "t6", "f", true)}
)

func life1(token, group string, deleting bool) Object {
	o := Object{UID: "u1", Digest: token + group, Deleting: deleting, Owners: "hand Update: finalizer f, group, title, token",
		Content: Content{Token: token, Title: "one", Group: group, Finalizers: "f"}}
	if deleting {
		o.Digest += " deleting"
	}
	return o
}

func life2(uid, token, finalizers string, deleting bool) Object {
	o := Object{UID: uid, Digest: token, Deleting: deleting, Owners: "hand Update: title, token", Content: Content{Token: token, Title: "two", Finalizers: finalizers}}
	if finalizers != "" {
		o.Owners = "hand Update: finalizer f, title, token"
	}
	if deleting {
		o.Digest += " deleting"
	}
	return o
}

// endOf is what the answer to the last update of an object shows.
func endOf(item Item, token string) Item {
	item.Digest, item.Token, item.Finalizers = "end of "+item.Digest, token, ""
	return item
}

// Indices of the ops of lives.
const (
	createX = iota
	deleteX
	deleteXAgain
	createOverX
	patchX
	endX
	applyY
	conflictY
	forceY
	createLB
	createLC
	collection
	endB
	lateX
)

// lives returns a new copy.
func lives() *History {
	write := func(at int, op Op) Op {
		op.Start, op.End, op.Remaining = time.Duration(10*at)*ms, time.Duration(10*at+5)*ms, -1
		if op.Outcome == "" {
			op.Outcome = OK
		}
		if op.Manager == "" && op.Verb != Delete && op.Verb != Collection {
			op.Manager = "hand"
		}
		return op
	}
	h := &History{Truth: Truth{Last: 12, Versions: []Version{
		version(x2), version(x3), version(x4), {Key: "n/a", Revision: 5, Deleted: true}, version(y6), version(y7),
		version(b8), version(c9), version(b10), {Key: "n/c", Revision: 11, Deleted: true}, {Key: "n/b", Revision: 12, Deleted: true},
	}}}
	h.Ops = []Op{
		write(2, Op{Verb: Create, Key: "n/a", Sent: x2.Content, Items: []Item{x2}}),
		write(3, Op{Verb: Delete, Key: "n/a", Items: []Item{x3}, Expect: 2, ExpectUID: "u1"}),
		write(4, Op{Verb: Delete, Key: "n/a", Items: []Item{x3}, Expect: 3}),
		write(4, Op{Verb: Create, Key: "n/a", Sent: Content{Token: "t0"}, Outcome: Failed, Status: 409, Message: "AlreadyExists: there"}),
		write(5, Op{Verb: Patch, Key: "n/a", Sent: Content{Token: "t2", Group: "blue"}, Items: []Item{x4}}),
		write(6, Op{Verb: Update, Key: "n/a", Sent: Content{Token: "t3", Title: "one", Group: "blue"}, Expect: 4, ExpectUID: "u1", Items: []Item{endOf(x4, "t3")}}),
		write(7, Op{Verb: Apply, Key: "n/a", Manager: "tool-0", Sent: y6.Content, Items: []Item{y6}}),
		write(8, Op{Verb: Apply, Key: "n/a", Manager: "tool-1", Sent: Content{Group: "green", Applied: [appliers]string{"", "t9"}}, Outcome: Failed, Status: 409, Message: "Conflict: group"}),
		write(9, Op{Verb: Apply, Key: "n/a", Manager: "tool-1", Force: true, Sent: Content{Group: "blue", Applied: [appliers]string{"", "t5"}}, Items: []Item{y7}}),
		write(10, Op{Verb: Create, Key: "n/b", Sent: b8.Content, Items: []Item{b8}}),
		write(11, Op{Verb: Create, Key: "n/c", Sent: c9.Content, Items: []Item{c9}}),
		write(12, Op{Verb: Collection, Query: Query{Match: Latest, Scope: Scope{Namespace: "n", Group: "!blue"}}, Revision: 9, Items: []Item{b8, c9}}),
		write(13, Op{Verb: Update, Key: "n/b", Sent: Content{Token: "t8", Title: "two"}, Items: []Item{endOf(b10, "t8")}}),
		write(14, Op{Verb: Update, Key: "n/b", Sent: Content{Token: "t10"}, Outcome: Failed, Status: 404, Message: "NotFound: gone"}),
	}
	h.Watches = []Watch{{Start: After, From: 1, Open: true, Scope: Scope{Group: "blue"}, Events: []Event{
		{Type: Added, At: 200 * ms, Item: x4}, {Type: Deleted, At: 201 * ms, Item: late(x4, 5)}, {Type: Added, At: 202 * ms, Item: y7},
	}}}
	return h
}

func TestCorrectLives(t *testing.T) {
	for _, v := range Check(lives()) {
		t.Error(v)
	}
	for _, i := range []int{deleteX, endX, applyY, forceY, collection, endB} {
		h := lives()
		h.Ops[i].Outcome, h.Ops[i].Items, h.Ops[i].Revision = Unknown, nil, 0
		for _, v := range Check(h) {
			t.Errorf("with an unknown %s: %s", h.Ops[i].Verb, v)
		}
	}
	h := lives()
	h.Ops[collection].Outcome, h.Ops[collection].Items, h.Ops[collection].Revision = Unknown, nil, 0
	h.Truth.Versions = h.Truth.Versions[:8] // it did nothing
	h.Truth.Last, h.Ops = 9, h.Ops[:endB]
	for _, v := range Check(h) {
		t.Errorf("with a collection that was not deleted: %s", v)
	}
}

// TestBrokenLives breaks one promise at a time.
func TestBrokenLives(t *testing.T) {
	for _, c := range []struct {
		name, property, text string
		breaks               func(*History)
	}{
		{"end lost", "C1", "was not removed", func(h *History) { drop(h, 5) }},
		{"end that was none", "C1", "which it could not be", func(h *History) { h.Ops[endX].Sent.Finalizers = "f" }},
		{"end with another content", "C1", "was the end of", func(h *History) { h.Ops[endX].Items[0].Title = "other" }},
		{"end of what was gone", "C1", "before the write began", func(h *History) { h.Ops[endX].Start, h.Ops[endX].End = 150*ms, 155*ms }},
		{"marking that did not happen", "C1", "no object that is being deleted", func(h *History) { h.Ops[deleteX].Items[0] = x2 }},
		{"old marking", "C1", "before it began", func(h *History) { h.Ops[deleteXAgain].Start, h.Ops[deleteXAgain].End = 150*ms, 155*ms }},
		{"removal of what waits", "C1", "waited for its finalizers", func(h *History) { h.Ops[deleteX].Items, h.Ops[deleteX].UID = nil, "u1" }},
		{"created over", "C1", "should not be: there was n/a@4", func(h *History) { h.Ops[applyY].Verb = Create; drop(h, 5) }},
		{"apply lost a field", "C1", "want {Token: Title:one Group:blue", func(h *History) { at(h, 7).Title, h.Ops[forceY].Items[0].Title = "", "" }},
		{"apply kept a field", "C1", "revision 7 holds", func(h *History) { h.Ops[forceY].Manager, h.Ops[forceY].Sent.Applied = "tool-0", [appliers]string{"t5"} }},
		{"removed twice", "C1", "two deletions", func(h *History) {
			h.Ops = append(h.Ops, Op{Verb: Delete, Start: 121 * ms, End: 126 * ms, Outcome: OK, Key: "n/c", UID: "u4"})
		}},
		{"written twice", "C1", "happened twice", func(h *History) { at(h, 4).Token, at(h, 6).Token = "t2", "t2" }},

		{"apply wrote on conflict", "C2", "by a request that failed", func(h *History) { h.Ops[forceY].Outcome = Failed }},
		{"nobody marked it", "C2", "marking of n/a@2", func(h *History) { h.Ops = slices.Delete(h.Ops, deleteX, deleteXAgain+1) }},
		{"nobody ended it", "C2", "end of n/a@4", func(h *History) { h.Ops = slices.Delete(h.Ops, endX, endX+1) }},
		{"end by what failed", "C2", "end of n/b@10", func(h *History) { h.Ops[endB].Outcome = Failed }},
		{"collection took what was not in it", "C2", "deletion of n/c@9", func(h *History) { h.Ops[collection].Items = []Item{b8} }},
		{"one collection, two effects", "C2", "marking of n/b@8", func(h *History) {
			h.Ops[collection].Outcome, h.Ops[collection].Items = Unknown, nil
			h.Ops[collection].Query.Name = "c"
		}},
		{"unknown deletion before it was sent", "C2", "deletion of n/c@9", func(h *History) {
			h.Ops[collection].Items = []Item{b8}
			h.Ops = append(h.Ops, Op{Verb: Delete, Start: 150 * ms, End: 155 * ms, Outcome: Unknown, Key: "n/c"})
		}},

		{"end on top of another version", "C5", "expected revision 2", func(h *History) { h.Ops[endX].Expect = 2 }},
		{"marking on top of another version", "C5", "expected revision 1", func(h *History) { h.Ops[deleteX].Expect = 1 }},
		{"marking of another object", "C5", "expected uid u0", func(h *History) { h.Ops[deleteX].ExpectUID = "u0" }},

		{"removed in spite of a finalizer", "C11", "although it had the finalizers f", func(h *History) { drop(h, 10) }},
		{"replaced", "C11", "took the place of", func(h *History) { drop(h, 5) }},
		{"waits for nothing", "C11", "waits for nothing", func(h *History) { at(h, 4).Finalizers = "" }},
		{"unmarked", "C11", "not being deleted any more", func(h *History) { at(h, 4).Deleting = false }},
		{"finalizer added", "C11", "has more finalizers", func(h *History) { at(h, 4).Finalizers = "f,g" }},
		{"changed by its deletion", "C11", "was changed by its deletion", func(h *History) { at(h, 3).Owners = "" }},
		{"born marked", "C11", "as if it were being deleted", func(h *History) { at(h, 2).Deleting = true }},
		{"back from the dead", "C11", "an object that was deleted", func(h *History) { at(h, 6).UID = "u1" }},

		{"refused although it was not there", "C12", "for what there was not", func(h *History) { h.Ops[createOverX].Key = "n/z" }},
		{"not found although it was there", "C12", "for what there was not", func(h *History) { h.Ops[lateX].Key = "n/a" }},
		{"conflict with nobody", "C12", "for what there was not", func(h *History) { h.Ops[conflictY].Sent.Group = "red" }},
		{"conflict of one that states nothing", "C12", "for what there was not", func(h *History) { h.Ops[conflictY].Verb = Patch }},

		{"field stolen", "C13", "took group from others", func(h *History) { h.Ops[forceY].Force = false }},
		{"owner forgotten", "C13", "has the owners", func(h *History) { at(h, 7).Owners = "tool-0 Apply: applied 0, title" }},
		{"owner kept", "C13", "has the owners", func(h *History) {
			at(h, 7).Owners = "tool-0 Apply: applied 0, group, title; tool-1 Apply: applied 1, group"
		}},
		{"unknown write of another content", "C13", "want {Token:t2", func(h *History) { h.Ops[patchX].Outcome, h.Ops[patchX].Sent.Group = Unknown, "green" }},

		{"object left", "C14", "was left", func(h *History) { h.Ops[collection].Items = []Item{b8}; drop(h, 11) }},
		{"object not deleted", "C14", "and was not", func(h *History) { drop(h, 11) }},
		{"object of no list", "C14", "was not in the list", func(h *History) { h.Ops[collection].Items = []Item{b8, c9, x2} }},
		{"object changed", "C14", "the answer has n/b@10", func(h *History) { h.Ops[collection].Items[0] = b10 }},
		{"object that was gone before", "C14", "before that began", func(h *History) { h.Ops[collection].Start, h.Ops[collection].End = 150*ms, 155*ms }},
		{"too few", "C14", "was not in the list", func(h *History) { h.Ops[collection].Query.Limit = 1 }},
		{"old list", "C4", "had been seen before it began", func(h *History) { h.Ops[collection].Revision = 8 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := lives()
			c.breaks(h)
			found := Check(h)
			if !slices.ContainsFunc(found, func(v Violation) bool { return v.Property == c.property && strings.Contains(v.Text, c.text) }) {
				t.Errorf("no %s with %q in %v", c.property, c.text, found)
			}
		})
	}
}

// at is the version at a revision.
func at(h *History, revision int64) *Version {
	return &h.Truth.Versions[slices.IndexFunc(h.Truth.Versions, func(v Version) bool { return v.Revision == revision })]
}

// drop makes a revision not have happened.
func drop(h *History, revision int64) {
	h.Truth.Versions = slices.DeleteFunc(h.Truth.Versions, func(v Version) bool { return v.Revision == revision })
}

func TestPatchedFinalizers(t *testing.T) {
	for _, c := range []struct{ had, how, want string }{
		{"a", "", "a"}, {"a", "=", ""}, {"a", "=b", "b"}, {"", "=a,b", "a,b"}, {"b", "+a", "a,b"}, {"a", "+a", "a"}, {"a,b", "-a", "b"}, {"b", "-a", "b"}, {"a", "-a", ""},
	} {
		if got := changesFinalizers(c.had, c.how); got != c.want {
			t.Errorf("%q %q: got %q, want %q", c.had, c.how, got, c.want)
		}
	}
}

// TestEmptiedMap has labels that somebody made, and another has emptied.
func TestEmptiedMap(t *testing.T) {
	for around, want := range map[string]int{"hand Update: labels": 1, "tool-0 Apply: labels": 0, "hand Update: annotations": 0} {
		before := y6
		before.Group, before.Owners, before.Around = "", "tool-0 Apply: applied 0, title", around
		ver := version(before)
		op := Op{Verb: Apply, Key: "n/a", Manager: "tool-0", Sent: Content{Group: "red", Applied: [appliers]string{"t9"}}}
		if got := op.after(&ver).conflicts; len(got) != want {
			t.Errorf("%s: conflicts %v", around, got)
		}
	}
}

func TestOwners(t *testing.T) {
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, version, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: bookGroup + version, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	fields, around, err := ownersOf([]metav1.ManagedFieldsEntry{
		entry("hand", "Update", "v1", `{"f:metadata":{"f:annotations":{".":{},"f:token":{}},"f:labels":{},"f:finalizers":{"v:\"oracle.example.com/a\"":{}}},"f:spec":{"f:title":{},"f:copies":{}}}`),
		entry("hand", "Update", "v1alpha1", `{"f:spec":{"f:shelf":{}}}`),
		entry("tool", "Apply", "v1alpha1", `{"f:metadata":{"f:annotations":{"f:token-of-applier-1":{}},"f:labels":{"f:group":{}}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "hand Update: finalizer a, title, token; hand Update in v1alpha1: shelf; tool Apply: applied 1, group"; fields.String() != want || parseOwners(want).String() != want {
		t.Errorf("got %s, want %s", fields, want)
	}
	if want := "hand Update: annotations, labels"; around.String() != want {
		t.Errorf("got %s, want %s", around, want)
	}
}

func TestUnmatched(t *testing.T) {
	fits := map[int][]int{0: {0}, 1: {0, 1}, 2: {1}}
	may := func(effect, request int) bool { return slices.Contains(fits[effect], request) }
	if got := unmatched(2, 2, may); got != nil {
		t.Errorf("two of two: %v are left", got)
	}
	if got := unmatched(3, 2, may); len(got) != 1 {
		t.Errorf("three of two: %v are left", got)
	}
}
