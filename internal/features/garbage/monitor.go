package garbage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// partial is the form in which the collector reads objects: their metadata, which is cut out of the
// stored bytes.
var partial = rest.Representation{MediaType: rest.Protobuf, As: rest.AsPartialObjectMetadata}

// monitor is how far the collector has come in following one kind.
type monitor struct {
	tried chan struct{} // closed when all objects were seen once, or could not be
	try   sync.Once

	mu      sync.Mutex
	reached int64         // the revision of the last event that is in the graph; 0: not all were seen
	moved   chan struct{} // closed and replaced when reached moves
}

func (m *monitor) start() { m.tried, m.moved = make(chan struct{}), make(chan struct{}) }

// move notes that everything up to a revision is in the graph.
func (m *monitor) move(revision int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if revision > m.reached {
		m.reached = revision
		close(m.moved)
		m.moved = make(chan struct{})
	}
}

// await waits until everything up to a revision is in the graph.
func (m *monitor) await(ctx context.Context, revision int64) error {
	for {
		m.mu.Lock()
		reached, moved := m.reached, m.moved
		m.mu.Unlock()
		if reached >= revision {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// follow keeps the graph up with one kind until ctx ends.
func (c *collector) follow(ctx context.Context, k *kind) {
	pause := firstPause
	for ctx.Err() == nil {
		err := recovery.Call(c.log, "garbage", k.Name, func() error { return c.followOnce(ctx, k, func() { pause = firstPause }) })
		k.monitor.try.Do(func() { close(k.monitor.tried) })
		if ctx.Err() != nil {
			return
		}
		c.metrics.SyncErrors.Inc()
		c.log.Warn("the garbage collector lost sight of a resource, and looks again", "resource", k.Name, "error", err)
		_ = wait.Sleep(ctx, pause)
		pause = min(2*pause, lastPause)
	}
}

// followOnce reads all objects and then every change, until the stream breaks. After the first time
// changes may have been missed: then everything is judged again.
func (c *collector) followOnce(ctx context.Context, k *kind, alive func()) error {
	initially := true
	stream, err := k.Watch.Watch(ctx, "", metav1.ListOptions{SendInitialEvents: &initially, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	defer stream.Close()
	there := map[uid]struct{}{}
	for {
		events, err := stream.Next(ctx)
		if err != nil {
			return err
		}
		var last int64
		for _, event := range events {
			meta, err := metaOf(event)
			if err != nil {
				return err
			}
			if last, err = storage.ParseRevision(meta.ResourceVersion); err != nil {
				return err
			}
			switch {
			case event.Type == rest.Deleted:
				c.graph.remove(uidOf(meta.UID))
			case event.Type != rest.Bookmark:
				if err := c.put(k, &meta, event.Object); err != nil {
					return err
				}
				if there != nil {
					there[uidOf(meta.UID)] = struct{}{}
				}
			case there != nil:
				c.graph.keep(k.number, there)
				there = nil
				c.caughtUp(k)
				alive()
			}
		}
		if there == nil {
			k.monitor.move(last)
		}
	}
}

// put notes an object, and when it ends.
func (c *collector) put(k *kind, meta *wire.Meta, view rest.View) error {
	var end time.Time
	if k.Ends != nil {
		at, ends, err := k.Ends(view)
		if err != nil {
			return err
		}
		if ends {
			end = at
		}
	}
	c.graph.put(k.number, meta, end)
	return nil
}

// caughtUp notes that all objects of a kind are in the graph.
func (c *collector) caughtUp(k *kind) {
	first := false
	k.monitor.try.Do(func() {
		close(k.monitor.tried)
		first = true
	})
	if !first {
		c.graph.enqueueAll()
	}
}

// metaOf reads the metadata of an event's object.
func metaOf(event rest.Event) (wire.Meta, error) {
	if event.Type != rest.Error {
		return read(event.Object)
	}
	var status metav1.Status
	if err := rest.Read(event.Object, &status); err != nil {
		return wire.Meta{}, err
	}
	return wire.Meta{}, &apierrors.StatusError{ErrStatus: status}
}

func read(view rest.View) (wire.Meta, error) {
	var b bytes.Buffer
	if err := view.WriteTo(&b, partial); err != nil {
		return wire.Meta{}, err
	}
	return wire.ReadMeta(b.Bytes())
}

// freshness makes sure that the graph has seen what was written before somebody asked: an object
// that is made right before its owner is deleted must not be overlooked.
type freshness struct {
	mu    sync.Mutex
	begun time.Time // of the last look that ended well
}

// patience bounds how long one look may take. idle is how long a watch that has nothing to say is
// listened to; what the server has in memory it says at once.
const (
	patience = 10 * time.Second
	idle     = 20 * time.Millisecond
)

var errBehind = errors.New("the garbage collector has not seen all resources up to this moment")

// seen returns when the graph has everything that was written before the call. Those who ask at the
// same time share a look.
func (c *collector) seen(ctx context.Context) error {
	asked := time.Now()
	c.fresh.mu.Lock()
	defer c.fresh.mu.Unlock()
	if c.fresh.begun.After(asked) {
		return nil
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, len(c.kinds))
	for i, k := range c.kinds {
		if k.followed {
			all.Go(func() {
				errs[i] = recovery.Call(c.log, "garbage", k.Name, func() error { return k.catchUp(ctx) })
			})
		}
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("%w: %s: %w", errBehind, c.kinds[i].Name, err)
		}
	}
	c.fresh.begun = begun
	return nil
}

// catchUp waits until the graph has what was written to objects of a kind before the call. A list
// brings what serves the kind up to now; a second watch, from where the first one is, tells whether
// there is anything that is not in the graph.
func (k *kind) catchUp(ctx context.Context) error {
	if _, err := k.List.List(ctx, "", metav1.ListOptions{Limit: 1}); err != nil {
		return err
	}
	k.monitor.mu.Lock()
	reached := k.monitor.reached
	k.monitor.mu.Unlock()
	if reached == 0 {
		return errors.New("its objects could not be read yet")
	}
	stream, err := k.Watch.Watch(ctx, "", metav1.ListOptions{ResourceVersion: storage.FormatRevision(reached)})
	if err != nil {
		return err
	}
	defer stream.Close()
	short, cancel := context.WithTimeout(ctx, idle)
	defer cancel()
	for {
		events, err := stream.Next(short)
		if errors.Is(err, io.EOF) {
			return k.monitor.await(ctx, reached)
		}
		if err != nil {
			return err
		}
		meta, err := metaOf(events[len(events)-1])
		if err != nil {
			return err
		}
		if reached, err = storage.ParseRevision(meta.ResourceVersion); err != nil {
			return err
		}
	}
}
