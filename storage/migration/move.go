package migration

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
)

// A Place is where the entries of a resource lie: so many segments below a prefix. What has fewer
// or more segments there is somebody else's.
type Place struct {
	Prefix   string
	Segments int
}

// Has says whether a key is that of an entry of the place.
func (p Place) Has(key string) bool {
	below, ok := strings.CutPrefix(key, p.Prefix)
	return ok && below != "" && strings.Count(below, "/") == p.Segments-1
}

// Relocation says which entries get other keys.
type Relocation struct {
	// Store is one without a cache. Its Form may depend on the key, as that of encrypted values
	// does.
	Store storage.Interface
	// From is the place that they leave, To the prefix that they get instead.
	From Place
	To   string
	// Others are places of other resources; what is theirs stays.
	Others []Place
	// With goes with each write: the lifetime of entries that have one.
	With []storage.Op
}

// Any returns the key of an entry that Move would move, "" if there is none.
func (m Relocation) Any(ctx context.Context) (key string, err error) {
	err = eachPage(ctx, m.Store, m.From.Prefix, func(page []*storage.Entry) error {
		for _, e := range page {
			if m.Moves(e.Key) {
				key = e.Key
				return errFound
			}
		}
		return nil
	})
	if err == errFound {
		err = nil
	}
	return key, err
}

var errFound = errors.New("found")

// Move gives the entries their new keys, and returns how many. Each moves in one transaction: it is
// at the one key or at the other, and a Move that was stopped goes on when it is called again. A
// watcher of the old prefix sees deletions, one of the new prefix new entries, at revisions of
// their own. So nobody may follow either meanwhile, nor go on from an older revision after it.
//
// It fails for an entry that can't be read, since a value may depend on its key, and where there is
// an entry at the new key already.
func (m Relocation) Move(ctx context.Context) (moved int64, err error) {
	var done atomic.Int64
	err = eachPage(ctx, m.Store, m.From.Prefix, func(page []*storage.Entry) error {
		group, working := errgroup.WithContext(ctx)
		group.SetLimit(parallel)
		for _, e := range page {
			if !m.Moves(e.Key) {
				continue
			}
			group.Go(func() error {
				err := recovery.Call(nil, "storage migration", e.Key, func() error { return m.one(working, *e) })
				if err == nil {
					done.Add(1)
				}
				return err
			})
		}
		return group.Wait()
	})
	return done.Load(), err
}

// Moves says whether Move would give the entry at key another one.
func (m Relocation) Moves(key string) bool {
	for _, other := range m.Others {
		if other.Has(key) {
			return false
		}
	}
	return m.From.Has(key)
}

// one moves an entry, as it is then.
func (m Relocation) one(ctx context.Context, e storage.Entry) error {
	to := m.To + strings.TrimPrefix(e.Key, m.From.Prefix)
	for {
		if e.Err != nil {
			return fmt.Errorf("move %s to %s: %w", e.Key, to, e.Err)
		}
		with := append([]storage.Op{{Key: e.Key, Expected: e.Revision, Act: storage.Remove}}, m.With...)
		_, refused := m.Store.Create(ctx, to, e.Value, with...)
		if refused == nil {
			return nil
		}
		// Whatever the reason, it is done if the entry is not there any more, and tried again if it
		// has changed meanwhile.
		now, err := m.Store.Get(ctx, e.Key, storage.GetOptions{})
		switch {
		case storage.CodeOf(err) == storage.CodeNotFound:
			return nil
		case storage.CodeOf(refused) == storage.CodeExists:
			return fmt.Errorf("move %s to %s: there is an entry at both keys; look at them with inspect, and delete the one that is not wanted: %w", e.Key, to, refused)
		case err != nil || now.Revision == e.Revision:
			return fmt.Errorf("move %s to %s: %w", e.Key, to, refused)
		}
		e = now
	}
}
