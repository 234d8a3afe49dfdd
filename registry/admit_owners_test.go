package registry_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// injector adds to every object what no client says, and changes the color, as webhooks do. It
// makes a Scale one of 9 replicas.
var injector = admission.Plugin{Name: "Injector", Mutate: func(_ context.Context, r *admission.Request) error {
	if scale, ok := r.Object.(*autoscalingv1.Scale); ok {
		scale.Spec.Replicas = 9
		return nil
	}
	next := r.Object.DeepCopyObject().(*widget.Widget)
	next.Annotations = map[string]string{"injected": "yes"}
	next.Spec.Parts = append(next.Spec.Parts, widget.Part{Name: "sidecar", Count: 1})
	next.Spec.Color = "injected"
	next.Status.Phase = "Injected"
	r.Object = next // another object of the same type is as good
	return nil
}}

// TestWhatAdmissionSetsBelongsToNobody: whatever the write, its author owns what the client said,
// nobody what a plug-in made of it.
func TestWhatAdmissionSetsBelongsToNobody(t *testing.T) {
	patched := func(typ types.PatchType, text string) func(*admitted) error {
		return func(a *admitted) error {
			_, _, err := a.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: typ, Bytes: []byte(text)}, metav1.PatchOptions{FieldManager: "me"})
			return err
		}
	}
	updated := func(a *admitted) error {
		_, _, err := a.v1.Update.Update(ctx, new(rest.Request), named, parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"options":{"a":"b"}}}`), metav1.UpdateOptions{FieldManager: "me"})
		return err
	}
	applied := patched(applyType, `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"options":{"a":"b"}}}`)
	const (
		optionsAndDefaults = `me Update shop.example.com/v1 {"f:spec":{"f:color":{},"f:options":{".":{},"f:a":{}},"f:replicas":{}}}`
		options            = `me Update shop.example.com/v1 {"f:spec":{"f:options":{".":{},"f:a":{}}}}`
		appliedOptions     = `me Apply shop.example.com/v1 {"f:spec":{"f:options":{"f:a":{}}}}`
	)
	for name, tc := range map[string]struct {
		there bool
		write func(*admitted) error
		want  []string
	}{
		"create": {false, func(a *admitted) error {
			_, err := a.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"options":{"a":"b"}}}`), metav1.CreateOptions{FieldManager: "me"})
			return err
		}, []string{optionsAndDefaults}},
		"create by update": {false, updated, []string{optionsAndDefaults}},
		"create by apply":  {false, applied, []string{appliedOptions}},
		"update":           {true, updated, []string{options}},
		"merge patch":      {true, patched(types.MergePatchType, `{"spec":{"options":{"a":"b"}}}`), []string{options}},
		"json patch":       {true, patched(types.JSONPatchType, `[{"op":"add","path":"/spec/options","value":{"a":"b"}}]`), []string{options}},
		"strategic patch":  {true, patched(types.StrategicMergePatchType, `{"spec":{"options":{"a":"b"}}}`), []string{options}},
		"apply":            {true, applied, []string{appliedOptions}},
		"status": {true, func(a *admitted) error {
			_, _, err := a.status.Update.Update(ctx, new(rest.Request), named, parse(t, widget.GV1, `{"metadata":{"name":"w"},"status":{"seen":3}}`), metav1.UpdateOptions{FieldManager: "me"})
			return err
		}, []string{`me Update shop.example.com/v1 {"f:status":{"f:seen":{}}}`}},
		"scale": {true, func(a *admitted) error {
			_, _, err := a.scale.Update.Update(ctx, new(rest.Request), named, aScale(1), metav1.UpdateOptions{FieldManager: "me"})
			return err
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := serveAdmitted(t)
			if tc.there {
				obj := a.mustCreate(`{"metadata":{"name":"w"}}`)
				obj.ManagedFields = []metav1.ManagedFieldsEntry{{}}
				if _, err := a.update(obj); err != nil { // from now on nobody owns anything
					t.Fatal(err)
				}
				// An object that nobody has kept track of stays so until somebody applies to it.
				if _, _, err := applyAs(a.v1, "other", `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w","labels":{"a":"b"}}}`, false); err != nil {
					t.Fatal(err)
				}
			}
			a.chain.Set([]admission.Plugin{injector})
			if err := tc.write(a); err != nil {
				t.Fatal(err)
			}
			got := a.mustGet(named)
			if name == "scale" && *got.Spec.Replicas != 9 || name != "scale" && name != "status" && got.Annotations["injected"] == "" {
				t.Fatalf("nothing is injected: %+v", got)
			}
			lines := strings.Split(owners(got), "\n")
			lines = slices.DeleteFunc(lines, func(line string) bool {
				return line == "" || strings.HasPrefix(line, "other ") || strings.HasPrefix(line, "before-first-apply ")
			})
			if !slices.Equal(lines, tc.want) {
				t.Errorf("owners\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(tc.want, "\n"))
			}

			// What is nobody's stays nobody's in the next write, so another manager may have it.
			a.chain.Set(nil)
			if name != "scale" {
				if _, _, err := applyAs(a.v1, "gitops", `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w","annotations":{"injected":"no"}},"spec":{"parts":[{"name":"sidecar","count":2}]}}`, false); err != nil {
					t.Errorf("a plug-in's fields are in the way: %v", err)
				}
			}
		})
	}
}

