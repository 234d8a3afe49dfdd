package fairness

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// The reasons why a request is refused. Their texts are values of a metric.
var (
	// ErrNoSeat says that the level has no free seat, and that its requests don't wait.
	ErrNoSeat = errors.New("concurrency-limit")
	// ErrQueueFull says that too many requests of the flow, or of its neighbours, wait.
	ErrQueueFull = errors.New("queue-full")
	// ErrTimeOut says that the request has waited as long as it may.
	ErrTimeOut = errors.New("time-out")
	// ErrCancelled says that the client has gone.
	ErrCancelled = errors.New("cancelled")
)

// level is a Level with its seats and those who wait for them.
type level struct {
	born  time.Time
	name  string
	meter *levelMeter

	mu     sync.Mutex // guards what follows
	exempt bool
	// nominal is the share of the level in seats; least is what it keeps of that, and most what it
	// may have with what it borrows. limit is what it has at this moment.
	nominal, least, most, limit int
	inUse                       int
	// guests are the seats in use of newcomers that went before those that wait.
	guests    int
	queues    queues
	answering answering
	total     total
	at        time.Time // up to which virtual time and demand are told
	demand    demand
	refusals  refusals
}

func newLevel(name string, meter *levelMeter) *level {
	now := time.Now()
	return &level{name: name, meter: meter, born: now, at: now}
}

// widestPart is which part of a level one request may take.
const widestPart = 0.15

// configure gives the level its share of the seats of the server. It returns how many of them one
// request may take.
func (l *level) configure(c Level, total int, shares float64) (widest int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick()
	l.exempt, l.nominal = c.Exempt, 0
	if shares > 0 {
		l.nominal = int(math.Ceil(float64(total) * float64(c.Shares) / shares))
	}
	lendable := percent(l.nominal, c.LendablePercent)
	l.least, l.most = l.nominal-lendable, l.nominal+total
	if c.BorrowingLimitPercent != nil {
		l.most = l.nominal + percent(l.nominal, *c.BorrowingLimitPercent)
	}
	if l.limit == 0 { // it is new
		l.limit = max(1, l.nominal-lendable/2)
	}
	l.queues.configure(c.Queuing)
	l.meter.configured(l.nominal, l.least, l.most)
	if c.Queuing == nil {
		return max(1, l.nominal)
	}
	return max(1, min(int(math.Ceil(widestPart*float64(l.nominal))), l.nominal/int(max(1, c.Queuing.HandSize))))
}

func percent(of int, percent int32) int { return int(math.Round(float64(of) * float64(percent) / 100)) }

// setLimit says how many seats the level has from now on.
func (l *level) setLimit(seats int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick()
	l.limit = max(1, seats)
	l.meter.limit.Set(float64(l.limit))
	l.dispatch()
}

// claim is what the level wants of the server's seats, by what it wanted in the last period, and
// what is its own.
func (l *level) claim() (c claim, nominal int, exempt bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick()
	w := l.demand.read(l.wanted())
	l.meter.wanted(w)
	if l.exempt {
		return claim{least: float64(max(l.least, w.peak))}, l.nominal, true
	}
	least := float64(max(l.least, min(l.nominal, w.peak)))
	return claim{least: least, most: float64(l.most), target: max(least, w.smoothed)}, l.nominal, false
}

// floor is what the level does not lend.
func (l *level) floor() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.least
}

func (l *level) retryAfter() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusals.add(time.Now())
}

// tick tells virtual time and demand what has been since it was called last. It is called before
// anything changes.
func (l *level) tick() {
	now := time.Now()
	took := now.Sub(l.at)
	l.at = now
	l.queues.advance(took, l.inUse)
	l.demand.add(took, l.wanted())
}

// wanted is how many seats requests have or wait for.
func (l *level) wanted() int { return l.inUse + l.queues.waitingSeats }

// age is for how long the level has been there, in seconds.
func (l *level) age() float64 { return l.at.Sub(l.born).Seconds() }

