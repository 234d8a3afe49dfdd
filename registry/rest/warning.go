package rest

import "context"

// warningsKey is where a context keeps what takes warnings.
type warningsKey struct{}

// WithWarnings returns a context in which AddWarning calls add. add is called from the goroutine of
// the request.
func WithWarnings(ctx context.Context, add func(text string)) context.Context {
	return context.WithValue(ctx, warningsKey{}, add)
}

// AddWarning tells the client something that is not an error: a field that is ignored, a value that
// is deprecated. It does nothing when nobody takes warnings. The same text is sent once.
func AddWarning(ctx context.Context, text string) {
	if add, ok := ctx.Value(warningsKey{}).(func(string)); ok {
		add(text)
	}
}
