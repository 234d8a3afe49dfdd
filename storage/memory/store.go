package memory

import (
	"context"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// Config says what a Store stands on. The zero value is a store of its own with the zero Form.
type Config struct {
	// Database is shared with other stores; nil makes a new one.
	Database *Database
	// Root is put before every key: "/registry", or "" for none. A malformed one is a panic, for it
	// is a constant.
	Root string
	// Form maps between canonical and stored values.
	Form storage.Form
	// ProgressInterval is the quiet time after which a watch returns a bookmark; 0 means 5 s.
	ProgressInterval time.Duration
}

// Store is a storage.Interface on a Database.
type Store struct {
	db       *Database
	root     string
	form     storage.Form
	progress time.Duration
}

var _ storage.Interface = (*Store)(nil)

// New returns a store.
func New(config Config) *Store {
	if err := storage.CheckRoot(config.Root); err != nil {
		panic("memory.New: " + err.Error())
	}
	s := &Store{db: config.Database, root: config.Root, form: config.Form, progress: config.ProgressInterval}
	if s.db == nil {
		s.db = NewDatabase()
	}
	if s.progress == 0 {
		s.progress = 5 * time.Second
	}
	return s
}

// Database returns what the store stands on.
func (s *Store) Database() *Database { return s.db }

// Get implements storage.Interface.
func (s *Store) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	if err := begin(ctx, "get", key); err != nil {
		return storage.Entry{}, err
	}
	s.db.mu.RLock()
	v, current := s.db.last(s.root+key), s.db.revision
	s.db.mu.RUnlock()
	if err := storage.CheckReached("get", key, opts.NotOlderThan, current); err != nil {
		return storage.Entry{}, err
	}
	if v.revision == 0 {
		return storage.Entry{}, &storage.Error{Code: storage.CodeNotFound, Op: "get", Key: key}
	}
	e := s.form.ReadEntry(key, v.value, v.revision)
	if e.Err != nil {
		return storage.Entry{}, e.Err
	}
	return e, nil
}

// List implements storage.Interface.
func (s *Store) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	if err := ctx.Err(); err != nil {
		return storage.Page{}, err
	}
	if err := storage.CheckList(selection, opts); err != nil {
		return storage.Page{}, err
	}
	s.db.mu.RLock()
	defer s.db.mu.RUnlock()
	page := storage.Page{Revision: s.db.revision}
	if err := s.refuse(selection, opts); err != nil {
		return storage.Page{}, err
	}
	if opts.Match == storage.Exact {
		page.Revision = opts.Revision
	}
	var entries []storage.Entry
	s.db.list(s.root+selection, s.root+opts.Start, page.Revision, func(key string, v version) {
		if opts.Limit > 0 && int64(len(entries)) >= opts.Limit {
			page.Remaining++
			return
		}
		entries = append(entries, s.form.ReadEntry(key[len(s.root):], v.value, v.revision))
	})
	page.Entries = make([]*storage.Entry, len(entries))
	for i := range entries {
		page.Entries[i] = &entries[i]
	}
	return page, nil
}

// refuse returns the error of a list that can't be answered at its revision. The caller holds the
// database's lock.
func (s *Store) refuse(selection string, opts storage.ListOptions) error {
	if opts.Match == storage.Exact && opts.Revision < s.db.compacted {
		return &storage.Error{Code: storage.CodeCompacted, Op: "list", Key: selection, Revision: opts.Revision, Current: s.db.revision}
	}
	return storage.CheckReached("list", selection, opts.Floor(), s.db.revision)
}

// Count implements storage.Interface. Like everything here it is linearizable.
func (s *Store) Count(ctx context.Context, selection string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := storage.CheckSelection("count", selection); err != nil {
		return 0, err
	}
	s.db.mu.RLock()
	defer s.db.mu.RUnlock()
	n := int64(0)
	s.db.list(s.root+selection, "", s.db.revision, func(string, version) { n++ })
	return n, nil
}

// Revision implements storage.Interface.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return s.db.Revision(), nil
}

// RequestProgress implements storage.ProgressRequester.
func (s *Store) RequestProgress(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.db.requestProgress()
	return nil
}

// EachRevision implements storage.RevisionLister.
func (s *Store) EachRevision(ctx context.Context, prefix string, revision int64, visit func(key string, modified int64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.db.mu.RLock()
	defer s.db.mu.RUnlock()
	if err := s.refuse(prefix, storage.ListOptions{Match: storage.Exact, Revision: revision}); err != nil {
		return err
	}
	s.db.list(s.root+prefix, "", revision, func(key string, v version) { visit(key[len(s.root):], v.revision) })
	return nil
}

// begin is the first step of every method on a key.
func begin(ctx context.Context, op, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return storage.CheckKey(op, key)
}