// reserve is how many seats are for newcomers, in a level with queues: the last quarter.
func (l *level) reserve() int {
	if l.queues.deck == 0 {
		return 0
	}
	return l.limit / 4
}

// fits says whether there are free seats, of those that are not for newcomers. A request that wants
// more than there are gets all.
func (l *level) fits(seats int) bool {
	used := l.inUse - l.guests
	return used == 0 || used+seats <= l.limit-l.reserve() && l.inUse+seats <= l.limit
}

// welcome says that a request of one seat goes before those that wait, since nothing of its queue
// waits or is answered. Users who fill their queues never take the seats that are for newcomers, so
// others need not wait until they are through. Newcomers who come all the time take no more seats
// than these, so those that wait get theirs.
func (l *level) welcome(t *Turn) bool {
	return t.seats == 1 && t.queue.idle() && l.guests < l.reserve() && l.inUse < l.limit
}

// begin gives the request its seats, or a place in a queue: then its ready is made. It takes no
// time.
func (l *level) begin(t *Turn, hash uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick()
	t.came = l.at
	if l.exempt {
		l.take(t)
		return nil
	}
	if l.queues.deck == 0 {
		if !l.fits(t.seats) {
			l.total.rejected++
			return ErrNoSeat
		}
		l.take(t)
		return nil
	}
	t.queue = l.queues.choose(hash)
	seated := l.queues.waiting == 0 && l.fits(t.seats)
	t.guest = !seated && l.welcome(t)
	if seated || t.guest {
		l.queues.enter(t.queue)
		l.take(t)
		return nil
	}
	if len(t.queue.waiting) >= l.queues.length {
		l.total.rejected++
		return ErrQueueFull
	}
	t.ready = make(chan struct{})
	l.queues.push(t)
	l.dispatch()
	l.demand.note(l.wanted())
	return nil
}

// take gives the request its seats.
func (l *level) take(t *Turn) {
	t.begun, t.since = l.at, l.age()
	t.seated = true
	l.use(t, t.seats)
	l.answering.add(t)
	l.total.dispatched++
	if t.queue != nil {
		t.queue.start(t)
	}
	l.demand.note(l.wanted())
}

// use takes so many seats more for the request, or less.
func (l *level) use(t *Turn, seats int) {
	l.inUse += seats
	if t.guest {
		l.guests += seats
	}
}

// dispatch gives seats to those who wait, as long as there are some.
func (l *level) dispatch() {
	for l.queues.waiting > 0 {
		t := l.queues.next(l.age())
		if !l.fits(t.seats) {
			return
		}
		l.queues.remove(t)
		l.take(t)
		close(t.ready)
	}
}

// wait waits for the seats of a request that is in a queue.
func (l *level) wait(ctx context.Context, t *Turn, atMost time.Duration) error {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	reason, refused := ErrTimeOut, &l.total.timedOut
	select {
	case <-t.ready:
		return nil
	case <-timer.C:
	case <-ctx.Done():
		reason, refused = ErrCancelled, &l.total.cancelled
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.seated {
		return nil // its turn came meanwhile
	}
	l.tick()
	*refused++
	l.queues.remove(t)
	l.queues.leave(t.queue)
	l.dispatch() // it may have stood before others that need less
	return reason
}

// finish is called when the request is answered. Its seats are free at once, unless it has work
// that comes after it.
func (l *level) finish(t *Turn) (took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick()
	took = l.at.Sub(t.begun)
	if t.queue != nil {
		t.queue.finish(t, took)
	}
	if t.work.After == 0 || l.exempt {
		l.free(t)
		return took
	}
	l.use(t, t.work.FinalSeats-t.seats)
	t.seats = t.work.FinalSeats
	l.dispatch()
	return took
}

// end frees the seats of work that came after a request.
func (l *level) end(t *Turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick()
	l.free(t)
}

func (l *level) free(t *Turn) {
	l.use(t, -t.seats)
	t.seats = 0
	l.answering.remove(t)
	if t.queue != nil {
		t.queue.answering--
		l.queues.leave(t.queue)
	}
	l.dispatch()
}
