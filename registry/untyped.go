package registry

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime"
)

// Authors write functions of their own type, and are spared its casts. Behind Define there is one
// store for all kinds. Go compiles generic code again in each program that uses it, and the verbs
// of a registry are too much for that.

func untyped[T runtime.Object](def Definition[T]) definition {
	var parts []Subresource[runtime.Object]
	for _, s := range def.Subresources {
		parts = append(parts, Subresource[runtime.Object](s))
	}
	return definition{
		Definition: Definition[runtime.Object]{
			GroupKind: def.GroupKind, Plural: def.Plural, Singular: def.Singular, ShortNames: def.ShortNames, Categories: def.Categories,
			Namespaced: def.Namespaced, KeyPrefix: def.KeyPrefix, StorageVersion: def.StorageVersion, Versions: def.Versions,
			CopyStatus: pair(def.CopyStatus), Subresources: parts, Strategy: untypedStrategy(def.Strategy),
		},
		hubType: reflect.TypeFor[T](),
	}
}

func untypedStrategy[T runtime.Object](s Strategy[T]) Strategy[runtime.Object] {
	u := Strategy[runtime.Object]{
		PrepareForCreate: inContext(s.PrepareForCreate), PrepareForUpdate: pairInContext(s.PrepareForUpdate),
		Validate: asked(s.Validate), ValidateUpdate: pairAsked(s.ValidateUpdate),
		ValidationOptions: pairAsked(s.ValidationOptions), ValidateName: s.ValidateName,
		WarningsOnCreate: asked(s.WarningsOnCreate), WarningsOnUpdate: pairAsked(s.WarningsOnUpdate),
		Canonicalize: one(s.Canonicalize),
		AfterCreate:  inContext(s.AfterCreate), AfterUpdate: pairInContext(s.AfterUpdate), AfterDelete: inContext(s.AfterDelete),
		Decorate: one(s.Decorate),
		StatusUpdate: StatusUpdate[runtime.Object]{
			Prepare: pairInContext(s.StatusUpdate.Prepare), Validate: pairAsked(s.StatusUpdate.Validate), Warnings: pairAsked(s.StatusUpdate.Warnings),
		},
		Deletion:    Deletion[runtime.Object]{PrepareForDelete: one(s.Deletion.PrepareForDelete), Finalize: pair(s.Deletion.Finalize)},
		ResetFields: s.ResetFields, NoGeneration: s.NoGeneration, StatusOnCreate: s.StatusOnCreate, StatusMetadata: s.StatusMetadata,
		AllowUnconditionalUpdate: s.AllowUnconditionalUpdate, AllowCreateOnUpdate: s.AllowCreateOnUpdate,
		OrphansDependents: s.OrphansDependents,
		Columns:           s.Columns,
	}
	if s.Deletion.CheckGracefulDelete != nil {
		u.Deletion.CheckGracefulDelete = func(ctx context.Context, obj runtime.Object, opts *metav1.DeleteOptions) bool {
			return s.Deletion.CheckGracefulDelete(ctx, obj.(T), opts)
		}
	}
	if s.Deletion.Held != nil {
		u.Deletion.Held = func(obj runtime.Object) bool { return s.Deletion.Held(obj.(T)) }
	}
	if s.Deletion.Expires != nil {
		u.Deletion.Expires = func(obj runtime.Object) *metav1.Time { return s.Deletion.Expires(obj.(T)) }
	}
	if s.Cells != nil {
		u.Cells = func(obj runtime.Object) []any { return s.Cells(obj.(T)) }
	}
	return u
}

// What follows takes the type from functions of the shapes that a Strategy has. A function that is
// nil stays nil.

func one[T runtime.Object](f func(T)) func(runtime.Object) {
	if f == nil {
		return nil
	}
	return func(obj runtime.Object) { f(obj.(T)) }
}

func pair[T runtime.Object](f func(_, _ T)) func(_, _ runtime.Object) {
	if f == nil {
		return nil
	}
	return func(a, b runtime.Object) { f(a.(T), b.(T)) }
}

func inContext[T runtime.Object](f func(context.Context, T)) func(context.Context, runtime.Object) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, obj runtime.Object) { f(ctx, obj.(T)) }
}

func pairInContext[T runtime.Object](f func(_ context.Context, obj, old T)) func(_ context.Context, obj, old runtime.Object) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, obj, old runtime.Object) { f(ctx, obj.(T), old.(T)) }
}

func asked[T runtime.Object, A any](f func(context.Context, T) A) func(context.Context, runtime.Object) A {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, obj runtime.Object) A { return f(ctx, obj.(T)) }
}

func pairAsked[T runtime.Object, A any](f func(_ context.Context, obj, old T) A) func(_ context.Context, obj, old runtime.Object) A {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, obj, old runtime.Object) A {
		before, _ := old.(T) // nil for a new object
		return f(ctx, obj.(T), before)
	}
}
