package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/ownership"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
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
	go i.db.OnceFilled(ctx, func() { collector.pace(ctx) })
	return i.Serve(ctx)
}

// Open does all that can fail before the first request: it listens, starts or connects the
// database, and opens the stores. Meanwhile every request gets 503 with the reason. ctx bounds the
// start only, except that an embedded etcd does not outlive it. Serve must follow: it closes the
// Instance.
func Open(ctx context.Context, s program.Server, o *program.Options) (_ *Instance, err error) {
	if err := program.Validate(s, o); err != nil {
		return nil, err
	}
	i := &Instance{options: o, log: o.Log, metrics: prometheus.NewRegistry()}
	if i.log == nil {
		i.log = neverBlocking(&o.Logging, os.Stderr)
	}
	for _, note := range o.Notes {
		i.log.Warn(note)
	}
	i.admission = &admission.Chain{Observe: newAdmissionMetrics(i.metrics, i.log).observe}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.close())
		}
	}()
	if i.program, i.enabled, err = program.Join(s, o.API.Enable); err != nil {
		return nil, err
	}
	if i.plugins, err = program.ChoosePlugins(s, &o.Admission); err != nil {
		return nil, err
	}
	if i.known, err = database.NewKinds(i.program, &o.Store); err != nil {
		return nil, err
	}
	for n, r := range i.known.Resources {
		gr := r.GroupResource()
		i.known.Options[n].Admission = i.admission
		i.known.Options[n].Collected = o.Store.GarbageCollector
		i.known.Options[n].Lifetime = program.Lifetime(&o.API, gr.Group, gr.Resource)
	}
	if err := database.CheckPrefixes(i.program); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{
		i.listen,
		i.openAccess,
		i.answerMeanwhile,
		i.openDatabase,
		i.checkDatabase,
		i.keepAccess,
		i.openDelegation,
		i.openIdentity,
		i.openAudit,
		i.openTracing,
		i.openResources,
		i.extend,
		i.openAuthorization,
		i.openServer,
		i.announce,
		i.endWaiting,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// Kubeconfig is the file with the address and the administrator's credentials.
func (i *Instance) Kubeconfig() string { return i.access.kubeconfig }

// AdminTLS has new credentials of the administrator, and trusts the server. It belongs to the
// caller.
func (i *Instance) AdminTLS() (*tls.Config, error) { return i.access.adminTLS() }

// WaitReady waits until reads are answered from memory, as far as they will be.
func (i *Instance) WaitReady(ctx context.Context) error { return i.db.Filled(ctx) }

// Serve answers requests until ctx ends, and closes the Instance. It returns nil after an orderly
// stop.
func (i *Instance) Serve(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, i.close()) }()
	alive, done := i.db.WhileAlive(ctx)
	alive, fail := context.WithCancelCause(alive)
	loops, stopLoops := context.WithCancel(alive)
	i.loops = append(i.loops, func(ctx context.Context) {
		if err := i.relocation().Guard(ctx); err != nil {
			fail(err)
		}
	})
	i.loops = append(i.loops, func(ctx context.Context) { i.db.OnceFilled(ctx, func() { freeMemory(ctx, freeAfter) }) })
	wait := program.StartLoops(loops, i.loops)
	defer func() {
		stopLoops()
		wait()
		fail(nil)
		done()
	}()
	if err := i.server.Serve(alive, i.listener, i.access.tls()); err != nil {
		return err
	}
	if cause := context.Cause(alive); errors.Is(cause, database.ErrEtcdDied) || errors.Is(cause, database.ErrElsewhere) {
		return cause
	}
	return nil
}

func (i *Instance) listen(ctx context.Context) error {
	listener, err := listen(ctx, &i.options.Serving)
	if err != nil {
		return err
	}
	i.listener = listener
	i.onClose(func() error {
		listener.Close() // Serve has closed it already if there was one
		return nil
	})
	return nil
}

