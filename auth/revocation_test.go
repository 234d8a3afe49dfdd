package auth_test

import (
	"context"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/auth"
)

// shows authenticates everybody as one user.
type shows struct{ user *auth.User }

func (s shows) Authenticate(*http.Request) (*auth.User, error) { return s.user, nil }

func withID(id string) *auth.User {
	return &auth.User{Name: "ann", Extra: map[string][]string{auth.CredentialID: {id}}}
}

// TestRevocations: before the list is known nobody is let in who may be on it. From then on those
// on it are refused, and nobody else.
func TestRevocations(t *testing.T) {
	var list auth.Revocations
	list.Expect()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // whoever asks does not wait
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	ann, bob, nobody := list.Over(shows{withID("a")}), list.Over(shows{withID("b")}), list.Over(shows{&auth.User{Name: "token"}})
	if user, err := ann.Authenticate(req); user != nil || !apierrors.IsServiceUnavailable(err) || list.Ready(ctx) == nil {
		t.Errorf("before the list is known: %v, %v", user, err)
	}
	if user, err := nobody.Authenticate(req); user == nil {
		t.Errorf("without a credential that can be revoked: %v", err)
	}
	list.Set(nil)
	if user, err := ann.Authenticate(req); user == nil || list.Ready(ctx) != nil {
		t.Errorf("when nothing is revoked: %v", err)
	}
	ended := map[string]int{}
	stop := list.AfterRevoked(withID("a"), func() { ended["stopped"]++ })
	defer list.AfterRevoked(withID("a"), func() { ended["a"]++ })()
	defer list.AfterRevoked(withID("b"), func() { ended["b"]++ })()
	stop()
	list.Set([]string{"a"})
	list.Set([]string{"a"})
	if ended["a"] != 1 || len(ended) != 1 {
		t.Errorf("what was open and is told: %v", ended)
	}
	if user, err := ann.Authenticate(req); user != nil || err == nil {
		t.Errorf("revoked: %v, %v", user, err)
	}
	if user, err := bob.Authenticate(req); user == nil {
		t.Errorf("somebody else: %v", err)
	}
	list.AfterRevoked(withID("a"), func() { ended["late"]++ })()
	if ended["late"] != 1 {
		t.Error("what is opened with what is revoked goes on")
	}
}
