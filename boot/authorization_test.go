package boot

import (
	"context"
	"errors"
	"testing"

	"github.com/typeplane/typeplane/server/auth"
)

// named allows those with a name.
type named string

func (n named) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	if a.User.Name == string(n) {
		return auth.Allow, "", nil
	}
	return auth.NoOpinion, "", nil
}

func TestModes(t *testing.T) {
	for name, tc := range map[string]struct {
		modes []string
		roles auth.Authorizer
		may   string // of "root", in system:masters, and "jane", whom the roles allow, and "joe"
	}{
		"without roles":     {may: "root"},
		"with roles":        {roles: named("jane"), may: "root jane"},
		"roles switched on": {modes: []string{"RBAC"}, roles: named("jane"), may: "root jane"},
		"always":            {modes: []string{"AlwaysAllow"}, may: "root jane joe"},
		"one of them":       {modes: []string{"RBAC", "AlwaysAllow"}, roles: named("jane"), may: "root jane joe"},
	} {
		var d decider
		if err := d.fill(&AuthorizationOptions{Modes: tc.modes}, tc.roles); err != nil {
			t.Fatal(name, err)
		}
		may := ""
		for _, u := range []*auth.User{{Name: "root", Groups: []string{auth.GroupMasters}}, {Name: "jane"}, {Name: "joe"}} {
			if decision, _, err := d.Authorize(context.Background(), auth.Attributes{User: u}); decision == auth.Allow && err == nil {
				if may != "" {
					may += " "
				}
				may += u.Name
			}
		}
		if may != tc.may {
			t.Errorf("%s: %q, want %q", name, may, tc.may)
		}
	}
	if err := new(decider).fill(&AuthorizationOptions{Modes: []string{"RBAC"}}, nil); !errors.Is(err, errNoRoles) {
		t.Errorf("RBAC without roles: %v", err)
	}
}
