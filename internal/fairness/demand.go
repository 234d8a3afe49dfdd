package fairness

import (
	"math"
	"time"
)

// demand is how many seats the requests of a level took and waited for, since it was read last.
type demand struct {
	took         time.Duration
	sum, squares float64 // of seats and their squares, in seconds
	peak         int
	// smoothed follows what was wanted: up at once, and down with a half-life of five minutes.
	smoothed float64
}

// smoothing is which part of the smoothed demand is left after a period. Where nobody asks for
// anything, several of them go by between two reads.
const smoothing = 0.977

// add says that so many seats were wanted for so long.
func (d *demand) add(took time.Duration, seats int) {
	s := took.Seconds()
	d.took += took
	d.sum += float64(seats) * s
	d.squares += float64(seats) * float64(seats) * s
}

// note says that so many seats are wanted at this moment.
func (d *demand) note(seats int) { d.peak = max(d.peak, seats) }

// wanted is what demand was in a period, in seats.
type wanted struct {
	average, deviation, smoothed float64
	peak                         int
}

// read returns what was wanted since the last read, and begins anew with what is wanted now.
func (d *demand) read(now int) wanted {
	w := wanted{peak: d.peak}
	if s := d.took.Seconds(); s > 0 {
		w.average = d.sum / s
		w.deviation = math.Sqrt(max(0, d.squares/s-w.average*w.average))
		envelope := w.average + w.deviation
		left := math.Pow(smoothing, s/period.Seconds())
		d.smoothed = max(envelope, left*d.smoothed+(1-left)*envelope)
	}
	w.smoothed = d.smoothed
	d.took, d.sum, d.squares, d.peak = 0, 0, 0, now
	return w
}

// refusals say when a client that is refused shall come again.
type refusals struct {
	since time.Time
	count int
	after int // seconds
}

// longest is the greatest time, in seconds, after which a client shall come again.
const longest = 32

// add counts one more, and returns after how many seconds it shall come again. These are twice as
// many if there were more than three in each second so far, and fewer if there was less than one.
func (r *refusals) add(now time.Time) int {
	r.after = max(r.after, 1)
	if gone := int(now.Sub(r.since).Seconds()); gone >= r.after {
		switch {
		case gone < 2*r.after && r.count >= 3*r.after:
			r.after = min(2*r.after, longest)
		case r.count < gone:
			r.after = max(1, r.after-gone)
		}
		r.since, r.count = now, 0
	}
	r.count++
	return r.after
}
