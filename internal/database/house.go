package database

import (
	"context"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// house is the source of a resource that may move to another database while its cache is read. In
// each database it stands behind the barrier of the resource (etcd3.Barrier): when that is there,
// nothing is read or written through it any more.
type house struct {
	prefix   string
	resource schema.GroupResource
	form     storage.Form
	now      atomic.Pointer[lodging]
}

// lodging is a source, and the database that it is of.
type lodging struct {
	cacher.Source
	db *Database
}

var _ cacher.Source = (*house)(nil)

func newHouse(db *Database, prefix string, resource schema.GroupResource, form storage.Form) *house {
	h := &house{prefix: prefix, resource: resource, form: form}
	h.now.Store(h.in(db))
	return h
}

// in is the source in a database.
func (h *house) in(db *Database) *lodging {
	source := plantBelow(cacher.SourceOf(db.Barred(h.prefix, h.form)), h.resource)
	if db.vouchers != nil {
		source = &vouched{source, db, db.vouchers}
	}
	return &lodging{source, db}
}

// Barred is Source for what lies below the prefix of a resource, while that is in the database.
func (d *Database) Barred(prefix string, form storage.Form) storage.Interface {
	if d.Client == nil {
		return d.Source(form)
	}
	return etcd3.New(d.Client, etcd3.Config{Root: d.Root, Form: form, Barrier: etcd3.Barrier(prefix)})
}

// at is the database that the objects are in.
func (h *house) at() *Database { return h.now.Load().db }

func (h *house) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	return h.now.Load().Get(ctx, key, opts)
}

func (h *house) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	return h.now.Load().List(ctx, selection, opts)
}

func (h *house) Watch(ctx context.Context, selection string, opts storage.WatchOptions) (storage.Watcher, error) {
	return h.now.Load().Watch(ctx, selection, opts)
}

func (h *house) Count(ctx context.Context, selection string) (int64, error) {
	return h.now.Load().Count(ctx, selection)
}

func (h *house) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	return h.now.Load().Create(ctx, key, value, with...)
}

func (h *house) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return h.now.Load().GuaranteedUpdate(ctx, key, try)
}

func (h *house) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	return h.now.Load().Delete(ctx, key, check)
}

func (h *house) Revision(ctx context.Context) (int64, error) { return h.now.Load().Revision(ctx) }

func (h *house) RequestProgress(ctx context.Context) error { return h.now.Load().RequestProgress(ctx) }

func (h *house) EachRevision(ctx context.Context, prefix string, revision int64, visit func(key string, modified int64)) error {
	return h.now.Load().EachRevision(ctx, prefix, revision, visit)
}

func (h *house) UpdateKnown(ctx context.Context, known storage.Entry, try storage.TryUpdate) (storage.Entry, error) {
	return h.now.Load().UpdateKnown(ctx, known, try)
}

func (h *house) DeleteKnown(ctx context.Context, known storage.Entry, check storage.CheckDelete) (storage.Entry, error) {
	return h.now.Load().DeleteKnown(ctx, known, check)
}

// follows says whether the resources of a database may move while a server has it open. Only what
// a cache reads sees its barrier in the order of the changes.
func (d *Database) follows() bool { return d.Client != nil && d.cached }

// ownCaches are the caches of what is in the database now.
func (d *Database) ownCaches() []resourceCache {
	d.mu.Lock()
	defer d.mu.Unlock()
	var own []resourceCache
	for _, c := range d.caches {
		if c.house == nil || c.house.at() == d {
			own = append(own, c)
		}
	}
	return own
}

// ownStores are the stores of what is in the database now.
func (d *Database) ownStores() []resourceStore {
	d.mu.Lock()
	defer d.mu.Unlock()
	var own []resourceStore
	for _, s := range d.stores {
		if s.house == nil || s.house.at() == d {
			own = append(own, s)
		}
	}
	return own
}

// handOver makes a database the one of a resource: of its cache, which begins anew, and in metrics.
func (d *Database) handOver(resource schema.GroupResource, to *Database) {
	d.mu.Lock()
	caches, stores := d.caches, d.stores
	d.mu.Unlock()
	for _, c := range caches {
		if c.resource != resource || c.house == nil || c.house.at() != d {
			continue
		}
		c.Switch(func() { c.house.now.Store(c.house.in(to)) })
		to.take(c, stores)
	}
}

// take notes a cache that has come, and its store. One that was here before is known.
func (d *Database) take(c resourceCache, from []resourceStore) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, known := range d.caches {
		if known.house == c.house {
			return
		}
	}
	d.caches = append(d.caches, c)
	for _, s := range from {
		if s.house == c.house {
			d.stores = append(d.stores, s)
		}
	}
}
