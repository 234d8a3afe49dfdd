package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/replicas"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/migration"
)

// lookEvery is how often a server that waits for others to end looks if they have.
const lookEvery = 2 * time.Second

// Peers are the other servers on the same database. While one of them can't read the storage
// version of a resource, as one of an older release can't, this server writes a version that all
// can read. A nil *Peers is that of a server that has its database to itself.
type Peers struct {
	register replicas.Register
	db       *Database
	log      *slog.Logger

	mu    sync.Mutex // guards the fields below
	kinds *Kinds     // replaced when more are in the database
	self  replicas.Replica
	held  map[string]int // indexes of the resources that are not written in their storage version
}

// JoinPeers says to the other servers that this one runs, and holds back what they can't read. It
// comes before the first look at which versions are stored. So either they see this server, or this
// server sees them.
func JoinPeers(ctx context.Context, k *Kinds, db *Database, self replicas.Replica, log *slog.Logger) (*Peers, error) {
	p := &Peers{register: replicas.Register{Store: db.Source(storage.Form{}), Log: log}, kinds: k, db: db, log: log, self: self, held: map[string]int{}}
	p.self.Reads, p.self.Writes = map[string][]string{}, map[string]string{}
	p.self.Follows, p.self.Moves = db.follows(), map[string]string{}
	for i, r := range k.Resources {
		name := r.GroupResource().String()
		p.self.Reads[name], p.self.Writes[name] = k.versions(i), k.written(i)
	}
	if err := p.register.Enter(ctx, p.self); err != nil {
		return nil, err
	}
	if err := p.holdBack(ctx); err != nil {
		return nil, errors.Join(err, p.register.Leave(ctx, self.ID))
	}
	return p, nil
}

// holdBack chooses the versions in which the resources are written beside the others.
func (p *Peers) holdBack(ctx context.Context) error {
	others, err := p.register.List(ctx, p.self.ID)
	if err != nil {
		return err
	}
	for i, r := range p.kinds.Resources {
		if err := p.hold(i, r, others); err != nil {
			return err
		}
	}
	return nil
}

// hold chooses the version in which a resource is written beside the others.
func (p *Peers) hold(i int, r registry.Resource, others []replicas.Replica) error {
	name, want := r.GroupResource().String(), r.StorageVersion(p.kinds.Options[i])
	blind := unableToRead(others, name, want.String())
	if len(blind) == 0 {
		return nil
	}
	version, ok := readByAll(others, name, p.kinds.versions(i))
	if !ok {
		return fmt.Errorf("%s is stored in %s, and these servers of another release, which run on the same database, can't read that: %s; there is no version that all of them "+
			"and this one can read: stop them first", name, want, strings.Join(blind, ", "))
	}
	gv, err := schema.ParseGroupVersion(version)
	if err != nil {
		return err
	}
	p.kinds.Options[i].Written.Set(gv)
	p.held[name] = i
	p.self.Writes[name] = version
	p.log.Info(fmt.Sprintf("%s is written in %s, and in %s once servers of an older release have ended", name, version, want), "servers", strings.Join(blind, ","))
	return nil
}

// CheckReaders returns an error if a server runs on the database that can't read the storage
// version of a resource: nobody may write that then.
func (k *Kinds) CheckReaders(ctx context.Context, db *Database) error {
	running, err := replicas.Register{Store: db.Source(storage.Form{})}.List(ctx, "")
	if err != nil {
		return err
	}
	var errs []error
	for i, r := range k.Resources {
		name, want := r.GroupResource().String(), r.StorageVersion(k.Options[i]).String()
		if blind := unableToRead(running, name, want); len(blind) > 0 {
			errs = append(errs, fmt.Errorf("%s would be written in %s, and these servers can't read that: %s; stop them first, or choose another version with --storage-versions", name, want, strings.Join(blind, ", ")))
		}
	}
	return errors.Join(errs...)
}

// unableToRead are those of the servers that have a resource and can't read a version of it.
func unableToRead(others []replicas.Replica, resource, version string) (blind []string) {
	for _, o := range others {
		if reads, serves := o.Reads[resource]; serves && !slices.Contains(reads, version) {
			blind = append(blind, fmt.Sprintf("%s (%s)", o.URL, o.Release))
		}
	}
	return blind
}

// readByAll is a version that all of the servers can read which have the resource: one that is
// written already, if there is one.
func readByAll(others []replicas.Replica, resource string, has []string) (version string, ok bool) {
	var written []string
	for _, o := range others {
		if v := o.Writes[resource]; v != "" {
			written = append(written, v)
		}
	}
	for _, version := range append(written, has...) {
		if slices.Contains(has, version) && len(unableToRead(others, resource, version)) == 0 {
			return version, true
		}
	}
	return "", false
}

