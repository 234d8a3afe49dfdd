package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/memory"
)

var errCantForget = errors.New("the storage can't take its history away (storage.Backend.Forget is nil): give the resource back the key prefix that it had")

// openStorage opens the storage that the program brings.
func openStorage(ctx context.Context, s program.Server, o *program.StoreOptions, log *slog.Logger) (*Database, error) {
	backend, err := s.Storage(ctx, program.StorageConfig{DataDir: o.DataDir, Log: log})
	if err != nil {
		return nil, fmt.Errorf("open the storage of %s: %w", s.Name, err)
	}
	if backend.Open == nil {
		return nil, fmt.Errorf("Server.Storage of %s returned a storage.Backend without Open", s.Name)
	}
	backend.Name = cmp.Or(backend.Name, "a storage of "+s.Name+"'s own")
	return &Database{Backend: backend}, nil
}

// readyTimeout bounds the read that readiness stands for.
const readyTimeout = 2 * time.Second

// Database is what objects are kept in: the etcd of this process or that of a cluster, what the
// program brings, or for tests only memory.
type Database struct {
	Backend   storage.Backend
	Client    *etcd3.Client // nil if it is no etcd
	servers   []string      // of a cluster, as they were named
	Root      string
	Peers     *Peers // nil: nobody shares the database
	cached    bool
	log       *slog.Logger
	checks    *cacher.CheckLimiter // of the caches
	times     *etcdTimes           // what operations are measured with; nil measures nothing
	compactor *etcd3.Compactor     // of a cluster's etcd
	vouchers  *vouchers            // for keys of other databases; nil: there are no others

	mu     sync.Mutex // guards the fields below; later ones are of resources that have moved here
	stores []resourceStore
	caches []resourceCache

	// embedded is the etcd inside this process, nil for a cluster's.
	embedded *embedded.Server
}

// Open opens what the program brings, starts the embedded etcd or connects to the cluster
// that the options name. say is told what it waits for.
func Open(ctx context.Context, s program.Server, o *program.StoreOptions, say func(string), log *slog.Logger) (d *Database, err error) {
	switch {
	case s.Storage != nil:
		d, err = openStorage(ctx, s, o, log)
	case o.InMemory:
		d = openMemory()
	default:
		d, err = openEtcd(ctx, o, say, log)
	}
	if err != nil {
		return nil, err
	}
	d.configure(o, log)
	return d, nil
}

func (d *Database) configure(o *program.StoreOptions, log *slog.Logger) {
	d.Root, d.cached, d.checks, d.log = o.EtcdPrefix, o.WatchCache, cacher.NewCheckLimiter(), log
}

func openMemory() *Database {
	db := memory.NewDatabase()
	return &Database{Backend: storage.Backend{
		Open: func(root string, form storage.Form) storage.Interface {
			return memory.New(memory.Config{Database: db, Root: root, Form: form})
		},
		Forget: func(context.Context) error { return nil }, // it begins empty
	}}
}

func openEtcd(ctx context.Context, o *program.StoreOptions, say func(string), log *slog.Logger) (*Database, error) {
	if len(o.EtcdServers) > 0 {
		return joinEtcd(ctx, mainPlace(o), o, say, log)
	}
	history := o.EtcdCompaction
	if history == 0 {
		history = -1
	}
	config := embedded.Config{Dir: o.DataDir, History: history, Log: log}
	plantEmbedded(&config)
	etcd, err := embedded.Start(ctx, config)
	if err != nil {
		return nil, err
	}
	d := etcdDatabase(etcd.Client())
	d.embedded, d.Backend.Shared = etcd, false
	d.Backend.Close = func() error {
		etcd.Close()
		return nil
	}
	return d, nil
}

// etcdDatabase is an etcd that others may have a client of, too.
func etcdDatabase(client *etcd3.Client) *Database {
	return &Database{Client: client, Backend: storage.Backend{
		Open: func(root string, form storage.Form) storage.Interface {
			return etcd3.New(client, etcd3.Config{Root: root, Form: form})
		},
		Shared: true,
		Ready:  func(ctx context.Context) error { return etcd3.Ready(ctx, client, readyTimeout) },
		Forget: func(ctx context.Context) error { return etcd3.Forget(ctx, client) },
		Close:  client.Close,
	}}
}

// joinEtcd connects to a cluster whose members hold the same, as soon as it has a quorum.
func joinEtcd(ctx context.Context, at etcdPlace, o *program.StoreOptions, say func(string), log *slog.Logger) (*Database, error) {
	d, err := dialEtcd(ctx, at, o)
	if err != nil {
		return nil, err
	}
	ask := func(ctx context.Context) error {
		err := etcd3.Await(ctx, d.Client, waitingSaid)
		if err != nil {
			say("it waits for etcd: " + noQuorum)
		}
		return err
	}
	if err := awaitQuorum(ctx, ask, log); err != nil {
		return nil, fmt.Errorf("%s: %w", at.flag, errors.Join(err, d.Close()))
	}
	silent, err := etcd3.CompareMembers(ctx, d.Client, at.servers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at.flag, errors.Join(err, d.Close()))
	}
	if silent != nil {
		log.Warn("not all members of etcd could be compared", "error", silent)
	}
	return d, nil
}

