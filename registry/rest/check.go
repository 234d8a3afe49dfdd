package rest

import (
	"context"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

// Check says whether an object may be written, with an API status if not. obj is of the hub's type
// and complete but for what validation refuses; old is what is stored, nil for a new object. It
// modifies neither. It may be called several times for one request, when another writer comes
// first.
type Check func(ctx context.Context, obj, old apiruntime.Object) error

// checkKey is where a context keeps the Check of its writes.
type checkKey struct{}

// WithCheck returns a context whose writes of whole objects have to pass check, after those that
// the context has already. Who puts itself before a verb can look in this way at what a patch comes
// to.
func WithCheck(ctx context.Context, check Check) context.Context {
	if earlier, ok := ctx.Value(checkKey{}).(Check); ok {
		later := check
		check = func(ctx context.Context, obj, old apiruntime.Object) error {
			if err := earlier(ctx, obj, old); err != nil {
				return err
			}
			return later(ctx, obj, old)
		}
	}
	return context.WithValue(ctx, checkKey{}, check)
}

// CheckWrite asks the Check of the context. Whoever implements a Creator, an Updater or a Patcher
// calls it, as soon as the object is as it will be, and before that has an effect: rules of who may
// give which rights depend on it, and for what no store holds those of admission, too.
func CheckWrite(ctx context.Context, obj, old apiruntime.Object) error {
	check, ok := ctx.Value(checkKey{}).(Check)
	if !ok {
		return nil
	}
	return check(ctx, obj, old)
}
