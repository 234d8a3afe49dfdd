package auth_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/typeplane/typeplane/auth"
)

// Authenticators are asked one after the other, until one knows the user.
func ExampleUnion() {
	self := []string{"https://shop.example.org"} // the server's names for itself in tokens
	tokens, err := auth.ReadTokenFile(strings.NewReader("s3cret,ada,1,customers\n"), self)
	if err != nil {
		fmt.Println(err)
		return
	}
	known := auth.OrAnonymous{Authenticator: auth.Union{auth.Bearer{Tokens: tokens, Audiences: self}}}

	for _, credential := range []string{"Bearer s3cret", "", "Bearer guess"} {
		req := httptest.NewRequest("GET", "/apis", nil)
		req.Header.Set("Authorization", credential)
		if user, err := known.Authenticate(req); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(user.Name, user.Groups)
		}
	}
	// Output:
	// ada [customers system:authenticated]
	// system:anonymous [system:unauthenticated]
	// auth: the bearer token is none that this server knows
}

// readers lets everybody read.
type readers struct{}

func (readers) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	if a.Verb == "get" || a.Verb == "list" || a.Verb == "watch" {
		return auth.Allow, "", nil
	}
	return auth.NoOpinion, "readers only read", nil
}

// Authorizers are asked one after the other, until one says yes or no.
func ExampleAuthorizers() {
	rights := auth.Authorizers{auth.Masters{}, readers{}}
	admin, ada := &auth.User{Name: "admin", Groups: []string{auth.GroupMasters}}, &auth.User{Name: "ada"}
	for _, a := range []auth.Attributes{{User: ada, Verb: "get"}, {User: ada, Verb: "delete"}, {User: admin, Verb: "delete"}} {
		decision, reason, err := rights.Authorize(context.Background(), a)
		fmt.Println(a.User.Name, a.Verb, decision == auth.Allow, reason, err)
	}
	// Output:
	// ada get true  <nil>
	// ada delete false readers only read <nil>
	// admin delete true  <nil>
}
