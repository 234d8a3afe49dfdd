package cacher

import (
	"context"
	"log/slog"
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
	// Wait is how long a read may wait for the cache to come up to its revision; 0 means 3 s. After
	// that the source answers gets, lists of one key, and pages of at most 1000 entries that
	// nothing filters. Other lists fail with CodeUnavailable, or with CodeFuture if they name the
	// revision.
	Wait time.Duration
	// BookmarkEvery is the quiet time after which a watch with Progress gets a bookmark, and the
	// source is asked whether it is further than the cache; 0 means 5 s.
	BookmarkEvery time.Duration
	// CheckEvery is about how often the cache is compared with the source (see Check), seldomer if
	// that takes long; 0 means 5 minutes.
	CheckEvery time.Duration
	// CheckLimiter are those of all caches of this server; nil if there is no other.
	CheckLimiter *CheckLimiter
	// WriteCache is the one whose Form the source has; nil for none.
	WriteCache *WriteCache
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

	current     atomic.Pointer[state] // nil until the first list; published under mu
	epoch       atomic.Int64          // how often the source went back in time; changed under mu
	switches    atomic.Int64          // how often the source became another one; changed under mu
	reread      atomic.Bool           // entries are to be read again; set under mu
	passive     atomic.Bool           // the source can't be asked for progress; set under mu
	told        atomic.Int64          // the highest revision that the source told a reader of; changed under mu
	ready       chan struct{}         // closed when current is there
	historyRead chan struct{}         // closed when the history before the start is in the log, or can't be
	revision    batch
	asked       asked
	waiters     waiters
	listed      listed
	counters    counters

	mu         sync.RWMutex // guards the fields below
	log        eventLog
	points     []*state           // states of the past, oldest first
	changed    chan struct{}      // closed and replaced when current moves
	wanted     int64              // the highest revision that a reader waits for
	lateUntil  int64              // the highest revision that a reader has waited for in vain
	breakWatch context.CancelFunc // ends the watch that follow is in, if it is in one

	kick   chan struct{} // wakes the goroutine that asks for progress
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

var _ storage.Interface = (*Cacher)(nil)

// counters count what happens.
type counters struct {
	broken, lists, mistrusted, checks, lastCheck, late, passed atomic.Int64
}
