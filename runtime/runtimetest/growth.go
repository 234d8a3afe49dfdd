package runtimetest

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// Growth fails if what has ten times the size costs more than thirty times as much: what costs the
// square of its size costs a hundred times as much. prepare makes what there is to do for a size.
// Only that is measured, in processor time of the process. Both sizes are measured again where
// something may have disturbed one of them: beside other programs all takes longer.
func Growth(t *testing.T, size int, prepare func(size int) (do func())) {
	t.Helper()
	const times, most = 10, 30
	doFew, doMany := prepare(size), prepare(times*size)
	var few, many time.Duration
	for range 5 {
		few = max(least(t, doFew, 5), 5*time.Millisecond) // less is not measured well
		if many = least(t, doMany, 1); many <= most*few {
			return
		}
	}
	t.Errorf("%d take %v, and %d take %v: that is more than %d times as much", size, few, times*size, many, most)
}

// least is the processor time that a call takes when it is least disturbed, of so many.
func least(t *testing.T, do func(), calls int) time.Duration {
	took := time.Duration(math.MaxInt64)
	for range calls {
		runtime.GC() // what others have left
		before := processorTime(t)
		do()
		took = min(took, processorTime(t)-before)
	}
	return took
}
