package registry

import (
	"context"
	"errors"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/selection"
	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
)

const (
	// bookmarkInterval is how long a client may go without hearing how far the watch is.
	bookmarkInterval = time.Minute
	// initialBatch is how many initial events are returned at once.
	initialBatch = 256
)

// Watch follows a collection: first the objects that are there, if they are asked for, then every
// change after them. What goes wrong once the options are understood is the first event of the
// stream, as clients expect it.
func (e *endpoint) Watch(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.Stream, error) {
	sel, sc, err := selection.Of(e.Version, e.Keys, namespace, opts)
	if err != nil {
		return nil, err
	}
	revision, err := selection.Revision(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	s := &stream{
		Factory:   e.Factory,
		scope:     sc,
		sel:       sel,
		status:    func(err error) error { return apistatus.Of(err, "watch", e.resource, "") },
		now:       e.metadata.Now,
		bookmarks: opts.AllowWatchBookmarks,
		reached:   revision,
		marked:    revision,
	}
	if err := e.start(ctx, s, opts); err != nil {
		if err := s.status(err); !startsStream(err) {
			return nil, err
		}
		s.failed = s.status(err)
	}
	return s, nil
}

// start decides what comes first, and opens the store's watch behind it.
func (e *endpoint) start(ctx context.Context, s *stream, opts metav1.ListOptions) error {
	// Who begins at no particular revision gets what is there, unless it says otherwise.
	initial := s.reached == 0
	if opts.SendInitialEvents != nil {
		initial = *opts.SendInitialEvents
	}
	switch {
	case initial:
		query := storage.ListOptions{Match: storage.Latest}
		if opts.ResourceVersion == "0" {
			query.Match = storage.Any
		} else if s.reached > 0 {
			query.Match, query.Revision = storage.NotOlderThan, s.reached
		}
		s.scope.Narrow(&query, s.sel)
		page, err := e.backend.List(ctx, s.scope.Selection, query)
		if err != nil {
			return err
		}
		s.initial, s.reached = page.Entries, page.Revision
		s.endMark = s.bookmarks
	case opts.ResourceVersion == "0":
		// Any state will do to begin with, and a page says of which one it is.
		page, err := e.backend.List(ctx, s.scope.Selection, storage.ListOptions{Match: storage.Any, Limit: 1})
		if err != nil {
			return err
		}
		s.reached = page.Revision
	case s.reached == 0:
		revision, err := e.backend.Revision(ctx)
		if err != nil {
			return err
		}
		s.reached = revision
	}
	if !initial {
		s.marked = s.reached // what the client asked for begins here
	}
	follow := storage.WatchOptions{After: s.reached, Progress: s.bookmarks, Prev: true}
	if storage.IsPrefix(s.scope.Selection) {
		follow.Where = s.sel.Where()
	}
	w, err := e.backend.Watch(ctx, s.scope.Selection, follow)
	if err != nil {
		return err
	}
	s.watcher = w
	return nil
}

// startsStream says whether an error at the start is an event on the stream, and not the answer to
// the request.
func startsStream(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsTimeout(err) || apierrors.IsStoreReadError(err)
}

// stream is a watch in one version: a position in the store's watch and a filter. It has no
// goroutine of its own.
type stream struct {
	view.Factory
	scope     selection.Scope
	sel       *selection.Selector
	status    func(error) error
	now       func() time.Time
	bookmarks bool // the client wants them

	watcher storage.Watcher
	initial []*storage.Entry // still to be sent
	endMark bool             // a bookmark shall follow the initial events
	// reached is the revision up to which every event was returned, or left out by the filter.
	reached int64
	// marked is the newest revision that the client has heard of. The client may have named it
	// itself, and then it may lie in the future. markedAt is when the client heard of one by a
	// bookmark.
	marked   int64
	markedAt time.Time
	failed   error // to be sent as the last event
	ended    bool
	events   []rest.Event // what Next returned last
}

// Next implements rest.Stream.
func (s *stream) Next(ctx context.Context) ([]rest.Event, error) {
	clear(s.events)
	s.events = s.events[:0]
	for len(s.events) == 0 {
		switch {
		case s.ended:
			return nil, io.EOF
		case len(s.initial) > 0:
			s.sendInitial()
		case s.endMark && s.failed == nil:
			s.endMark = false
			s.sendBookmark(true)
		case s.failed != nil:
			s.ended = true
			s.send(rest.Error, view.Struct{Obj: apistatus.Object(s.failed)})
		default:
			s.follow(ctx)
		}
	}
	return s.events, nil
}

// Beginning implements rest.BeginningStream.
func (s *stream) Beginning() bool { return len(s.initial) > 0 || s.endMark }

// Close implements rest.Stream.
func (s *stream) Close() {
	if s.watcher != nil {
		s.watcher.Close()
	}
}

// sendInitial turns some of the entries that were there at the start into events.
func (s *stream) sendInitial() {
	n := min(len(s.initial), initialBatch)
	for _, e := range s.initial[:n] {
		ok, err := s.selects(*e)
		if err != nil {
			s.initial, s.failed = nil, s.status(err)
			return
		}
		if ok {
			s.send(rest.Added, s.View(*e))
		}
	}
	s.initial = s.initial[n:]
	if len(s.initial) == 0 {
		s.initial = nil
	}
}

// follow waits for the store and turns its events into the client's.
func (s *stream) follow(ctx context.Context) {
	events, err := s.watcher.Next(ctx)
	if err != nil {
		s.stop(err)
		return
	}
	for _, event := range events {
		s.reached = event.Entry.Revision
		if event.Type == storage.Bookmark {
			continue
		}
		if err := s.translate(event); err != nil {
			s.failed = s.status(err)
			return
		}
	}
	if s.bookmarks && s.marked < s.reached && s.now().Sub(s.markedAt) >= bookmarkInterval {
		s.sendBookmark(false)
	}
}

// stop ends the stream: with an event if something went wrong, and with a last bookmark if only the
// time is over.
func (s *stream) stop(err error) {
	switch {
	case errors.Is(err, storage.ErrClosed), errors.Is(err, context.Canceled):
		s.ended = true
	case errors.Is(err, context.DeadlineExceeded):
		s.ended = true
		if s.bookmarks && s.marked < s.reached {
			s.sendBookmark(false)
		}
	default:
		s.failed = s.status(err)
	}
}

// translate sends what a change means to this client: an object that comes to match is new to it,
// one that ceases to is gone.
func (s *stream) translate(event storage.Event) error {
	is, err := s.selects(event.Entry)
	if err != nil {
		return err
	}
	was := false
	if event.Type != storage.Created {
		if was, err = s.selected(event); err != nil {
			return err
		}
	}
	shown, entry := rest.Deleted, event.Entry
	switch {
	case event.Type == storage.Deleted && was:
	case event.Type == storage.Deleted:
		return nil
	case is && was:
		shown = rest.Modified
	case is:
		shown = rest.Added
	case was:
		// The client gets the last version that it could see, at the revision where it lost sight
		// of it.
		entry = event.Prev
		entry.Revision = event.Entry.Revision
	default:
		return nil
	}
	s.events = append(s.events, rest.Event{Type: shown, Object: s.View(entry), Frames: s.Frames(event.Encodings, shown)})
	s.marked = event.Entry.Revision
	return nil
}

// selected says whether the client has seen the object before the event.
func (s *stream) selected(event storage.Event) (bool, error) {
	if s.sel.Empty() {
		return s.scope.Has(event.Entry.Key), nil
	}
	if event.Type == storage.Deleted {
		return s.selects(event.Entry) // the last value
	}
	if event.Prev.Err != nil {
		return false, nil // nobody could see it
	}
	return s.selects(event.Prev)
}

// selects says whether the client wants to see an entry. One that can't be read is an error, never
// a gap.
func (s *stream) selects(e storage.Entry) (bool, error) {
	if !s.scope.Has(e.Key) {
		return false, nil
	}
	if e.Err != nil {
		return false, e.Err
	}
	return s.sel.Matches(e)
}

func (s *stream) send(t rest.EventType, object rest.View) {
	s.events = append(s.events, rest.Event{Type: t, Object: object})
}

func (s *stream) sendBookmark(end bool) {
	s.marked, s.markedAt = s.reached, s.now()
	s.send(rest.Bookmark, s.Bookmark(s.reached, end))
}