// Run says that this server runs until ctx ends, and writes the storage version of what was held
// back as soon as nobody is left who can't read it.
func (p *Peers) Run(ctx context.Context) {
	if p == nil {
		return
	}
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		recovery.Loop(ctx, p.log, "replicas", func(ctx context.Context) { p.register.Keep(ctx, p.Self) })
	})
	for p.holds() && wait.Sleep(ctx, lookEvery) == nil {
		if err := p.advance(ctx); err != nil && ctx.Err() == nil {
			p.log.Warn("look if servers of an older release still run", "error", err)
		}
	}
}

func (p *Peers) holds() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held) > 0
}

// Self is what this server says of itself.
func (p *Peers) Self() replicas.Replica {
	p.mu.Lock()
	defer p.mu.Unlock()
	self := p.self
	self.Keys, self.Reads, self.Writes, self.Moves = maps.Clone(self.Keys), maps.Clone(self.Reads), maps.Clone(self.Writes), maps.Clone(self.Moves)
	return self
}

// Add says that kinds are in the database, too, from now on. It is not for a time in which
// something is held back for servers of another release.
func (p *Peers) Add(ctx context.Context, in *Kinds) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	more := *p.kinds
	for i, r := range in.Resources {
		name := r.GroupResource().String()
		if _, known := p.self.Reads[name]; known {
			continue
		}
		more.Resources, more.Options = append(slices.Clone(more.Resources), r), append(slices.Clone(more.Options), in.Options[i])
		p.self.Reads[name], p.self.Writes[name] = in.versions(i), in.written(i)
	}
	p.kinds = &more
	p.mu.Unlock()
	return p.register.Enter(ctx, p.Self())
}

// Tell says to whoever moves the objects of a resource how far this server is with that.
func (p *Peers) Tell(ctx context.Context, resource, state string) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	p.self.Moves[resource] = state
	p.mu.Unlock()
	return p.register.Enter(ctx, p.Self())
}

// knows are the kinds in the database.
func (p *Peers) knows() *Kinds {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kinds
}

// WriteOthers are the resources of which a server that runs puts another version into the database
// than the storage version of this one, each with these servers.
func (p *Peers) WriteOthers(ctx context.Context) (map[string][]string, error) {
	if p == nil {
		return nil, nil
	}
	all, err := p.register.List(ctx, "")
	if err != nil {
		return nil, err
	}
	others, kinds := map[string][]string{}, p.knows()
	for i, r := range kinds.Resources {
		name, want := r.GroupResource().String(), r.StorageVersion(kinds.Options[i]).String()
		for _, o := range all {
			if writes := o.Writes[name]; writes != "" && writes != want {
				others[name] = append(others[name], fmt.Sprintf("%s (%s)", o.URL, o.Release))
			}
		}
	}
	return others, nil
}

// advance writes the storage version of the resources that are held back for nobody any more. It
// notes that first, so that from then on no older release starts, and looks again behind that: one
// may have started meanwhile.
func (p *Peers) advance(ctx context.Context) error {
	free, err := p.free(ctx)
	if err != nil || len(free) == 0 {
		return err
	}
	may, kinds := migration.Versions{}, p.knows()
	for name, i := range free {
		may[name] = []string{kinds.Resources[i].StorageVersion(kinds.Options[i]).String()}
	}
	if err := p.db.Record().Add(ctx, may); err != nil {
		return err
	}
	if free, err = p.free(ctx); err != nil || len(free) == 0 {
		return err
	}
	for name, i := range free {
		kinds.Options[i].Written.Set(schema.GroupVersion{})
		p.release(name, may[name][0])
		p.log.Info(fmt.Sprintf("%s is written in %s from now on: no server of an older release runs", name, may[name][0]))
	}
	p.db.Reread()
	return nil
}

// free are the resources that are held back, and for nobody any more.
func (p *Peers) free(ctx context.Context) (map[string]int, error) {
	others, err := p.register.List(ctx, p.self.ID)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	free := map[string]int{}
	for name, i := range p.held {
		want := p.kinds.Resources[i].StorageVersion(p.kinds.Options[i])
		if len(unableToRead(others, name, want.String())) == 0 {
			free[name] = i
		}
	}
	return free, nil
}

func (p *Peers) release(name, version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, name)
	p.self.Writes[name] = version
}

// Compare says to the other servers which keys this one has, and returns those of them that have
// others: the URL and the name of the key.
func (p *Peers) Compare(ctx context.Context, keys map[string]string) (differ []KeyDifference, err error) {
	if p == nil {
		return nil, nil
	}
	p.mu.Lock()
	p.self.Keys = keys
	p.mu.Unlock()
	if err := p.register.Enter(ctx, p.Self()); err != nil {
		return nil, err
	}
	others, err := p.register.List(ctx, p.self.ID)
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			if theirs, known := o.Keys[name]; known && theirs != keys[name] {
				differ = append(differ, KeyDifference{URL: o.URL, Host: o.Host, Key: name})
			}
		}
	}
	return differ, nil
}

// KeyDifference says that another server has another key of a name.
type KeyDifference struct{ URL, Host, Key string }
