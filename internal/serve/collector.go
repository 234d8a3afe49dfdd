package serve

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// roomForGarbage is how much garbage there may be beside a quarter of what is in use. Nearly all
// that a server keeps is bytes, values and what was printed of them, which a collection does not
// have to look at. So it costs little, and is not worth as much memory again as the cache takes,
// which is what Go gives it.
const roomForGarbage = 64 << 20

// gcPercent is how much garbage there may be for live bytes in use, in percent of them: less the
// more there is in use.
func gcPercent(live uint64) int {
	if live <= roomForGarbage {
		return 100
	}
	return int(min(100, 100*(roomForGarbage+live/4)/live))
}

// fillPercent is gcPercent until the caches are full. Most of what is made in that time stays: an
// embedded etcd with 10,000 objects is there with a quarter less CPU than at Go's 100.
const fillPercent = 200

// collector paces the garbage collector of the process. It leaves it alone if the environment has a
// GOGC. In a control group it collects more often before the group's memory is used up, unless the
// environment has a GOMEMLIMIT.
type collector struct{ fixed bool }

func startCollector() collector {
	if most, ok := memoryLimit(os.DirFS("/")); ok && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(most / 5 * 4) // the rest is the program itself, what the kernel keeps for it, and what comes while it collects
	}
	c := collector{fixed: os.Getenv("GOGC") != ""}
	if !c.fixed {
		debug.SetGCPercent(fillPercent)
	}
	return c
}

// pace keeps it at gcPercent until ctx ends. The caches are full.
func (c collector) pace(ctx context.Context) {
	if c.fixed {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	for now := fillPercent; ; {
		metrics.Read(live)
		want := gcPercent(live[0].Value.Uint64())
		if want < now-5 || want > now+5 { // to change it stops the program for a moment
			debug.SetGCPercent(want)
			now = want
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// freeAfter is how long after the caches are full memory is given back. The first requests come
// right then.
const freeAfter = 5 * time.Second

// freeMemory gives back, after a while, what was needed to read all objects and is not needed any
// more; not if ctx ends before.
func freeMemory(ctx context.Context, after time.Duration) {
	select {
	case <-time.After(after):
		runtime.GC() // a pool lets go of what nobody uses with the second collection, which follows
		debug.FreeOSMemory()
	case <-ctx.Done():
	}
}
