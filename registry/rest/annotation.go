package rest

import "context"

// annotationsKey is where a context keeps what takes annotations.
type annotationsKey struct{}

// WithAnnotations returns a context in which AddAnnotation calls add. add is called from the goroutine of the request.
func WithAnnotations(ctx context.Context, add func(key, value string)) context.Context {
	return context.WithValue(ctx, annotationsKey{}, add)
}

// AddAnnotation adds to what the audit log says of the request. The first value of a key stays. It does nothing when nobody
// takes annotations.
func AddAnnotation(ctx context.Context, key, value string) {
	if add, ok := ctx.Value(annotationsKey{}).(func(key, value string)); ok {
		add(key, value)
	}
}
