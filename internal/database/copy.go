package database

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/migration"
)

// copying is the part of a move in which two etcds become the same.
type copying struct {
	*Rehoming
	from, to *Database
	home     migration.Home
	turn     storage.Op // in every transaction of this run

	mu    sync.Mutex // guards known
	known map[string]copied
}

// copied says that an entry was copied: as it was at a revision of the one etcd, at a revision of
// the other. One with a lease may end in either by itself.
type copied struct {
	from, to int64
	ends     bool
}

// fewChanges is how many changes a round may find so that the next is made behind the barrier, and
// mostRounds how many there are before that, at most.
const (
	fewChanges = 200
	mostRounds = 20
)

// run copies until few changes are left, puts up the barrier, copies these, and calls moved, which
// notes that the objects are in the other etcd.
func (c *copying) run(ctx context.Context, moved func() error) error {
	if err := c.copyNotes(ctx); err != nil {
		return err
	}
	var err error
	if c.turn, err = c.takeTurn(ctx); err != nil {
		return err
	}
	if err := c.clean(ctx); err != nil {
		return err
	}
	for range mostRounds {
		changes, err := c.round(ctx)
		if err != nil {
			return err
		}
		if changes <= fewChanges {
			break
		}
	}
	c.Say(fmt.Sprintf("%d objects were copied, and what changes is copied again", len(c.known)))
	if err := c.awaitServers(ctx, saysReady+c.home.ID); err != nil {
		return err
	}
	c.Say("the servers are ready")
	if _, err := c.round(ctx); err != nil { // what has come while the servers got ready
		return err
	}
	begin := time.Now()
	if err := bar(ctx, c.from, c.Resource.KeyPrefix()); err != nil {
		return err
	}
	c.Say("nobody reads or writes them at the moment")
	if _, err := c.round(ctx); err != nil {
		return err
	}
	if err := c.compare(ctx); err != nil {
		return err
	}
	c.Say("both etcds have the same")
	if err := lift(ctx, c.to, c.Resource.KeyPrefix()); err != nil {
		return err
	}
	if err := c.to.forget(ctx); err != nil {
		return err
	}
	if err := moved(); err != nil {
		return err
	}
	c.Say(fmt.Sprintf("%d objects of %s were moved; nobody could read or write them for %v, and until servers have read them", len(c.known), c.Resource.GroupResource(), time.Since(begin).Round(time.Millisecond)))
	_, err = c.to.Source(storage.Form{}).Delete(ctx, c.turn.Key, nil)
	return err
}

// copyNotes copies what the database says of the resource.
func (c *copying) copyNotes(ctx context.Context) error {
	name := c.Resource.GroupResource().String()
	versions, _, err := c.from.Record().Read(ctx)
	if err != nil {
		return err
	}
	if err := c.to.Record().Add(ctx, migration.Versions{name: versions[name]}); err != nil {
		return err
	}
	places, _, err := c.from.Record().Places(ctx)
	if err != nil {
		return err
	}
	if len(places[name]) > 1 {
		return fmt.Errorf("objects of %s may lie below an earlier key prefix: run `migrate` without --resource first", name)
	}
	return c.to.Record().Place(ctx, migration.Places{name: places[name]})
}

// takeTurn returns the operation that is in every transaction of this run. The next run takes the
// turn away, and the end does. So a run that has slept overwrites nothing of those who came later.
func (c *copying) takeTurn(ctx context.Context) (storage.Op, error) {
	key, id := "/.turns"+c.Resource.KeyPrefix()+"move", []byte(uuid.NewString())
	source := c.to.Source(storage.Form{})
	e, err := source.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
		_, _, err := bookkeeping.Decode(key, current.Value, bookkeeping.First.Number)
		return id, nil, err
	})
	if storage.CodeOf(err) == storage.CodeNotFound {
		e, err = source.Create(ctx, key, id)
	}
	return storage.Op{Key: key, Expected: e.Revision, Act: storage.Expect}, err
}

// clean deletes what an earlier run has copied: it is not known of which revision it is.
func (c *copying) clean(ctx context.Context) error {
	there, err := revisionsBelow(ctx, c.to, c.Resource.KeyPrefix())
	if err != nil {
		return err
	}
	group := new(errgroup.Group)
	group.SetLimit(rewriters)
	for key := range there {
		group.Go(func() error { return c.remove(ctx, key) })
	}
	return group.Wait()
}

// revisionsBelow are the keys below a prefix, each with its revision.
func revisionsBelow(ctx context.Context, d *Database, prefix string) (map[string]int64, error) {
	all, source := map[string]int64{}, etcd3.New(d.Client, etcd3.Config{Root: d.Root})
	err := source.EachRevision(ctx, prefix, 0, func(key string, modified int64) { all[key] = modified })
	return all, err
}

