package plan

import (
	"fmt"
	"math/big"
)

// Limit is a bound that a call puts on something: the length of a string, the number of items, the
// value.
type Limit struct {
	What  string // "length", "bytes", "items", "entries", "value"
	Lower bool
	// Exclusive says that the bound itself is not allowed.
	Exclusive bool
	Value     *big.Float
}

// Contradictions returns what is wrong with bounds on one value: a lower one above an upper one.
func Contradictions(calls []Call) string {
	for _, low := range calls {
		for _, high := range calls {
			if low.Limit == nil || high.Limit == nil || !low.Limit.Lower || high.Limit.Lower || low.Limit.What != high.Limit.What {
				continue
			}
			order := low.Limit.Value.Cmp(high.Limit.Value)
			if order > 0 || order == 0 && (low.Limit.Exclusive || high.Limit.Exclusive) {
				return fmt.Sprintf("the least %s allowed, %s, is above the most, %s, so nothing is valid",
					low.Limit.What, low.Limit.Value.Text('g', -1), high.Limit.Value.Text('g', -1))
			}
		}
	}
	return ""
}
