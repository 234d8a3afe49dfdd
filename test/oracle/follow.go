package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// follower is one client that watches, again and again: from where it was, from somewhere else, or
// from the beginning.
type follower struct {
	driver           // for its random choices; it sends nothing
	last   position  // of the stream before
	lastUp bool      // a stream is to go on from last
	tally  counters  // what happened
	open   openWatch // the stream that is open
}

// position is how far a stream has come.
type position struct {
	scope    Scope
	revision int64
}

// counters are of one follower.
type counters struct{ resumes, expired int }

// openWatch says how far the open stream is, to whoever waits for it.
type openWatch struct {
	scope   atomic.Pointer[Scope] // nil while none is open
	reached atomic.Int64
}

// run opens streams until finish is closed, and then keeps one open until ctx ends.
func (f *follower) run(ctx context.Context, finish <-chan struct{}) {
	for ctx.Err() == nil {
		finishing := false
		select {
		case <-finish:
			finishing = true
		default:
		}
		w := f.next(finishing)
		life := time.Duration(1+f.random.IntN(2)) * time.Second
		if finishing {
			life = time.Hour
		}
		f.follow(ctx, w, life, finish)
		if f.random.IntN(3) == 0 {
			time.Sleep(time.Duration(f.random.IntN(50)) * time.Millisecond)
		}
	}
}

// next chooses the next watch. The last one must be such that it has something to deliver.
func (f *follower) next(last bool) *Watch {
	w := &Watch{Client: f.number, Version: f.version(), Bookmarks: f.random.IntN(2) == 0}
	if f.lastUp && f.random.IntN(4) > 0 {
		w.Start, w.Scope, w.From = After, f.last.scope, f.last.revision
		return w
	}
	w.Scope = f.scope()
	if last {
		w.Start, w.Bookmarks = InitialLatest, true
		return w
	}
	switch f.random.IntN(7) {
	case 0:
		w.Start = Now
	case 1:
		w.Start = InitialLatest
	case 2:
		w.Start = InitialAny
	case 3:
		w.Start, w.From = InitialAtLeast, max(1, f.board.revision()-f.random.Int64N(30))
	default:
		w.Start, w.From = After, max(1, f.board.revision()-f.random.Int64N(100)+2)
	}
	return w
}

// query is how a watch is asked for. What begins with initial events may do so by not saying from
// where.
func (f *follower) query(w *Watch, life time.Duration) request {
	q := w.Scope.values()
	q.Set("watch", "true")
	q.Set("timeoutSeconds", strconv.Itoa(int(life.Seconds())))
	if w.Bookmarks {
		q.Set("allowWatchBookmarks", "true")
	}
	initial := ""
	switch w.Start {
	case After:
		q.Set("resourceVersion", strconv.FormatInt(w.From, 10))
	case Now:
		initial = "false"
	case InitialAny:
		q.Set("resourceVersion", "0")
		fallthrough
	case InitialLatest:
		if f.random.IntN(2) == 0 {
			initial = "true"
		}
	case InitialAtLeast:
		q.Set("resourceVersion", strconv.FormatInt(w.From, 10))
		initial = "true"
	}
	if initial != "" {
		q.Set("sendInitialEvents", initial)
		q.Set("resourceVersionMatch", "NotOlderThan")
	}
	return request{method: http.MethodGet, path: path(w.Version, w.Scope.Namespace), query: q, accept: f.mediaType()}
}

// follow opens a stream and reads it until it ends. Most clients hang up by themselves, unless the
// run is finishing meanwhile.
func (f *follower) follow(ctx context.Context, w *Watch, life time.Duration, finish <-chan struct{}) {
	s := f.entrance()
	w.Began = f.recorder.now()
	request := f.query(w, life)
	opening, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(requestTimeout, cancel)
	resp, server, err := s.open(opening, request)
	timer.Stop()
	if err != nil {
		f.lastUp = w.Start == After
		f.last = position{w.Scope, w.From}
		pause(ctx, 20*time.Millisecond) // nobody is there
		return
	}
	defer resp.Body.Close()
	w.Server, w.Header = server, f.recorder.now()
	if resp.StatusCode != http.StatusOK {
		f.lastUp = false
		return
	}
	if f.random.IntN(3) > 0 {
		go hangUp(opening, cancel, time.Duration(f.random.Int64N(int64(time.Second))), finish)
	}
	if f.lastUp && w.Start == After && f.last == (position{w.Scope, w.From}) {
		f.tally.resumes++
	}
	f.open.reached.Store(w.From)
	f.open.scope.Store(&w.Scope)
	err = f.read(newFrames(resp, request.accept), w)
	f.open.scope.Store(nil)
	w.End = fmt.Sprint(err)
	w.Open = ctx.Err() != nil && errors.Is(err, context.Canceled)
	f.recorder.watch(*w)
}

// hangUp cancels a stream after a time, but not when the run is finishing.
func hangUp(ctx context.Context, cancel context.CancelFunc, after time.Duration, finish <-chan struct{}) {
	select {
	case <-time.After(after):
		select {
		case <-finish:
		default:
			cancel()
		}
	case <-finish:
	case <-ctx.Done():
	}
}

// read notes events until the stream ends, and where the next one can go on.
func (f *follower) read(stream frames, w *Watch) error {
	f.lastUp = w.Start == After
	f.last = position{w.Scope, w.From}
	initial := w.Start != After && w.Start != Now
	for {
		e, err := stream.read()
		if errors.Is(err, errExpired) {
			f.lastUp = false
			f.tally.expired++
		}
		if err != nil {
			return err
		}
		e.At = f.recorder.now()
		w.Events = append(w.Events, e)
		f.board.reached(e.Item.Revision)
		f.open.reached.Store(max(f.open.reached.Load(), e.Item.Revision))
		if e.InitialEnd {
			initial = false
		}
		// In the middle of initial events there is no place to go on from, and without a mark their
		// end is not known.
		if !initial {
			f.last.revision, f.lastUp = e.Item.Revision, true
		}
	}
}
