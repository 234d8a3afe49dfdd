// Package ownershiptest compares package ownership with apimachinery's managedfields: who owns what
// after a write, and what an apply patch makes of an object. Programs run it for their own kinds.
// Start reading at Compare.
package ownershiptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/runtime"
)

// Compare writes objects of all kinds that a scheme has schemas of, by random managers, in random
// versions, each time with a few random edits. They are written as a whole, or as what a manager
// applies, to Go values and to documents. It fails if the two ways differ in what becomes of the
// object, in who owns what, or in conflicts. The number of writes to each kind is rounds, and seed
// makes them. It returns how many were compared: where managedfields finds an object invalid, there
// is nothing to compare.
func Compare(t *testing.T, scheme *runtime.Scheme, openAPI map[schema.GroupVersion]string, rounds int, seed uint64) (compared int) {
	t.Helper()
	schemas := ownership.New(openAPI)
	lib, err := library(openAPI)
	if err != nil {
		t.Fatal(err)
	}
	var seen []schema.GroupKind
	for _, group := range scheme.Groups() {
		for _, gv := range scheme.VersionsOf(group) {
			for _, kind := range scheme.KindsOf(gv) {
				if !kind.ComparesFields() || slices.Contains(seen, kind.Hub()) {
					continue
				}
				seen = append(seen, kind.Hub())
				h := &history{t: t, scheme: scheme, applied: map[string]map[string]any{}, random: rand.New(rand.NewPCG(seed, uint64(len(seen))))}
				for _, version := range scheme.KindsOfHub(kind.Hub()) {
					h.trackers(schemas, lib, version)
				}
				for range rounds {
					if len(h.writers) > 0 && !h.write() {
						return compared
					}
				}
				compared += h.compared
			}
		}
	}
	return compared
}

// writer is a way to write objects: in a version, as a whole or a part.
type writer struct {
	kind    *runtime.Kind
	part    string
	tracker *ownership.Tracker
	oracle  Oracle
	// documents says that it writes documents.
	documents bool
}

// given is a copy of an object as the writer's tracker wants it.
func (w *writer) given(obj runtime.Object) runtime.Object {
	if w.documents {
		return document(w.kind, obj)
	}
	return copied(obj)
}

// history is what happens to one object.
type history struct {
	t       *testing.T
	scheme  *runtime.Scheme
	random  *rand.Rand
	writers []writer
	hub     runtime.Object // nil: it does not exist
	clock   int64
	// applied is what each manager applied last.
	applied   map[string]map[string]any
	compared  int
	conflicts int
}

func (h *history) trackers(schemas *ownership.Schemas, lib typeConverter, kind *runtime.Kind) {
	status := ownership.Path{"status"}
	for part, reset := range map[string][]ownership.Path{
		"":       {status},
		"status": {{"metadata"}, {"spec"}},
		"scale":  {status},
	} {
		tracker, err := ownership.NewTracker(schemas, h.scheme, kind, part, reset...)
		if err != nil {
			h.t.Fatal(err)
		}
		if tracker == nil {
			continue
		}
		for _, documents := range []bool{false, true} {
			oracle, err := newOracle(lib, h.scheme, kind, documents, part, reset)
			if err != nil {
				h.t.Fatal(err)
			}
			w := writer{kind, part, tracker, oracle, documents}
			if documents {
				w.tracker = tracker.OfDocuments()
			}
			h.writers = append(h.writers, w)
		}
	}
	slices.SortFunc(h.writers, func(a, b writer) int {
		name := func(w writer) string { return fmt.Sprint(w.kind.GroupVersionKind(), w.part, w.documents) }
		return strings.Compare(name(a), name(b))
	})
}

// write makes the next object of the last one, and says whether both ways agree about it.
func (h *history) write() bool {
	if h.random.IntN(60) == 0 {
		h.hub = nil
		clear(h.applied)
	}
	w := h.writers[h.random.IntN(len(h.writers))]
	if h.random.IntN(2) == 0 {
		return h.apply(w)
	}
	live, ok := h.live(w)
	if !ok {
		return true
	}
	edited := copied(live)
	edit := &editor{random: h.random}
	edit.object(edited)
	obj := h.received(w.kind, edited)
	runtime.Meta(obj).ManagedFields = h.sent(runtime.Meta(obj).ManagedFields)
	manager := fmt.Sprintf("manager-%d", h.random.IntN(14))
	before := show(live, obj)

	want, wantErr := w.oracle.Update(w.given(live), w.given(obj), manager)
	got, err := w.tracker.Update(w.given(live), w.given(obj), manager)
	switch {
	case wantErr != nil:
		return true // some of what chance makes is no valid object; nobody needs to agree about that
	case err != nil:
		h.t.Errorf("%s in %s, %q, documents %v: %v\n%s", manager, w.kind.GroupVersionKind(), w.part, w.documents, err, before)
		return false
	}
	h.compared++
	if diff := difference(got, want); diff != "" {
		h.t.Errorf("%s in %s, %q, documents %v: %s\n%s", manager, w.kind.GroupVersionKind(), w.part, w.documents, diff, before)
		return false
	}
	runtime.Meta(obj).ManagedFields = h.aged(got)
	return h.keep(w.kind, obj)
}