func (i *Instance) openDatabase(ctx context.Context) error {
	lock, err := i.known.OpenEncryption(&i.options.Store, i.log)
	if err != nil {
		return err
	}
	i.onClose(func() error {
		lock()
		return nil
	})
	if i.db, err = database.Open(ctx, i.program, &i.options.Store, i.waiting.Say, i.log); err != nil {
		return err
	}
	i.onClose(i.db.Close)
	return nil
}

// checkDatabase moves what is not in its place, and refuses what this program can't read.
func (i *Instance) checkDatabase(ctx context.Context) error {
	if err := i.relocation().Run(ctx); err != nil {
		return err
	}
	return i.known.CheckVersions(ctx, i.db, i.program.Name)
}

func (i *Instance) relocation() database.Relocation {
	return database.NewRelocation(i.known, i.db, func(line string) { i.log.Info(line) })
}

func (i *Instance) openAccess(context.Context) (err error) {
	i.access, err = openAccess(i.options, i.log)
	return err
}

func (i *Instance) keepAccess(context.Context) error {
	i.waiting.Say("its objects are not open yet")
	return i.access.keep(i.program.Name, i.listener.Addr())
}

// answerMeanwhile says to whoever asks, until there is a server, that there is none yet.
func (i *Instance) answerMeanwhile(context.Context) (err error) {
	i.waiting, err = server.Wait(i.listener, i.access.tls(), "its etcd is not open yet", i.log)
	if err == nil {
		i.onClose(func() error {
			i.waiting.End() // it was ended already if all went well, and the listener is closed in any case
			return nil
		})
	}
	return err
}

// endWaiting leaves who connects from now on to Serve.
func (i *Instance) endWaiting(context.Context) error { return i.waiting.End() }

// openResources opens the store of each resource, and what serves it.
func (i *Instance) openResources(context.Context) error {
	schemas := ownership.New(i.program.OpenAPI)
	encoded := newEncodeCache(&i.options.Serving)
	i.db.Measure(i.metrics, encoded)
	i.survey = &database.Surveyor{Kinds: i.known}
	for n := range i.known.Resources {
		store, served, objects, err := openResource(i.known, n, schemas, encoded, i.db)
		if err != nil {
			return err
		}
		i.survey.Stores = append(i.survey.Stores, store)
		i.resources = append(i.resources, served...)
		if objects != nil {
			i.objects = append(i.objects, objects)
		}
	}
	if err := i.openKept(); err != nil {
		return err
	}
	i.stored = len(i.resources)
	virtual, err := program.VirtualResources(i.program)
	if err != nil {
		return err
	}
	i.resources = append(i.resources, virtual...)
	i.db.Compact(i.options.Store.EtcdCompaction)
	i.known.StartEncryption(i.db.Reread)
	return nil
}

// newEncodeCache returns where answers are kept, nil for nowhere.
func newEncodeCache(o *program.ServingOptions) *registry.EncodeCache {
	if o.EncodedCacheMiB == 0 {
		return nil
	}
	return registry.NewEncodeCache(int64(o.EncodedCacheMiB) << 20)
}

// openResource opens the store of resource i, what serves it, and its objects; nil for what is in
// no namespace or expires.
func openResource(known *database.Kinds, i int, schemas *ownership.Schemas, encoded *registry.EncodeCache, db *database.Database) (storage.Interface, []rest.Resource, *registry.Objects, error) {
	writes := db.NewWriteCache()
	form, err := known.CachedForm(i, db.Root, writes)
	if err != nil {
		return nil, nil, nil, err
	}
	r, options := known.Resources[i], known.Options[i]
	options.Schemas, options.EncodeCache = schemas, encoded
	store, err := db.Store(r.KeyPrefix(), r.GroupResource(), form, writes)
	if err != nil {
		return nil, nil, nil, err
	}
	served, err := r.Serve(known.Scheme, store, options)
	if err != nil {
		return nil, nil, nil, err
	}
	database.PlantServed(served)
	if !r.Namespaced() || options.Lifetime > 0 {
		return store, served, nil, nil
	}
	objects, err := r.Objects(known.Scheme, store, form, options)
	return store, served, objects, err
}
