package registry_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

func TestWarningsOfAStrategy(t *testing.T) {
	var got []string
	warned := &rest.Request{Notes: rest.Notes{OnWarning: func(text string) { got = append(got, text) }}}
	s := serveParts(t, strategy{
		WarningsOnCreate: func(_ context.Context, w *widget.Widget) []string { return []string{"new: " + w.Spec.Color, "hm"} },
		WarningsOnUpdate: func(_ context.Context, w, old *widget.Widget) []string {
			return []string{old.Spec.Color + " was better than " + w.Spec.Color}
		},
		StatusUpdate: registry.StatusUpdate[*widget.Widget]{Warnings: func(_ context.Context, w, _ *widget.Widget) []string {
			return []string{"it is " + w.Status.Phase}
		}},
	})
	obj := parse(t, widget.GV1, `{"metadata":{"name":"w"}}`)
	view, err := s.v1.Create.Create(ctx, warned, rest.Name{Namespace: "ns"}, obj, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := read[*widget.V1](t, view)
	w.Spec.Color = "green"
	if _, _, err := s.v1.Update.Update(ctx, warned, named, w, metav1.UpdateOptions{DryRun: []string{"All"}}); err != nil {
		t.Fatal(err)
	}
	w.Status.Phase = "odd"
	if _, _, err := s.of["v1/status"].Update.Update(ctx, warned, named, w, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	// One that is refused is refused for its errors.
	bad := parse(t, widget.GV1, `{"metadata":{"name":"v"},"spec":{"replicas":5000}}`)
	if _, err := s.v1.Create.Create(ctx, warned, rest.Name{Namespace: "ns"}, bad, metav1.CreateOptions{}); err == nil {
		t.Error("no error")
	}
	if want := []string{"new: red", "hm", "red was better than green", "it is odd"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// told are strategies that note what they are told.
func told(log *[]string) strategy {
	show := func(w *widget.Widget) string { return w.Name + " " + w.Spec.Color + " " + w.ResourceVersion }
	return strategy{
		AfterCreate: func(_ context.Context, w *widget.Widget) { *log = append(*log, "created "+show(w)) },
		AfterUpdate: func(_ context.Context, w, old *widget.Widget) {
			*log = append(*log, "updated "+show(old)+" to "+show(w))
		},
		AfterDelete: func(_ context.Context, w *widget.Widget) { *log = append(*log, "deleted "+show(w)) },
	}
}

func TestAfterWrites(t *testing.T) {
	var log []string
	s := serve(t, told(&log))
	want := func(lines ...string) {
		t.Helper()
		if !slices.Equal(log, lines) {
			t.Errorf("told\n  %q\nwant\n  %q", log, lines)
		}
		log = nil
	}
	dry := []string{metav1.DryRunAll}
	body := `{"metadata":{"name":"w","finalizers":["example.com/a"]}}`
	if _, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, body), metav1.CreateOptions{DryRun: dry}); err != nil {
		t.Fatal(err)
	}
	want()
	w := s.mustCreate(body)
	first := w.ResourceVersion
	want("created w red " + first)
	if _, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, body), metav1.CreateOptions{}); err == nil {
		t.Error("created twice")
	}
	if _, err := s.update(w); err != nil { // of nothing
		t.Fatal(err)
	}
	w.Spec.Color = "green"
	if _, _, err := s.v1.Update.Update(ctx, new(rest.Request), named, w, metav1.UpdateOptions{DryRun: dry}); err != nil {
		t.Fatal(err)
	}
	want()
	w.Spec.Color = "green"
	w, err := s.update(w)
	if err != nil {
		t.Fatal(err)
	}
	second := w.ResourceVersion
	want("updated w red " + first + " to w green " + second)
	if _, _, err := s.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":{"color":"blue"}}`)}, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	third := s.mustGet(named).ResourceVersion
	want("updated w green " + second + " to w blue " + third)
	// It is marked, as it has a finalizer, and goes with that.
	s.mustDelete()
	w = s.mustGet(named)
	want("updated w blue " + third + " to w blue " + w.ResourceVersion)
	w.Finalizers = nil
	if _, err := s.update(w); err != nil {
		t.Fatal(err)
	}
	want("deleted w blue " + w.ResourceVersion)
	w = s.mustCreate(`{"metadata":{"name":"w"}}`)
	log = nil
	if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{DryRun: dry}); err != nil {
		t.Fatal(err)
	}
	want()
	s.mustDelete()
	want("deleted w red " + w.ResourceVersion)
}

