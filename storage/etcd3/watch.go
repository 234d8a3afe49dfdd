package etcd3

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/metadata"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
)

// maxPending is about how many bytes of events may wait for a slow reader. A watch with more is
// given up and opened again where the reader is, once it has read them.
const maxPending = 16 << 20

// eventOverhead is what an event costs beside its values.
const eventOverhead = 300

// streams numbers the watches, see streamContext.
var streams atomic.Int64

// watcher is one watch: a goroutine that takes in what etcd sends, and a reader that calls Next.
type watcher struct {
	store     *Store
	selection string
	progress  bool
	prev      bool            // the values before are wanted
	ctx       context.Context // of the stream; ends with Close
	cancel    context.CancelFunc
	pumps     sync.WaitGroup // the goroutine that runs pump, one at most

	last int64           // owned by Next: events up to this revision were returned
	out  []storage.Event // owned by Next
	err  error           // owned by Next

	mu      sync.Mutex // guards the fields below
	pending []clientv3.WatchResponse
	bytes   int
	ended   *storage.Error // after pending, nothing but this
	paused  bool           // pump gave up because too much is pending
	closed  bool
	news    chan struct{} // holds a token when there is something new
}

// Watch implements storage.Interface. It does not wait for etcd.
func (s *Store) Watch(ctx context.Context, selection string, opts storage.WatchOptions) (storage.Watcher, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := storage.CheckWatch(selection, opts); err != nil {
		return nil, err
	}
	w := &watcher{store: s, selection: selection, progress: opts.Progress, prev: opts.Prev, last: opts.After, news: make(chan struct{}, 1)}
	w.ctx, w.cancel = context.WithCancel(streamContext())
	if opts.Progress {
		s.progress.Store(w, nil)
	}
	w.startPump(opts.After)
	return w, nil
}

// RequestProgress implements storage.ProgressRequester. It is for the watches of this store that
// are not behind.
func (s *Store) RequestProgress(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	s.progress.Range(func(w, _ any) bool {
		stream, cancel := context.WithCancel(w.(*watcher).ctx)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		// One that is only being opened has no stream yet: that is an error here, and the caller
		// asks again.
		err = errors.Join(err, s.client.RequestProgress(stream))
		return true
	})
	if err != nil {
		return readError(ctx, "request progress", "/", err)
	}
	return nil
}

// streamContext gives a watch a stream of its own: etcd's client puts watches with equal metadata
// into one. But the in-process connection blocks for ever when several watches of one stream close
// together, since each side waits for the other to read. And a request for progress is answered
// only when no watch of its stream is behind.
func streamContext() context.Context {
	ctx := clientv3.WithRequireLeader(context.Background())
	return metadata.AppendToOutgoingContext(ctx, "typeplane-watch", strconv.FormatInt(streams.Add(1), 10))
}

// Close implements storage.Watcher.
func (w *watcher) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel()
	w.pumps.Wait()
	w.store.progress.Delete(w)
}

// Next implements storage.Watcher.
func (w *watcher) Next(ctx context.Context) ([]storage.Event, error) {
	for w.err == nil {
		resp, ok, err := w.take()
		switch {
		case err != nil:
			w.err = err
		case ok:
			if events := w.convert(ctx, resp); len(events) > 0 {
				return events, nil
			}
		default:
			select {
			case <-w.news:
			case <-w.ctx.Done():
			case <-ctx.Done():
				w.err = ctx.Err()
			}
		}
	}
	return nil, w.err
}

// take returns the next thing that etcd sent, or what ended the watch; ok says whether there was
// one. If the pump had paused and everything is read, it starts again.
func (w *watcher) take() (resp clientv3.WatchResponse, ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return resp, false, storage.ErrClosed
	case len(w.pending) > 0:
		resp = w.pending[0]
		w.pending[0] = clientv3.WatchResponse{}
		w.pending = w.pending[1:]
		w.bytes -= size(resp)
		return resp, true, nil
	case w.ended != nil:
		w.ended.Revision = w.last // which the goroutine that noted it does not know
		return resp, false, w.ended
	case w.paused:
		w.paused = false
		after := w.last
		w.startPump(after)
	}
	return resp, false, nil
}

// startPump runs pump in a goroutine. A panic ends the watch with an error.
func (w *watcher) startPump(after int64) {
	w.pumps.Go(func() {
		err := recovery.Object(nil, "etcd watch", w.selection, func() { w.pump(after) })
		if err != nil {
			w.fail(err)
		}
	})
}

