package fairness

import (
	"slices"
	"time"
)

// guess is how long a request is thought to take until it has ended.
const guess = 3 * time.Millisecond

// queues are the requests of a level that wait, and what decides who goes next. The level's lock
// guards them.
//
// It is fair queuing with a virtual time: progress is how many seat-seconds a queue would have got
// so far if all queues with requests shared the seats equally. Each queue remembers up to which
// progress it has been served (queue.served). The queue whose next request would end first, in
// virtual time, goes next. A request is charged a guess when it begins, what it takes as soon as
// that is more, and what it took in the end.
type queues struct {
	all []*queue
	// deck is how many of them get new requests; the others are left from before a change.
	deck, hand int
	// length is how many requests may wait in one queue.
	length int

	waiting, waitingSeats int
	active                int     // queues with requests that wait or are answered
	progress              float64 // in seat-seconds
	looked                int     // the queue that was served last
	dealt                 int     // hands
}

// queue is the requests of some flows.
type queue struct {
	waiting   []*Turn
	work      float64 // of those that wait, in seat-seconds
	answering int
	served    float64 // in virtual time
	running   running
}

// running is what those have taken so far that are answered: their seats, when they began, in
// seat-seconds since the level is there, and what they were charged.
type running struct {
	seats          int
	begun, charged float64
}

// taken is what they have taken beyond what they were charged.
func (r *running) taken(now float64) float64 {
	return max(0, float64(r.seats)*now-r.begun-r.charged)
}

// add counts a request that began then; sign is -1 to take it out again.
func (r *running) add(t *Turn, sign int) {
	r.seats += sign * t.work.Seats
	r.begun += float64(sign*t.work.Seats) * t.since
	r.charged += float64(sign*t.work.Seats) * guess.Seconds()
	if r.seats == 0 {
		*r = running{} // whatever the rounding
	}
}

// configure changes how many queues there are. Queues with requests stay until they are empty.
func (q *queues) configure(c *Queuing) {
	if c == nil {
		q.deck, q.hand, q.length = 0, 0, 0
		return
	}
	q.deck, q.hand, q.length = int(c.Queues), max(1, int(min(c.HandSize, c.Queues, MaxHand))), int(c.Length)
	for len(q.all) > q.deck && q.all[len(q.all)-1].idle() {
		q.all = q.all[:len(q.all)-1]
	}
	for len(q.all) < q.deck {
		q.all = append(q.all, new(queue))
	}
	q.looked = 0
}

func (q *queue) idle() bool { return len(q.waiting) == 0 && q.answering == 0 }

// advance moves the virtual time on: for so long so many seats have been at work.
func (q *queues) advance(took time.Duration, seats int) {
	if q.active > 0 {
		q.progress += took.Seconds() * float64(seats) / float64(q.active)
	}
}

// choose deals the flow its hand, and returns the queue of it in which least work waits.
func (q *queues) choose(hash uint64) *queue {
	var cards [MaxHand]int
	hand := cards[:q.hand]
	deal(hash, q.deck, hand)
	q.dealt++
	var best *queue
	for i := range hand {
		// Beginning with another card each time does not prefer one where hands overlap.
		if next := q.all[hand[(q.dealt+i)%len(hand)]]; best == nil || next.work < best.work {
			best = next
		}
	}
	return best
}

// enter has a queue that was idle begin at the time of now: nobody saves up for later.
func (q *queues) enter(to *queue) {
	if to.idle() {
		q.active++
		to.served = q.progress
	}
}

// leave is called when a queue may have become idle.
func (q *queues) leave(from *queue) {
	if from.idle() {
		q.active--
	}
}

// push adds a request that waits.
func (q *queues) push(t *Turn) {
	q.enter(t.queue)
	t.arrived = q.progress
	t.queue.waiting = append(t.queue.waiting, t)
	t.queue.work += t.work.total()
	q.waiting++
	q.waitingSeats += t.seats
}

// remove takes a request out that waits.
func (q *queues) remove(t *Turn) {
	i := slices.Index(t.queue.waiting, t)
	t.queue.waiting = slices.Delete(t.queue.waiting, i, i+1)
	if t.queue.work -= t.work.total(); len(t.queue.waiting) == 0 {
		t.queue.work = 0 // whatever the rounding
	}
	q.waiting--
	q.waitingSeats -= t.seats
}

// next returns the request whose turn it is; some must wait.
func (q *queues) next(now float64) *Turn {
	var best *Turn
	var soonest float64
	at := q.looked
	for i := range q.all {
		n := (q.looked + 1 + i) % len(q.all)
		from := q.all[n]
		if len(from.waiting) == 0 {
			continue
		}
		first := from.waiting[0]
		from.served = max(from.served, first.arrived)
		if ends := from.served + from.running.taken(now) + first.work.total(); best == nil || ends < soonest {
			best, soonest, at = first, ends, n
		}
	}
	q.looked = at
	return best
}

// start charges the queue, which it has entered, for a request that is answered now.
func (q *queue) start(t *Turn) {
	q.answering++
	q.served += t.work.total()
	q.running.add(t, 1)
}

// finish corrects the charge by what the request took.
func (q *queue) finish(t *Turn, took time.Duration) {
	q.served += float64(t.work.Seats) * (took - guess).Seconds()
	q.running.add(t, -1)
}