// What a decorator adds is seen everywhere, stored nowhere, and made anew each time.
func TestDecorate(t *testing.T) {
	seen := "first"
	s := serve(t, strategy{Decorate: func(w *widget.Widget) {
		w.Status.Phase = "seen " + seen + " at " + w.ResourceVersion
		w.Labels = map[string]string{"seen": seen}
	}})
	view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"},"status":{"phase":"stored"}}`), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rv := read[*widget.V1](t, view).ResourceVersion
	phase := "seen first at " + rv
	stream, err := s.v1.Watch.Watch(ctx, "ns", metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	events, err := stream.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	one, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.v1.List.List(ctx, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]rest.View{"create": view, "get": one, "list": list, "watch": events[0].Object} {
		for _, form := range []rest.Representation{{MediaType: rest.JSON}, {MediaType: rest.JSON, Pretty: true}, {MediaType: rest.YAML}, {MediaType: rest.Protobuf}} {
			if got := written(t, v, form); !strings.Contains(got, phase) || strings.Contains(got, "stored") {
				t.Errorf("%s as %s: %s", name, form.MediaType, got)
			}
		}
		for _, form := range []rest.Representation{
			{MediaType: rest.JSON, As: rest.AsTable}, {MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}, {MediaType: rest.Protobuf, As: rest.AsPartialObjectMetadata},
		} {
			if got := written(t, v, form); !strings.Contains(got, "first") {
				t.Errorf("%s as %s: %s", name, form.As, got)
			}
		}
	}
	seen = "second"
	if got := s.mustGet(named); got.Status.Phase != "seen second at "+rv || got.ResourceVersion != rv {
		t.Errorf("%+v", got)
	}
	// A patch is applied to what is stored, and so are selectors.
	if _, _, err := s.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: types.JSONPatchType, Bytes: []byte(`[{"op":"test","path":"/status/phase","value":"stored"},{"op":"replace","path":"/spec/color","value":"green"}]`)}, metav1.PatchOptions{}); err != nil {
		t.Error(err)
	}
	none, err := s.v1.List.List(ctx, "", metav1.ListOptions{LabelSelector: "seen"})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, none); strings.Contains(got, `"name":"w"`) {
		t.Errorf("selected by what is not stored: %s", got)
	}
	if raw := s.raw(named); strings.Contains(raw, "seen") || !strings.Contains(raw, "stored") {
		t.Errorf("stored %q", raw)
	}
}

func int64of(n int64) *int64 { return &n }

// TestGracefulDeletion: what a deletion makes of an object, from how many seconds it has (-1: it is
// not being deleted).
func TestGracefulDeletion(t *testing.T) {
	const notDeleted, gone = -1, -2
	for _, tc := range []struct {
		name       string
		finalizers string
		has        int64
		asked      *int64
		want       int64
		changed    bool
	}{
		{"the default", "", notDeleted, nil, 30, true},
		{"as asked", "", notDeleted, int64of(7), 7, true},
		{"at once", "", notDeleted, int64of(0), gone, true},
		{"a negative time is a second", "", notDeleted, int64of(-5), 1, true},
		{"shorter", "", 30, int64of(5), 5, true},
		{"longer", "", 30, int64of(60), 30, false},
		{"again", "", 30, nil, 30, false},
		{"at once after all", "", 30, int64of(0), gone, true},
		{"finalizers keep it", `,"finalizers":["example.com/a"]`, notDeleted, int64of(0), 0, true},
		{"finalizers keep it when its time is over", `,"finalizers":["example.com/a"]`, 30, int64of(0), 0, true},
		{"finalizers keep it again", `,"finalizers":["example.com/a"]`, 0, int64of(0), 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, strategy{Deletion: registry.Deletion[*widget.Widget]{CheckGracefulDelete: func(_ context.Context, w *widget.Widget, opts *metav1.DeleteOptions) bool {
				if opts.GracePeriodSeconds == nil {
					opts.GracePeriodSeconds = int64of(30)
				}
				return true
			}}})
			s.mustCreate(`{"metadata":{"name":"w"` + tc.finalizers + `}}`)
			if tc.has != notDeleted {
				if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{GracePeriodSeconds: &tc.has}); err != nil {
					t.Fatal(err)
				}
			}
			before := s.mustGet(named)
			opts := metav1.DeleteOptions{GracePeriodSeconds: tc.asked}
			tried := opts
			tried.DryRun = []string{metav1.DryRunAll}
			if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, tried); err != nil {
				t.Fatal(err)
			}
			if now := s.mustGet(named); now.ResourceVersion != before.ResourceVersion {
				t.Errorf("a dry run changed it: %+v", now)
			}
			begun := time.Now().Truncate(time.Second)
			view, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, opts)
			if err != nil {
				t.Fatal(err)
			}
			if tc.want == gone {
				if got := text(t, view); !strings.Contains(got, `"kind":"Status"`) || s.raw(named) != "" {
					t.Errorf("it is there: %s", got)
				}
				return
			}
			now := s.mustGet(named)
			if now.DeletionTimestamp == nil || *now.DeletionGracePeriodSeconds != tc.want || now.ResourceVersion == before.ResourceVersion == tc.changed {
				t.Fatalf("%+v", now)
			}
			if until := now.DeletionTimestamp.Time; tc.has == notDeleted && until.Before(begun.Add(time.Duration(tc.want)*time.Second)) || until.After(time.Now().Add(time.Duration(tc.want)*time.Second)) {
				t.Errorf("until %s", until)
			}
			if now.Generation != 2 {
				t.Errorf("generation %d", now.Generation)
			}
			// An update does not remove it before its time.
			now.Labels = map[string]string{"a": "b"}
			if _, err := s.update(now); err != nil {
				t.Error(err)
			}
			if s.raw(named) == "" {
				t.Error("an update removed it")
			}
		})
	}
}

