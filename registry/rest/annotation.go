package rest

import "context"

// annotationsKey is where a context keeps what takes annotations.
type annotationsKey struct{}

// WithAnnotations returns a context in which AddAnnotation calls add. add is called from the
// goroutine of the request.
func WithAnnotations(ctx context.Context, add func(key, value string)) context.Context {
	return context.WithValue(ctx, annotationsKey{}, add)
}

// AddAnnotation adds to what the audit log says of the request. The first value of a key stays. It
// does nothing when nobody takes annotations.
func AddAnnotation(ctx context.Context, key, value string) {
	if add, ok := ctx.Value(annotationsKey{}).(func(key, value string)); ok {
		add(key, value)
	}
}

// Bodies says what the audit log keeps of the objects of a request.
type Bodies int

const (
	// BodiesLeftOut: it keeps none.
	BodiesLeftOut Bodies = iota
	// BodiesKept: it keeps what a client sent.
	BodiesKept
	// BodiesSecret: it keeps none, since they are secrets, and nothing that could quote them.
	BodiesSecret
)

// bodiesKey is where a context keeps its Bodies.
type bodiesKey struct{}

// WithBodies returns a context whose annotations may show as much of the objects of the request as
// b says.
func WithBodies(ctx context.Context, b Bodies) context.Context {
	return context.WithValue(ctx, bodiesKey{}, b)
}

// AddBodyAnnotation is AddAnnotation for a value that has a part of an object in it: it is made,
// and added, only where such are kept.
func AddBodyAnnotation(ctx context.Context, key string, value func() string) {
	if b, _ := ctx.Value(bodiesKey{}).(Bodies); b == BodiesKept {
		AddAnnotation(ctx, key, value())
	}
}

// MayQuote says whether an annotation may have words in it that were made of the object, like a
// message.
func MayQuote(ctx context.Context) bool {
	b, _ := ctx.Value(bodiesKey{}).(Bodies)
	return b != BodiesSecret
}
