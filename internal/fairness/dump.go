package fairness

import (
	"slices"
	"strings"
	"time"
)

// A LevelDump is a level at one moment.
type LevelDump struct {
	Name               string
	Waiting, Executing int // requests
	// These are requests since the level has been there: those that got their seats, and those that
	// did not by the reason.
	Dispatched, Rejected, TimedOut, Cancelled int
	Queues                                    []QueueDump
	// Requests are those that are answered, by when they began, and then those that wait.
	Requests []RequestDump
}

// A QueueDump is a queue at one moment.
type QueueDump struct {
	Waiting, Executing int
	SeatsInUse         int
	// Next is the virtual time at which the next request is dispatched, in seat-seconds.
	Next float64
	// Initial and Most are the seats that the requests that wait will take, at first and at most.
	// Work is what they are thought to cost, in seat-seconds.
	Initial, Most int
	Work          float64
}

// A RequestDump is a request at one moment.
type RequestDump struct {
	Schema, Flow string
	// Queue is the number of its queue, and Place its place there from 0 on; -1: it has none.
	Queue, Place   int
	Arrived, Began time.Time // Began is zero if it waits
	Work           Work
	Request        Request // with a User
}

// Dump tells what the levels have at this moment, by their names. It holds the lock of each level
// while it reads that.
func (c *Controller) Dump() []LevelDump {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]LevelDump, 0, len(c.levels))
	for _, l := range c.levels {
		out = append(out, l.dump())
	}
	slices.SortFunc(out, func(a, b LevelDump) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (l *level) dump() LevelDump {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick()
	out := LevelDump{
		Name: l.name, Waiting: l.queues.waiting, Executing: l.answering.n,
		Dispatched: l.total.dispatched, Rejected: l.total.rejected, TimedOut: l.total.timedOut, Cancelled: l.total.cancelled,
	}
	numbers := map[*queue]int{}
	for n, q := range l.queues.all {
		numbers[q] = n
		out.Queues = append(out.Queues, q.dump(l.age()))
	}
	for t := l.answering.first; t != nil; t = t.behind {
		number := -1
		if t.queue != nil {
			number = numbers[t.queue]
			out.Queues[number].SeatsInUse += t.seats
		}
		out.Requests = append(out.Requests, t.dump(number, -1))
	}
	for number, q := range l.queues.all {
		for place, t := range q.waiting {
			out.Requests = append(out.Requests, t.dump(number, place))
		}
	}
	return out
}

func (q *queue) dump(age float64) QueueDump {
	out := QueueDump{Waiting: len(q.waiting), Executing: q.answering, Next: q.served + q.running.taken(age), Work: q.work}
	for _, t := range q.waiting {
		out.Initial += t.work.Seats
		out.Most += t.seats
	}
	return out
}

func (t *Turn) dump(queue, place int) RequestDump {
	request := t.request
	request.User = request.user()
	return RequestDump{
		Schema: t.schema.Name, Flow: t.flow, Queue: queue, Place: place,
		Arrived: t.came, Began: t.begun, Work: t.work, Request: request,
	}
}

// total counts the requests of a level.
type total struct{ dispatched, rejected, timedOut, cancelled int }

// answering are the requests of a level that are answered at this moment, by when they began. The
// level's lock guards it.
type answering struct {
	first, last *Turn
	n           int
}

func (a *answering) add(t *Turn) {
	if t.before = a.last; t.before == nil {
		a.first = t
	} else {
		t.before.behind = t
	}
	a.last = t
	a.n++
}

func (a *answering) remove(t *Turn) {
	if t.before == nil {
		a.first = t.behind
	} else {
		t.before.behind = t.behind
	}
	if t.behind == nil {
		a.last = t.before
	} else {
		t.behind.before = t.before
	}
	t.before, t.behind = nil, nil
	a.n--
}
