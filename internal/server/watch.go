package server

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// watch answers GET of a collection with ?watch, and of the old paths. What is wrong with the
// request is an HTTP error; what goes wrong later, also a resourceVersion that is too old, is an
// event in the stream.
func (s *Server) watch(c *call) error {
	rep, err := c.streamRepresentation()
	if err != nil {
		return err
	}
	opts, err := listOptions(c.info, c.query)
	if err != nil {
		return err
	}
	timeout := s.watchTimeout(opts)
	ctx, cancel := context.WithTimeout(c.ctx, timeout)
	defer cancel()
	end, err := s.beginWatch(c, cancel, len(opts.LabelSelector)+len(opts.FieldSelector))
	if err != nil {
		return err
	}
	defer end()

	stream, err := c.resource.Watch.Watch(ctx, c.name().Namespace, opts)
	if err != nil {
		return err
	}
	defer stream.Close()
	open := s.series(c).LongRunning()
	open.Inc()
	defer open.Dec()
	began, over := c.lasting()
	defer over()
	// A client that does not read its first events has had its turn after a while.
	defer time.AfterFunc(s.config.RequestTimeout, began).Stop()
	w := watching{stream: stream, rep: rep, deadline: time.Now().Add(timeout + slack), sent: s.events[c.resource], began: began}
	if auth.IsWebSocket(c.req) {
		return s.watchSocket(ctx, cancel, c, w)
	}
	return c.sendEvents(ctx, w)
}

// beginWatch counts a request as a watch of its user, with selectors of so many bytes, until end is
// called. It cancels the request when the user's credential is revoked, and when the server stops.
func (s *Server) beginWatch(c *call, cancel func(), selectors int) (end func(), err error) {
	closed, err := s.watches.add(c.user, c.watched(), selectors)
	if err != nil {
		return nil, err
	}
	forget := s.config.Revocations.AfterRevoked(c.shown(), cancel)
	stop := context.AfterFunc(s.watching, func() { time.AfterFunc(s.watches.endAfter(s.config.WatchDrain), cancel) })
	return func() {
		stop()
		forget()
		closed()
	}, nil
}

// watched is what the request follows: nothing, if it takes over its connection.
func (c *call) watched() watched {
	if c.info.Verb != "watch" {
		return watched{}
	}
	return watched{c.info.Group, c.info.Resource, c.info.Namespace, c.info.Name}
}

// watching is a watch that has begun.
type watching struct {
	stream rest.Stream
	rep    rest.Representation
	// deadline is when the connection ends in any case, however slowly the client reads.
	deadline time.Time
	sent     prometheus.Counter
	// began is called when what was there at the start has been sent.
	began func()
}

// follow gives send the events, as many at a time as there are, until the stream ends or ctx does.
func (w watching) follow(ctx context.Context, send func([]rest.Event) error) error {
	beginning, _ := w.stream.(rest.BeginningStream)
	for {
		if beginning == nil || !beginning.Beginning() {
			w.began()
		}
		events, nextErr := w.stream.Next(ctx)
		if nextErr != nil && ctx.Err() == nil && !errors.Is(nextErr, io.EOF) {
			events = append(events, rest.Event{Type: rest.Error, Object: structView{statusOf(nextErr)}})
		}
		if len(events) > 0 {
			if err := send(events); err != nil {
				return err
			}
			w.sent.Add(float64(len(events)))
		}
		if nextErr != nil {
			return nil
		}
	}
}

// watchTimeout is what the client asks for, or a random time, so that watches that began together
// do not all end at once. Less than nothing is the shortest time that there is, a second.
func (s *Server) watchTimeout(opts metav1.ListOptions) time.Duration {
	if opts.TimeoutSeconds != nil && *opts.TimeoutSeconds != 0 {
		return time.Duration(min(max(*opts.TimeoutSeconds, 1), maxWatchSeconds)) * time.Second
	}
	return s.config.WatchTimeout + rand.N(s.config.WatchTimeout)
}

// maxWatchSeconds keeps a time from running over; nobody waits for ten years.
const maxWatchSeconds = 10 * 365 * 24 * 3600

// sendEvents writes events until the stream or the client ends. All events that come at once go out
// with one flush.
func (c *call) sendEvents(ctx context.Context, w watching) error {
	header := c.w.Header()
	header.Set("Content-Type", string(w.rep.MediaType))
	if w.rep.MediaType == rest.Protobuf {
		header.Set("Content-Type", string(rest.Protobuf)+";stream=watch")
	}
	control := http.NewResponseController(c.w)
	c.recordStart(http.StatusOK)
	// A client that stops reading must not keep the watch beyond its end; not every ResponseWriter
	// can have a deadline.
	_ = control.SetWriteDeadline(w.deadline)
	c.w.WriteHeader(http.StatusOK)
	// The client waits for the header before it believes that it is watching.
	if err := control.Flush(); err != nil {
		return err
	}

	frames := newFramer(w.rep)
	return w.follow(ctx, func(events []rest.Event) error {
		if err := writeEvents(c.w, frames, events); err != nil {
			return err
		}
		return control.Flush()
	})
}

// writeEvents writes events in as few frames of HTTP/2 as they fill.
func writeEvents(to io.Writer, frames *framer, events []rest.Event) error {
	b := framings.Get().(*framing)
	defer b.release()
	if len(events) == 1 {
		frame, err := frames.frame(b, events[0])
		if err != nil {
			return err
		}
		_, err = to.Write(frame)
		return err
	}
	out := &b.out
	out.Reset(to)
	for _, event := range events {
		frame, err := frames.frame(b, event)
		if err != nil {
			return err
		}
		if _, err := out.Write(frame); err != nil {
			return err
		}
	}
	return out.Flush()
}