// fail ends the watch after the events that are pending.
func (w *watcher) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = watchError(w.selection, err)
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// pump takes in what etcd sends after a revision until the watch ends or too much is pending.
func (w *watcher) pump(after int64) {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	start := w.store.root + w.selection
	opts := []clientv3.OpOption{clientv3.WithRange(w.store.watchEnd(w.selection)), clientv3.WithRev(after + 1)}
	if w.prev {
		opts = append(opts, clientv3.WithPrevKV())
	}
	if w.progress {
		opts = append(opts, clientv3.WithProgressNotify())
	}
	responses := w.store.client.Watch(ctx, start, opts...)
	for {
		select {
		case <-ctx.Done():
			return
		case resp, ok := <-responses:
			if !w.add(resp, ok) {
				return
			}
		}
	}
}

// add notes what etcd sent, and says whether there is room for more.
func (w *watcher) add(resp clientv3.WatchResponse, ok bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
	if !ok {
		w.ended = watchError(w.selection, errEnded)
		return false
	}
	if err := resp.Err(); err != nil {
		w.ended = watchError(w.selection, err)
		w.ended.Oldest = resp.CompactRevision
		return false
	}
	w.bytes += size(resp)
	w.pending = append(w.pending, resp)
	w.paused = w.bytes > maxPending
	return !w.paused
}

// convert makes the events of a response. One that can't be made ends the watch after those before
// it.
func (w *watcher) convert(ctx context.Context, resp clientv3.WatchResponse) []storage.Event {
	w.out = w.out[:0]
	if resp.IsProgressNotify() {
		if w.progress && resp.Header.Revision > w.last {
			w.last = resp.Header.Revision
			w.out = append(w.out, storage.Event{Type: storage.Bookmark, Entry: storage.Entry{Revision: w.last}})
		}
		return w.out
	}
	before := w.last
	for _, ev := range resp.Events {
		// etcd has been known to repeat events after a reconnect, and to send some before a future
		// revision.
		if ev.Kv.ModRevision <= before {
			continue
		}
		pass, err := w.passBarrier(ctx, ev)
		if pass && err == nil {
			continue
		}
		var event storage.Event
		if err == nil {
			event, err = w.event(ctx, ev)
		}
		if err != nil {
			w.err = err
			// Part of a transaction may have been converted: it must not look like all of it.
			for len(w.out) > 0 && w.out[len(w.out)-1].Entry.Revision == ev.Kv.ModRevision {
				w.out = w.out[:len(w.out)-1]
			}
			break
		}
		w.out = append(w.out, event)
		w.last = ev.Kv.ModRevision
	}
	return w.out
}

// event converts ev.
func (w *watcher) event(ctx context.Context, ev *clientv3.Event) (storage.Event, error) {
	key := string(ev.Kv.Key[len(w.store.root):])
	var now storage.Entry
	if ev.Type != clientv3.EventTypeDelete {
		now = w.store.entry(key, ev.Kv)
	}
	if ev.IsCreate() {
		return storage.Event{Type: storage.Created, Entry: now}, nil
	}
	var prev storage.Entry
	if w.prev {
		var err error
		if prev, err = w.previous(ctx, key, ev); err != nil {
			return storage.Event{}, err
		}
	}
	if ev.Type == clientv3.EventTypeDelete {
		gone := prev
		gone.Key, gone.Revision = key, ev.Kv.ModRevision
		return storage.Event{Type: storage.Deleted, Entry: gone, Prev: prev}, nil
	}
	return storage.Event{Type: storage.Modified, Entry: now, Prev: prev}, nil
}

// etcd leaves it out if it is compacted, but also of events that come while the watch is being
// opened. It begins to send them before it notes that the watch wants to know.
func (w *watcher) previous(ctx context.Context, key string, ev *clientv3.Event) (storage.Entry, error) {
	kv, before := ev.PrevKv, ev.Kv.ModRevision-1
	if kv == nil {
		get, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(w.ctx, cancel)()
		resp, err := w.store.client.Get(get, w.store.root+key, clientv3.WithRev(before))
		switch {
		case err == nil && len(resp.Kvs) > 0:
			kv = resp.Kvs[0]
		case err == nil || codeOf(err) == storage.CodeCompacted:
			return storage.Entry{}, &storage.Error{Code: storage.CodeCompacted, Op: "watch", Key: w.selection, Revision: before, Err: errNoPrev}
		case w.ctx.Err() != nil:
			return storage.Entry{}, storage.ErrClosed
		case ctx.Err() != nil:
			return storage.Entry{}, ctx.Err()
		default:
			return storage.Entry{}, watchError(w.selection, err)
		}
	}
	return w.store.entry(key, kv), nil
}

// size is about how much memory resp holds.
func size(resp clientv3.WatchResponse) int {
	n := eventOverhead
	for _, ev := range resp.Events {
		n += eventOverhead + len(ev.Kv.Value)
		if ev.PrevKv != nil {
			n += len(ev.PrevKv.Value)
		}
	}
	return n
}
