package fairness

import "time"

// period is the time between two settlements of what levels lend each other.
const period = 10 * time.Second

// claim is what a level wants of the seats of the server.
type claim struct {
	least, most float64
	target      float64 // between them, but it may be above most
}

// smallest keeps a level that wants nothing from getting nothing of what nobody wants.
const smallest = 0.001

// share gives out the seats: to each claim the same multiple of its target, within its bounds. The
// sum of all is seats, where the bounds allow that.
func share(seats float64, claims []claim) []float64 {
	given := make([]float64, len(claims))
	give := func(multiple float64) (sum float64) {
		for i, c := range claims {
			given[i] = max(c.least, min(c.most, multiple*max(c.target, smallest)))
			sum += given[i]
		}
		return sum
	}
	low, high := 0.0, 1.0
	for high < seats/smallest && give(high) < seats {
		high *= 2
	}
	// The sum grows with the multiple, so each step halves where the right one can be.
	for range steps {
		if middle := (low + high) / 2; give(middle) < seats {
			low = middle
		} else {
			high = middle
		}
	}
	give(high)
	return given
}

// steps make the error of share smaller than a float64 has digits.
const steps = 64

// settle gives each level its limit for the next period: what it wants, as far as the others need
// less. A level keeps at least what it has no leave to lend, and what it has used of its own.
func settle(levels []*level) {
	var claims []claim
	var limited []*level
	left, least, used := 0.0, 0.0, 0.0
	for _, l := range levels {
		c, nominal, exempt := l.claim()
		left += float64(nominal)
		if exempt {
			left -= c.least
			continue
		}
		limited, claims = append(limited, l), append(claims, c)
		least += float64(l.floor())
		used += c.least
	}
	if left < used {
		// Exempt requests need so much that not even what was used is left: give everybody the
		// same part of what is above the floor.
		part := max(0, left-least) / max(smallest, used-least)
		for i, l := range limited {
			floor := float64(l.floor())
			l.setLimit(round(floor + part*(claims[i].least-floor)))
		}
		return
	}
	for i, seats := range share(left, claims) {
		limited[i].setLimit(round(seats))
	}
}

func round(seats float64) int { return int(seats + 0.5) }
