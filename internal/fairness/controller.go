package fairness

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Controller decides about the requests of a server. It is safe for concurrent use.
type Controller struct {
	total int
	seed  maphash.Seed
	meter *meter

	rules   atomic.Pointer[[]*schema]
	settled atomic.Int64 // when levels settled last, in Unix nanoseconds

	mu     sync.Mutex // guards what follows
	levels map[string]*level
}

// schema is a Schema with its level.
type schema struct {
	Schema
	level    *level
	levelUID string
	widest   int // seats that a request of the level may take
	meter    *flowMeter
}

// New returns a Controller with the Default configuration that gives out so many seats, which must
// be more than 0. Its metrics are registered; a registry is for one Controller.
func New(seats int, registry prometheus.Registerer) *Controller {
	c := &Controller{total: seats, seed: maphash.MakeSeed(), meter: newMeter(registry), levels: map[string]*level{}}
	c.Set(Default())
	return c
}

// Set changes schemas and levels. Requests that wait stay where they are; those of a level that is
// there no more have the seats that it had.
func (c *Controller) Set(config Config) {
	config = config.complete()
	c.mu.Lock()
	defer c.mu.Unlock()
	shares := 0.0
	for _, l := range config.Levels {
		shares += float64(l.Shares)
	}
	levels := map[string]*level{}
	var rules []*schema
	for _, l := range config.Levels {
		known := c.levels[l.Name]
		if known == nil {
			known = newLevel(l.Name, c.meter.level(l.Name))
		}
		levels[l.Name] = known
		widest := known.configure(l, c.total, shares)
		for _, s := range config.Schemas {
			if s.Level == l.Name {
				rules = append(rules, &schema{Schema: s, level: known, levelUID: l.UID, widest: widest, meter: c.meter.flow(l.Name, s.Name)})
			}
		}
	}
	slices.SortFunc(rules, func(a, b *schema) int {
		return cmp.Or(cmp.Compare(a.Precedence, b.Precedence), cmp.Compare(a.Name, b.Name))
	})
	c.meter.keep(rules, levels)
	c.levels = levels
	c.rules.Store(&rules)
	c.settle(time.Now())
}

// settle gives the levels their limits. The lock is held.
func (c *Controller) settle(now time.Time) {
	c.settled.Store(now.UnixNano())
	levels := make([]*level, 0, len(c.levels))
	for _, l := range c.levels {
		levels = append(levels, l)
	}
	slices.SortFunc(levels, func(a, b *level) int { return cmp.Compare(a.name, b.name) })
	settle(levels)
}

// settleIfDue settles if a period has passed. Requests call it, so that it needs no goroutine:
// where there are none, nothing is wanted.
func (c *Controller) settleIfDue(now time.Time) {
	if now.UnixNano()-c.settled.Load() < int64(period) || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	if now.UnixNano()-c.settled.Load() >= int64(period) {
		c.settle(now)
	}
}

// Work is what a request is thought to cost.
type Work struct {
	// Seats are those that it takes while it is answered. FinalSeats are those that it takes for
	// the time After behind that: watchers are told what it has changed.
	Seats, FinalSeats int
	After             time.Duration
}

// total is the work in seat-seconds.
func (w Work) total() float64 {
	return float64(w.Seats)*guess.Seconds() + float64(w.FinalSeats)*w.After.Seconds()
}

// Turn is what a request has between Classify and End. Its methods are called by one goroutine.
type Turn struct {
	controller *Controller
	schema     *schema
	flow       string
	request    Request

	work    Work
	seats   int // of the level that are taken
	queue   *queue
	ready   chan struct{} // is closed when a request that has waited gets its seats; nil: it need not wait
	came    time.Time
	arrived float64   // came, in virtual time
	begun   time.Time // when it got its seats
	since   float64   // begun, as the age of the level
	seated  bool
	guest   bool // it went before those that wait

	before, behind *Turn // in answering
}

// Classify finds the schema and the level of a request.
func (c *Controller) Classify(r *Request) Turn {
	s := c.find(r)
	return Turn{controller: c, schema: s, flow: s.Flow(r), request: *r}
}

// find returns the first schema that matches. No request is without one: who is in neither of the
// groups that everybody is in belongs to CatchAll.
func (c *Controller) find(r *Request) *schema {
	var last *schema
	for _, s := range *c.rules.Load() {
		if s.Matches(r) {
			return s
		}
		if s.Name == CatchAll {
			last = s
		}
	}
	return last
}

// Schema and Level are what the request belongs to, by their names, and their UIDs, "" where no
// object says so. Flow tells it apart from others of the schema.
func (t *Turn) Schema() (name, uid string) { return t.schema.Name, t.schema.UID }
func (t *Turn) Level() (name, uid string)  { return t.schema.level.name, t.schema.levelUID }
func (t *Turn) Flow() string               { return t.flow }

// Widest is how many seats the request may take, at least 1.
func (t *Turn) Widest() int { return t.schema.widest }

// Begin takes the seats of the request, and waits for them no longer than atMost. The error is one
// of this package; then there is no End.
func (t *Turn) Begin(ctx context.Context, work Work, atMost time.Duration) error {
	l, m := t.schema.level, t.schema.meter
	t.work = work
	t.seats = max(work.Seats, work.FinalSeats)
	m.estimated.Observe(float64(t.seats))
	err := l.begin(t, t.controller.hash(t.schema.Name, t.flow))
	if err == nil && t.ready != nil {
		err = t.wait(ctx, atMost)
	}
	if err != nil {
		m.refused(err)
		return err
	}
	m.began(t.seats)
	t.controller.settleIfDue(t.begun)
	return nil
}

// wait waits in the queue.
func (t *Turn) wait(ctx context.Context, atMost time.Duration) error {
	m := t.schema.meter
	m.queued(1, t.seats)
	defer m.queued(-1, -t.seats)
	since := time.Now()
	err := t.schema.level.wait(ctx, t, atMost)
	m.waited(time.Since(since), err == nil)
	return err
}

// hash tells flows apart. Nobody outside can know which of them have the same queues.
func (c *Controller) hash(schema, flow string) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.WriteString(schema)
	h.WriteByte(0)
	h.WriteString(flow)
	return h.Sum64()
}

// RetryAfter is in how many seconds a request that was refused shall come again.
func (t *Turn) RetryAfter() int { return t.schema.level.retryAfter() }

// End says that the request is answered. It must be called once after Begin has succeeded.
func (t *Turn) End() {
	l, m := t.schema.level, t.schema.meter
	seats := t.seats
	took := l.finish(t)
	m.ended(seats, took)
	t.controller.settleIfDue(t.begun.Add(took))
	if t.seats > 0 {
		time.AfterFunc(t.work.After, func() { l.end(t) })
	}
}
