package migration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/storage"
)

// versionsKey is the key of the record. No resource has a name that begins with a dot.
const versionsKey = "/.stored-versions"

// recordFormat is the format of a new record. A record of bookkeeping.First keeps its format,
// because servers of earlier builds may run on the same database, or be started on it again.
var recordFormat = bookkeeping.Format{Number: 2, Release: "v0.1.0"}

// Versions says for each resource in which versions its entries may be stored. Those are the
// versions that some server has ever written, until a migration has found that nothing of them is
// left. The names of both are the caller's.
type Versions map[string][]string

// Places says for each resource below which prefixes its entries may lie, if not below its plain
// one alone. The names of both are the caller's.
type Places map[string][]string

// Home is the database that the entries of a resource are in; the zero Home is the one with the
// record.
type Home struct {
	// Servers are the endpoints of an etcd, for people. ID is what tells it from others.
	Servers []string `json:"servers,omitempty"`
	ID      string   `json:"id,omitempty"`
	// Moving is where the entries are being moved to.
	Moving *Home `json:"moving,omitempty"`
	// Run is the run of the move that may bring it to its end: the last that has begun.
	Run string `json:"run,omitempty"`
	// Undone says that the move is taken back: nothing may come to its end any more.
	Undone bool `json:"undone,omitempty"`
	// Leaving is where they were until now, and where some may be left.
	Leaving *Home `json:"leaving,omitempty"`
}

// Here says that the entries are in the database with the record, and stay.
func (h Home) Here() bool { return len(h.Servers) == 0 && h.Moving == nil && h.Leaving == nil }

// Homes says for each resource which database its entries are in, if not in the one with the
// record. The names are the caller's.
type Homes map[string]Home

// Record keeps the Versions, the Places and the Homes of a database in it. So a program that lacks
// one of them learns that before it serves anything. All of its methods may be called from any
// goroutine, by any number of servers at once.
type Record struct {
	// Store is one without a cache and with the zero Form, at the root of the resources.
	Store storage.Interface
}

// Read returns what the database says of versions; the revision is that of the record's last
// change, 0 if there is none yet.
func (r Record) Read(ctx context.Context) (Versions, int64, error) {
	n, revision, err := r.read(ctx)
	return n.Versions, revision, err
}

// Places returns what the database says of places, and the revision of the record's last change.
func (r Record) Places(ctx context.Context) (Places, int64, error) {
	n, revision, err := r.read(ctx)
	return n.Places, revision, err
}

// Homes returns what the database says of other databases.
func (r Record) Homes(ctx context.Context) (Homes, error) {
	n, _, err := r.read(ctx)
	return n.Homes, err
}

// House notes where the entries of a resource are from now on, if the record still says was. From
// then on no program of a release starts that knows of no homes.
func (r Record) House(ctx context.Context, resource string, was, home Home) error {
	overtaken := false
	err := r.change(ctx, func(n note, _ int64) {
		if overtaken = !reflect.DeepEqual(n.Homes[resource], was); overtaken {
			return
		}
		if n.Homes[resource] = home; home.Here() {
			delete(n.Homes, resource)
		}
	})
	if err == nil && overtaken {
		err = fmt.Errorf("somebody else has noted where the entries of %s are: look again", resource)
	}
	return err
}

// Watch waits until the record changes after now, or ctx ends.
func (r Record) Watch(ctx context.Context) (changed func(context.Context) error, end func(), err error) {
	now, err := r.Store.Revision(ctx)
	if err != nil {
		return nil, nil, err
	}
	w, err := r.Store.Watch(ctx, versionsKey, storage.WatchOptions{After: now})
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context) error {
		_, err := w.Next(ctx)
		return err
	}, w.Close, nil
}

func (r Record) read(ctx context.Context) (note, int64, error) {
	entry, err := r.Store.Get(ctx, versionsKey, storage.GetOptions{})
	if storage.CodeOf(err) == storage.CodeNotFound {
		return newNote(recordFormat), 0, nil
	}
	if err != nil {
		return note{}, 0, fmt.Errorf("read the stored versions: %w", err)
	}
	n, err := parseNote(entry.Value)
	return n, entry.Revision, err
}

