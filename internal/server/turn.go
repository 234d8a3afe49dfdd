package server

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/internal/server/transport"
)

// The headers that say which objects decided about the request. They have UIDs, since names could
// tell users what others think of them.
const (
	headerFlowSchema    = "X-Kubernetes-Pf-Flowschema-Uid"
	headerPriorityLevel = "X-Kubernetes-Pf-Prioritylevel-Uid"
)

// takeTurn waits until it is the request's turn, and counts it while it is answered. A watch gives
// its seats back when it has begun.
func (s *Server) takeTurn(c *call, count place) error {
	c.turn = s.config.Fairness.Classify(&fairness.Request{
		User: c.user, Verb: c.info.Verb, IsResource: c.info.IsResource, Path: c.info.Path,
		Group: c.info.Group, Resource: c.info.Resource, Subresource: c.info.Subresource, Namespace: c.info.Namespace,
		Version: c.info.Version, Name: c.info.Name,
	})
	header := c.w.Header()
	if _, uid := c.turn.Schema(); uid != "" {
		header[headerFlowSchema] = []string{uid}
	}
	if _, uid := c.turn.Level(); uid != "" {
		header[headerPriorityLevel] = []string{uid}
	}
	if err := c.turn.Begin(c.ctx, s.work(c), s.patience(c)); err != nil {
		count.dropped.Inc()
		return busy{c.turn.RetryAfter()}
	}
	if c.info.Verb == "watch" {
		c.release = sync.OnceFunc(c.turn.End)
		return nil
	}
	count.inFlight.Inc()
	c.release = func() {
		c.turn.End()
		count.inFlight.Dec()
	}
	return nil
}

// patience is how long a request may wait: a quarter of its time.
func (s *Server) patience(c *call) time.Duration {
	if deadline, ok := c.ctx.Deadline(); ok {
		return min(s.config.RequestTimeout, deadline.Sub(c.begun)) / 4
	}
	return s.config.RequestTimeout / 4
}

// What requests are thought to cost. The numbers are those of Kubernetes.
const (
	// listSeat is how many bytes of objects make a list need a seat, and listBytes the most that it
	// has in hand at once: lists go out in pieces.
	listSeat  = 100_000
	listBytes = 1_000_000
	// watchersSeat is how many watchers of what is written make the write need a seat, for
	// eventTime after it. It has at most mostSeats, for longer then.
	watchersSeat = 10
	eventTime    = 5 * time.Millisecond
	mostSeats    = 10
)

// work is what the request is thought to cost.
func (s *Server) work(c *call) fairness.Work {
	if !c.info.IsResource {
		return fairness.Work{Seats: 1}
	}
	switch c.info.Verb {
	case "list":
		return fairness.Work{Seats: s.listSeats(c)}
	case "watch":
		if c.wantsInitial() {
			return fairness.Work{Seats: s.listSeats(c)}
		}
	case "create", "update", "patch", "delete":
		return s.writeWork(c)
	}
	return fairness.Work{Seats: 1}
}

// wantsInitial says that a watch begins with what is there.
func (c *call) wantsInitial() bool {
	if c.query.Has("sendInitialEvents") {
		return boolParameter(c.query, "sendInitialEvents")
	}
	return c.anyState() || c.query.Get("resourceVersion") == ""
}

// anyState says that any state will do, since the client names no revision: "0", in one digit or in
// several.
func (c *call) anyState() bool {
	version := c.query.Get("resourceVersion")
	return version != "" && strings.Trim(version, "0") == ""
}

// limit is how many objects are listed at most, 0 for all. What is of any state has no pages, and a
// watch has none.
func (c *call) limit() int64 {
	limit, err := strconv.ParseInt(c.query.Get("limit"), 10, 64)
	if err != nil || c.info.Verb == "watch" || c.anyState() && c.query.Get("continue") == "" {
		return 0
	}
	return limit
}

// listSeats goes by how large the list may be.
func (s *Server) listSeats(c *call) int {
	r := s.resources[c.info.groupVersion().WithResource(c.info.fullName())]
	if r == nil || r.Weigh == nil || c.info.Name != "" {
		return 1
	}
	widest := min(c.turn.Widest(), listBytes/listSeat)
	objects, bytes, ok := r.Weigh(c.info.Namespace)
	if !ok {
		return widest
	}
	if limit := c.limit(); 0 < limit && limit < objects {
		bytes = bytes / objects * limit
	}
	return min(max(1, int((bytes+listSeat-1)/listSeat)), widest)
}

// writeWork goes by how many watchers are told of what is written.
func (s *Server) writeWork(c *call) fairness.Work {
	told := s.watches.of(c.info)
	if told < watchersSeat || c.info.Resource == "serviceaccounts" && c.info.Subresource == "token" {
		return fairness.Work{Seats: 1}
	}
	wanted := (told + watchersSeat - 1) / watchersSeat
	seats := min(wanted, mostSeats, c.turn.Widest())
	return fairness.Work{Seats: 1, FinalSeats: seats, After: eventTime * time.Duration(wanted) / time.Duration(seats)}
}

// lasting is for a watch. It costs little from when began is called, and so gives its seats back.
// Over ends that, too.
func (c *call) lasting() (began, over func()) {
	var end func()
	began = sync.OnceFunc(func() {
		end = transport.Lasting(c.req.Context())
		if c.release != nil {
			c.release()
		}
	})
	return began, func() { began(); end() }
}
