package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry"
)

// Run serves s until ctx ends, and returns nil after an orderly stop. When requests are answered it
// prints one line to out, `export KUBECONFIG=…`, for the administrator's shell. It takes the
// process to be the server's own, and paces its garbage collector.
func Run(ctx context.Context, s program.Server, o *program.Options, out io.Writer) error {
	collector := startCollector()
	i, err := Open(ctx, s, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "export KUBECONFIG=%s\n", shellQuote(i.Kubeconfig()))
	go recovery.Loop(ctx, i.log, "pace", func(ctx context.Context) { i.dbs.OnceFilled(ctx, func() { collector.pace(ctx) }) })
	return i.Serve(ctx)
}

// Instance is a server that is open: its listener, its database, its stores. It serves once.
type Instance struct {
	door   *door
	log    *slog.Logger
	dbs    *database.Databases
	server *server.Server
	loops  []func(context.Context)
	// lookup adds the resources for registry.Get and List to a context.
	lookup func(context.Context) context.Context
	// guard waits until somebody writes objects where this server does not look for them.
	guard  func(context.Context) error
	opened *closers
}

// Open does all that can fail before the first request: it listens, starts or connects the
// database, and opens the stores. Meanwhile every request gets 503 with the reason. A database that
// becomes unavailable meanwhile is waited for. ctx bounds the start only, except that an embedded
// etcd does not outlive it. Serve must follow: it closes the Instance.
func Open(ctx context.Context, s program.Server, o *program.Options) (i *Instance, err error) {
	p, err := newPlan(s, o)
	if err != nil {
		return nil, err
	}
	p.logInvalidFiles()
	opened := new(closers)
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.close())
		}
	}()
	door, err := p.openDoor(ctx, opened)
	if err != nil {
		return nil, err
	}
	again := *o
	again.Log, again.Notes = p.log, nil
	own := opened.count()
	err = untilAvailable(ctx, p.log, door.waiting.Say, func() error {
		if p == nil {
			if p, err = newPlan(s, &again); err != nil {
				return err
			}
		}
		if i, err = p.open(ctx, door, opened); err != nil {
			p = nil // it holds parts that are closed now
			return errors.Join(err, opened.closeDownTo(own))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return i, door.waiting.End()
}

// open opens the database and all that stands between it and the door.
func (p *plan) open(ctx context.Context, door *door, opened *closers) (*Instance, error) {
	dbs, err := p.openDatabases(ctx, door.url(), door.waiting.Say, opened)
	if err != nil {
		return nil, err
	}
	if err := door.keep(p.program.Name); err != nil {
		return nil, err
	}
	i := &Instance{door: door, log: p.log, dbs: dbs, guard: func(ctx context.Context) error { return p.guard(ctx, dbs, door.url(), opened) }, opened: opened}
	s, extended, err := p.openServer(ctx, door, dbs, opened)
	if err != nil {
		return nil, err
	}
	i.server = s
	i.lookup = func(ctx context.Context) context.Context {
		return registry.WithResources(ctx, p.known.Scheme, extended.resources)
	}
	i.loops = append(extended.loops, func(ctx context.Context) { door.renewKubeconfig(ctx, p.program.Name, p.log) })
	return i, nil
}

// openServer opens the parts between the listener and the database. It returns the server, and the
// resources and loops of the extended program.
func (p *plan) openServer(ctx context.Context, door *door, dbs *database.Databases, opened *closers) (*server.Server, *extended, error) {
	audit, err := p.openAudit(door, opened)
	if err != nil {
		return nil, nil, err
	}
	tracer, err := p.openTracing(ctx, opened)
	if err != nil {
		return nil, nil, err
	}
	delegation, err := p.openDelegation(ctx, opened)
	if err != nil {
		return nil, nil, err
	}
	stored, err := p.openStores(dbs)
	if err != nil {
		return nil, nil, err
	}
	users, err := p.openIdentity(door, delegation, stored)
	if err != nil {
		return nil, nil, err
	}
	extended, err := p.extend(ctx, door, dbs, stored, users, delegation.namespaces)
	if err != nil {
		return nil, nil, err
	}
	if err := extended.decider.fill(&p.options.Authorization, extended.roles, delegation.webhook, p.otherAuthorizers(delegation)); err != nil {
		return nil, nil, err
	}
	s, err := p.newServer(door, dbs, stored, users, extended, audit, tracer)
	if err != nil {
		return nil, nil, err
	}
	if err := p.comparePeers(ctx, door, dbs.Main, users); err != nil {
		return nil, nil, err
	}
	return s, extended, p.announce(ctx, door, dbs, audit)
}

// URL is where clients on this machine reach the server. Connections are taken from the moment the
// Instance is open; they are answered once it serves.
func (i *Instance) URL() string { return i.door.url() }

// Kubeconfig is the file with the address and the administrator's credentials.
func (i *Instance) Kubeconfig() string { return i.door.kubeconfig }

// AdminTLS has new credentials of the administrator, and trusts the server. It belongs to the
// caller.
func (i *Instance) AdminTLS() (*tls.Config, error) { return i.door.adminTLS() }

// WaitReady waits until reads are answered from memory, as far as they will be.
func (i *Instance) WaitReady(ctx context.Context) error { return i.dbs.Filled(ctx) }

// Serve answers requests until ctx ends, and closes the Instance. It returns nil after an orderly
// stop.
func (i *Instance) Serve(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, i.opened.close()) }()
	alive, done := i.dbs.Main.WhileAlive(i.lookup(ctx))
	defer done()
	alive, fail := context.WithCancelCause(alive)
	defer fail(nil)
	loops, stopLoops := context.WithCancel(alive)
	wait := program.StartLoops(loops, i.log, append(i.loops, func(ctx context.Context) {
		if err := i.guard(ctx); err != nil {
			fail(err)
		}
	}, func(ctx context.Context) {
		i.dbs.OnceFilled(ctx, func() { freeMemory(ctx, freeAfter) })
	}))
	defer wait()
	defer stopLoops()
	if err := i.server.Serve(alive, i.door.listener, i.door.tls()); err != nil {
		return err
	}
	if cause := context.Cause(alive); errors.Is(cause, database.ErrEtcdDied) || errors.Is(cause, database.ErrElsewhere) {
		return cause
	}
	return nil
}