// round copies what has changed since it was copied, and returns how much that is.
func (c *copying) round(ctx context.Context) (changes int, err error) {
	reached, err := c.raise(ctx, c.from, c.to)
	if err != nil {
		return 0, err
	}
	now, err := revisionsBelow(ctx, c.from, c.Resource.KeyPrefix())
	if err != nil {
		return 0, err
	}
	var work []func() error
	for key := range c.known {
		if _, there := now[key]; !there {
			work = append(work, func() error { return c.gone(ctx, key) })
		}
	}
	for key, revision := range now {
		if c.known[key].from != revision {
			work = append(work, func() error { return c.copy(ctx, key, reached) })
		}
	}
	group := new(errgroup.Group)
	group.SetLimit(rewriters)
	for _, do := range work {
		group.Go(do)
	}
	err = group.Wait()
	c.Progress(int64(len(c.known)), int64(max(len(c.known), len(now))))
	return len(work), err
}

// gone deletes the copy of what has been deleted.
func (c *copying) gone(ctx context.Context, key string) error {
	if err := c.remove(ctx, key); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, key)
	return nil
}

func (c *copying) remove(ctx context.Context, key string) error {
	again := false
	_, err := c.to.Source(storage.Form{}).Delete(ctx, key, func(storage.Entry) ([]storage.Op, error) {
		if again {
			return nil, errTurn
		}
		again = true
		return []storage.Op{c.turn}, nil
	})
	if storage.CodeOf(err) == storage.CodeNotFound {
		return nil
	}
	return err
}

// copy copies what is at a key, unless that is of a revision which the other etcd has not reached:
// then it is for the next round.
func (c *copying) copy(ctx context.Context, key string, reached int64) error {
	e, err := c.from.Source(storage.Form{}).Get(ctx, key, storage.GetOptions{})
	if storage.CodeOf(err) == storage.CodeNotFound {
		return nil // the next round deletes it
	}
	if err != nil || e.Revision > reached {
		return err
	}
	with := []storage.Op{c.turn}
	if e.Lease != 0 {
		life, err := etcd3.Remaining(ctx, c.from.Client, e.Lease)
		if err != nil {
			return err
		}
		if life <= 0 {
			return nil // it ends at this moment
		}
		with = append(with, storage.Lifetime(life))
	}
	made, err := c.put(ctx, e, with)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[key] = copied{from: e.Revision, to: made.Revision, ends: e.Lease != 0}
	return nil
}

// put writes an entry that may have been there in an earlier round.
func (c *copying) put(ctx context.Context, e storage.Entry, with []storage.Op) (made storage.Entry, err error) {
	source := c.to.Source(storage.Form{})
	made, err = source.Create(ctx, e.Key, e.Value, with...)
	if storage.CodeOf(err) == storage.CodeExists {
		again := false
		made, err = source.GuaranteedUpdate(ctx, e.Key, func(storage.Entry) ([]byte, []storage.Op, error) {
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
	return made, err
}

var errTurn = errors.New("another run of the same move has begun: let one of them go on")

// compare makes sure that both etcds have what was copied and nothing else: every key, as it was
// read in the one and as it was written in the other.
func (c *copying) compare(ctx context.Context) error {
	for _, side := range []struct {
		in *Database
		at func(copied) int64
	}{{c.from, func(k copied) int64 { return k.from }}, {c.to, func(k copied) int64 { return k.to }}} {
		there, err := revisionsBelow(ctx, side.in, c.Resource.KeyPrefix())
		if err != nil {
			return err
		}
		for key, k := range c.known {
			if revision, is := there[key]; revision != side.at(k) && (is || !k.ends) {
				return fmt.Errorf("%s has changed in %s: somebody else writes there", key, homeName(migration.Home{Servers: side.in.servers}))
			}
			delete(there, key)
		}
		for key := range there {
			return fmt.Errorf("%s has come in %s: somebody else writes there", key, homeName(migration.Home{Servers: side.in.servers}))
		}
	}
	return nil
}

// bar puts up the barrier of a prefix, if it is not there.
func bar(ctx context.Context, d *Database, prefix string) error {
	_, err := d.Source(storage.Form{}).Create(ctx, etcd3.Barrier(prefix), []byte("moved"))
	if storage.CodeOf(err) == storage.CodeExists {
		return nil
	}
	return err
}

// lift takes it away.
func lift(ctx context.Context, d *Database, prefix string) error {
	_, err := d.Source(storage.Form{}).Delete(ctx, etcd3.Barrier(prefix), nil)
	if storage.CodeOf(err) == storage.CodeNotFound {
		return nil
	}
	return err
}
