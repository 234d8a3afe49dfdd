// Package auth says who sends a request and whether they may have it.
//
// An Authenticator turns a request into a User, an Authorizer answers Attributes with yes or no.
// Package server calls both, in this order, for every request. Implementations live beside this
// file, one each. Those who authenticate are joined by Union, in the order of kube-apiserver:
// FrontProxy, ClientCertificates, Bearer with its tokens (TokenFile, ServiceAccounts, OIDC), and
// last Anonymous. Those who authorize are joined by Authorizers, Masters first; package rbac has
// the one that goes by roles. This package routes nothing and writes no answers.
package auth

import (
	"context"
	"net/http"
	"slices"
)

// Well-known groups.
const (
	// GroupMasters may do everything.
	GroupMasters = "system:masters"
	// GroupAuthenticated has every user as a member who showed a credential.
	GroupAuthenticated = "system:authenticated"
	// GroupUnauthenticated has whoever shows none, where that is allowed.
	GroupUnauthenticated = "system:unauthenticated"
	// UserAnonymous is the name of whoever shows none.
	UserAnonymous = "system:anonymous"
)

// User is who sends a request. It is not modified once an Authenticator has returned it.
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string

	// Deliberate says that the client itself put the credential into the request, as it does with a
	// token. Certificates and cookies are added by a browser, to the requests of whatever page it
	// shows.
	Deliberate bool

	// Twin is another CredentialID that stands for the same credential, "" for none: whoever has a
	// certificate with a signature of ECDSA can make one with another signature of it.
	Twin string
}

// In says whether the user is a member of the group.
func (u *User) In(group string) bool { return u != nil && slices.Contains(u.Groups, group) }

// Authenticator finds out who sends a request. It returns nil and no error if the request shows no
// credential that it knows; an error means a credential that is wrong. Both end in 401; the error
// is logged, never sent. It may take headers out of the request that nobody after it may trust or
// see, and modifies nothing else. It must be safe for concurrent use.
type Authenticator interface {
	Authenticate(*http.Request) (*User, error)
}

// Attributes are what a decision may depend on. If a request is not about a resource, only User,
// Verb (the HTTP method in lower case) and Path are set.
type Attributes struct {
	User        *User
	Verb        string
	Group       string
	Version     string
	Resource    string
	Subresource string
	Namespace   string
	Name        string
	// FieldSelector and LabelSelector are as in the query, for list, watch and deletecollection.
	FieldSelector string
	LabelSelector string

	IsResource bool
	Path       string
}

// Decision is what an Authorizer says.
type Decision int

const (
	// NoOpinion leaves it to the next Authorizer; when there is none, it is a no.
	NoOpinion Decision = iota
	// Allow is a yes, whatever others would say.
	Allow
	// Deny is a no, whatever others would say.
	Deny
)

// Authorizer decides. The reason is shown to the user when the decision is no; it may be empty. An
// error beside NoOpinion becomes a 500 when nobody else allows the request. It must be safe for
// concurrent use.
type Authorizer interface {
	Authorize(ctx context.Context, a Attributes) (decision Decision, reason string, err error)
}

// Nobody authenticates nobody.
type Nobody struct{}

// Authenticate returns no user.
func (Nobody) Authenticate(*http.Request) (*User, error) { return nil, nil }
