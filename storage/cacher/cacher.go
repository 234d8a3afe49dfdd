package cacher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// Config says what to cache. Only Source and Prefix are needed.
type Config struct {
	// Source is the store behind the cache. What it has beside storage.Interface is used, see
	// SourceOf.
	Source storage.Interface
	// Prefix is what is cached; everything else is passed on to Source.
	Prefix string
	// Window is how long events are remembered for watchers, unless LogBytes stands against it; 0
	// means 75 s.
	Window time.Duration
	// LogBytes is how much the remembered events may hold beside the cached entries, or a quarter
	// of the size of those if that is more; 0 means 64 MiB.
	LogBytes int
	// Wait is how long a read may wait for the cache to come up to its revision; 0 means 3 s.
	Wait time.Duration
	// BookmarkEvery is the quiet time after which a watch with Progress gets a bookmark, and the
	// source is asked whether it is further than the cache; 0 means 5 s.
	BookmarkEvery time.Duration
	// CheckEvery is about how often the cache is compared with the source (see Check), seldomer if
	// that takes long; 0 means 5 minutes.
	CheckEvery time.Duration
	// Turns are those of all caches of this server; nil if there is no other.
	Turns *Turns
	// Recall is the one whose Form the source has; nil for none.
	Recall *Recall
	// Log is told when the source's watch breaks, and when the cache is wrong; nil drops that.
	Log *slog.Logger
	// Now is the clock of Window; nil means time.Now.
	Now func() time.Time
}

