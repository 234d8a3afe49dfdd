package registry_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

func TestUpdateKeepsAndCounts(t *testing.T) {
	s := serve(t, strategy{})
	first := s.mustCreate(`{"metadata":{"name":"w"}}`)

	// The spec changes.
	obj := s.mustGet(named)
	obj.Spec.Color = "green"
	obj.UID, obj.CreationTimestamp, obj.Generation = "", metav1.Time{}, 99
	obj.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "me", Operation: "Update"}}
	second, err := s.update(obj)
	if err != nil {
		t.Fatal(err)
	}
	want := *first
	want.Spec.Color, want.Generation, want.ResourceVersion = "green", 2, fmt.Sprint(s.Revision())
	if diff := cmp.Diff(&want, second); diff != "" {
		t.Errorf("spec changed (-want +got)\n%s", diff)
	}

	// Only the metadata and the status change.
	obj = s.mustGet(named)
	obj.Labels, obj.Status.Phase = map[string]string{"a": "b"}, "Done"
	third, err := s.update(obj)
	if err != nil {
		t.Fatal(err)
	}
	if third.Generation != 2 || third.Status.Phase != "Done" || third.ResourceVersion == second.ResourceVersion {
		t.Errorf("status changed: %+v", third)
	}

	// Nothing changes.
	before := s.Revision()
	fourth, err := s.update(s.mustGet(named))
	if err != nil {
		t.Fatal(err)
	}
	if fourth.ResourceVersion != third.ResourceVersion || s.Revision() != before {
		t.Errorf("a no-op wrote: resourceVersion %s, was %s", fourth.ResourceVersion, third.ResourceVersion)
	}
}

