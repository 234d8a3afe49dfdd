package transport

import "time"

// resets are the streams that a client resets. A server has worked for each of them, and nobody has
// got anything. A client that stops may reset as many at once as it has, and few at other times.
// Who resets more is served slowly, and what it sends meanwhile stays on its side. To end the
// connection at once would cost more than that, since the client can make another one. It ends when
// the client does not stop.
type resets struct {
	// due is when those so far have been made up for, at one in each resetEvery.
	due time.Time
	// late is how many requests in a row had to wait.
	late int
}

const (
	// freeResets cost nothing: as many streams as a connection has at a time.
	freeResets = 250
	resetEvery = 10 * time.Millisecond
	// mostLate is how many requests wait for resetEvery until the connection ends.
	mostLate = 500
)

// count counts a reset. However many there were, requests need not wait any more after the time
// that freeResets take.
func (r *resets) count() {
	now := time.Now()
	if r.due.Before(now) {
		r.due = now
	}
	if r.due.Sub(now) < 2*freeResets*resetEvery {
		r.due = r.due.Add(resetEvery)
	}
}

// pause is how long the next request waits, and whether the connection has had its time.
func (r *resets) pause() (wait time.Duration, over bool) {
	if time.Until(r.due) <= freeResets*resetEvery {
		r.late = 0
		return 0, false
	}
	r.late++
	return resetEvery, r.late > mostLate
}
