package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/replicas"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/migration"
)

// Rehoming moves the objects of one resource to another etcd, while servers serve them. What has
// been done is noted in the main database before each step, so that one which was stopped goes on.
//
//  1. The note says that the objects are being moved. Servers open the other etcd, and say so.
//  2. The objects are copied as they lie there, encrypted ones too: they are bound to their keys,
//     which stay. What changes meanwhile is copied again. Before each round the other etcd is
//     brought to the revision of the first. So no client gets to see a resourceVersion that goes
//     back.
//  3. The barrier goes up in the first etcd (etcd3.Barrier). From then on nobody reads or writes
//     the objects there, in a server that has slept neither. What has changed since is copied, and
//     both are compared.
//  4. The history of the other etcd is taken away, so that watches which began in the first get
//  410. The note says where the objects are, and servers go there.
//  5. The objects are deleted in the first. The barrier stays.
//
// Until 4 it can be undone by a move to where the objects were.
type Rehoming struct {
	Main     *Database
	Options  *program.StoreOptions
	Resource registry.Resource
	// To are the servers of the other etcd, none for the main database.
	To []string
	// Say is told of what is done, Progress of objects that are.
	Say      func(string)
	Progress func(done, total int64)

	raised bool // Say was told of that
}

// besideMain are options of an etcd that is not the main one: certificates are for those with TLS.
func besideMain(o *program.StoreOptions) *program.StoreOptions {
	beside := *o
	beside.EtcdOverrides = append(slices.Clone(o.EtcdOverrides), "")
	return &beside
}

// rewriters is how many writes are on their way at once.
const rewriters = 32

// maxRaise is how many writes of its own bring an etcd to the revision of another, at most.
const maxRaise = 2_000_000

// Run moves the objects, or goes on with a move to the same place.
func (r *Rehoming) Run(ctx context.Context) error {
	name := r.Resource.GroupResource().String()
	homes, err := r.Main.Record().Homes(ctx)
	if err != nil {
		return err
	}
	noted := homes[name]
	if noted.Leaving != nil {
		if err := r.leave(ctx, noted); err != nil {
			return err
		}
		noted.Leaving = nil
	}
	now := migration.Home{Servers: noted.Servers, ID: noted.ID}
	from, err := r.open(ctx, now)
	if err != nil {
		return err
	}
	defer r.close(from)
	to, err := r.open(ctx, migration.Home{Servers: r.To})
	if err != nil {
		return err
	}
	defer r.close(to)
	target, err := r.homeOf(ctx, to)
	if err != nil {
		return err
	}
	switch same, err := sameDatabase(ctx, from, to); {
	case err != nil:
		return err
	case same && noted.Moving != nil:
		return r.undo(ctx, noted)
	case same:
		r.Say(fmt.Sprintf("the objects of %s are in %s", name, homeName(now)))
		return nil
	case noted.Moving != nil && noted.Moving.ID != target.ID:
		return fmt.Errorf("a move of the objects of %s to %s has begun: go on with it (--to %s) or undo it (--to %s)", name, homeName(*noted.Moving), homeFlag(*noted.Moving), homeFlag(now))
	}
	if noted.Undone {
		return fmt.Errorf("the move of the objects of %s to %s is being undone: run it with --to %s", name, homeName(*noted.Moving), homeFlag(now))
	}
	if err := r.able(ctx, from, to); err != nil {
		return err
	}
	if noted.Moving == nil {
		if err := r.empty(ctx, to, target); err != nil {
			return err
		}
	}
	if err := r.check(ctx, from, to); err != nil {
		return err
	}
	moving := now
	moving.Moving, moving.Run = &target, uuid.NewString()
	if err := r.Main.Record().House(ctx, name, noted, moving); err != nil {
		return err
	}
	r.Say(fmt.Sprintf("the objects of %s are being moved from %s to %s", name, homeName(now), homeName(target)))
	c := &copying{Rehoming: r, from: from, to: to, home: target, known: map[string]copied{}}
	moved := target
	moved.Leaving = &now
	if err := c.run(ctx, func() error { return r.Main.Record().House(ctx, name, moving, moved) }); err != nil {
		return fmt.Errorf("%w; run it again to go on, or with --to %s to undo it", err, homeFlag(now))
	}
	if err := r.awaitServers(ctx, saysThere+target.ID); err != nil {
		return err
	}
	return r.leave(ctx, moved)
}

