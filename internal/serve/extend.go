package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
)

// extended is what the stores have become when the APIs and plug-ins have done their part.
type extended struct {
	resources []rest.Resource
	readyz    []server.Check
	loops     []func(context.Context)
	// decider says who may do what, when it has been filled; roles is one of those whom it asks,
	// nil where none are served.
	decider *decider
	roles   auth.Authorizer
}

// extend lets the APIs and then the plug-ins do what no declaration can say. namespaces are those
// of a cluster, if there is one.
func (p *plan) extend(ctx context.Context, door *door, dbs *database.Databases, stored *stores, users *identity, namespaces *delegated.Namespaces) (*extended, error) {
	virtual, err := program.VirtualResources(p.program)
	if err != nil {
		return nil, err
	}
	decider := new(decider)
	h := program.NewHost(program.Host{
		Scheme: p.known.Scheme, Resources: pointers(append(stored.resources, virtual...)), Options: p.options, Log: p.log,
		Shared: dbs.Shared(), Fence: dbs.Fence, Metrics: p.metrics, Stored: stored.objects,
		RootCA: door.rootCA, Authorizer: decider, Tokens: users.tokens, Audiences: program.Audiences(&p.options.Authentication), Signer: users.signer,
		ClientSigner: auth.NewClientSigner(door.authority.cert, door.authority.key), Revocations: users.revocations,
	}, p.enabled, stored.kept, p.fairness)
	if err := program.Extend(ctx, p.program, h); err != nil {
		return nil, err
	}
	for _, r := range h.Resources[len(stored.resources):] {
		*r = registry.Admitted(*r, p.admission)
	}
	if err := p.openAdmission(ctx, h, dbs, namespaces); err != nil {
		return nil, err
	}
	if migrator := stored.survey.Migrator; migrator != nil {
		h.Alone("storage-migration", migrator.Run)
	}
	served := h.Served()
	p.warnOfEnds(served)
	return &extended{resources: served, readyz: h.Readyz, loops: program.Loops(h), decider: decider, roles: h.RBAC}, nil
}

// pointers gives each resource a place of its own.
func pointers(resources []rest.Resource) []*rest.Resource {
	all := make([]*rest.Resource, len(resources))
	for i := range resources {
		all[i] = &resources[i]
	}
	return all
}

// warnOfEnds says whose objects end by themselves, where nobody would delete them then.
func (p *plan) warnOfEnds(resources []rest.Resource) {
	if program.HasCollector(p.program) {
		return
	}
	var ending []string
	for _, r := range resources {
		if r.Ends != nil && !slices.Contains(ending, r.Name) {
			ending = append(ending, r.Name)
		}
	}
	if len(ending) > 0 {
		p.log.Warn("objects that say when they end stay nevertheless, since this program has no garbage collector: add team.APIs() or features.All() to the APIs of its Server", "resources", strings.Join(ending, ","))
	}
}

// openAdmission makes the plug-ins that are on. Until then, which is before the first request,
// everything is admitted: what the server makes for itself.
func (p *plan) openAdmission(ctx context.Context, h *program.Host, dbs *database.Databases, namespaces *delegated.Namespaces) error {
	configs, err := readConfigs(&p.options.Admission, p.plugins)
	if err != nil {
		return err
	}
	if len(p.options.Admission.Control) > 0 {
		p.log.Warn("--" + program.FlagAdmissionControl + " is deprecated: name what differs from the default with --" + program.FlagEnablePlugins + " and --" + program.FlagDisablePlugins)
	}
	var plugins []admission.Plugin
	for _, chosen := range p.plugins {
		missing := program.Missing(h, chosen.Needs)
		if missing != "" && chosen.Name == program.NamespaceLifecycle && namespaces != nil {
			plugin := clustersLifecycle(namespaces)
			plugin.Name = chosen.Name
			plugins = append(plugins, plugin)
			continue
		}
		if missing != "" {
			if chosen.Named != "" {
				return fmt.Errorf("--%s: %s works with %s, which this server does not serve", chosen.Named, chosen.Name, missing)
			}
			p.log.Debug("an admission plug-in is left out, since what it works with is not served", "plugin", chosen.Name, "resource", missing)
			continue
		}
		plugin, err := chosen.New(ctx, h, configs[chosen.Name])
		if err != nil {
			return fmt.Errorf("admission plug-in %s: %w", chosen.Name, err)
		}
		plugin.Name = chosen.Name
		if err := dbs.CheckTransactions(p.known, plugin); err != nil {
			return err
		}
		plugins = append(plugins, plugin)
	}
	p.admission.Set(plugins)
	return nil
}