func TestUpdateIsUnconditionalWithoutRevision(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	for i, rv := range []string{`"0"`, `""`} {
		got, err := s.update(parse(t, widget.GV1, `{"metadata":{"name":"w","resourceVersion":`+rv+`},"spec":{"color":"c`+fmt.Sprint(i)+`"}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got.Generation != int64(2+i) {
			t.Errorf("generation %d", got.Generation)
		}
	}

	strict := serve(t, strategy{AllowUnconditionalUpdate: new(false)})
	strict.mustCreate(`{"metadata":{"name":"w"}}`)
	_, err := strict.update(parse(t, widget.GV1, `{"metadata":{"name":"w"}}`))
	wantStatus(t, err, 422, "Invalid", `widgets.shop.example.com "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`)
}

func TestUpdateRefuses(t *testing.T) {
	s := serve(t, strategy{ValidateUpdate: func(_ context.Context, w, old *widget.Widget) (errs field.ErrorList) {
		if w.Spec.Replicas < old.Spec.Replicas {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "replicas"), "may not shrink"))
		}
		return errs
	}})
	created := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"replicas":3}}`)
	before := s.Revision()
	for _, tc := range []struct {
		name    string
		change  func(*widget.V1)
		code    int32
		reason  metav1.StatusReason
		message string
	}{
		{"another name", func(w *widget.V1) { w.Name = "v" }, 400, "BadRequest",
			"the name of the object (v) does not match the name on the URL (w)"},
		{"another namespace", func(w *widget.V1) { w.Namespace = "other" }, 400, "BadRequest",
			`the namespace of the provided object does not match the namespace sent on the request: metadata.namespace is "other", the URL says "ns"`},
		{"another uid", func(w *widget.V1) { w.UID = "other" }, 409, "Conflict",
			`Operation cannot be fulfilled on widgets.shop.example.com "w": Precondition failed: UID in precondition: other, UID in object meta: ` + string(created.UID)},
		{"another version", func(w *widget.V1) { w.ResourceVersion = "1" }, 409, "Conflict",
			`Operation cannot be fulfilled on widgets.shop.example.com "w": the object has been modified; please apply your changes to the latest version and try again`},
		{"no version", func(w *widget.V1) { w.ResourceVersion = "x" }, 422, "Invalid",
			`Widget.shop.example.com "w" is invalid: metadata.resourceVersion: Invalid value: "x": must be the resourceVersion of an object that was read`},
		{"a deletionTimestamp", func(w *widget.V1) { now := created.CreationTimestamp; w.DeletionTimestamp = &now }, 422, "Invalid", ""},
		{"the change", func(w *widget.V1) { *w.Spec.Replicas = 2 }, 422, "Invalid",
			`Widget.shop.example.com "w" is invalid: spec.replicas: Forbidden: may not shrink`},
		{"a bad label", func(w *widget.V1) { w.Labels = map[string]string{"-": ""} }, 422, "Invalid", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			obj := s.mustGet(named)
			tc.change(obj)
			_, err := s.update(obj)
			if tc.message == "" {
				tc.message = status(t, err).Message
				if n := len(status(t, err).Details.Causes); n != 1 {
					t.Errorf("%d causes, want each problem once: %s", n, tc.message)
				}
			}
			wantStatus(t, err, tc.code, tc.reason, tc.message)
			if s.Revision() != before {
				t.Error("something was written")
			}
		})
	}
}

func TestUpdateOfNothing(t *testing.T) {
	s := serve(t, strategy{})
	_, err := s.update(parse(t, widget.GV1, `{"metadata":{"name":"w"}}`))
	wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)

	s = serve(t, strategy{AllowCreateOnUpdate: true})
	view, created, err := s.v1.Update.Update(ctx, new(rest.Request), named, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.UpdateOptions{})
	if err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	if got := read[*widget.V1](t, view); got.UID == "" || got.Generation != 1 || got.ResourceVersion == "" {
		t.Errorf("created %+v", got)
	}
	_, _, err = s.v1.Update.Update(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: "v"}, parse(t, widget.GV1, `{"metadata":{"name":"v","uid":"seen-before"}}`), metav1.UpdateOptions{})
	if status(t, err).Code != 409 {
		t.Errorf("an object that was seen is created again: %v", err)
	}
}

// interrupt lets another writer come first, a few times.
type interrupt struct {
	storage.Interface
	before func()
}

func (i interrupt) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return i.Interface.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
		value, with, err := try(current)
		i.before()
		return value, with, err
	})
}

func TestUpdateAgainAfterAnotherWriter(t *testing.T) {
	times := 0
	var s *server
	prepared := 0
	// A strategy that changes what it is given must find it unchanged the next time.
	appending := strategy{PrepareForUpdate: func(_ context.Context, w, old *widget.Widget) {
		prepared++
		if len(w.Spec.Parts) != 1 {
			t.Errorf("attempt %d begins with %v", prepared, w.Spec.Parts)
		}
		w.Spec.Parts = append(w.Spec.Parts, widget.Part{Name: "by " + old.Labels["writer"]})
		w.Labels = old.Labels
	}}
	s = serveThrough(t, appending, func(store storage.Interface) storage.Interface {
		return interrupt{store, func() {
			if times++; times <= 2 {
				other := s.mustGet(named)
				other.Labels = map[string]string{"writer": fmt.Sprint(times)}
				other.Spec.Parts = nil
				value := encodeV1(t, other)
				s.Put("/registry/shop.example.com/widgets/ns/w", value)
			}
		}}
	})
	const body = `{"metadata":{"name":"w"},"spec":{"parts":[{"name":"mine"}]}}`
	// What was sent is read again where it is at hand; else it is copied.
	for _, sent := range []rest.Sent{{}, {Bytes: []byte(body), MediaType: rest.JSON}} {
		s.mustCreate(`{"metadata":{"name":"w"}}`)
		times, prepared = 0, 0
		view, _, err := s.v1.Update.Update(ctx, &rest.Request{Sent: sent}, named, parse(t, widget.GV1, body), metav1.UpdateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := read[*widget.V1](t, view)
		if prepared != 3 || len(got.Spec.Parts) != 2 || got.Spec.Parts[1].Name != "by 2" {
			t.Errorf("after %d attempts: %+v", prepared, got.Spec.Parts)
		}
		s.mustDelete()
	}

	// With a resourceVersion the second writer loses.
	s.mustCreate(body)
	times = 1
	stale := s.mustGet(named)
	stale.Spec.Parts, stale.Spec.Color = stale.Spec.Parts[:1], "green"
	_, err := s.update(stale)
	if status(t, err).Reason != "Conflict" || !strings.Contains(err.Error(), "please apply your changes to the latest version and try again") {
		t.Errorf("lost update: %v", err)
	}
}

func encodeV1(t *testing.T, w *widget.V1) []byte {
	t.Helper()
	w.ResourceVersion = ""
	raw, err := w.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return protobufOf("shop.example.com/v1", raw)
}

func TestUpdateRemovesWhatHasNoFinalizers(t *testing.T) {
	for _, dryRun := range [][]string{nil, {"All"}} {
		s := serve(t, strategy{})
		s.mustCreate(`{"metadata":{"name":"w","finalizers":["example.com/a","example.com/b"]}}`)
		s.mustDelete()

		obj := s.mustGet(named)
		obj.Finalizers = append(obj.Finalizers, "example.com/new")
		if _, err := s.update(obj); status(t, err).Reason != "Invalid" {
			t.Errorf("a new finalizer on an object that is being deleted: %v", err)
		}

		obj = s.mustGet(named)
		obj.Finalizers = obj.Finalizers[1:]
		obj.DeletionTimestamp = nil
		got, err := s.update(obj)
		if err != nil || got.DeletionTimestamp == nil {
			t.Fatalf("%v, deletionTimestamp %v", err, got.DeletionTimestamp)
		}

		got.Finalizers, got.Labels = nil, map[string]string{"last": "words"}
		view, _, err := s.v1.Update.Update(ctx, new(rest.Request), named, got, metav1.UpdateOptions{DryRun: dryRun})
		if err != nil {
			t.Fatal(err)
		}
		if last := read[*widget.V1](t, view); last.Labels["last"] != "words" || last.UID != got.UID {
			t.Errorf("the answer is %+v", last)
		}
		if _, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{}); (err == nil) != (dryRun != nil) {
			t.Errorf("dryRun %v: get after the last finalizer: %v", dryRun, err)
		}
	}
}

func TestUpdateDryRun(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	before, raw := s.Revision(), s.raw(named)
	obj := s.mustGet(named)
	obj.Spec.Color = "green"
	view, _, err := s.v1.Update.Update(ctx, new(rest.Request), named, obj, metav1.UpdateOptions{DryRun: []string{"All"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := read[*widget.V1](t, view); got.Spec.Color != "green" || got.Generation != 2 {
		t.Errorf("answer %+v", got)
	}
	if s.Revision() != before || s.raw(named) != raw {
		t.Error("something was written")
	}
}

func TestUpdateMendsWhatIsStoredOtherwise(t *testing.T) {
	s := serve(t, strategy{})
	s.Put("/registry/shop.example.com/widgets/ns/w", []byte(`{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","metadata":{"name":"w","namespace":"ns","uid":"u","generation":1},"spec":{"colour":"pink"}}`))
	got, err := s.update(s.mustGet(named))
	if err != nil {
		t.Fatal(err)
	}
	if got.Spec.Color != "pink" || got.Generation != 1 || got.ResourceVersion != fmt.Sprint(s.Revision()) {
		t.Errorf("%+v", got)
	}
	if !strings.HasPrefix(s.raw(named), "k8s\x00") {
		t.Errorf("still stored as %q", s.raw(named))
	}
}