// open connects to the database of a home; the main one is open.
func (r *Rehoming) open(ctx context.Context, home migration.Home) (*Database, error) {
	if len(home.Servers) == 0 {
		return r.Main, nil
	}
	d, err := attachCluster(ctx, etcdPlace{"the etcd " + homeName(home), home.Servers}, besideMain(r.Options), r.Main.log)
	if err != nil || home.ID == "" {
		return d, err
	}
	if id, err := d.identity(ctx); err != nil || id != home.ID {
		return nil, errors.Join(fmt.Errorf("%s is another etcd than the one that has the objects", homeName(home)), err, d.Close())
	}
	return d, nil
}

func (r *Rehoming) close(d *Database) {
	if d != r.Main {
		_ = d.Close() // nothing is on its way
	}
}

// homeOf is the home of a database, the zero one of the main database.
func (r *Rehoming) homeOf(ctx context.Context, d *Database) (migration.Home, error) {
	if d == r.Main {
		return migration.Home{}, nil
	}
	return homeOf(ctx, d)
}

func sameDatabase(ctx context.Context, a, b *Database) (bool, error) {
	if a == b {
		return true, nil
	}
	one, err := a.identity(ctx)
	if err != nil {
		return false, err
	}
	other, err := b.identity(ctx)
	return one == other, err
}

// able refuses to move beside servers that do not follow.
func (r *Rehoming) able(ctx context.Context, from, to *Database) error {
	ours, err := replicas.Register{Store: r.Main.Source(storage.Form{})}.List(ctx, "")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, one := range ours {
		known[one.Host+one.URL] = true
		if !one.Follows {
			return fmt.Errorf("the server at %s, on %s, does not go along when objects move, since it is of an older release or runs without --watch-cache: stop it first (one that was killed counts for 16 seconds more)", one.URL, one.Host)
		}
	}
	for _, d := range []*Database{from, to} {
		running, err := replicas.Register{Store: d.Source(storage.Form{})}.List(ctx, "")
		if err != nil {
			return err
		}
		for _, one := range running {
			if !known[one.Host+one.URL] {
				return fmt.Errorf("the server at %s, on %s, runs on %s, and not on the main database: it is of another cluster, or has just been stopped (one that was killed counts for 16 seconds more)", one.URL, one.Host, homeName(migration.Home{Servers: d.servers}))
			}
		}
	}
	if len(ours) > 0 {
		return nil
	}
	writer, err := Relocation{db: from, quiet: quietBefore}.awaitQuiet(ctx)
	if err == nil && writer != "" {
		err = fmt.Errorf("somebody writes to %s (%s) who is no server of this release: stop that first", homeName(migration.Home{Servers: from.servers}), writer)
	}
	return err
}

