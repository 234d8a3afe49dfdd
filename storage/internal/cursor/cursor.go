// Package cursor is the reading half of a watch, for stores that keep their history in order: a
// place in the history, and the loop that waits at its end.
//
// A watch of etcd is none: it is a stream that somebody else pushes.
package cursor

import (
	"context"
	"sync"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// History is what a Cursor moves along.
type History interface {
	// Advance moves the cursor on, and puts into its Out what belongs to the watch. If that is
	// nothing and quiet is set, it may be a bookmark. news is ready when there is something new, or
	// when the history has ended; nil says that the end was not reached yet. An error ends the
	// watch: storage.ErrClosed, once the history has ended.
	Advance(quiet bool) (news <-chan struct{}, err error)
}

// Cursor is the place of a watch. Close may be called from any goroutine, all else belongs to the
// one that calls Next.
type Cursor struct {
	Selection string
	// Progress says that the watch wants bookmarks.
	Progress bool
	// After is the revision up to which everything was returned or is not wanted.
	After int64
	// Out is what Next returns: a slice that is used again.
	Out []storage.Event

	err     error // what ended the watch
	every   time.Duration
	timer   *time.Timer // of bookmarks; nil until one is waited for
	closing sync.Once
	closed  chan struct{}
}

// New is for a watch of the selection. One that wants bookmarks gets one after it was quiet for as
// long as every says.
func New(selection string, opts storage.WatchOptions, every time.Duration) Cursor {
	return Cursor{Selection: selection, Progress: opts.Progress, After: opts.After, every: every, closed: make(chan struct{})}
}

// Close implements storage.Watcher.
func (c *Cursor) Close() { c.closing.Do(func() { close(c.closed) }) }

// Next is that of a storage.Watcher.
//
// It waits at no channel that other watches wait at: each wake would lock that for all of them.
func (c *Cursor) Next(ctx context.Context, along History) ([]storage.Event, error) {
	if c.err != nil {
		return nil, c.err
	}
	tick := c.wait()
	for quiet := false; ; {
		if c.err = c.over(ctx); c.err != nil {
			return nil, c.err
		}
		c.Out = c.Out[:0]
		news, err := along.Advance(quiet)
		switch {
		case err != nil:
			c.err = err
			return nil, err
		case len(c.Out) > 0:
			return c.Out, nil
		case news == nil:
			continue
		}
		select {
		case <-news:
		case <-tick:
			quiet = true
			tick = c.wait()
		case <-c.closed:
		case <-ctx.Done():
		}
	}
}

// over says what has ended the watch, nil if nothing has.
func (c *Cursor) over(ctx context.Context) error {
	select {
	case <-c.closed:
		return storage.ErrClosed
	default:
		return ctx.Err()
	}
}

// wait returns what is ready when it is time for a bookmark: nil, if nobody wants one.
func (c *Cursor) wait() <-chan time.Time {
	switch {
	case !c.Progress:
		return nil
	case c.timer == nil:
		c.timer = time.NewTimer(c.every)
	default:
		c.timer.Reset(c.every)
	}
	return c.timer.C
}

// Bookmark returns one if the watch has something to learn of it.
func (c *Cursor) Bookmark(revision int64) {
	if revision > c.After {
		c.After = revision
		c.Out = append(c.Out, storage.Event{Type: storage.Bookmark, Entry: storage.Entry{Revision: revision}})
	}
}
