package typeplane

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/runtime"
)

// What controller-runtime serves as a webhook runs in the server: the same code, without requests
// to somebody else. It is asked about writes of the object, not of its subresources, and sees the
// type that the server works with, in whatever version the client speaks.

// Defaulting is a plug-in of a defaulter as it is handed to controller-runtime's WithDefaulter or
// WithCustomDefaulter, for the kind K, a pointer. T is what its method takes.
func Defaulting[K runtime.Object, T apiruntime.Object](d interface {
	Default(ctx context.Context, obj T) error
}) AdmissionPlugin {
	return webhook[K, T]("Defaulting", func(p *admission.Plugin) {
		p.Mutate = func(ctx context.Context, r *admission.Request) error {
			if r.Operation == admission.Delete {
				return nil
			}
			return d.Default(ctx, r.Object.(T))
		}
	})
}

// Validating is Defaulting for a validator.
func Validating[K runtime.Object, T apiruntime.Object, W ~[]string](v interface {
	ValidateCreate(ctx context.Context, obj T) (W, error)
	ValidateUpdate(ctx context.Context, oldObj, newObj T) (W, error)
	ValidateDelete(ctx context.Context, obj T) (W, error)
}) AdmissionPlugin {
	return webhook[K, T]("Validating", func(p *admission.Plugin) {
		p.Validate = func(ctx context.Context, r *admission.Request) error {
			var warnings W
			var err error
			switch r.Operation {
			case admission.Create:
				warnings, err = v.ValidateCreate(ctx, r.Object.(T))
			case admission.Update:
				warnings, err = v.ValidateUpdate(ctx, r.Old.(T), r.Object.(T))
			case admission.Delete:
				warnings, err = v.ValidateDelete(ctx, r.Old.(T))
			}
			for _, text := range warnings {
				r.Notes.Warn(text)
			}
			return err
		}
	})
}

// webhook is a plug-in for the objects of K, with what fill says it does.
func webhook[K runtime.Object, T apiruntime.Object](what string, fill func(*admission.Plugin)) AdmissionPlugin {
	of := reflect.TypeFor[K]()
	name := of.Elem().Name() + what
	return AdmissionPlugin{Name: name, New: func(_ context.Context, h *Host, _ []byte) (admission.Plugin, error) {
		hub, known := h.Scheme.HubOf(reflect.New(of.Elem()).Interface().(K))
		if !known {
			return admission.Plugin{}, fmt.Errorf("admission plug-in %s: %v is no type that the server works with: write it for the version that others convert to", name, of)
		}
		if want := reflect.TypeFor[T](); !of.AssignableTo(want) {
			return admission.Plugin{}, fmt.Errorf("admission plug-in %s: its methods take %v, which %v is not", name, want, of)
		}
		var kinds []schema.GroupVersionKind
		for _, k := range h.Scheme.KindsOfHub(hub) {
			kinds = append(kinds, k.GroupVersionKind())
		}
		p := admission.Plugin{Name: name, Wants: func(r *admission.Request) bool {
			return r.Subresource == "" && slices.Contains(kinds, r.Kind)
		}}
		fill(&p)
		return p, nil
	}}
}

// DefaultingItself is Defaulting for a kind with the method of controller-runtime's first form of a
// defaulter. gen prints it.
func DefaultingItself[K interface {
	runtime.Object
	Default()
}]() AdmissionPlugin {
	return Defaulting[K](ownDefaulter[K]{})
}

type ownDefaulter[K interface{ Default() }] struct{}

func (ownDefaulter[K]) Default(_ context.Context, obj K) error {
	obj.Default()
	return nil
}

// ownValidating are the methods of controller-runtime's first form of a validator.
type ownValidating[W ~[]string] interface {
	runtime.Object
	ValidateCreate() (W, error)
	ValidateUpdate(old apiruntime.Object) (W, error)
	ValidateDelete() (W, error)
}

// ValidatingItself is DefaultingItself for a validator.
func ValidatingItself[K ownValidating[W], W ~[]string]() AdmissionPlugin {
	return Validating[K](ownValidator[K, W]{})
}

type ownValidator[K ownValidating[W], W ~[]string] struct{}

func (ownValidator[K, W]) ValidateCreate(_ context.Context, obj K) (W, error) {
	return obj.ValidateCreate()
}

func (ownValidator[K, W]) ValidateUpdate(_ context.Context, old, obj K) (W, error) {
	return obj.ValidateUpdate(old)
}

func (ownValidator[K, W]) ValidateDelete(_ context.Context, obj K) (W, error) {
	return obj.ValidateDelete()
}
