package typeplane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// hook has the methods of controller-runtime's CustomDefaulter and CustomValidator. typedHook has
// those of the generic ones.
type hook struct{}

type words []string

func (hook) Default(_ context.Context, obj apiruntime.Object) error {
	obj.(*widget.Widget).Spec.Color = "green"
	return nil
}

func (hook) ValidateCreate(_ context.Context, obj apiruntime.Object) (words, error) {
	return words{"created " + obj.(*widget.Widget).Name}, nil
}

func (hook) ValidateUpdate(_ context.Context, oldObj, newObj apiruntime.Object) (words, error) {
	return words{fmt.Sprintf("from %s to %s", oldObj.(*widget.Widget).Spec.Color, newObj.(*widget.Widget).Spec.Color)}, nil
}

func (hook) ValidateDelete(_ context.Context, obj apiruntime.Object) (words, error) {
	return nil, errors.New(obj.(*widget.Widget).Name + " stays")
}

type typedHook struct{}

func (typedHook) Default(_ context.Context, w *widget.Widget) error {
	w.Spec.Color = "blue"
	return nil
}

// otherHook is for a type that is not the hub's.
type otherHook struct{}

func (otherHook) Default(context.Context, *widget.V1) error { return nil }

// ownWidget has the methods of controller-runtime's first form.
type ownWidget struct{ widget.Widget }

func (w *ownWidget) Default() { w.Spec.Color = "white" }

func (w *ownWidget) ValidateCreate() (words, error) { return words{"created " + w.Spec.Color}, nil }

func (w *ownWidget) ValidateDelete() (words, error) { return nil, errors.New("stays") }

func (w *ownWidget) ValidateUpdate(old apiruntime.Object) (words, error) {
	return words{"from " + old.(*ownWidget).Spec.Color}, nil
}

func TestKindsThatAreWebhooksThemselves(t *testing.T) {
	if d, v := DefaultingItself[*ownWidget](), ValidatingItself[*ownWidget](); d.Name != "ownWidgetDefaulting" || v.Name != "ownWidgetValidating" {
		t.Errorf("they are called %s and %s", d.Name, v.Name)
	}
	w, v := new(ownWidget), ownValidator[*ownWidget, words]{}
	if err := (ownDefaulter[*ownWidget]{}).Default(t.Context(), w); err != nil || w.Spec.Color != "white" {
		t.Errorf("a default: %v, %s", err, w.Spec.Color)
	}
	created, err := v.ValidateCreate(t.Context(), w)
	changed, updateErr := v.ValidateUpdate(t.Context(), w, new(ownWidget))
	_, gone := v.ValidateDelete(t.Context(), w)
	if err != nil || updateErr != nil || gone == nil || created[0] != "created white" || changed[0] != "from white" {
		t.Errorf("%q %v, %q %v, %v", created, err, changed, updateErr, gone)
	}
}

func hostOf(t *testing.T) *Host {
	t.Helper()
	return &Host{Scheme: widget.Scheme()}
}

func TestWebhooksOfControllerRuntime(t *testing.T) {
	chain := new(admission.Chain)
	var plugins []admission.Plugin
	for _, p := range []AdmissionPlugin{Defaulting[*widget.Widget](hook{}), Validating[*widget.Widget](hook{})} {
		made, err := p.New(t.Context(), hostOf(t), nil)
		if err != nil || made.Name != p.Name {
			t.Fatalf("%s: %v", made.Name, err)
		}
		plugins = append(plugins, made)
	}
	chain.Set(plugins)
	var warnings []string
	ctx, notes := t.Context(), &rest.Notes{OnWarning: func(text string) { warnings = append(warnings, text) }}
	w, old := new(widget.Widget), new(widget.Widget)
	w.Name, old.Name, old.Spec.Color = "w", "w", "red"
	kind := widget.GV1beta1.WithKind("Widget")
	create := &admission.Request{Operation: admission.Create, Kind: kind, Object: w, Notes: notes}
	if err := errors.Join(chain.Mutate(ctx, create), chain.Validate(ctx, create)); err != nil || w.Spec.Color != "green" {
		t.Errorf("a create: %v, %s", err, w.Spec.Color)
	}
	if err := chain.Validate(ctx, &admission.Request{Operation: admission.Update, Kind: kind, Object: w, Old: old, Notes: notes}); err != nil {
		t.Errorf("an update: %v", err)
	}
	if want := []string{"created w", "from red to green"}; !slices.Equal(warnings, want) {
		t.Errorf("warnings are %q, want %q", warnings, want)
	}
	remove := &admission.Request{Operation: admission.Delete, Kind: kind, Old: old}
	if err := errors.Join(chain.Mutate(ctx, remove)); err != nil {
		t.Errorf("a deletion: %v", err)
	}
	if err := chain.Validate(ctx, remove); err == nil || !strings.HasSuffix(err.Error(), "w stays") {
		t.Errorf("a deletion: %v", err)
	}
	for what, r := range map[string]*admission.Request{
		"a subresource": {Operation: admission.Update, Kind: kind, Subresource: "status", Object: old, Old: old},
		"another kind":  {Operation: admission.Update, Kind: kind.GroupVersion().WithKind("Gadget"), Object: nil, Old: nil},
	} {
		if err := errors.Join(chain.Mutate(ctx, r), chain.Validate(ctx, r)); err != nil || old.Spec.Color != "red" {
			t.Errorf("%s: %v, %s", what, err, old.Spec.Color)
		}
	}
}

func TestWebhooksOfATypeThatTheyAreNotFor(t *testing.T) {
	typed, err := Defaulting[*widget.Widget](typedHook{}).New(t.Context(), hostOf(t), nil)
	w := new(widget.Widget)
	if err != nil || typed.Mutate(t.Context(), &admission.Request{Operation: admission.Create, Object: w}) != nil || w.Spec.Color != "blue" {
		t.Errorf("a defaulter of the type: %v, %s", err, w.Spec.Color)
	}
	for want, p := range map[string]AdmissionPlugin{
		"admission plug-in V1Defaulting: *widget.V1 is no type that the server works with: write it for the version that others convert to": Defaulting[*widget.V1](otherHook{}),
		"admission plug-in WidgetDefaulting: its methods take *widget.V1, which *widget.Widget is not":                                      Defaulting[*widget.Widget](otherHook{}),
	} {
		if _, err := p.New(t.Context(), hostOf(t), nil); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
