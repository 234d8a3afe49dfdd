package serve

import (
	"context"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry"
)

// extend lets the APIs and then the plug-ins do what no declaration can say.
func (i *Instance) extend(ctx context.Context) error {
	h := program.NewHost(program.Host{
		Scheme: i.known.Scheme, Resources: i.resources, Options: i.options, Log: i.log,
		Shared: i.db.Backend.Shared, Metrics: i.metrics, Objects: i.objects,
		RootCA: i.access.rootCA, Authorizer: &i.decider, Tokens: i.identity.tokens, Audiences: program.Audiences(&i.options.Authentication), Signer: i.identity.signer,
		ClientSigner: auth.NewClientSigner(i.access.authority.cert, i.access.authority.key), Revocations: &i.identity.revocations,
	}, i.enabled, i.kept)
	if err := program.Extend(ctx, i.program, h); err != nil {
		return err
	}
	for n := i.stored; n < len(h.Resources); n++ {
		h.Resources[n] = registry.Admitted(h.Resources[n], i.admission)
	}
	if err := i.openAdmission(ctx, h); err != nil {
		return err
	}
	i.resources, i.loops, i.roles, i.readyz = h.Resources, program.Loops(h), h.RBAC, h.Readyz
	return nil
}
