package storesuite

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	peer "k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/typeplane/typeplane/storage"
)

const initialEnd storage.EventType = -1 // the bookmark behind the objects that a watch begins with

// stream is a goroutine between a store's watch and the channel of one of Kubernetes.
type stream struct {
	*Store
	ctx     context.Context
	opts    peer.ListOptions
	events  []storage.Event // come before the next ones of source
	source  storage.Watcher // nil if err is not
	err     error           // what has ended it
	results chan watch.Event
}

// Watch lists, if the watch begins with what is there, and opens the store's watch behind that.
// What fails then is an event.
func (s *Store) Watch(ctx context.Context, key string, opts peer.ListOptions) (watch.Interface, error) {
	selection, q, err := s.query(key, opts)
	if err != nil {
		return nil, err
	}
	flowcontrol.WatchInitialized(ctx)
	ctx, stop := context.WithCancel(ctx)
	w := &stream{Store: s, ctx: ctx, opts: opts, results: make(chan watch.Event, 100)} // as in Kubernetes' store on etcd
	page, listed := storage.Page{Revision: q.Revision}, q.Revision == 0
	if opts.SendInitialEvents != nil {
		listed = *opts.SendInitialEvents
	}
	if listed {
		page, w.err = s.Backend.List(ctx, selection, q)
	} else if page.Revision == 0 {
		page.Revision, w.err = s.Backend.Revision(ctx)
	}
	for _, e := range page.Entries {
		w.events = append(w.events, storage.Event{Type: storage.Created, Entry: *e})
	}
	if listed && opts.SendInitialEvents != nil && opts.Predicate.AllowWatchBookmarks {
		w.events = append(w.events, storage.Event{Type: initialEnd, Entry: storage.Entry{Revision: page.Revision}})
	}
	if w.err == nil {
		w.source, w.err = s.Backend.Watch(ctx, selection, storage.WatchOptions{After: page.Revision, Where: q.Where, Prev: true,
			Progress: opts.ProgressNotify || opts.Predicate.AllowWatchBookmarks})
	}
	go w.run()
	return watch.MockWatcher{StopFunc: stop, ResultChanFunc: func() <-chan watch.Event { return w.results }}, nil
}

// run sends what there is, and then what happens, until something ends it.
func (w *stream) run() {
	defer close(w.results)
	for w.err == nil {
		if len(w.events) == 0 {
			w.events, w.err = w.source.Next(w.ctx)
			continue
		}
		w.err = w.event(w.events[0])
		w.events = w.events[1:]
	}
	if w.source != nil {
		w.source.Close()
	}
	var status apierrors.APIStatus
	if err := translate(w.err); !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	if w.ctx.Err() == nil {
		w.err = w.send(watch.Error, new(status.Status()))
	}
}

func (w *stream) send(kind watch.EventType, object runtime.Object) error {
	select {
	case w.results <- watch.Event{Type: kind, Object: object}:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

// event sends an event, if the watch wants it.
func (w *stream) event(ev storage.Event) error {
	if ev.Type == storage.Bookmark || ev.Type == initialEnd {
		object := w.New()
		err := versioner.UpdateObject(object, uint64(ev.Entry.Revision))
		if ev.Type == initialEnd && err == nil {
			err = peer.AnnotateInitialEventsEndBookmark(object)
		}
		if err != nil {
			return err
		}
		return w.send(watch.Bookmark, object)
	}
	now, wanted, err := w.match(ev.Entry, w.opts.Predicate)
	if err != nil && ev.Type == storage.Deleted {
		err = readError("saw a DELETED event, but object data is corrupt - " + err.Error())
	}
	was, had := now, ev.Type == storage.Modified
	if had && err == nil && !w.opts.Predicate.Empty() {
		ev.Prev.Revision = ev.Entry.Revision
		was, had, err = w.match(ev.Prev, w.opts.Predicate)
	}
	switch {
	case err != nil:
		return err
	case wanted && ev.Type == storage.Deleted, had && !wanted:
		return w.send(watch.Deleted, was)
	case wanted && had:
		return w.send(watch.Modified, now)
	case wanted:
		return w.send(watch.Added, now)
	}
	return nil
}