// TestOwnersThatAdmissionBreaks: what a plug-in makes of managedFields counts if it can be
// understood.
func TestOwnersThatAdmissionBreaks(t *testing.T) {
	entry := metav1.ManagedFieldsEntry{Manager: "plugin", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "shop.example.com/v1", FieldsType: "FieldsV1", FieldsV1: new(metav1.FieldsV1)}
	entry.FieldsV1.SetRawBytes([]byte(`{"f:spec":{"f:color":{}}}`))
	odd := entry
	odd.Operation = "Guess"
	for name, tc := range map[string]struct {
		makes    []metav1.ManagedFieldsEntry
		want     string
		warnings int
	}{
		"another owner": {[]metav1.ManagedFieldsEntry{entry}, `plugin Update shop.example.com/v1 {"f:spec":{"f:color":{}}}`, 0},
		"nobody":        {nil, "", 0},
		"nonsense":      {[]metav1.ManagedFieldsEntry{odd}, `me Update shop.example.com/v1 {"f:spec":{"f:color":{},"f:replicas":{}}}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := serveAdmitted(t)
			a.chain.Set([]admission.Plugin{{Name: "P", Mutate: func(_ context.Context, r *admission.Request) error {
				r.Object.(*widget.Widget).ManagedFields = tc.makes
				return nil
			}}})
			var warned []string
			with := &rest.Request{Notes: rest.Notes{OnWarning: func(text string) { warned = append(warned, text) }}}
			if _, err := a.v1.Create.Create(ctx, with, rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{FieldManager: "me"}); err != nil {
				t.Fatal(err)
			}
			if got := owners(a.mustGet(named)); got != tc.want || len(warned) != tc.warnings {
				t.Errorf("owners %q, warnings %q", got, warned)
			}
			for _, text := range warned {
				if !strings.HasPrefix(text, ".metadata.managedFields was in an invalid state after admission; ") {
					t.Errorf("warning %q", text)
				}
			}
		})
	}
}

// TestWhatACreateDropsHasNoOwner: what only the server sets is dropped before admission and owners
// see it, and admission can't set it either.
func TestWhatACreateDropsHasNoOwner(t *testing.T) {
	const body = `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w","deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":7,"generation":5,"creationTimestamp":"2020-01-01T00:00:00Z"},"spec":{"color":"green"}}`
	for name, write := range map[string]func(*admitted) error{
		"create": func(a *admitted) error {
			_, err := a.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, body), metav1.CreateOptions{FieldManager: "me"})
			return err
		},
		"create by update": func(a *admitted) error {
			_, _, err := a.v1.Update.Update(ctx, new(rest.Request), named, parse(t, widget.GV1, body), metav1.UpdateOptions{FieldManager: "me"})
			return err
		},
		"create by apply": func(a *admitted) error {
			_, _, err := applyAs(a.v1, "me", body, false)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := serveAdmitted(t)
			a.chain.Set([]admission.Plugin{{Name: "P", Mutate: func(_ context.Context, r *admission.Request) error {
				meta := &r.Object.(*widget.Widget).ObjectMeta
				if meta.DeletionTimestamp != nil || meta.DeletionGracePeriodSeconds != nil || meta.UID != "" || meta.Generation != 0 || !meta.CreationTimestamp.IsZero() {
					t.Errorf("admission sees %+v", meta)
				}
				grace := int64(3)
				meta.DeletionTimestamp, meta.DeletionGracePeriodSeconds, meta.UID, meta.Generation = &metav1.Time{}, &grace, "mine", 9
				return nil
			}}})
			if err := write(a); err != nil {
				t.Fatal(err)
			}
			got := a.mustGet(named)
			if got.DeletionTimestamp != nil || got.DeletionGracePeriodSeconds != nil || got.UID == "mine" || got.Generation != 1 || got.CreationTimestamp.Year() == 2020 {
				t.Errorf("%+v", got.ObjectMeta)
			}
			if owned := owners(got); strings.Contains(owned, "deletion") || !strings.Contains(owned, "f:color") {
				t.Errorf("owners %s", owned)
			}
		})
	}
}
