package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry"
)

// Databases are where the objects of a server are: one for all of them, except for the resources
// that have an etcd of their own.
type Databases struct {
	Main *Database

	kinds *Kinds
	times *etcdTimes                 // of all stores, nil before Measure
	where func(key string) *Database // that has a key

	mu        sync.RWMutex // guards the fields below, and the resources of each override
	overrides []*Override
	bound     map[schema.GroupResource]string // the plug-in that writes to the main database with what is in it
}

// Override is an etcd that has the objects of some resources, and of no others of this server.
type Override struct {
	*Database
	program.EtcdOverride
}

// OpenAll opens the main database and those of the overrides. The kinds know which resources these
// are of. If one can't be opened, none is.
func OpenAll(ctx context.Context, s program.Server, k *Kinds, o *program.StoreOptions, say func(string), log *slog.Logger) (*Databases, error) {
	main, err := Open(ctx, s, o, say, log)
	if err != nil {
		return nil, err
	}
	return withOverrides(ctx, main, k, func(e program.EtcdOverride) (*Database, error) {
		d, err := joinEtcd(ctx, overridePlace(e), o, say, log)
		if err == nil {
			d.configure(o, log)
		}
		return d, err
	})
}

// AttachAll is Attach, with the databases of the overrides.
func AttachAll(ctx context.Context, s program.Server, k *Kinds, o *program.StoreOptions, say func(string), log *slog.Logger) (*Databases, error) {
	main, err := Attach(ctx, s, o, say, log)
	if err != nil {
		return nil, err
	}
	return withOverrides(ctx, main, k, func(e program.EtcdOverride) (*Database, error) {
		return attachCluster(ctx, overridePlace(e), o, log)
	})
}

func withOverrides(ctx context.Context, main *Database, k *Kinds, open func(program.EtcdOverride) (*Database, error)) (all *Databases, err error) {
	all = &Databases{Main: main}
	defer func() {
		if err != nil {
			err = errors.Join(err, all.Close())
		}
	}()
	for _, e := range k.Overrides {
		d, err := open(e)
		if err != nil {
			return nil, err
		}
		all.overrides = append(all.overrides, &Override{d, e})
	}
	all.vouch(k)
	return all, all.checkApart(ctx)
}

// checkApart refuses two names for one etcd: what has an etcd of its own is written in other
// transactions than the rest, and servers on it would be counted twice.
func (d *Databases) checkApart(ctx context.Context) error {
	overrides := d.Overrides()
	if len(overrides) == 0 {
		return nil
	}
	seen := map[string]string{}
	for i, one := range d.All() {
		id, err := one.identity(ctx)
		if err != nil {
			return fmt.Errorf("--etcd-servers-overrides: %w", err)
		}
		name := "the etcd of all other resources"
		if i > 0 {
			name = strings.Join(overrides[i-1].Servers, ";")
		}
		if before, twice := seen[id]; twice {
			return fmt.Errorf("--etcd-servers-overrides: %s is the same etcd as %s: name the same servers for both, or leave the override out", name, before)
		}
		seen[id] = name
	}
	return nil
}

// All are the databases, the main one first.
func (d *Databases) All() []*Database {
	all := []*Database{d.Main}
	for _, o := range d.Overrides() {
		all = append(all, o.Database)
	}
	return all
}

// Overrides are those beside the main one. The slice is the caller's own.
func (d *Databases) Overrides() []*Override {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.Clone(d.overrides)
}

// Of is the one that has the objects of a resource.
func (d *Databases) Of(resource schema.GroupResource) *Database {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, o := range d.overrides {
		if slices.Contains(o.Resources, resource) {
			return o.Database
		}
	}
	return d.Main
}

// Each calls do with every database, and the kinds whose objects it has.
func (d *Databases) Each(k *Kinds, do func(*Database, *Kinds) error) error {
	for _, one := range d.All() {
		if err := do(one, k.only(func(r registry.Resource) bool { return d.Of(r.GroupResource()) == one })); err != nil {
			return err
		}
	}
	return nil
}

// Shared says that other processes may write to one of them.
func (d *Databases) Shared() bool {
	return slices.ContainsFunc(d.All(), func(one *Database) bool { return one.Backend.Shared })
}

// Measure registers the metrics of all stores, before they are opened.
func (d *Databases) Measure(to prometheus.Registerer) {
	d.times = newEtcdTimes(to)
	for _, one := range d.All() {
		one.times = d.times
	}
	to.MustRegister(&storeMetrics{d})
}

// Compact starts to compact the etcds of clusters, see Database.Compact.
func (d *Databases) Compact(every time.Duration) {
	for _, one := range d.All() {
		one.Compact(every)
	}
}

// Reread makes every cache read its entries again, because a key has come or gone.
func (d *Databases) Reread() {
	for _, one := range d.All() {
		one.Reread()
	}
}

// Filled fails until every cache has seen all its objects once.
func (d *Databases) Filled(ctx context.Context) error {
	for _, one := range d.All() {
		if err := one.Filled(ctx); err != nil {
			return err
		}
	}
	return nil
}

// OnceFilled calls then when every cache has seen all its objects once, however long that takes;
// not if ctx ends before.
func (d *Databases) OnceFilled(ctx context.Context, then func()) {
	for _, one := range d.All() {
		if !one.waitFilled(ctx) {
			return
		}
	}
	then()
}

// Close ends all of them.
func (d *Databases) Close() error {
	var errs []error
	for _, one := range slices.Backward(d.All()) {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// etcdPlace is where an etcd is, and the flag that says so.
type etcdPlace struct {
	flag    string
	servers []string
}

func mainPlace(o *program.StoreOptions) etcdPlace { return etcdPlace{"--etcd-servers", o.EtcdServers} }

func overridePlace(e program.EtcdOverride) etcdPlace {
	return etcdPlace{"--etcd-servers-overrides: " + strings.Join(e.Servers, ";"), e.Servers}
}
