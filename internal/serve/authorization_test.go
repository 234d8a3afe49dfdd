package serve

import (
	"context"
	"errors"
	"testing"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/program"
)

// named allows those with a name.
type named string

func (n named) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	if a.User.Name == string(n) {
		return auth.Allow, "", nil
	}
	return auth.NoOpinion, "", nil
}

// denies denies everybody.
type denies struct{}

func (denies) Authorize(context.Context, auth.Attributes) (auth.Decision, string, error) {
	return auth.Deny, "", nil
}

func TestModes(t *testing.T) {
	for name, tc := range map[string]struct {
		modes          []string
		roles, webhook auth.Authorizer
		may            string // of "root", in system:masters, "jane", whom roles allow, "joe", whom the webhook allows unless it denies
	}{
		"without roles":     {may: "root"},
		"with roles":        {roles: named("jane"), may: "root jane"},
		"roles switched on": {modes: []string{"RBAC"}, roles: named("jane"), may: "root jane"},
		"always":            {modes: []string{"AlwaysAllow"}, may: "root jane joe"},
		"a webhook":         {webhook: named("joe"), may: "root joe"},
		"roles, webhook":    {roles: named("jane"), webhook: named("joe"), may: "root jane joe"},
		"a webhook denies":  {modes: []string{"Webhook", "RBAC"}, roles: named("jane"), webhook: denies{}, may: "root"},
		"it is asked later": {modes: []string{"RBAC", "Webhook"}, roles: named("jane"), webhook: denies{}, may: "root jane"},
		"one of them":       {modes: []string{"RBAC", "AlwaysAllow"}, roles: named("jane"), may: "root jane joe"},
	} {
		var d decider
		if err := d.fill(&program.AuthorizationOptions{Modes: tc.modes}, tc.roles, tc.webhook, nil); err != nil {
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
	for _, tc := range []struct {
		modes   []string
		webhook auth.Authorizer
		want    error
	}{{[]string{"RBAC"}, nil, errNoRoles}, {[]string{"Webhook"}, nil, errNoWebhook}, {[]string{"AlwaysAllow"}, denies{}, errUnusedWebhook}} {
		if err := new(decider).fill(&program.AuthorizationOptions{Modes: tc.modes}, nil, tc.webhook, nil); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.modes, err, tc.want)
		}
	}
}
