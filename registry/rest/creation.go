package rest

import "context"

// creationKey is where a context keeps why the user may not create.
type creationKey struct{}

// WithoutCreate returns a context for a user who may change an object, but not make one: a write
// that would have to make it fails with err, an API status. Whoever calls an Updater or a Patcher
// decides, since only they know the user.
func WithoutCreate(ctx context.Context, err error) context.Context {
	return context.WithValue(ctx, creationKey{}, err)
}

// CreateDenied returns the error of WithoutCreate, nil if there is none.
func CreateDenied(ctx context.Context) error {
	err, _ := ctx.Value(creationKey{}).(error)
	return err
}
