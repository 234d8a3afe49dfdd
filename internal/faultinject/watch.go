package faultinject

import (
	"context"
	"slices"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// every is which event of a watch has a bug that not all of them have.
const every = 20

// changeOf is what each bug of watches makes of the events that come at once; n is how many came
// before.
var changeOf = map[Bug]func(events []storage.Event, n int) []storage.Event{
	DroppedEvent: func(events []storage.Event, n int) []storage.Event {
		if n > 0 {
			return events
		}
		return events[1:]
	},
	DuplicatedEvent: func(events []storage.Event, n int) []storage.Event {
		if n/every == (n+len(events))/every {
			return events
		}
		return append(events, events[len(events)-1])
	},
	SwappedEvents: func(events []storage.Event, _ int) []storage.Event {
		if len(events) > 1 && events[0].Entry.Key != events[1].Entry.Key {
			events[0], events[1] = events[1], events[0]
		}
		return events
	},
	OldDeletion: func(events []storage.Event, _ int) []storage.Event {
		for i := range events {
			if e := &events[i]; e.Type == storage.Deleted {
				e.Entry.Revision = e.Prev.Revision
			}
		}
		return events
	},
	LostInCache: func(events []storage.Event, n int) []storage.Event {
		// What follows is nearer than what is lost: a cache that is never told of its newest
		// revision would wait for it.
		if n/every != (n+len(events))/every {
			events[0] = storage.Event{Type: storage.Bookmark, Entry: storage.Entry{Revision: events[0].Entry.Revision}}
		}
		return events
	},
}

// watcher changes what another one returns.
type watcher struct {
	storage.Watcher
	change func(events []storage.Event, n int) []storage.Event // nil changes nothing
	n      int
}

func (w *watcher) Next(ctx context.Context) ([]storage.Event, error) {
	for {
		events, err := w.Watcher.Next(ctx)
		if err != nil || w.change == nil || events[0].Type == storage.Bookmark {
			return events, err
		}
		changed := w.change(slices.Clone(events), w.n)
		w.n += len(events)
		if len(changed) > 0 {
			return changed, nil
		}
	}
}

// feed has a bug between etcd and a watch cache.
type feed struct {
	source
	bug Bug
}

func (f *feed) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	if f.bug == LostAtStart {
		opts.After++
	}
	w, err := f.source.Watch(ctx, prefix, opts)
	if err != nil {
		return nil, err
	}
	return &watcher{Watcher: w, change: changeOf[f.bug]}, nil
}

// marker has the bug of early bookmarks.
type marker struct{ rest.Watcher }

func (m marker) Watch(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.Stream, error) {
	s, err := m.Watcher.Watch(ctx, namespace, opts)
	if err != nil {
		return nil, err
	}
	return early{s}, nil
}

// early puts the bookmarks among the events that come at once before the others.
type early struct{ rest.Stream }

func (e early) Next(ctx context.Context) ([]rest.Event, error) {
	events, err := e.Stream.Next(ctx)
	slices.SortStableFunc(events, func(a, b rest.Event) int { return order(a) - order(b) })
	return events, err
}

func order(e rest.Event) int {
	if e.Type == rest.Bookmark {
		return 0
	}
	return 1
}
