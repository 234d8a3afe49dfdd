package serve

import (
	"errors"
	"slices"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/program"
)

// decider is the server's authorizer for those who need it before it is known, like the guard of
// roles. It is filled before the first request.
type decider struct{ auth.Authorizers }

var (
	errNoRoles       = errors.New("--authorization-mode=RBAC: this server serves no roles and bindings to decide by")
	errNoWebhook     = errors.New("--authorization-mode=Webhook: name the webhook with --authorization-webhook-config-file")
	errUnusedWebhook = errors.New("--authorization-webhook-config-file: nobody asks the webhook without Webhook in --authorization-mode")
)

// fill makes the list of the modes. roles is nil where none are served, webhook where there is
// none. Without modes, all that are there are asked, roles first. The others, which a cluster or
// the program gives, come last.
func (d *decider) fill(o *program.AuthorizationOptions, roles, webhook auth.Authorizer, others auth.Authorizers) error {
	modes := o.Modes
	switch {
	case len(modes) > 0 && webhook != nil && !slices.Contains(modes, program.ModeWebhook):
		return errUnusedWebhook
	case len(modes) == 0 && roles != nil:
		modes = append(modes, program.ModeRBAC)
	}
	if len(o.Modes) == 0 && webhook != nil {
		modes = append(modes, program.ModeWebhook)
	}
	d.Authorizers = auth.Authorizers{auth.Masters{}}
	for _, mode := range modes {
		switch mode {
		case program.ModeAlwaysAllow:
			d.Authorizers = append(d.Authorizers, auth.Everybody{})
		case program.ModeRBAC:
			if roles == nil {
				return errNoRoles
			}
			d.Authorizers = append(d.Authorizers, roles)
		case program.ModeWebhook:
			if webhook == nil {
				return errNoWebhook
			}
			d.Authorizers = append(d.Authorizers, webhook)
		}
	}
	d.Authorizers = append(d.Authorizers, others...)
	return nil
}

// otherAuthorizers are those whom a cluster or the program gives.
func (p *plan) otherAuthorizers(d *delegation) auth.Authorizers {
	if p.program.Authorizer == nil {
		return d.access
	}
	return append(slices.Clone(d.access), p.program.Authorizer)
}
