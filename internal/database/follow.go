package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage/migration"
)

// Follower takes a server along when `migrate --resource` moves a resource. While the note of homes
// says that it moves, the server opens the other etcd and says that it is ready. When the note says
// that the objects are there, it reads and writes there. Until then and from then on the barrier
// (etcd3.Barrier) keeps servers from the etcd that is not it, also those that have slept.
type Follower struct {
	Databases *Databases
	Kinds     *Kinds
	Options   *program.StoreOptions
	Program   string
	// Join makes this server known in a database with some kinds.
	// What it returns takes that back, and is handed to Leave for the end of the server.
	Join  func(ctx context.Context, db *Database, in *Kinds) (leave func() error, err error)
	Leave func(leave func() error)
	Log   *slog.Logger

	told map[string]string // what was said of each resource
}

// What a server says of a resource, followed by the identity of a database, or by a reason.
const (
	saysReady  = "ready "
	saysThere  = "there "
	saysCannot = "can't "
)

// Run follows until ctx ends. Its error is that this server can't, and objects have moved.
func (f *Follower) Run(ctx context.Context) error {
	if f.Databases.Main.exclusive() {
		return nil
	}
	f.told = map[string]string{}
	for ctx.Err() == nil {
		if err := f.follow(ctx); errors.Is(err, ErrElsewhere) {
			return err
		}
		_ = wait.Sleep(ctx, time.Second) // the loop sees its end
	}
	return nil
}

// follow is Run until the watch breaks.
func (f *Follower) follow(ctx context.Context) error {
	record := f.Databases.Main.Record()
	changed, end, err := record.Watch(ctx)
	if err != nil {
		return err
	}
	defer end()
	for {
		homes, err := record.Homes(ctx)
		if err != nil {
			return err
		}
		for i := range f.Kinds.Resources {
			if err := f.resource(ctx, i, homes); err != nil {
				return err
			}
		}
		if err := changed(ctx); err != nil {
			return err
		}
	}
}

// resource does what the note says of a resource.
func (f *Follower) resource(ctx context.Context, i int, homes migration.Homes) error {
	r := f.Kinds.Resources[i]
	name := r.GroupResource().String()
	noted := homes[name]
	if noted.Moving != nil {
		if f.told[name] == saysReady+noted.Moving.ID {
			return nil
		}
		say := saysReady + noted.Moving.ID
		if _, err := f.open(ctx, r, *noted.Moving); err != nil {
			say = saysCannot + err.Error()
		}
		return f.tell(ctx, name, say)
	}
	from := f.Databases.Of(r.GroupResource())
	here, err := f.idOf(ctx, from)
	if err != nil {
		return err
	}
	if here != noted.ID {
		to, err := f.open(ctx, r, noted)
		if err != nil {
			return fmt.Errorf("%w: the objects of %s were moved to %s, and this server can't follow: %w", ErrElsewhere, name, homeName(noted), err)
		}
		f.Databases.house(r, to)
		from.handOver(r.GroupResource(), to)
		f.Log.Info(fmt.Sprintf("the objects of %s are in %s from now on; start this server %s next time", name, homeName(noted), f.Databases.flag()))
	} else if f.told[name] == "" {
		return nil
	}
	return f.tell(ctx, name, saysThere+noted.ID)
}

// tell says how far this server is.
func (f *Follower) tell(ctx context.Context, resource, say string) error {
	if f.told[resource] == say {
		return nil
	}
	err := f.Databases.Main.Peers.Tell(ctx, resource, say)
	if err == nil {
		f.told[resource] = say
	}
	return err
}

// idOf is what the note of homes calls a database.
func (f *Follower) idOf(ctx context.Context, db *Database) (string, error) {
	if db == f.Databases.Main {
		return "", nil
	}
	return db.identity(ctx)
}

// open returns the database of a home, in which this server is known with the resource.
func (f *Follower) open(ctx context.Context, r registry.Resource, home migration.Home) (*Database, error) {
	d, only := f.Databases, f.Kinds.only(func(one registry.Resource) bool { return one.GroupResource() == r.GroupResource() })
	if !d.Main.follows() {
		return nil, errors.New("it runs without --watch-cache, and a move is seen by caches only")
	}
	if plugin := d.boundBy(r.GroupResource()); plugin != "" && home.ID != "" {
		return nil, fmt.Errorf("its admission plug-in %s writes with an object what is in the etcd of all other resources, and no transaction is of two", plugin)
	}
	for _, db := range d.All() {
		if db.Peers.holds() {
			return nil, errors.New("it writes an old version for servers of an older release: stop those first")
		}
		id, err := f.idOf(ctx, db)
		if err != nil {
			return nil, err
		}
		if id == home.ID {
			return db, db.Peers.Add(ctx, only)
		}
	}
	db, err := dialEtcd(ctx, etcdPlace{"the etcd " + homeName(home), home.Servers}, besideMain(f.Options))
	if err != nil {
		return nil, err
	}
	db.configure(f.Options, f.Log)
	db.times, db.vouchers = d.times, newVouchers(db, d.where)
	if err := f.check(ctx, db, only, home); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	db.Compact(f.Options.EtcdCompaction)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.overrides = append(d.overrides, &Override{db, program.EtcdOverride{Servers: home.Servers}})
	return db, nil
}

// check makes sure that this server can use a database that it has just opened.
func (f *Follower) check(ctx context.Context, db *Database, only *Kinds, home migration.Home) error {
	id, err := db.identity(ctx)
	if err != nil {
		return err
	}
	if id != home.ID {
		return fmt.Errorf("%s is another etcd for it than the one that is meant", homeName(home))
	}
	leave, err := f.Join(ctx, db, only)
	if err != nil {
		return err
	}
	if err := only.CheckVersions(ctx, db, f.Program); err != nil {
		return errors.Join(err, leave())
	}
	f.Leave(leave)
	return nil
}

// house notes that a resource is in a database.
func (d *Databases) house(r registry.Resource, to *Database) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.overrides {
		o.Resources = slices.DeleteFunc(slices.Clone(o.Resources), func(one schema.GroupResource) bool { return one == r.GroupResource() })
		if o.Database == to {
			o.Resources = append(o.Resources, r.GroupResource())
		}
	}
}

// flag says how a server starts that knows where resources are.
func (d *Databases) flag() string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var items []string
	for _, o := range d.overrides {
		for _, r := range o.Resources {
			items = append(items, "'"+overrideName(r)+"#"+strings.Join(o.Servers, ";")+"'")
		}
	}
	if len(items) == 0 {
		return "without --etcd-servers-overrides"
	}
	return "with --etcd-servers-overrides=" + strings.Join(items, ",")
}
