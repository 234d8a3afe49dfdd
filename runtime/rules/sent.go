package rules

import (
	"context"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Go can't tell whether somebody wrote a value that is zero, or left it out. The text that an
// object was read of can tell: a field is there if the text has it. Rules that are asked without
// know only that most clients leave out what is zero, where its field says so (omitempty).

// sentKey is the key of what was sent in a context.
type sentKey struct{}

// sent is what is known of the text of an object.
type sent struct {
	has func(path *field.Path) bool
	// once says that the text is not kept: the next one may be printed from the Go value.
	once bool
}

// WithSent is a context for rules about an object of which has tells what was sent, by the path
// from its root, or what is kept of that.
func WithSent(ctx context.Context, has func(path *field.Path) bool) context.Context {
	return context.WithValue(ctx, sentKey{}, sent{has: has})
}

// WithSentOnce is WithSent for an object of which the Go value is stored. What that prints can't be
// told from what was sent. So a struct that is all zero is not there. What is required is not there
// either, if it is zero and clients leave it out then.
func WithSentOnce(ctx context.Context, has func(path *field.Path) bool) context.Context {
	return context.WithValue(ctx, sentKey{}, sent{has: has, once: true})
}

// nullKey is the key of what was sent as null.
type nullKey struct{}

// WithNull is a context for rules about an object of which null tells what is null in the text, by
// the path from its root. That satisfies what is required, and counts as left out for all others.
func WithNull(ctx context.Context, null func(path *field.Path) bool) context.Context {
	return context.WithValue(ctx, nullKey{}, null)
}

func isNull(ctx context.Context, path *field.Path) bool {
	null, known := ctx.Value(nullKey{}).(func(*field.Path) bool)
	return known && null(path)
}

// NotNull refuses null for a field that may be null except for its enum, which does not have it.
func NotNull[T any](ctx context.Context, _ operation.Operation, path *field.Path, _, _ T) field.ErrorList {
	if !isNull(ctx, path) {
		return nil
	}
	return field.ErrorList{{Type: field.ErrorTypeNotSupported, Field: path.String(), BadValue: "null", Detail: "null is none of the values that are allowed"}}
}

// beforeKey is the key of what there was before a change in a context.
type beforeKey struct{}

// WithBefore is a context for rules about a change of an object. there tells what the object had
// before, by the path from its root; known is false where it does not know.
func WithBefore(ctx context.Context, there func(path *field.Path) (there, known bool)) context.Context {
	return context.WithValue(ctx, beforeKey{}, there)
}

// Was is a value as it was before a change, which is no pointer in Go. It is nil if the value was
// not there: then rules about a change are not asked. Where nobody knows, a zero was not there if
// clients leave it out, which omits says.
func Was[T any](ctx context.Context, path *field.Path, old *T, omits bool) *T {
	if old == nil || !WasThere(ctx, path, reflect.ValueOf(old).Elem(), omits) {
		return nil
	}
	return old
}

// WasThere is Was for a value whose type is not known.
func WasThere(ctx context.Context, path *field.Path, old reflect.Value, omits bool) bool {
	if old.Kind() != reflect.Struct && !old.IsZero() {
		return true
	}
	if before, ok := ctx.Value(beforeKey{}).(func(*field.Path) (bool, bool)); ok {
		if there, known := before(path); known {
			return there
		}
	}
	return !omits || !old.IsZero()
}

// leftOut tells whether an optional field that is zero was left out. Where nobody knows, it was.
func leftOut(ctx context.Context, path *field.Path) bool {
	s, known := ctx.Value(sentKey{}).(sent)
	return !known || !s.has(path)
}

// notSent tells whether a required field that is zero was left out. omits says that clients do so.
func notSent(ctx context.Context, path *field.Path, omits bool) bool {
	s, known := ctx.Value(sentKey{}).(sent)
	if !known || s.once && omits {
		return omits
	}
	return !s.has(path) && !isNull(ctx, path)
}

// Sent tells a rule in CEL whether a value that is zero was sent. otherwise is the answer where
// nobody knows, or where the Go value is stored, which does not tell it the next time.
func Sent(ctx context.Context, path *field.Path, otherwise bool) bool {
	s, known := ctx.Value(sentKey{}).(sent)
	if !known || s.once {
		return otherwise
	}
	return s.has(path)
}

// Held tells whether errors, those of a value and of what is in it, let rules in CEL be asked about
// it. As for custom resources, they do not where something is missing, too long or not one of
// several. Such a rule may expect what is not there, and take long over what is too much.
func Held(errs field.ErrorList) bool {
	return !slices.ContainsFunc(errs, func(err *field.Error) bool {
		return err.Origin != "rule" && slices.Contains(blocking, err.Type)
	})
}

var blocking = []field.ErrorType{
	field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
}

// StructLeftOut tells whether an optional struct was left out, so that nothing in it is judged:
// where nobody knows, one that is all zero was.
func StructLeftOut[T any](ctx context.Context, path *field.Path, obj *T) bool {
	if s, known := ctx.Value(sentKey{}).(sent); known && !s.once {
		return !s.has(path)
	}
	return obj == nil || reflect.ValueOf(obj).Elem().IsZero()
}

// OptionalValue returns an error, which nobody gets to see, for an optional value that was left
// out: the other rules of its field do not count.
func OptionalValue[T comparable](ctx context.Context, _ operation.Operation, path *field.Path, obj, _ *T) field.ErrorList {
	var zero T
	if obj == nil || *obj == zero && leftOut(ctx, path) {
		return field.ErrorList{field.Required(path, "optional value was not specified")}
	}
	return nil
}

// OptionalSlice is OptionalValue for lists.
func OptionalSlice[T any](ctx context.Context, _ operation.Operation, path *field.Path, obj, _ []T) field.ErrorList {
	if len(obj) == 0 && leftOut(ctx, path) {
		return field.ErrorList{field.Required(path, "optional value was not specified")}
	}
	return nil
}

// OptionalMap is OptionalValue for maps.
func OptionalMap[K comparable, V any](ctx context.Context, _ operation.Operation, path *field.Path, obj, _ map[K]V) field.ErrorList {
	if len(obj) == 0 && leftOut(ctx, path) {
		return field.ErrorList{field.Required(path, "optional value was not specified")}
	}
	return nil
}

// RequiredValue wants a value that is zero to have been sent. omits says that clients leave out
// what is zero, so that it was not where nobody knows.
func RequiredValue[T comparable](ctx context.Context, _ operation.Operation, path *field.Path, obj, _ *T, omits bool) field.ErrorList {
	var zero T
	return missed(path, (obj == nil || *obj == zero) && notSent(ctx, path, omits))
}

// RequiredPointer is RequiredValue for what lies behind a pointer.
func RequiredPointer[T any](ctx context.Context, _ operation.Operation, path *field.Path, obj, _ *T, omits bool) field.ErrorList {
	return missed(path, obj == nil && notSent(ctx, path, omits))
}

// RequiredStruct wants a struct to have been sent.
func RequiredStruct[T any](ctx context.Context, _ operation.Operation, path *field.Path, _, _ *T) field.ErrorList {
	return missed(path, notSent(ctx, path, false))
}

// RequiredSlice is RequiredValue for lists, which may be empty.
func RequiredSlice[T any](ctx context.Context, _ operation.Operation, path *field.Path, obj, _ []T, omits bool) field.ErrorList {
	return missed(path, len(obj) == 0 && notSent(ctx, path, omits && obj == nil))
}

// RequiredMap is RequiredValue for maps, which may be empty.
func RequiredMap[K comparable, V any](ctx context.Context, _ operation.Operation, path *field.Path, obj, _ map[K]V, omits bool) field.ErrorList {
	return missed(path, len(obj) == 0 && notSent(ctx, path, omits && obj == nil))
}

func missed(path *field.Path, yes bool) field.ErrorList {
	if !yes {
		return nil
	}
	return field.ErrorList{field.Required(path, "")}
}
