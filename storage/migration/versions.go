package migration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/typeplane/typeplane/storage"
)

// versionsKey is where a database says which versions there may be in it. No resource has a name that begins with a dot.
const versionsKey = "/.stored-versions"

// Versions says for each resource in which versions its entries may be stored: in those that some server has ever written, until
// a migration has found that nothing of them is left. The names of both are the caller's.
type Versions map[string][]string

// Record keeps the Versions of a database in it, so that a program which lacks one of them learns so before it serves anything.
// All of its methods may be called from any goroutine, by any number of servers at once.
type Record struct {
	// Store is one without a cache and with the zero Form, at the root of the resources.
	Store storage.Interface
}

// Read returns what the database says; the revision is that of its last change, 0 if it says nothing yet.
func (r Record) Read(ctx context.Context) (Versions, int64, error) {
	entry, err := r.Store.Get(ctx, versionsKey, storage.GetOptions{})
	if storage.CodeOf(err) == storage.CodeNotFound {
		return Versions{}, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the stored versions: %w", err)
	}
	versions, err := parseVersions(entry)
	return versions, entry.Revision, err
}

// Add notes that entries of the resources may be stored in the versions from now on. It writes nothing if that is known.
func (r Record) Add(ctx context.Context, more Versions) error {
	return r.change(ctx, func(v Versions, _ int64) {
		for resource, versions := range more {
			for _, version := range versions {
				if at, known := slices.BinarySearch(v[resource], version); !known {
					v[resource] = slices.Insert(v[resource], at, version)
				}
			}
		}
	})
}

// Settle notes that all entries of the resources are in one version each, as somebody has found who began to look at a revision
// that Read had returned. It changes nothing if the record was changed since: then another server has begun to write.
func (r Record) Settle(ctx context.Context, seen int64, only map[string]string) error {
	return r.change(ctx, func(v Versions, revision int64) {
		if revision != seen {
			return
		}
		for resource, version := range only {
			v[resource] = []string{version}
		}
	})
}

// change writes what edit makes of the record, again when somebody else has written it meanwhile.
func (r Record) change(ctx context.Context, edit func(Versions, int64)) error {
	for {
		err := r.tryChange(ctx, edit)
		if storage.CodeOf(err) == storage.CodeExists {
			continue // somebody was the first
		}
		if err != nil {
			return fmt.Errorf("note the stored versions: %w", err)
		}
		return nil
	}
}

func (r Record) tryChange(ctx context.Context, edit func(Versions, int64)) error {
	_, err := r.Store.GuaranteedUpdate(ctx, versionsKey, func(current storage.Entry) ([]byte, []storage.Op, error) {
		versions, err := parseVersions(current)
		if err != nil {
			return nil, nil, err
		}
		edit(versions, current.Revision)
		value, err := json.Marshal(versions)
		if bytes.Equal(value, current.Value) {
			value = current.Value
		}
		return value, nil, err
	})
	if storage.CodeOf(err) != storage.CodeNotFound {
		return err
	}
	versions := Versions{}
	edit(versions, 0)
	if len(versions) == 0 {
		return nil
	}
	value, err := json.Marshal(versions)
	if err != nil {
		return err
	}
	_, err = r.Store.Create(ctx, versionsKey, value)
	return err
}

func parseVersions(entry storage.Entry) (Versions, error) {
	v := Versions{}
	if err := json.Unmarshal(entry.Value, &v); err != nil {
		return nil, fmt.Errorf("the stored versions at %s can't be read: %w", versionsKey, err)
	}
	for _, versions := range v {
		slices.Sort(versions)
	}
	return v, nil
}

// Found collects the versions of the entries below prefix, as version sees them, "" for what is not known.
func Found(ctx context.Context, store storage.Interface, prefix string, version func(storage.Entry) string) ([]string, error) {
	found := map[string]bool{}
	err := eachPage(ctx, store, prefix, func(page []storage.Entry) error {
		for _, e := range page {
			if v := version(e); v != "" {
				found[v] = true
			}
		}
		return nil
	})
	return slices.Sorted(maps.Keys(found)), err
}