// A kind may decide for each object, and what is not deleted gracefully is deleted as ever.
func TestSomeAreNotDeletedGracefully(t *testing.T) {
	s := serve(t, strategy{Deletion: registry.Deletion[*widget.Widget]{CheckGracefulDelete: func(_ context.Context, w *widget.Widget, opts *metav1.DeleteOptions) bool {
		return w.Spec.Color == "green"
	}}})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	s.mustDelete()
	if s.raw(named) != "" {
		t.Error("it is there")
	}
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	_, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
	wantStatus(t, err, 500, metav1.StatusReasonInternalError, "Internal error occurred: the strategy's CheckGracefulDelete left gracePeriodSeconds open")
}

// For ever is a hundred years: what does not fit into a time.Duration is not in the past.
func TestEndlessGrace(t *testing.T) {
	s := serve(t, strategy{Deletion: registry.Deletion[*widget.Widget]{CheckGracefulDelete: func(context.Context, *widget.Widget, *metav1.DeleteOptions) bool {
		return true
	}}})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	for _, seconds := range []int64{math.MaxInt64, 1e10} {
		if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{GracePeriodSeconds: &seconds}); err != nil {
			t.Fatal(err)
		}
		got := s.mustGet(named)
		if time.Until(got.DeletionTimestamp.Time) < 99*365*24*time.Hour || *got.DeletionGracePeriodSeconds > 1e10 {
			t.Errorf("of %d seconds it has %d, until %v", seconds, *got.DeletionGracePeriodSeconds, got.DeletionTimestamp)
		}
	}
}

// A negative time is a second, whoever says it.
func TestNegativeGraceOfTheStrategy(t *testing.T) {
	s := serve(t, strategy{Deletion: registry.Deletion[*widget.Widget]{CheckGracefulDelete: func(_ context.Context, _ *widget.Widget, opts *metav1.DeleteOptions) bool {
		opts.GracePeriodSeconds = int64of(-5)
		return true
	}}})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	s.mustDelete()
	if s.raw(named) == "" {
		t.Fatal("it is gone")
	}
	if got := s.mustGet(named).DeletionGracePeriodSeconds; got == nil || *got != 1 {
		t.Errorf("it has %v seconds", got)
	}
}

// Fields that a write does not change are nobody's by it.
func TestResetFields(t *testing.T) {
	s := serveOwned(t, strategy{
		PrepareForCreate: func(_ context.Context, w *widget.Widget) { w.Spec.Color = "grey" },
		ResetFields:      map[string][]string{"": {"spec.color"}},
	})
	w := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green","replicas":3}}`)
	if got := owners(w); strings.Contains(got, "f:color") || !strings.Contains(got, "f:replicas") || w.Spec.Color != "grey" {
		t.Errorf("%s owns it: %s", w.Spec.Color, got)
	}
}
