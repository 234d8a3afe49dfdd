package boot

import (
	"context"
	"errors"

	"github.com/typeplane/typeplane/server/auth"
)

// decider is the server's authorizer for those who need it before it is known, like the guard of roles. It is filled before
// the first request.
type decider struct{ auth.Authorizers }

var errNoRoles = errors.New("--authorization-mode=RBAC: this server serves no roles and bindings to decide by")

// fill makes the list of the modes, and puts those behind it whom other servers give. roles is nil where none are served.
func (d *decider) fill(o *AuthorizationOptions, roles auth.Authorizer, others auth.Authorizers) error {
	modes := o.Modes
	if len(modes) == 0 && roles != nil {
		modes = []string{modeRBAC}
	}
	d.Authorizers = auth.Authorizers{auth.Masters{}}
	for _, mode := range modes {
		switch mode {
		case modeAlwaysAllow:
			d.Authorizers = append(d.Authorizers, auth.Everybody{})
		case modeRBAC:
			if roles == nil {
				return errNoRoles
			}
			d.Authorizers = append(d.Authorizers, roles)
		}
	}
	d.Authorizers = append(d.Authorizers, others...)
	return nil
}

// openAuthorization decides who decides, when it is known whether there are roles.
func (i *Instance) openAuthorization(context.Context) error {
	return i.decider.fill(&i.options.Authorization, i.roles, i.delegation.access)
}
