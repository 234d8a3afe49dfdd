package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// Token is what a bearer token says.
type Token struct {
	User *User
	// Audiences are those of the asked audiences that the token is meant for.
	Audiences []string
}

// TokenAuthenticator knows tokens of one kind. It returns nil and no error for one that is not of
// its kind or not meant for any of the audiences. It must be safe for concurrent use.
type TokenAuthenticator interface {
	AuthenticateToken(ctx context.Context, token string, audiences []string) (*Token, error)
}

// Tokens asks one TokenAuthenticator after the other, with the rules of Union.
type Tokens []TokenAuthenticator

// AuthenticateToken is safe for concurrent use as long as the list is not modified.
func (list Tokens) AuthenticateToken(ctx context.Context, token string, audiences []string) (*Token, error) {
	var errs []error
	for _, next := range list {
		found, err := next.AuthenticateToken(ctx, token, audiences)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if found != nil {
			return &Token{User: authenticated(found.User), Audiences: found.Audiences}, nil
		}
	}
	return nil, errors.Join(errs...)
}

// Bearer authenticates by the header "Authorization: Bearer …", and WebSockets by a subprotocol,
// too (see TokenProtocol).
type Bearer struct {
	Tokens TokenAuthenticator
	// Audiences are this server's names for itself: a token must be meant for one of them.
	Audiences []string
}

var _ Authenticator = Bearer{}

var errUnknownToken = errors.New("auth: the bearer token is none that this server knows")

// Authenticate returns an error for a token that nobody knows: whoever shows one means to be
// somebody.
func (b Bearer) Authenticate(req *http.Request) (*User, error) {
	token, err := shownToken(req)
	if err != nil || token == "" {
		return nil, err
	}
	found, err := b.Tokens.AuthenticateToken(req.Context(), token, b.Audiences)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errUnknownToken
	}
	user := *found.User
	user.Deliberate = true
	return &user, nil
}

// shownToken is "" if the request shows none.
func shownToken(req *http.Request) (string, error) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(req.Header.Get("Authorization")), " ")
	if token = strings.TrimSpace(token); strings.EqualFold(scheme, "bearer") && token != "" {
		return token, nil
	}
	return protocolToken(req)
}

// intersect returns what is in both, in the order of asked.
func intersect(asked, have []string) []string {
	var both []string
	for _, a := range asked {
		if slices.Contains(have, a) {
			both = append(both, a)
		}
	}
	return both
}
