package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// wantCauses wants a 422 with these causes, "field: message" each, in any order.
func wantCauses(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	s := status(t, err)
	if s.Code != 422 || s.Reason != metav1.StatusReasonInvalid {
		t.Errorf("status %d %s: %s", s.Code, s.Reason, s.Message)
	}
	var got []string
	for _, c := range s.Details.Causes {
		got = append(got, c.Field+": "+c.Message)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("causes\n  %q\nwant\n  %q", got, want)
	}
}

const tooMany = `spec.replicas: Invalid value: %d: must be less than or equal to 1000`

// What the metadata, the compiled rules and the strategy find is reported together, and what two of
// them find once.
func TestAllRulesSpeak(t *testing.T) {
	s := serve(t, strategy{Validate: func(_ context.Context, w *widget.Widget) (errs field.ErrorList) {
		if w.Spec.Replicas > 1000 {
			errs = append(errs, field.Invalid(field.NewPath("spec", "replicas"), int64(w.Spec.Replicas), "must be less than or equal to 1000"))
		}
		return append(errs, field.Required(field.NewPath("spec", "parts"), "nothing is made of nothing"))
	}})
	body := `{"metadata":{"name":"w","labels":{"a":"-"}},"spec":{"replicas":5000,"color":"rainbow"}}`
	for _, opts := range []metav1.CreateOptions{{}, {DryRun: []string{"All"}}} {
		_, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, body), opts)
		wantCauses(t, err,
			`metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
			fmt.Sprintf(tooMany, 5000), `spec.color: Forbidden: needs the option Rainbow /`, `spec.parts: Required value: nothing is made of nothing`)
	}
}

// A rule that became stricter is for what is written from then on.
func TestRulesRatchet(t *testing.T) {
	s := serve(t, strategy{})
	s.putV1(`{"metadata":{"name":"w","namespace":"ns","uid":"u"},"spec":{"replicas":5000,"options":{"fixed":"a"}}}`)
	w := s.mustGet(named)
	w.Labels = map[string]string{"a": "b"}
	if _, err := s.update(w); err != nil {
		t.Errorf("an update that leaves the replicas as they were: %v", err)
	}
	w = s.mustGet(named)
	*w.Spec.Replicas, w.Spec.Options = 6000, map[string]string{"fixed": "b"}
	_, err := s.update(w)
	wantCauses(t, err, fmt.Sprintf(tooMany, 6000), `spec.options[fixed]: Invalid value: "b": field is immutable`)

	before := s.raw(named)
	dry := metav1.UpdateOptions{DryRun: []string{"All"}}
	_, _, err = s.v1.Update.Update(ctx, new(rest.Request), named, w, dry)
	wantCauses(t, err, fmt.Sprintf(tooMany, 6000), `spec.options[fixed]: Invalid value: "b": field is immutable`)
	if s.raw(named) != before {
		t.Error("an update that was refused changed something")
	}
}

// A patch is judged as an update, whatever its type.
func TestPatchesAreJudged(t *testing.T) {
	s := serveWith(t, strategy{}, registry.Options{Schemas: widgetSchemas(t)}, nil)
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"options":{"fixed":"a"}}}`)
	for typ, patch := range map[types.PatchType]string{
		mergeType:                     `{"spec":{"replicas":7000}}`,
		types.StrategicMergePatchType: `{"spec":{"replicas":7000}}`,
		jsonType:                      `[{"op":"replace","path":"/spec/replicas","value":7000}]`,
		applyType:                     `{"apiVersion":"shop.example.com/v1","kind":"Widget","spec":{"replicas":7000}}`,
	} {
		force := true
		opts := metav1.PatchOptions{FieldManager: "me"}
		if typ == applyType {
			opts.Force = &force
		}
		_, _, err := s.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: typ, Bytes: []byte(patch)}, opts)
		wantCauses(t, err, fmt.Sprintf(tooMany, 7000))
	}
	apply := `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"new"},"spec":{"replicas":7000}}`
	_, _, err := s.v1.Patch.Patch(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: "new"}, rest.Patch{Type: applyType, Bytes: []byte(apply)}, metav1.PatchOptions{FieldManager: "me"})
	wantCauses(t, err, fmt.Sprintf(tooMany, 7000))
}

// A write of the status is judged by the same rules, which are told what is written; the rest is as
// it was, and so right.
func TestStatusIsJudged(t *testing.T) {
	s := serveParts(t, strategy{})
	if _, err := s.beta.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1beta1, `{"metadata":{"name":"w"},"spec":{"replicas":5000}}`), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w := s.mustGet(named)
	w.Status.Phase = "Ready"
	if _, err := s.updateStatus(w); err != nil {
		t.Errorf("a status of an object that would be refused today: %v", err)
	}
	w = s.mustGet(named)
	w.Status.Phase = strings.Repeat("x", 65)
	_, err := s.updateStatus(w)
	wantCauses(t, err, `status.phase: Too long: may not be more than 64 bytes`)
	_, _, err = s.of["v1/status"].Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: mergeType, Bytes: []byte(`{"status":{"phase":"` + w.Status.Phase + `"}}`)}, metav1.PatchOptions{})
	wantCauses(t, err, `status.phase: Too long: may not be more than 64 bytes`)

	// The scale is a part of the spec.
	_, _, err = s.of["v1/scale"].Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: mergeType, Bytes: []byte(`{"spec":{"replicas":8000}}`)}, metav1.PatchOptions{})
	wantCauses(t, err, fmt.Sprintf(tooMany, 8000))
}

// The strategy says which options are on; a new object has no old one.
func TestValidationOptions(t *testing.T) {
	on := false
	s := serveParts(t, strategy{ValidationOptions: func(_ context.Context, _, old *widget.Widget) map[string]bool {
		return map[string]bool{"Rainbow": on || old != nil && old.Spec.Color == "rainbow"}
	}})
	rainbow := parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"color":"rainbow"}}`)
	_, err := s.v1.Create.Create(ctx, new(rest.Request), named, rainbow.DeepCopyObject().(*widget.V1), metav1.CreateOptions{})
	wantCauses(t, err, `spec.color: Forbidden: needs the option Rainbow /`)
	on = true
	if _, err := s.v1.Create.Create(ctx, new(rest.Request), named, rainbow.DeepCopyObject().(*widget.V1), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	on = false
	w := s.mustGet(named)
	w.Status.Phase = "Ready"
	if _, err := s.updateStatus(w); err != nil {
		t.Errorf("what is there already may stay: %v", err)
	}
}

// A rule marked as alpha refuses nothing.
func TestAlphaRules(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"experimental"}}`)
}