// overtaken lets another writer come between the decision to remove an object and the removal.
type overtaken struct {
	storage.Interface
	before func()
}

func (o overtaken) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	o.before()
	return o.Interface.Delete(ctx, key, check)
}

func TestUpdateRemovesOnlyWhatItHasSeen(t *testing.T) {
	var s *server
	between := func() {}
	s = serveThrough(t, strategy{}, func(store storage.Interface) storage.Interface {
		return overtaken{store, func() { between() }}
	})
	s.mustCreate(`{"metadata":{"name":"w","finalizers":["example.com/wait"]}}`)
	s.mustDelete()
	last := s.mustGet(named)
	last.Finalizers = nil
	label := func(v string) {
		obj := s.mustGet(named)
		obj.Labels = map[string]string{"v": v}
		if _, err := s.update(obj); err != nil {
			t.Fatal(err)
		}
	}

	between = func() {
		between = func() {}
		label("other")
	}
	seen := last.DeepCopyObject().(*widget.V1)
	if _, err := s.update(seen); status(t, err).Reason != "Conflict" {
		t.Errorf("another writer came first, and it was removed nevertheless: %v", err)
	}
	between = func() {
		between = func() {}
		label("third")
	}
	last.ResourceVersion = ""
	if _, err := s.update(last); err != nil {
		t.Errorf("an update that does not care: %v", err)
	}
	if s.raw(named) != "" {
		t.Error("the object is still there")
	}
}
