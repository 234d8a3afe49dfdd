package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/encryption"
	"github.com/typeplane/typeplane/storage/migration"
)

// The objects of a resource may lie below another prefix than the program's. It may be that of its
// name, where all did before kinds of Kubernetes had a kube-apiserver's prefixes. Or it is that of
// a marker which was changed since. The server moves them before it serves anything. The database
// notes below which prefixes there may be objects; a program that knows of no such notes can't read
// it then, and does not start. A server that runs already reads no notes, so nobody else may write
// while objects move.

// quietBefore is for how long nobody may have written to a shared etcd before objects move. A
// server with loops renews a Lease every two seconds.
const quietBefore = 5 * time.Second

// Relocation moves the objects of a database to where a program looks for them.
type Relocation struct {
	known *Kinds
	db    *Database
	quiet time.Duration
	say   func(line string)
}

// NewRelocation tells through say what it has done.
func NewRelocation(known *Kinds, db *Database, say func(line string)) Relocation {
	return Relocation{known, db, quietBefore, say}
}

// DryRun tells what run would move.
func (r Relocation) DryRun(ctx context.Context) error {
	noted, _, err := r.db.Record().Places(ctx)
	if err != nil {
		return err
	}
	found, err := firstOf(ctx, r.known.moves(noted, r.db))
	if err == nil && found != nil {
		r.say(fmt.Sprintf("objects of %s lie below %s and are not counted: migrate, or the next start of a server, moves them to %s", found.resource, found.From.Prefix, found.To))
	}
	return err
}

// ErrElsewhere ends a server.
var ErrElsewhere = errors.New("objects are written where this server does not look for them")

// Run moves what is not in its place. Another server may do so at the same time. Then it looks
// again at what the other has noted.
func (r Relocation) Run(ctx context.Context) error {
	for {
		noted, seen, err := r.db.Record().Places(ctx)
		if err != nil {
			return err
		}
		moves := r.known.moves(noted, r.db)
		if len(moves) == 0 {
			return nil
		}
		found, err := firstOf(ctx, moves)
		if err != nil {
			return err
		}
		if found == nil {
			return r.settle(ctx, noted)
		}
		if r.db.Backend.Forget == nil {
			return fmt.Errorf("the objects of %s have to be moved from %s to %s: %w", found.resource, found.From.Prefix, found.To, errCantForget)
		}
		writer, err := r.awaitQuiet(ctx)
		if err != nil {
			return err
		}
		if writer == "" {
			return r.move(ctx, noted, moves)
		}
		_, now, err := r.db.Record().Places(ctx)
		if err != nil {
			return err
		}
		if now == seen {
			return fmt.Errorf("the objects of %s have to be moved from %s to %s, and somebody else writes to this database (%s): stop all servers "+
				"of earlier releases, which look for the objects where they are, and then start this one again", found.resource, found.From.Prefix, found.To, writer)
		}
	}
}

// move carries out the moves. The note is written before the first, so that from then on no earlier
// release starts, and a move that was stopped is continued.
func (r Relocation) move(ctx context.Context, noted migration.Places, moves []resourceMove) error {
	if err := r.db.Record().Place(ctx, r.known.places(noted)); err != nil {
		return err
	}
	for _, m := range moves {
		n, err := m.Move(ctx)
		if n > 0 {
			r.say(fmt.Sprintf("%d objects of %s were moved from %s to %s", n, m.resource, m.From.Prefix, m.To))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.resource, err)
		}
	}
	if err := r.db.forget(ctx); err != nil {
		return err
	}
	return r.settle(ctx, nil)
}

// settle notes that everything is in its place. If a move was stopped behind its last object, what
// comes after that is made up for.
func (r Relocation) settle(ctx context.Context, noted migration.Places) error {
	settled := migration.Places{}
	for _, resource := range r.known.Resources {
		name := resource.GroupResource().String()
		if len(noted[name]) > 1 {
			if err := r.db.forget(ctx); err != nil {
				return err
			}
		}
		settled[name] = nil
		if resource.KeyPrefix() != resource.PlainKeyPrefix() {
			settled[name] = []string{resource.KeyPrefix()}
		}
	}
	return r.db.Record().Place(ctx, settled)
}

// awaitQuiet waits for a while, and returns the first key that somebody has written meanwhile. ""
// says that nobody has, or that nobody else can be there.
func (r Relocation) awaitQuiet(ctx context.Context) (writer string, err error) {
	if r.db.exclusive() {
		return "", nil
	}
	source := r.db.Source(storage.Form{})
	now, err := source.Revision(ctx)
	if err != nil {
		return "", err
	}
	w, err := source.Watch(ctx, "/", storage.WatchOptions{After: now})
	if err != nil {
		return "", err
	}
	defer w.Close()
	waiting, cancel := context.WithTimeout(ctx, r.quiet)
	defer cancel()
	for {
		events, err := w.Next(waiting)
		switch {
		case err == nil && len(events) > 0 && events[0].Entry.Key != "":
			return fmt.Sprintf("%s at revision %d", events[0].Entry.Key, events[0].Entry.Revision), nil
		case err != nil && errors.Is(waiting.Err(), context.DeadlineExceeded):
			return "", ctx.Err()
		case err != nil:
			return "", err
		}
	}
}

