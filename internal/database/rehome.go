package database

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/replicas"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/migration"
)

// Rehoming moves the objects of one resource to another etcd, while no server runs. What has been
// done is noted in the main database before each step, so that one which was stopped goes on.
//
//  1. The note says that the objects are being moved. No server that serves them starts any more.
//  2. The other etcd is brought to a revision that is not below that of the first. So no client
//     gets to see a resourceVersion that goes back.
//  3. The objects are copied as they lie there, encrypted ones too: they are bound to their keys,
//     which stay. History is taken away, so that watches which began in the first etcd get a 410.
//  4. The note says that they are in the other etcd, and may be left in the first.
//  5. They are deleted in the first.
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
	if err := r.alone(ctx, from, to); err != nil {
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
	moving.Moving = &target
	if err := r.Main.Record().House(ctx, name, noted, moving); err != nil {
		return err
	}
	if err := r.copyAll(ctx, from, to); err != nil {
		return fmt.Errorf("%w; run it again to go on, or with --to %s to undo it", err, homeFlag(now))
	}
	moved := target
	moved.Leaving = &now
	if err := r.Main.Record().House(ctx, name, moving, moved); err != nil {
		return err
	}
	return r.leave(ctx, moved)
}

// open connects to the database of a home; the main one is open.
func (r *Rehoming) open(ctx context.Context, home migration.Home) (*Database, error) {
	if len(home.Servers) == 0 {
		return r.Main, nil
	}
	o := *r.Options
	o.EtcdOverrides = append(o.EtcdOverrides, strings.Join(home.Servers, ";")) // certificates are for those with TLS
	d, err := attachCluster(ctx, etcdPlace{"the etcd " + homeName(home), home.Servers}, &o, r.Main.log)
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

// alone refuses to move while servers run.
func (r *Rehoming) alone(ctx context.Context, from, to *Database) error {
	for _, d := range []*Database{r.Main, from, to} {
		running, err := replicas.Register{Store: d.Source(storage.Form{})}.List(ctx, "")
		if err != nil {
			return err
		}
		if len(running) > 0 {
			return fmt.Errorf("the server at %s, on %s, runs: stop all servers first, and start them with the new --etcd-servers-overrides after the move (one that was killed counts for 16 seconds more)", running[0].URL, running[0].Host)
		}
	}
	writer, err := Relocation{db: from, quiet: quietBefore}.awaitQuiet(ctx)
	if err == nil && writer != "" {
		err = fmt.Errorf("somebody writes to %s (%s): stop all servers first", homeName(migration.Home{Servers: from.servers}), writer)
	}
	return err
}

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

// raise brings a database to the revision of another.
func (r *Rehoming) raise(ctx context.Context, from, to *Database) error {
	have, want, err := revisions(ctx, from, to)
	if err != nil || have >= want {
		return err
	}
	r.Say(fmt.Sprintf("%s is brought from revision %d to %d", homeName(migration.Home{Servers: to.servers}), have, want))
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
		return err
	}
	_, err = to.Source(storage.Form{}).Delete(ctx, raiseKey, nil)
	return err
}

// copyAll copies the objects and the notes about them.
func (r *Rehoming) copyAll(ctx context.Context, from, to *Database) error {
	if err := r.raise(ctx, from, to); err != nil {
		return err
	}
	name := r.Resource.GroupResource().String()
	versions, _, err := from.Record().Read(ctx)
	if err != nil {
		return err
	}
	if err := to.Record().Add(ctx, migration.Versions{name: versions[name]}); err != nil {
		return err
	}
	places, _, err := from.Record().Places(ctx)
	if err != nil {
		return err
	}
	if len(places[name]) > 1 {
		return fmt.Errorf("objects of %s may lie below an earlier key prefix: run `migrate` without --resource first", name)
	}
	if err := to.Record().Place(ctx, migration.Places{name: places[name]}); err != nil {
		return err
	}
	turn, err := r.takeTurn(ctx, to)
	if err != nil {
		return err
	}
	source, copied := to.Source(storage.Form{}), int64(0)
	err = r.each(ctx, from, func(e *storage.Entry) error {
		with := []storage.Op{turn}
		if e.Lease != 0 {
			life, err := etcd3.Remaining(ctx, from.Client, e.Lease)
			if err != nil {
				return err
			}
			if life <= 0 {
				return nil // it ends at this moment
			}
			with = append(with, storage.Lifetime(life))
		}
		return r.copyOne(ctx, source, e, with)
	}, &copied)
	if err != nil {
		return err
	}
	if err := r.compare(ctx, from, to); err != nil {
		return err
	}
	if _, err := source.Delete(ctx, turn.Key, nil); err != nil {
		return err
	}
	r.Say(fmt.Sprintf("%d objects of %s were copied", copied, name))
	return to.forget(ctx)
}

