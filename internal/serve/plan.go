package serve

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/buildinfo"
	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/registry"
)

// plan is what is decided before anything is opened. Every step of the start reads it.
type plan struct {
	program program.Server  // with the APIs that the operator wants
	groups  []string        // of the program's own kinds
	enabled map[string]bool // of program.APIs
	options *program.Options
	known   *database.Kinds
	// plugins are those of admission that are on, admission is the chain of them. Every store asks
	// the chain, which is filled when all stores are there.
	plugins   []program.ChosenPlugin
	admission *admission.Chain
	build     buildinfo.Info
	fairness  *fairness.Controller // nil: the bounds of requests in flight hold
	metrics   *prometheus.Registry
	log       *slog.Logger
}

// logInvalidFiles logs the certificates that are not valid now in files that are read once, or by
// others. It comes before the database, because etcd refuses such a certificate in other words.
func (p *plan) logInvalidFiles() {
	for _, f := range []struct{ flag, file string }{
		{"etcd-cafile", p.options.Store.EtcdCAFile},
		{"etcd-certfile", p.options.Store.EtcdCertFile},
		{"root-ca-file", p.options.Authentication.RootCAFile},
		{"oidc-ca-file", p.options.Authentication.OIDC.CAFile},
	} {
		logInvalidFile(p.log, "certificate of --"+f.flag, f.file)
	}
}

// newPlan refuses options that can't be served.
func newPlan(s program.Server, o *program.Options) (*plan, error) {
	if err := program.Validate(s, o); err != nil {
		return nil, err
	}
	p := &plan{groups: program.OwnGroups(s), options: o, build: buildinfo.Read(), log: o.Log, metrics: prometheus.NewRegistry()}
	registerBuild(p.metrics, s.Name, p.build)
	if p.log == nil {
		p.log = neverBlocking(&o.Logging, os.Stderr)
	}
	for _, note := range o.Notes {
		p.log.Warn(note)
	}
	p.fairness = p.newFairness()
	p.admission = &admission.Chain{Observe: newAdmissionMetrics(p.metrics, p.log).observe}
	var err error
	if p.program, p.enabled, err = program.Join(s, program.Chosen(o)); err != nil {
		return nil, err
	}
	if program.HasChoice(s) && len(p.enabled) == 0 && len(o.API.Enable) == 0 {
		p.log.Info("the cluster has namespaces, roles and the like, so this server serves none of its own; --enable-api names what it should")
	}
	if p.plugins, err = program.ChoosePlugins(s, &o.Admission); err != nil {
		return nil, err
	}
	if p.known, err = database.NewKinds(p.program, &o.Store); err != nil {
		return nil, err
	}
	for n, r := range p.known.Resources {
		gr := r.GroupResource()
		p.known.Options[n].Admission = p.admission
		p.known.Options[n].Collected = program.Collected(s, &o.Store)
		p.known.Options[n].Lifetime = program.Lifetime(&o.API, gr.Group, gr.Resource)
	}
	return p, database.CheckPrefixes(p.program)
}

// openDatabases opens what the objects are kept in. It moves what is not in its place, and refuses
// what this program can't read. url is where the server listens.
func (p *plan) openDatabases(ctx context.Context, url string, say func(string), opened *closers) (*database.Databases, error) {
	dbs, err := database.OpenAll(ctx, p.program, p.known, &p.options.Store, say, p.log)
	if err != nil {
		return nil, err
	}
	lock := func() {} // behind the last use of the stores
	opened.add(func() error {
		defer lock()
		return dbs.Close()
	})
	if err := errors.Join(p.shareKeys(ctx, dbs.Main), p.keepSecrets(ctx, dbs)); err != nil {
		return nil, err
	}
	if lock, err = p.known.OpenEncryption(&p.options.Store, p.log); err != nil {
		return nil, err
	}
	if err := dbs.CheckHomes(ctx, p.known); err != nil {
		return nil, err
	}
	err = dbs.Each(p.known, func(db *database.Database, in *database.Kinds) error {
		if err := p.relocation(in, db).Run(ctx); err != nil {
			return err
		}
		leave, err := p.joinPeers(ctx, url, db, in)
		if err != nil {
			return err
		}
		opened.add(leave)
		return in.CheckVersions(ctx, db, p.program.Name)
	})
	if err != nil {
		return nil, err
	}
	return dbs, p.tellUnserved(ctx, dbs)
}

// tellUnserved logs which objects nobody sees since this program has no resource of their name.
func (p *plan) tellUnserved(ctx context.Context, dbs *database.Databases) error {
	unserved, err := dbs.Unserved(ctx, p.known)
	if len(unserved) > 0 {
		p.log.Warn("the database has objects of resources that this program does not serve, and nobody sees them: serve the kinds again, or call them as before by +kubebuilder:resource:path=",
			"resources", unserved)
	}
	return err
}

// relocation moves the objects in db to the keys that they have now.
func (p *plan) relocation(in *database.Kinds, db *database.Database) database.Relocation {
	return database.NewRelocation(in, db, func(line string) { p.log.Info(line) })
}

// guard waits until somebody writes objects where this server does not look for them.
func (p *plan) guard(ctx context.Context, dbs *database.Databases, url string, opened *closers) error {
	follower := database.Follower{
		Databases: dbs, Kinds: p.known, Options: &p.options.Store, Program: p.program.Name, Log: p.log,
		Join: func(ctx context.Context, db *database.Database, in *database.Kinds) (func() error, error) {
			return p.joinPeers(ctx, url, db, in)
		},
		Leave: opened.add,
	}
	group, watching := errgroup.WithContext(ctx)
	group.Go(p.guarded(watching, follower.Run))
	_ = dbs.Each(p.known, func(db *database.Database, in *database.Kinds) error {
		group.Go(p.guarded(watching, p.relocation(in, db).Guard))
		return nil
	})
	return group.Wait()
}

// guarded runs a loop, again after a panic.
func (p *plan) guarded(ctx context.Context, loop func(context.Context) error) func() error {
	return func() (err error) {
		recovery.Loop(ctx, p.log, "guard", func(ctx context.Context) { err = loop(ctx) })
		return err
	}
}

// serves says whether the core group's v1 has a resource.
func (p *plan) serves(plural string) bool {
	return slices.ContainsFunc(p.known.Resources, func(r registry.Resource) bool {
		gr := r.GroupResource()
		return gr.Group == "" && gr.Resource == plural
	})
}
