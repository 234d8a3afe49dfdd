package ensure_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/features/internal/ensure"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// widgets are widgets without namespaces, in memory.
func widgets(t *testing.T) *rest.Resource {
	t.Helper()
	served, err := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1},
	}).Serve(widget.Scheme(), memory.New(memory.Config{}), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &served[0]
}

func wanted(color string) *widget.V1 {
	w := &widget.V1{Spec: widget.V1Spec{Color: color}}
	w.Name = "standing"
	w.SetGroupVersionKind(widget.GV1.WithKind("Widget"))
	return w
}

// paint wants the object to have a color, and remembers how often it was asked.
func paint(color string, asked *int) func(have *widget.V1) error {
	return func(have *widget.V1) error {
		*asked++
		have.Spec.Color = color
		return nil
	}
}

func there(t *testing.T, r *rest.Resource) (w widget.V1) {
	t.Helper()
	view, err := r.Get.Get(t.Context(), rest.Name{Name: "standing"}, metav1.GetOptions{})
	if err == nil {
		err = rest.Read(view, &w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestObjectIsMadeAndKept(t *testing.T) {
	r, asked := widgets(t), 0
	step := func(color string, asks int) widget.V1 {
		t.Helper()
		asked = 0
		if err := ensure.Object(t.Context(), r, wanted(color), paint(color, &asked)); err != nil {
			t.Fatal(err)
		}
		w := there(t, r)
		if w.Spec.Color != color || asked != asks {
			t.Fatalf("it is %q, want %q; asked %d times, want %d", w.Spec.Color, color, asked, asks)
		}
		return w
	}
	made := step("green", 0)
	if same := step("green", 1); same.ResourceVersion != made.ResourceVersion {
		t.Error("what is as it should be was written")
	}
	if changed := step("blue", 1); changed.UID != made.UID || changed.ResourceVersion == made.ResourceVersion {
		t.Errorf("%q of %q was not updated", changed.UID, made.UID)
	}
}

func TestObjectIsMadeAnew(t *testing.T) {
	r, asked := widgets(t), 0
	if err := ensure.Object(t.Context(), r, wanted("green"), paint("green", &asked)); err != nil {
		t.Fatal(err)
	}
	was := there(t, r)
	if err := ensure.Object(t.Context(), r, wanted("red"), func(*widget.V1) error { return fmt.Errorf("wrapped: %w", ensure.ErrAnew) }); err != nil {
		t.Fatal(err)
	}
	if is := there(t, r); is.UID == was.UID || is.Spec.Color != "red" {
		t.Errorf("%q of %q is %s", is.UID, was.UID, is.Spec.Color)
	}
	broken := errors.New("broken")
	if err := ensure.Object(t.Context(), r, wanted("blue"), func(*widget.V1) error { return broken }); err != broken {
		t.Errorf("the error of change is %v", err)
	}
}

// rival writes the object each time before somebody else does, until it has had enough.
type rival struct {
	*rest.Resource
	times int
}

func (o *rival) write(ctx context.Context) {
	if o.times--; o.times >= 0 {
		ignored := 0
		ensure.Object(ctx, o.Resource, wanted("rival"), paint(fmt.Sprint("rival", o.times), &ignored))
	}
}

func (o *rival) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	o.write(ctx)
	return o.Resource.Create.Create(ctx, req, name, obj, opts)
}

func (o *rival) Update(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.UpdateOptions) (rest.View, bool, error) {
	o.write(ctx)
	return o.Resource.Update.Update(ctx, req, name, obj, opts)
}

// Others who write the same are borne, but not for ever.
func TestOthersWriteTheSame(t *testing.T) {
	for times, fails := range map[int]bool{1: false, 5: false, 100: true} {
		r, asked := widgets(t), 0
		contested := *r
		other := &rival{Resource: r, times: times}
		contested.Create, contested.Update = other, other
		err := ensure.Object(t.Context(), &contested, wanted("green"), paint("green", &asked))
		if fails != (err != nil) {
			t.Errorf("after %d writes of another: %v", times, err)
		}
		if is := there(t, r); !fails && is.Spec.Color != "green" {
			t.Errorf("after %d writes of another it is %s", times, is.Spec.Color)
		}
	}
}
