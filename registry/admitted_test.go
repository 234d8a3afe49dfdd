package registry_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// TestAdmitted: what no store holds is changed and judged before it is answered, like everything
// else.
func TestAdmitted(t *testing.T) {
	virtual, err := meters().Resource()
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	var to string // where Mutate moves the object
	plugin := admission.Plugin{
		Wants: func(r *admission.Request) bool { return r.Namespace != "idle" },
		Mutate: func(_ context.Context, r *admission.Request) error {
			w := r.Object.(*widget.V1)
			seen = append(seen, fmt.Sprintf("mutate %s %s %s %s in %q, dry: %v", r.Operation, r.Resource.Resource, r.Kind.Kind, w.Spec.Color, w.Namespace, r.DryRun))
			if w.Spec.Color == "blue" {
				version := r.Codec.Versions()[0]
				data, err := r.Codec.Encode(w, version)
				if err != nil {
					return err
				}
				r.Object, err = r.Codec.Decode(bytes.ReplaceAll(bytes.ReplaceAll(data, []byte(`"namespace":"ns"`), []byte(`"namespace":"`+cmp.Or(to, "ns")+`"`)), []byte("blue"), []byte("green")), version)
				return err
			}
			return nil
		},
		Validate: func(_ context.Context, r *admission.Request) error {
			w := r.Object.(*widget.V1)
			seen = append(seen, "validate "+w.Spec.Color)
			if w.Spec.Color == "red" {
				return errors.New("not red")
			}
			return nil
		},
	}
	var chain admission.Chain
	r := registry.Admitted(virtual, &chain)
	chain.Set([]admission.Plugin{plugin})
	for _, tt := range []struct {
		ns, color, to string
		dry           []string
		status        string // "": the answer has it
		fails         string
		seen          []string
	}{
		{ns: "ns", color: "black", status: "ns5 []", seen: []string{`mutate CREATE meters Meter black in "ns", dry: false`, "validate black"}},
		{ns: "ns", color: "blue", dry: []string{metav1.DryRunAll}, status: "ns5 [All]", seen: []string{`mutate CREATE meters Meter blue in "ns", dry: true`, "validate green"}},
		{ns: "ns", color: "blue", to: "other", fails: `metadata.namespace is "other", the URL says "ns"`, seen: []string{`mutate CREATE meters Meter blue in "ns", dry: false`}},
		{ns: "ns", color: "red", fails: `meters.shop.example.com "m" is forbidden: not red`, seen: []string{`mutate CREATE meters Meter red in "ns", dry: false`, "validate red"}},
		{ns: "idle", color: "red", status: "idle3 []"},
	} {
		seen, to = nil, tt.to
		obj := &widget.V1{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Spec: widget.V1Spec{Color: tt.color}}
		view, err := r.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: tt.ns, Name: "m"}, obj, metav1.CreateOptions{DryRun: tt.dry})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = written(t, view, rest.Representation{MediaType: rest.JSON})
		}
		if want := cmp.Or(tt.fails, `"phase":"`+tt.status+`"`); !strings.Contains(got, want) {
			t.Errorf("%+v: %s", tt, got)
		}
		if !slices.Equal(seen, tt.seen) {
			t.Errorf("%+v: %q", tt, seen)
		}
	}
	if same := registry.Admitted(rest.Resource{Name: "read-only"}, &chain); same.Create != nil {
		t.Error("a resource that can't be created can be now")
	}
	chain.Set([]admission.Plugin{{Mutate: func(_ context.Context, r *admission.Request) error {
		r.Object = apiruntime.Object(&metav1.Status{})
		return nil
	}}})
	_, err = r.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: "m"}, new(widget.V1), metav1.CreateOptions{})
	wantStatus(t, err, 500, metav1.StatusReasonInternalError, "Internal error occurred: admission made a *v1.Status of a *widget.V1")
}
