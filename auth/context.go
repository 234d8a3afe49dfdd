package auth

import "context"

// userKey is where a context keeps the user.
type userKey struct{}

// WithUser returns a context of a request by the user. Package server does so before it calls a
// verb.
func WithUser(ctx context.Context, user *User) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

// UserFrom returns who asks. It is nil when nobody does: in what the server does by itself.
func UserFrom(ctx context.Context) *User {
	user, _ := ctx.Value(userKey{}).(*User)
	return user
}