// keep makes an object of a version the last one.
func (h *history) keep(kind *runtime.Kind, obj runtime.Object) bool {
	hub, err := kind.ToHub(copied(obj))
	if err != nil {
		return true
	}
	h.hub = hub.DeepCopyObject().(runtime.Object)
	runtime.Meta(h.hub).UID = "1"
	return true
}

// received is an object as a server gets it from a client.
func (h *history) received(kind *runtime.Kind, obj runtime.Object) runtime.Object {
	text, err := json.Marshal(obj)
	if err != nil {
		h.t.Fatal(err)
	}
	out := kind.New()
	if err := json.Unmarshal(text, out); err != nil {
		h.t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// live is the object before a write.
func (h *history) live(w writer) (runtime.Object, bool) {
	var live runtime.Object
	if h.hub == nil {
		live = w.kind.New()
	} else {
		obj, err := w.kind.FromHub(copied(h.hub))
		if err != nil {
			h.hub = nil
			return nil, false
		}
		live = copied(obj)
	}
	live.GetObjectKind().SetGroupVersionKind(w.kind.GroupVersionKind())
	return live, true
}

// sent are the entries that a client sends: mostly those that it has seen.
func (h *history) sent(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	switch h.random.IntN(40) {
	case 0:
		return nil
	case 1:
		return []metav1.ManagedFieldsEntry{}
	case 2:
		return []metav1.ManagedFieldsEntry{{}}
	case 3:
		if len(entries) > 0 {
			entries[h.random.IntN(len(entries))].Operation = metav1.ManagedFieldsOperationApply
		}
	case 4:
		if len(entries) > 1 {
			return entries[1:]
		}
	case 5:
		if len(entries) > 0 {
			entries[0].FieldsV1 = metav1.NewFieldsV1(`{"f:spec":`)
		}
	case 6:
		if len(entries) > 0 {
			entries[0].APIVersion = "gone.example.com/v1"
		}
	case 7, 8, 9:
		if len(entries) > 0 {
			e := &entries[h.random.IntN(len(entries))]
			e.FieldsV1 = metav1.NewFieldsV1(h.otherwise(e.FieldsV1.GetRawString()))
		}
	}
	return entries
}

// otherwise is FieldsV1 as nobody writes them but a stranger.
func (h *history) otherwise(text string) string {
	switch h.random.IntN(6) {
	case 0:
		return strings.Replace(text, "{}", "null", 1)
	case 1:
		return strings.ReplaceAll(text, `":{`, "\" :\n{ ")
	case 2:
		return strings.Replace(text, "{", `{"x:unknown":{"f:a":{}},`, 1)
	case 3:
		return strings.Replace(text, "{", `{"f:zone":{"f:of":null},`, 1)
	}
	return []string{"null", "[]", " {} ", "{}x", `{".":{}}`}[h.random.IntN(5)]
}

// aged gives the entry of a write that was just made a time of its own, so that there are older and
// younger ones.
func (h *history) aged(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	h.clock += int64(h.random.IntN(2))
	for i := range entries {
		if at := entries[i].Time; at != nil && at.Unix() > 1e9 {
			entries[i].Time = &metav1.Time{Time: time.Unix(h.clock, 0)}
		}
	}
	return entries
}

// difference compares entries except for their order and times, and fields as sets.
func difference(got, want []metav1.ManagedFieldsEntry) string {
	a, b := byIdentity(got), byIdentity(want)
	for id, set := range b {
		switch other := a[id]; {
		case other == nil:
			return fmt.Sprintf("no %s, want %s", id, set)
		case !other.Equals(set):
			return fmt.Sprintf("%s\nhas, but should not\n%s\nhas not, but should\n%s", id, other.Difference(set), set.Difference(other))
		}
	}
	for id, set := range a {
		if b[id] == nil {
			return fmt.Sprintf("%s has %s, want none", id, set)
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d entries, want %d", len(got), len(want))
	}
	return ""
}

func byIdentity(entries []metav1.ManagedFieldsEntry) map[string]*fieldpath.Set {
	out := map[string]*fieldpath.Set{}
	for _, e := range entries {
		set := fieldpath.NewSet()
		if err := set.FromJSON(strings.NewReader(e.FieldsV1.GetRawString())); err != nil {
			panic(err)
		}
		out[fmt.Sprintf("%s %s %s %s %s", e.Manager, e.Operation, e.APIVersion, e.Subresource, e.FieldsType)] = set
	}
	return out
}

func copied(obj runtime.Object) runtime.Object { return obj.DeepCopyObject().(runtime.Object) }

func show(objects ...runtime.Object) string {
	var out []string
	for _, obj := range objects {
		text, err := json.Marshal(obj)
		if err != nil {
			text = []byte(err.Error())
		}
		out = append(out, string(text))
	}
	return strings.Join(out, "\n")
}