// takeTurn returns the operation that is in every transaction of this run. The next run takes the
// turn away, and the end does. So a run that has slept overwrites nothing of those who came later.
func (r *Rehoming) takeTurn(ctx context.Context, to *Database) (storage.Op, error) {
	key, id := "/.turns"+r.Resource.KeyPrefix()+"move", []byte(uuid.NewString())
	source := to.Source(storage.Form{})
	e, err := source.GuaranteedUpdate(ctx, key, func(storage.Entry) ([]byte, []storage.Op, error) { return id, nil, nil })
	if storage.CodeOf(err) == storage.CodeNotFound {
		e, err = source.Create(ctx, key, id)
	}
	return storage.Op{Key: key, Expected: e.Revision, Act: storage.Expect}, err
}

// copyOne copies an entry that may be there from an earlier run.
func (r *Rehoming) copyOne(ctx context.Context, to storage.Interface, e *storage.Entry, with []storage.Op) error {
	_, err := to.Create(ctx, e.Key, e.Value, with...)
	if storage.CodeOf(err) == storage.CodeExists {
		again := false
		_, err = to.GuaranteedUpdate(ctx, e.Key, func(storage.Entry) ([]byte, []storage.Op, error) {
			if again {
				return nil, nil, errTurn // nobody but another run writes here
			}
			again = true
			return e.Value, with, nil
		})
	}
	if storage.CodeOf(err) == storage.CodeConflict {
		err = errTurn
	}
	return err
}

var errTurn = errors.New("another run of the same move has begun: let one of them go on")

// each calls do for every object, several at once. Objects of which one is done are counted.
func (r *Rehoming) each(ctx context.Context, in *Database, do func(*storage.Entry) error, done *int64) error {
	source, prefix := in.Source(storage.Form{}), r.Resource.KeyPrefix()
	total, err := source.Count(ctx, prefix)
	if err != nil {
		return err
	}
	for start := ""; ; {
		page, err := source.List(ctx, prefix, storage.ListOptions{Start: start, Limit: 500})
		if err != nil {
			return err
		}
		group := new(errgroup.Group)
		group.SetLimit(rewriters)
		for _, e := range page.Entries {
			group.Go(func() error { return do(e) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		*done += int64(len(page.Entries))
		r.Progress(*done, max(total, *done))
		if page.Remaining == 0 || len(page.Entries) == 0 {
			return nil
		}
		start = page.Entries[len(page.Entries)-1].Key + "\x00"
	}
}

// compare makes sure that everything is there, byte for byte, and nothing else. What ends by itself
// may have done so meanwhile.
func (r *Rehoming) compare(ctx context.Context, from, to *Database) error {
	there, checked := to.Source(storage.Form{}), int64(0)
	err := r.each(ctx, from, func(e *storage.Entry) error {
		copied, err := there.Get(ctx, e.Key, storage.GetOptions{})
		if storage.CodeOf(err) == storage.CodeNotFound && e.Lease != 0 {
			return nil
		}
		if err == nil && string(copied.Value) != string(e.Value) {
			err = fmt.Errorf("the copy of %s differs: somebody else writes to one of the etcds", e.Key)
		}
		return err
	}, &checked)
	if err != nil {
		return err
	}
	n, err := there.Count(ctx, r.Resource.KeyPrefix())
	if err != nil || n <= checked {
		return err
	}
	original, more := from.Source(storage.Form{}), int64(0)
	return r.each(ctx, to, func(e *storage.Entry) error {
		_, err := original.Get(ctx, e.Key, storage.GetOptions{})
		if storage.CodeOf(err) == storage.CodeNotFound && e.Lease == 0 {
			return fmt.Errorf("%s is in the copy and not in the original: somebody else writes to one of the etcds", e.Key)
		}
		return nil
	}, &more)
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
	if err := r.clear(ctx, *note.Moving); err != nil {
		return fmt.Errorf("delete what was copied: %w; run it again", err)
	}
	was := note
	note.Moving = nil
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
	source, deleted := d.Source(storage.Form{}), int64(0)
	return r.each(ctx, d, func(e *storage.Entry) error {
		_, err := source.Delete(ctx, e.Key, func(now storage.Entry) ([]storage.Op, error) {
			if now.Revision != e.Revision {
				return nil, fmt.Errorf("%s was written meanwhile", e.Key)
			}
			return nil, nil
		})
		if storage.CodeOf(err) == storage.CodeNotFound {
			return nil
		}
		return err
	}, &deleted)
}