// dialEtcd connects to a cluster. The certificates are for those whose servers speak TLS.
func dialEtcd(ctx context.Context, at etcdPlace, o *program.StoreOptions) (*Database, error) {
	config := etcd3.DialConfig{Endpoints: at.servers}
	if strings.HasPrefix(at.servers[0], "https://") || len(o.EtcdOverrides) == 0 {
		config.CAFile, config.CertFile, config.KeyFile = o.EtcdCAFile, o.EtcdCertFile, o.EtcdKeyFile
	}
	client, err := etcd3.Dial(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at.flag, err)
	}
	d := etcdDatabase(client)
	d.servers = at.servers
	return d, nil
}

// NewWriteCache returns the memory for a store's form, nil if the store will have no cache.
func (d *Database) NewWriteCache() *cacher.WriteCache {
	if !d.cached {
		return nil
	}
	return new(cacher.WriteCache)
}

// Store opens the store of one resource below a prefix, in the form that its values have, with a
// cache in front of it if there is to be one. writes is inside form; nil for none. close ends the
// store.
func (d *Database) Store(prefix string, resource schema.GroupResource, form storage.Form, writes *cacher.WriteCache) (storage.Interface, error) {
	var source cacher.Source
	var at *house
	if d.follows() {
		at = newHouse(d, prefix, resource, form)
		source = at
	} else {
		source = plantBelow(cacher.SourceOf(d.Source(form)), resource)
		if d.vouchers != nil {
			source = &vouched{source, d, d.vouchers}
		}
	}
	if d.times != nil {
		source = d.times.timed(source, resource)
	}
	s := storage.Interface(source)
	if d.cached {
		c, err := cacher.New(cacher.Config{Source: source, Prefix: prefix, WriteCache: writes, CheckLimiter: d.checks, Log: d.log})
		if err != nil {
			return nil, err
		}
		d.caches = append(d.caches, resourceCache{c, resource, at})
		s = c
	}
	d.stores = append(d.stores, resourceStore{s, prefix, resource, at})
	return plantAbove(s, resource), nil
}

func (d *Database) Source(form storage.Form) storage.Interface { return d.Backend.Open(d.Root, form) }

// Compact starts to compact a cluster's etcd from time to time; the embedded one does it by itself.
// It is called when every store is open.
func (d *Database) Compact(every time.Duration) {
	if d.Client == nil || d.embedded != nil || every == 0 {
		return
	}
	d.compactor = etcd3.NewCompactor(d.Client, etcd3.CompactorConfig{Interval: every, Needed: d.needed, Log: d.log})
}

// needed is the oldest revision that a cache goes on from, 0 if there is none.
func (d *Database) needed() int64 {
	oldest := int64(0)
	for _, c := range d.ownCaches() {
		if at := c.Stats().Revision; at > 0 && (oldest == 0 || at < oldest) {
			oldest = at
		}
	}
	return oldest
}

// Close ends what store opened, and then the database.
func (d *Database) Close() error {
	if d.compactor != nil {
		d.compactor.Close()
	}
	for _, c := range d.caches {
		c.Close()
	}
	if d.Backend.Close == nil {
		return nil
	}
	return d.Backend.Close()
}

// Ready fails while the database can't answer a linearized read, and from when it can't be written
// to any more.
func (d *Database) Ready(ctx context.Context) error {
	if d.embedded != nil {
		if err := d.embedded.Failed(); err != nil {
			return err
		}
	}
	if d.Backend.Ready == nil {
		return nil
	}
	return d.Backend.Ready(ctx)
}

// Missing says which members of a cluster do not answer, "" if all do.
func (d *Database) Missing() string {
	if d.Client == nil {
		return ""
	}
	if missing := etcd3.Missing(d.Client); len(missing) > 0 {
		return "without the members " + strings.Join(missing, ", ")
	}
	return ""
}

// Filled fails until every cache has seen all its objects once.
func (d *Database) Filled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for _, c := range d.ownCaches() {
		if err := c.WaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// waitFilled waits until every cache has seen all its objects once, however long that takes. It
// returns false if ctx ends before.
func (d *Database) waitFilled(ctx context.Context) bool {
	for _, c := range d.ownCaches() {
		if c.WaitReady(ctx) != nil {
			return false
		}
	}
	return ctx.Err() == nil
}

var ErrEtcdDied = errors.New("the embedded etcd has stopped")

// WhileAlive returns a context that ends with ctx, or with errEtcdDied in its cause when the
// embedded etcd has stopped or failed for good.
func (d *Database) WhileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	alive, cancel := context.WithCancelCause(ctx)
	if d.embedded != nil {
		go func() {
			select {
			case <-d.embedded.Done():
				cancel(diedOf(d.embedded.Err()))
			case <-alive.Done():
			}
		}()
	}
	return alive, func() { cancel(nil) }
}

// diedOf is errEtcdDied with its cause, if that is known.
func diedOf(cause error) error {
	if cause == nil {
		return ErrEtcdDied
	}
	return fmt.Errorf("%w: %w", ErrEtcdDied, cause)
}
