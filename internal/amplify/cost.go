package amplify

import (
	"runtime"
	"runtime/metrics"
	"syscall"
	"time"
)

// cost is what something took: CPU time of the process in milliseconds, and bytes of heap at most.
type cost struct {
	cpu  int64
	heap uint64
}

// measure calls f and tells what it took.
func measure(f func()) cost {
	runtime.GC()
	before, began := heap(), cpuTime()
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := before
		for !pause(done) {
			most = max(most, heap())
		}
		peak <- most
	}()
	f()
	spent := cpuTime() - began
	close(done)
	return cost{cpu: spent, heap: <-peak - before}
}

// cpuTime is what the process has used, in milliseconds. Other processes don't count.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // impossible: the arguments are right
	}
	return (u.Utime.Nano() + u.Stime.Nano()) / int64(time.Millisecond)
}

// heap is what objects take, those included that nobody has collected yet.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// pause waits for a moment and says whether done is closed.
func pause(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(2 * time.Millisecond):
		return false
	}
}

// untilIdle waits until the process does nothing for a while, at most a minute, and returns what it
// did.
func untilIdle() int64 {
	began, limit := cpuTime(), time.Now().Add(time.Minute)
	last, quiet := began, 0
	for quiet < 3 && time.Now().Before(limit) {
		time.Sleep(100 * time.Millisecond)
		now := cpuTime()
		if quiet++; now-last > 5 {
			quiet = 0
		}
		last = now
	}
	return last - began
}