// Place notes that the entries of the resources may be below these prefixes from now on, and no
// others; none are the plain one.
func (r Record) Place(ctx context.Context, places Places) error {
	return r.change(ctx, func(n note, _ int64) {
		maps.Copy(n.Places, places)
		maps.DeleteFunc(n.Places, func(_ string, prefixes []string) bool { return len(prefixes) == 0 })
	})
}

// Add notes that entries of the resources may be stored in the versions from now on. It writes
// nothing if that is known.
func (r Record) Add(ctx context.Context, more Versions) error {
	return r.change(ctx, func(n note, _ int64) {
		v := n.Versions
		for resource, versions := range more {
			for _, version := range versions {
				if at, known := slices.BinarySearch(v[resource], version); !known {
					v[resource] = slices.Insert(v[resource], at, version)
				}
			}
		}
	})
}

// Settle notes that all entries of the resources, as far as the record names them, are in one
// version each. Somebody has found that who began to look at a revision that Read had returned. It
// changes nothing if the record was changed since: then another server has begun to write.
func (r Record) Settle(ctx context.Context, seen int64, only map[string]string) error {
	return r.change(ctx, func(n note, revision int64) {
		if revision != seen {
			return
		}
		for resource, version := range only {
			if n.Versions[resource] != nil {
				n.Versions[resource] = []string{version}
			}
		}
	})
}

// change writes what edit makes of the record, again when somebody else has written it meanwhile.
func (r Record) change(ctx context.Context, edit func(note, int64)) error {
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

func (r Record) tryChange(ctx context.Context, edit func(note, int64)) error {
	_, err := r.Store.GuaranteedUpdate(ctx, versionsKey, func(current storage.Entry) ([]byte, []storage.Op, error) {
		n, err := parseNote(current.Value)
		if err != nil {
			return nil, nil, err
		}
		edit(n, current.Revision)
		value, err := n.encode()
		if bytes.Equal(value, current.Value) {
			value = current.Value
		}
		return value, nil, err
	})
	if storage.CodeOf(err) != storage.CodeNotFound {
		return err
	}
	n := newNote(recordFormat)
	edit(n, 0)
	if len(n.Versions)+len(n.Places)+len(n.Homes) == 0 {
		return nil
	}
	value, err := n.encode()
	if err != nil {
		return err
	}
	_, err = r.Store.Create(ctx, versionsKey, value)
	return err
}

// note is the content of the record. In bookkeeping.First a note without places and homes is the
// JSON of its versions alone. Programs that know of no places and homes read nothing else, so they
// do not start where there are some: they would look for the entries elsewhere, and find none.
type note struct {
	Places   Places   `json:"keyPrefixes"`
	Homes    Homes    `json:"homes,omitempty"`
	Versions Versions `json:"versions"`

	format bookkeeping.Format
}

func newNote(f bookkeeping.Format) note {
	return note{Places: Places{}, Homes: Homes{}, Versions: Versions{}, format: f}
}

func (n note) encode() ([]byte, error) {
	var content any = n
	if n.format == bookkeeping.First && len(n.Places)+len(n.Homes) == 0 {
		content = n.Versions
	}
	value, err := json.Marshal(content)
	return n.format.Encode(value), err
}

func parseNote(value []byte) (note, error) {
	content, format, err := bookkeeping.Decode(versionsKey, value, recordFormat.Number)
	if err != nil {
		return note{}, err
	}
	n := newNote(format)
	if format != bookkeeping.First || json.Unmarshal(content, &n.Versions) != nil {
		n = newNote(format)
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(&n)
	}
	if err == nil && (n.Places == nil || n.Homes == nil || n.Versions == nil) {
		err = errors.New("a field is null")
	}
	if err != nil {
		return note{}, fmt.Errorf("the stored versions at %s can't be read; if a newer release wrote them, start that one: %w", versionsKey, err)
	}
	for _, versions := range n.Versions {
		slices.Sort(versions)
	}
	return n, nil
}

// Found collects the versions of the entries below prefix, as version sees them, "" for what is not
// known.
func Found(ctx context.Context, store storage.Interface, prefix string, version func(storage.Entry) string) ([]string, error) {
	found := map[string]bool{}
	err := eachPage(ctx, store, prefix, func(page []*storage.Entry) error {
		for _, e := range page {
			if v := version(*e); v != "" {
				found[v] = true
			}
		}
		return nil
	})
	return slices.Sorted(maps.Keys(found)), err
}
