package typeplane_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// paintShop keeps red widgets for the members of a group, and makes those of everybody else green.
func paintShop(_ context.Context, _ *typeplane.Host, _ []byte) (admission.Plugin, error) {
	return admission.Plugin{
		Wants: func(r *admission.Request) bool {
			return r.Resource.Resource == "widgets" && r.Subresource == "" && r.Operation == admission.Create
		},
		Mutate: func(_ context.Context, r *admission.Request) error {
			if w := r.Object.(*widget.Widget); w.Spec.Color == "" {
				w.Spec.Color = "green"
			}
			return nil
		},
		Validate: func(ctx context.Context, r *admission.Request) error {
			if r.Object.(*widget.Widget).Spec.Color == "red" && !auth.UserFrom(ctx).In("painters") {
				return errors.New("red is for painters")
			}
			return nil
		},
	}, nil
}

// withPaintShop is a program that has the plug-in.
func withPaintShop(s typeplane.Server) typeplane.Server {
	s.Admission = []typeplane.AdmissionPlugin{{Name: "PaintShop", New: paintShop}}
	return s
}

func TestPaintShop(t *testing.T) {
	plugin, err := withPaintShop(typeplane.Server{}).Admission[0].New(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := new(widget.Widget)
	r := &admission.Request{Operation: admission.Create, Object: w}
	r.Resource.Resource = "widgets"
	chain := new(admission.Chain)
	chain.Set([]admission.Plugin{plugin})
	painter := auth.WithUser(t.Context(), &auth.User{Name: "ada", Groups: []string{"painters"}})
	if err := chain.Mutate(t.Context(), r); err != nil || w.Spec.Color != "green" || chain.Validate(t.Context(), r) != nil {
		t.Errorf("a widget without a color: %v %+v", err, w.Spec)
	}
	w.Spec.Color = "red"
	if err := chain.Validate(t.Context(), r); err == nil || !strings.HasSuffix(err.Error(), "is forbidden: red is for painters") {
		t.Errorf("red: %v", err)
	}
	if err := chain.Validate(painter, r); err != nil {
		t.Errorf("red for a painter: %v", err)
	}
}

// TestAdmissionPage: the page shows the code that is above.
func TestAdmissionPage(t *testing.T) {
	page, err := os.ReadFile("docs/admission.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("admission_example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(page), "\n## A plug-in of your own\n")
	_, rest, _ := strings.Cut(chapter, "```go\n")
	code, _, found := strings.Cut(rest, "```\n")
	if !found || !strings.Contains(string(source), code) {
		t.Errorf("the example of docs/admission.md is not that of this file:\n%s", code)
	}
}
