package registry_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// heldBack is a store whose watches tell nothing while it is held.
type heldBack struct {
	*memory.Store
	mu   sync.Mutex
	gate chan struct{} // nil: open
}

// hold keeps back what has not been told yet, until release is called.
func (h *heldBack) hold() (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	gate := make(chan struct{})
	h.gate = gate
	return func() { close(gate) }
}

func (h *heldBack) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	w, err := h.Store.Watch(ctx, prefix, opts)
	return heldWatcher{w, h}, err
}

type heldWatcher struct {
	storage.Watcher
	h *heldBack
}

func (w heldWatcher) Next(ctx context.Context) ([]storage.Event, error) {
	events, err := w.Watcher.Next(ctx)
	w.h.mu.Lock()
	gate := w.h.gate
	w.h.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
		}
	}
	return events, err
}

// laggards are two servers on one database: behind is one whose cache can be held back, ahead has
// none.
type laggards struct {
	behind, ahead *server
	source        *heldBack
	mutated       int // how often admission of the one that is behind was asked
}

func serveLagging(t *testing.T) *laggards {
	t.Helper()
	l, chain, rules := new(laggards), new(admission.Chain), strategy{
		// What is locked stays as it is.
		ValidateUpdate: func(_ context.Context, w, old *widget.Widget) (errs field.ErrorList) {
			if old.Labels["locked"] != "" && w.Labels["unlock"] == "" {
				errs = append(errs, field.Forbidden(field.NewPath("metadata"), "it is locked"))
			}
			return errs
		},
	}
	chain.Set([]admission.Plugin{{Name: "Count", Mutate: func(context.Context, *admission.Request) error {
		l.mutated++
		return nil
	}}})
	l.behind = serveWith(t, rules, registry.Options{Admission: chain, Schemas: widgetSchemas(t)}, func(s storage.Interface) storage.Interface {
		l.source = &heldBack{Store: s.(*memory.Store)}
		c, err := cacher.New(cacher.Config{Source: l.source, Prefix: "/shop.example.com/widgets/"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		if err := c.WaitReady(ctx); err != nil {
			t.Fatal(err)
		}
		return c
	})
	l.ahead = serveWith(t, rules, registry.Options{}, func(storage.Interface) storage.Interface { return l.source.Store })
	l.ahead.Database = l.behind.Database
	return l
}

// start makes an object that both know, and holds back what happens from then on.
func (l *laggards) start(t *testing.T, object string) {
	t.Helper()
	l.ahead.mustCreate(object)
	l.behind.mustGet(named)
	release := l.source.hold()
	t.Cleanup(func() {
		release()
		if got, err := l.behind.v1.Get.Get(ctx, named, metav1.GetOptions{}); err == nil {
			if seen, is := text(t, got), l.ahead.mustGet(named); read[*widget.V1](t, got).ResourceVersion != is.ResourceVersion {
				t.Errorf("in the end it is %s, who was behind sees %s", is.ResourceVersion, seen)
			}
		}
	})
}

// change is an update by the server that is ahead.
func (l *laggards) change(t *testing.T, change func(w *widget.V1)) *widget.V1 {
	t.Helper()
	w := l.ahead.mustGet(named)
	change(w)
	next, err := l.ahead.update(w)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// patch asks the server that is behind.
func (l *laggards) patch(t *testing.T, typ types.PatchType, data string) (*widget.V1, error) {
	t.Helper()
	view, _, err := l.behind.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: typ, Bytes: []byte(data)}, metav1.PatchOptions{FieldManager: "test"})
	if err != nil {
		return nil, err
	}
	return read[*widget.V1](t, view), nil
}

const plainWidget = `{"metadata":{"name":"w"},"spec":{"color":"red"}}`

// An old cache never makes a write fail that should succeed, succeed that should fail, or do less
// than it says.
func TestWritesBehindAnOldCache(t *testing.T) {
	paint := func(color string) func(*widget.V1) { return func(w *widget.V1) { w.Spec.Color = color } }
	lock := func(w *widget.V1) { w.Labels = map[string]string{"locked": "yes"} }
	unlock := func(w *widget.V1) { w.Labels = map[string]string{"unlock": "yes"} }
	finalize := func(names ...string) func(*widget.V1) { return func(w *widget.V1) { w.Finalizers = names } }

	for name, tc := range map[string]struct {
		object string
		run    func(t *testing.T, l *laggards)
	}{
		"an update of what the client has seen elsewhere": {plainWidget, func(t *testing.T, l *laggards) {
			seen := l.change(t, paint("blue"))
			seen.Spec.Color = "green"
			if got, err := l.behind.update(seen); err != nil || got.Spec.Color != "green" || got.Generation != seen.Generation+1 {
				t.Errorf("got %+v, %v", got, err)
			}
		}},
		"an update of what has changed": {plainWidget, func(t *testing.T, l *laggards) {
			old := l.ahead.mustGet(named)
			l.change(t, paint("blue"))
			old.Spec.Color = "green"
			_, err := l.behind.update(old)
			if s := status(t, err); s.Code != 409 {
				t.Errorf("got %v", err)
			}
		}},
		"an update back to what the cache has": {plainWidget, func(t *testing.T, l *laggards) {
			blue := l.change(t, paint("blue"))
			got, err := l.behind.update(parse(t, widget.GV1, plainWidget))
			if err != nil || got.Spec.Color != "red" || got.ResourceVersion == blue.ResourceVersion {
				t.Errorf("got %+v, %v", got, err)
			}
		}},
		"an update to what is there, but not in the cache": {plainWidget, func(t *testing.T, l *laggards) {
			blue := l.change(t, paint("blue"))
			got, err := l.behind.update(parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"color":"blue"}}`))
			if err != nil || got.Spec.Color != "blue" || got.Generation != blue.Generation {
				t.Errorf("got %+v, %v", got, err)
			}
		}},
		"a patch beside the change of another": {plainWidget, func(t *testing.T, l *laggards) {
			l.change(t, paint("blue"))
			got, err := l.patch(t, types.MergePatchType, `{"spec":{"replicas":7}}`)
			if err != nil || got.Spec.Color != "blue" || *got.Spec.Replicas != 7 {
				t.Errorf("got %+v, %v", got, err)
			}
		}},
		"a patch that tests what another wrote": {plainWidget, func(t *testing.T, l *laggards) {
			l.change(t, paint("blue"))
			got, err := l.patch(t, types.JSONPatchType, `[{"op":"test","path":"/spec/color","value":"blue"},{"op":"replace","path":"/spec/color","value":"green"}]`)
			if err != nil || got.Spec.Color != "green" {
				t.Errorf("got %+v, %v", got, err)
			}
		}},
		"what another has unlocked": {`{"metadata":{"name":"w","labels":{"locked":"yes"}}}`, func(t *testing.T, l *laggards) {
			l.change(t, unlock)
			if got, err := l.patch(t, types.MergePatchType, `{"spec":{"color":"green"}}`); err != nil || got.Spec.Color != "green" {
				t.Errorf("got %+v, %v", got, err)
			}
		}},
		"what another has locked": {plainWidget, func(t *testing.T, l *laggards) {
			l.change(t, lock)
			_, err := l.patch(t, types.MergePatchType, `{"spec":{"color":"green"}}`)
			if s := status(t, err); s.Code != 422 || l.ahead.mustGet(named).Spec.Color != "red" {
				t.Errorf("got %v", err)
			}
		}},
		"what another has deleted": {plainWidget, func(t *testing.T, l *laggards) {
			l.ahead.mustDelete()
			_, err := l.behind.update(parse(t, widget.GV1, `{"metadata":{"name":"w"}}`))
			wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)
			_, err = l.patch(t, types.MergePatchType, `{}`) // of the cache's entry it would be no change
			wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)
			_, err = l.behind.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
			wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)
			if got, err := l.patch(t, types.ApplyYAMLPatchType, `{"apiVersion":"shop.example.com/v1","kind":"Widget","spec":{"color":"new"}}`); err != nil || got.Spec.Color != "new" {
				t.Errorf("apply: got %+v, %v", got, err)
			}
		}},
		"what another has made anew": {plainWidget, func(t *testing.T, l *laggards) {
			old := l.ahead.mustGet(named).UID
			l.ahead.mustDelete()
			now := l.ahead.mustCreate(plainWidget).UID
			_, err := l.behind.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &old}})
			if s := status(t, err); s.Code != 409 {
				t.Errorf("delete the old one: %v", err)
			}
			if _, err = l.behind.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &now}}); err != nil {
				t.Errorf("delete the new one: %v", err)
			}
		}},
		"a deletion of what has a finalizer now": {plainWidget, func(t *testing.T, l *laggards) {
			l.change(t, finalize("example.com/hold"))
			got, err := l.behind.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
			if err != nil || read[*widget.V1](t, got).DeletionTimestamp == nil || l.ahead.mustGet(named).DeletionTimestamp == nil {
				t.Errorf("got %v, %v", got, err)
			}
		}},
		"a deletion of what has lost its finalizer": {`{"metadata":{"name":"w","finalizers":["example.com/hold"]}}`, func(t *testing.T, l *laggards) {
			l.change(t, finalize())
			got, err := l.behind.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
			if err != nil || l.ahead.raw(named) != "" {
				t.Errorf("got %v, %v", got, err)
			}
		}},
		"the last finalizer of what is being deleted since": {`{"metadata":{"name":"w","finalizers":["example.com/hold"]}}`, func(t *testing.T, l *laggards) {
			l.ahead.mustDelete()
			if _, err := l.patch(t, types.MergePatchType, `{"metadata":{"finalizers":null}}`); err != nil || l.ahead.raw(named) != "" {
				t.Errorf("got %v", err)
			}
		}},
		"the last finalizer, when there is a new one": {`{"metadata":{"name":"w","finalizers":["example.com/hold"]}}`, func(t *testing.T, l *laggards) {
			l.change(t, finalize("example.com/hold", "example.com/more"))
			l.ahead.mustDelete()
			got, err := l.patch(t, types.JSONPatchType, `[{"op":"test","path":"/metadata/finalizers/1","value":"example.com/more"},{"op":"remove","path":"/metadata/finalizers/0"}]`)
			if err != nil || fmt.Sprint(got.Finalizers) != "[example.com/more]" || l.ahead.raw(named) == "" {
				t.Errorf("got %+v, %v", got, err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := serveLagging(t)
			l.start(t, tc.object)
			tc.run(t, l)
		})
	}
}

// What the cache does not have yet can be written anyway.
func TestWritesOfWhatTheCacheLacks(t *testing.T) {
	l := serveLagging(t)
	l.start(t, `{"metadata":{"name":"w"}}`)
	l.ahead.mustDelete()
	other := rest.Name{Namespace: "ns", Name: "other"}
	l.ahead.mustCreate(`{"metadata":{"name":"other"}}`)
	if _, _, err := l.behind.v1.Update.Update(ctx, new(rest.Request), other, parse(t, widget.GV1, `{"metadata":{"name":"other"},"spec":{"color":"blue"}}`), metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := l.behind.v1.Delete.Delete(ctx, new(rest.Request), other, metav1.DeleteOptions{}); err != nil || l.ahead.raw(other) != "" {
		t.Error(err)
	}
}

// Admission is asked once about what is current, also if the write is refused, and once more about
// what was not.
func TestAdmissionBehindAnOldCache(t *testing.T) {
	l := serveLagging(t)
	l.start(t, plainWidget)
	asked := func(times int, what string) {
		t.Helper()
		if l.mutated != times {
			t.Errorf("%s: admission was asked %d times, want %d", what, l.mutated, times)
		}
		l.mutated = 0
	}
	stale := parse(t, widget.GV1, `{"metadata":{"name":"w","resourceVersion":"1"}}`)
	if _, err := l.behind.update(stale); err == nil {
		t.Error("no conflict")
	}
	asked(1, "a conflict with what is current")
	if _, err := l.patch(t, types.MergePatchType, `{}`); err != nil {
		t.Error(err)
	}
	asked(1, "no change")
	if _, err := l.patch(t, types.MergePatchType, `{"spec":{"color":"green"}}`); err != nil {
		t.Error(err)
	}
	asked(1, "a change")
	// That is not in the cache yet, which has no Recall here.
	if _, err := l.patch(t, types.MergePatchType, `{"spec":{"color":"blue"}}`); err != nil {
		t.Error(err)
	}
	asked(2, "a change of what the cache does not have yet")
}
