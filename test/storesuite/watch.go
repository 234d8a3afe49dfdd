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

// resultBuffer is how many events wait in the channel of a watch, as many as in the etcd3 store of Kubernetes.
const resultBuffer = 100

// initialEnd is the bookmark behind the objects that a watch begins with.
const initialEnd storage.EventType = -1

// stream is a watch: a goroutine between the store's watch and a channel.
type stream struct {
	*Store
	ctx     context.Context
	stop    context.CancelFunc
	opts    peer.ListOptions
	results chan watch.Event
}

func (w *stream) Stop() { w.stop() }

func (w *stream) ResultChan() <-chan watch.Event { return w.results }

func (s *Store) Watch(ctx context.Context, key string, opts peer.ListOptions) (watch.Interface, error) {
	selection, err := s.selection(key, opts.Recursive)
	if err != nil {
		return nil, err
	}
	q, err := query(selection, opts)
	if err != nil {
		return nil, err
	}
	q.Where = s.Where(opts.Predicate)
	flowcontrol.WatchInitialized(ctx)
	w := &stream{Store: s, opts: opts, results: make(chan watch.Event, resultBuffer)}
	w.ctx, w.stop = context.WithCancel(ctx)
	events, source, err := w.open(selection, q)
	go func() {
		defer close(w.results)
		defer w.stop()
		if err == nil {
			defer source.Close()
			err = w.run(events, source)
		}
		var status apierrors.APIStatus
		if err = translate(err); !errors.As(err, &status) {
			status = apierrors.NewInternalError(err)
		}
		if object := status.Status(); w.ctx.Err() == nil {
			w.send(watch.Error, &object)
		}
	}()
	return w, nil
}

// open lists, if the watch begins with what is there, and opens the store's watch behind that.
func (w *stream) open(selection string, q storage.ListOptions) (events []storage.Event, source storage.Watcher, err error) {
	page, listed := storage.Page{Revision: q.Revision}, q.Revision == 0
	if w.opts.SendInitialEvents != nil {
		listed = *w.opts.SendInitialEvents
	}
	if listed {
		page, err = w.Backend.List(w.ctx, selection, q)
	} else if page.Revision == 0 {
		page.Revision, err = w.Backend.Revision(w.ctx)
	}
	for _, e := range page.Entries {
		events = append(events, storage.Event{Type: storage.Created, Entry: e})
	}
	if listed && w.opts.SendInitialEvents != nil && w.opts.Predicate.AllowWatchBookmarks {
		events = append(events, storage.Event{Type: initialEnd, Entry: storage.Entry{Revision: page.Revision}})
	}
	if err == nil {
		source, err = w.Backend.Watch(w.ctx, selection, storage.WatchOptions{After: page.Revision, Where: q.Where, Prev: true,
			Progress: w.opts.ProgressNotify || w.opts.Predicate.AllowWatchBookmarks})
	}
	return events, source, err
}

// run sends what is there, and then what happens, until something ends it.
func (w *stream) run(events []storage.Event, source storage.Watcher) (err error) {
	for err == nil {
		for _, ev := range events {
			if err := w.event(ev); err != nil {
				return err
			}
		}
		events, err = source.Next(w.ctx)
	}
	return err
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
		if err == nil {
			err = w.send(watch.Bookmark, object)
		}
		return err
	}
	now, wanted, err := w.match(ev.Entry, w.opts.Predicate)
	if err != nil && ev.Type == storage.Deleted {
		return readError("saw a DELETED event, but object data is corrupt - " + err.Error())
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