// Cacher is a storage.Interface in front of a Source. Until it is filled, it passes on what costs
// the source little, and for the rest fails with CodeNotReady after Config.Wait. Its methods may be
// called from any goroutine.
type Cacher struct {
	config Config
	source Source
	prefix string

	current  atomic.Pointer[state] // nil until the first list; published under mu
	epoch    atomic.Int64          // how often the source went back in time; changed under mu
	reread   atomic.Bool           // entries are to be read again; set under mu
	passive  atomic.Bool           // the source can't be asked for progress; set under mu
	ready    chan struct{}         // closed when current is there
	revision batch
	asked    asked
	parking  parking
	counters counters

	mu         sync.RWMutex // guards the fields below
	log        eventLog
	points     []*state           // states of the past, oldest first
	changed    chan struct{}      // closed and replaced when current moves
	wanted     int64              // the highest revision that a reader waits for, or was told of
	breakWatch context.CancelFunc // ends the watch that follow is in, if it is in one

	kick   chan struct{} // wakes the goroutine that asks for progress
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

var _ storage.Interface = (*Cacher)(nil)

// New starts a cache; it fills in the background, and reads wait for that. The caller closes it,
// before its Source. An error says what is wrong with config; that the source can't be reached is
// none.
func New(config Config) (*Cacher, error) {
	if config.Source == nil {
		return nil, errors.New("cacher: no source")
	}
	if err := storage.CheckPrefix("cache", config.Prefix); err != nil {
		return nil, err
	}
	if config.Window < 0 || config.LogBytes < 0 || config.Wait < 0 || config.BookmarkEvery < 0 || config.CheckEvery < 0 {
		return nil, errors.New("cacher: negative Window, LogBytes, Wait, BookmarkEvery or CheckEvery")
	}
	defaultTo(&config.Window, 75*time.Second)
	defaultTo(&config.LogBytes, 64<<20)
	defaultTo(&config.Wait, 3*time.Second)
	defaultTo(&config.BookmarkEvery, 5*time.Second)
	defaultTo(&config.CheckEvery, 5*time.Minute)
	if config.Turns == nil {
		config.Turns = NewTurns()
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	c := &Cacher{
		config: config, source: SourceOf(config.Source), prefix: config.Prefix,
		ready: make(chan struct{}), changed: make(chan struct{}), kick: make(chan struct{}, 1),
		parking: parking{shortest: len(config.Prefix)}, breakWatch: func() {},
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.revision.read = func() (int64, error) {
		ctx, cancel := context.WithTimeout(c.ctx, config.Wait)
		defer cancel()
		revision, err := c.source.Revision(ctx)
		switch {
		case err == nil:
			return revision, nil
		case c.ctx.Err() != nil:
			return 0, storage.ErrClosed
		case ctx.Err() != nil:
			return 0, &storage.Error{Code: storage.CodeUnavailable, Op: "revision", Key: c.prefix,
				Err: fmt.Errorf("no answer within %v: %w", config.Wait, err)}
		}
		return 0, err
	}
	if config.Recall != nil {
		config.Recall.cache.Store(c)
	}
	c.wg.Go(c.follow)
	c.wg.Go(c.pushProgress)
	c.wg.Go(c.keepChecking)
	return c, nil
}

func defaultTo[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Close ends the cache and waits for its goroutines. Open watches end with storage.ErrClosed.
func (c *Cacher) Close() {
	c.cancel()
	c.wg.Wait()
}

// WaitReady returns when the cache is filled for the first time; with the context's error or
// storage.ErrClosed if that ends before.
func (c *Cacher) WaitReady(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ctx.Done():
		return storage.ErrClosed
	}
}

// Get implements storage.Interface.
func (c *Cacher) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	if err := ctx.Err(); err != nil {
		return storage.Entry{}, err
	}
	if err := storage.CheckKey("get", key); err != nil {
		return storage.Entry{}, err
	}
	if !strings.HasPrefix(key, c.prefix) || !c.filled() {
		return c.source.Get(ctx, key, opts)
	}
	s, err := c.stateFor(ctx, "get", key, !opts.Any, opts.NotOlderThan)
	if errors.Is(err, errBehind) {
		return c.getBehind(ctx, key, opts)
	}
	if err != nil {
		return storage.Entry{}, err
	}
	e, ok := s.tree.Get(key)
	switch {
	case !ok:
		return storage.Entry{}, &storage.Error{Code: storage.CodeNotFound, Op: "get", Key: key}
	case e.Err != nil:
		return storage.Entry{}, e.Err
	}
	return *e, nil
}

// List implements storage.Interface.
func (c *Cacher) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	if err := ctx.Err(); err != nil {
		return storage.Page{}, err
	}
	if err := storage.CheckList(selection, opts); err != nil {
		return storage.Page{}, err
	}
	cheap := !storage.IsPrefix(selection) || opts.Limit > 0 && opts.Where == nil
	if !strings.HasPrefix(selection, c.prefix) || !c.filled() && cheap {
		return c.source.List(ctx, selection, opts)
	}
	s, err := c.stateFor(ctx, "list", selection, opts.Match == storage.Latest, opts.Floor())
	if errors.Is(err, errBehind) {
		return c.listBehind(ctx, selection, opts)
	}
	if err != nil {
		return storage.Page{}, err
	}
	if opts.Match == storage.Exact && s.revision != opts.Revision {
		past := c.past(opts.Revision)
		if past == nil {
			return c.source.List(ctx, selection, opts)
		}
		s = past
	} else if opts.Where != nil && storage.IsPrefix(selection) {
		// An index that was made just now may be of a later state.
		if with := c.indexFor(opts.Where, s); opts.Match != storage.Exact || with.revision == s.revision {
			s = with
		}
	}
	return s.page(selection, opts), nil
}

// Count implements storage.Interface. It is of the state at hand.
func (c *Cacher) Count(ctx context.Context, selection string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := storage.CheckSelection("count", selection); err != nil {
		return 0, err
	}
	if !strings.HasPrefix(selection, c.prefix) || !c.filled() {
		return c.source.Count(ctx, selection)
	}
	s := c.current.Load()
	if c.overtaken(s) {
		return c.source.Count(ctx, selection)
	}
	return int64(s.rank(after(selection)) - s.rank(selection)), nil
}

// Revision implements storage.Interface. Callers that come while a request is on its way share the
// next one.
func (c *Cacher) Revision(ctx context.Context) (int64, error) { return c.revision.get(ctx) }