// awaitServers waits until every server that runs says a thing of the resource. One that can't
// follow is an error.
func (r *Rehoming) awaitServers(ctx context.Context, say string) error {
	name, register := r.Resource.GroupResource().String(), replicas.Register{Store: r.Main.Source(storage.Form{})}
	for begin := time.Now(); ; {
		all, err := register.List(ctx, "")
		if err != nil {
			return err
		}
		var late []string
		for _, one := range all {
			said := one.Moves[name]
			if why, cannot := strings.CutPrefix(said, saysCannot); cannot {
				return fmt.Errorf("the server at %s, on %s, can't follow: %s", one.URL, one.Host, why)
			}
			if said != say {
				late = append(late, one.URL)
			}
		}
		if len(late) == 0 {
			return nil
		}
		if time.Since(begin) > serversWithin {
			return fmt.Errorf("the servers at %s do not answer within %v: stop them, and run it again", strings.Join(late, ", "), serversWithin)
		}
		if err := wait.Sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}

// serversWithin is how long servers may take to open an etcd. One that was killed is out of the
// register before that.
const serversWithin = 30 * time.Second

// empty refuses an etcd that has objects of the resource already.
func (r *Rehoming) empty(ctx context.Context, to *Database, target migration.Home) error {
	n, err := to.Source(storage.Form{}).Count(ctx, r.Resource.KeyPrefix())
	if err == nil && n > 0 {
		err = fmt.Errorf("there are %d objects of %s in %s already: delete them, or choose another etcd", n, r.Resource.GroupResource(), homeName(target))
	}
	return err
}

// check refuses what can't be moved, before anything is noted.
func (r *Rehoming) check(ctx context.Context, from, to *Database) error {
	if to.Backend.Forget == nil {
		return errCantForget
	}
	have, want, err := revisions(ctx, from, to)
	if err == nil && want-have > maxRaise {
		err = fmt.Errorf("the revision of %s is %d and that of %s %d: resourceVersions would go back, and %d writes to catch up are too many; make the former anew, of a snapshot of itself, "+
			"with `etcdutl snapshot restore --bump-revision %d --mark-compacted`", homeName(migration.Home{Servers: to.servers}), have, homeName(migration.Home{Servers: from.servers}), want, want-have, want)
	}
	return err
}

// revisions are that of the database that is moved to, and the one that it has to have.
func revisions(ctx context.Context, from, to *Database) (have, want int64, err error) {
	if want, err = from.Source(storage.Form{}).Revision(ctx); err != nil {
		return 0, 0, err
	}
	have, err = to.Source(storage.Form{}).Revision(ctx)
	return have, want, err
}

// raiseKey is what is written to bring an etcd to a revision.
const raiseKey = "/.raise"

// raise brings a database to the revision of another, and returns which it has reached.
func (r *Rehoming) raise(ctx context.Context, from, to *Database) (reached int64, err error) {
	have, want, err := revisions(ctx, from, to)
	if err != nil || have >= want {
		return have, err
	}
	if !r.raised {
		r.raised = true
		r.Say(fmt.Sprintf("%s is brought from revision %d to %d, and on from there", homeName(migration.Home{Servers: to.servers}), have, want))
	}
	var left atomic.Int64
	left.Store(want - have)
	group, writing := errgroup.WithContext(ctx)
	for range rewriters {
		group.Go(func() error {
			for left.Add(-1) >= 0 {
				if _, err := to.Client.Put(writing, to.Root+raiseKey, ""); err != nil {
					return fmt.Errorf("raise the revision: %w", err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	_, err = to.Source(storage.Form{}).Delete(ctx, raiseKey, nil)
	return want, err
}

// leave deletes what is left in the database that the objects were in, and notes that it is done.
func (r *Rehoming) leave(ctx context.Context, note migration.Home) error {
	name := r.Resource.GroupResource().String()
	if err := r.clear(ctx, *note.Leaving); err != nil {
		return fmt.Errorf("the objects of %s have been moved, but not all are deleted where they were: %w; run it again", name, err)
	}
	was := note
	note.Leaving = nil
	if err := r.Main.Record().House(ctx, name, was, note); err != nil {
		return err
	}
	r.Say(fmt.Sprintf("the objects of %s are in %s", name, homeName(note)))
	return nil
}

// undo deletes what has been copied, and notes that the objects are where they were.
func (r *Rehoming) undo(ctx context.Context, note migration.Home) error {
	name := r.Resource.GroupResource().String()
	was := note
	note.Undone = true
	if err := r.Main.Record().House(ctx, name, was, note); err != nil {
		return err
	}
	d, err := r.open(ctx, migration.Home{Servers: note.Servers, ID: note.ID})
	if err != nil {
		return err
	}
	defer r.close(d)
	to, err := r.open(ctx, *note.Moving)
	if err != nil {
		return err
	}
	defer r.close(to)
	// It may have been taken away for the end of the move.
	if err := bar(ctx, to, r.Resource.KeyPrefix()); err != nil {
		return err
	}
	if err := lift(ctx, d, r.Resource.KeyPrefix()); err != nil {
		return err
	}
	if err := r.clear(ctx, *note.Moving); err != nil {
		return fmt.Errorf("delete what was copied: %w; run it again", err)
	}
	was = note
	note.Moving, note.Run, note.Undone = nil, "", false
	if err := r.Main.Record().House(ctx, name, was, note); err != nil {
		return err
	}
	r.Say(fmt.Sprintf("the objects of %s are in %s, as before", name, homeName(note)))
	return nil
}

// clear deletes the objects of the resource in a database.
func (r *Rehoming) clear(ctx context.Context, home migration.Home) error {
	d, err := r.open(ctx, home)
	if err != nil {
		return err
	}
	defer r.close(d)
	there, err := revisionsBelow(ctx, d, r.Resource.KeyPrefix())
	if err != nil {
		return err
	}
	source, group := d.Source(storage.Form{}), new(errgroup.Group)
	group.SetLimit(rewriters)
	for key := range there {
		group.Go(func() error {
			_, err := source.Delete(ctx, key, nil)
			if storage.CodeOf(err) == storage.CodeNotFound {
				return nil
			}
			return err
		})
	}
	return group.Wait()
}
