package pacing

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// WaitMemory returns when the process has room below Go's memory limit, or when a collection could
// not make any. Without a limit it returns at once.
//
// So it bounds what is allocated between two calls, and not what is kept. Where more than the limit
// is kept, every sixteenth of it that is allocated costs a collection.
func WaitMemory() { memory.wait() }

// memory is that of this process.
var memory = newMemoryLimit(goLimit)

// memoryLimit holds back what needs much memory while the process has more of it than Go's memory
// limit, and has it collected.
//
// Go keeps to that limit only while collecting takes no more than half of the time. It goes by the
// clock. So a process that waits for a processor in the middle of a collection seems to do nothing
// but collect. Then whoever allocates need not help any more, and nothing is given back. Many long
// answers at once could fill all memory that there is.
type memoryLimit struct {
	limit func() int64 // bytes

	mu      sync.Mutex // guards what follows; whoever collects has it, and so the others wait
	samples [2]metrics.Sample
	left    int64 // the least that there was since the last collection, and after it
}

func newMemoryLimit(limit func() int64) *memoryLimit {
	return &memoryLimit{limit: limit, samples: [...]metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}}
}

// goLimit is what GOMEMLIMIT or debug.SetMemoryLimit have said; math.MaxInt64 if neither has.
func goLimit() int64 { return debug.SetMemoryLimit(-1) }

// overdraft is which part of the limit there may be beyond it, and beyond what a collection has
// left. Go itself goes beyond it for a moment, and nobody need wait for that.
const overdraft = 16

func (m *memoryLimit) wait() {
	limit := m.limit()
	if limit == math.MaxInt64 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.inUse()
	m.left = min(m.left, now)
	if now > max(limit, m.left)+limit/overdraft {
		debug.FreeOSMemory()
		m.left = m.inUse()
	}
}

// inUse is how many bytes the process has that count for the limit.
func (m *memoryLimit) inUse() int64 {
	metrics.Read(m.samples[:])
	return int64(m.samples[0].Value.Uint64() - m.samples[1].Value.Uint64())
}