// Guard waits until somebody writes where only an earlier release keeps objects, and says so: this
// server would not show them. A server of that release, without loops and without clients, gives no
// sign of itself before.
func (r Relocation) Guard(ctx context.Context) error {
	if r.db.exclusive() {
		return nil
	}
	group, watching := errgroup.WithContext(ctx)
	for _, m := range r.known.moves(nil, r.db) {
		group.Go(func() error {
			for watching.Err() == nil {
				var key string
				err := recovery.Call(nil, "guard", m.resource, func() (err error) {
					key, err = m.written(watching)
					return err
				})
				if err == nil {
					return fmt.Errorf("%w: %s is where servers of an earlier release keep %s; stop all of those, and start this one again, which moves the "+
						"objects to %s", ErrElsewhere, key, m.resource, m.To)
				}
				select {
				case <-time.After(time.Second):
				case <-watching.Done():
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// written returns the key of an object that is not in its place, as soon as there is one. Its error
// is that it can't know.
func (m resourceMove) written(ctx context.Context) (key string, err error) {
	now, err := m.Store.Revision(ctx)
	if err != nil {
		return "", err
	}
	if key, err = m.Any(ctx); key != "" || err != nil {
		return key, err
	}
	w, err := m.Store.Watch(ctx, m.From.Prefix, storage.WatchOptions{After: now})
	if err != nil {
		return "", err
	}
	defer w.Close()
	for {
		events, err := w.Next(ctx)
		if err != nil {
			return "", err
		}
		for _, e := range events {
			if e.Type != storage.Deleted && m.Moves(e.Entry.Key) {
				return e.Entry.Key, nil
			}
		}
	}
}

// exclusive says whether no other process can write to the database.
func (d *Database) exclusive() bool { return !d.Backend.Shared }

// forget takes away the history up to now. Who followed objects at keys that they had would miss
// changes at those that they have: so they get a 410, and list.
func (d *Database) forget(ctx context.Context) error {
	if d.Backend.Forget == nil {
		return errCantForget
	}
	return d.Backend.Forget(ctx)
}

// resourceMove is what has to be done for one resource and one place that its objects may be in.
type resourceMove struct {
	migration.Relocation
	resource string
}

// firstOf returns the first move with an object to move, nil if there is none.
func firstOf(ctx context.Context, moves []resourceMove) (*resourceMove, error) {
	for i := range moves {
		key, err := moves[i].Any(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", moves[i].resource, err)
		}
		if key != "" {
			return &moves[i], nil
		}
	}
	return nil, nil
}

// places are the prefixes below which the objects of each resource may be, by what the database
// says. Resources that have always been where they are now are not among them.
func (k *Kinds) places(noted migration.Places) migration.Places {
	places := migration.Places{}
	for _, r := range k.Resources {
		name := r.GroupResource().String()
		all := append(slices.Clone(noted[name]), r.PlainKeyPrefix(), r.KeyPrefix())
		slices.Sort(all)
		if all = slices.Compact(all); len(all) > 1 {
			places[name] = all
		}
	}
	return places
}

// moves are those that may have something to do.
func (k *Kinds) moves(noted migration.Places, db *Database) []resourceMove {
	places := k.places(noted)
	var moves []resourceMove
	for i, r := range k.Resources {
		for _, prefix := range places[r.GroupResource().String()] {
			if prefix == r.KeyPrefix() {
				continue
			}
			form := encryption.Plain(storage.Form{})
			if k.Encryption != nil {
				form = k.Decrypted(r, db.Root)
			}
			m := resourceMove{resource: r.GroupResource().String(), Relocation: migration.Relocation{
				Store: db.Source(form), From: migration.Place{Prefix: prefix, Segments: segments(r)}, To: r.KeyPrefix(), Others: k.placesBut(i),
			}}
			if life := k.Options[i].Lifetime; life > 0 {
				m.With = []storage.Op{storage.Lifetime(life)}
			}
			moves = append(moves, m)
		}
	}
	return moves
}

// placesBut are where the objects of all resources but one are.
func (k *Kinds) placesBut(one int) []migration.Place {
	var others []migration.Place
	for i, r := range k.Resources {
		if i != one {
			others = append(others, migration.Place{Prefix: r.KeyPrefix(), Segments: segments(r)})
		}
	}
	return others
}

// segments is of how many segments the key of an object is, below its prefix.
func segments(r registry.Resource) int {
	if r.Namespaced() {
		return 2
	}
	return 1
}
