package auth

import (
	"errors"
	"net/http"
	"slices"
)

// Union asks one Authenticator after the other: the first that knows the user decides. One that
// fails does not keep the next from being asked, since a request may show several credentials and
// one that is good is enough. When none is, the errors come together. Every user but an anonymous
// one becomes a member of system:authenticated.
type Union []Authenticator

var _ Authenticator = Union(nil)

// Authenticate is safe for concurrent use as long as the list is not modified.
func (list Union) Authenticate(req *http.Request) (*User, error) {
	var errs []error
	for _, next := range list {
		user, err := next.Authenticate(req)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if user != nil {
			return authenticated(user), nil
		}
	}
	return nil, errors.Join(errs...)
}

// authenticated returns the user as a member of system:authenticated, if they are not without a
// credential.
func authenticated(user *User) *User {
	if user.Name == UserAnonymous || user.In(GroupAuthenticated) || user.In(GroupUnauthenticated) {
		return user
	}
	member := *user
	member.Groups = append(slices.Clone(user.Groups), GroupAuthenticated)
	return &member
}

// OrAnonymous lets in, as system:anonymous, whoever shows no credential. A credential that is wrong
// stays wrong: a client must hear that its token has expired, and not that somebody without a name
// may not do something.
type OrAnonymous struct{ Authenticator }

// Authenticate returns a user or an error.
func (o OrAnonymous) Authenticate(req *http.Request) (*User, error) {
	user, err := o.Authenticator.Authenticate(req)
	if user != nil || err != nil {
		return user, err
	}
	return &User{Name: UserAnonymous, Groups: []string{GroupUnauthenticated}}, nil
}
