package boot

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// roomForGarbage is how much garbage there may be beside a quarter of what is in use. Nearly all that a server keeps is
// bytes, values and what was printed of them, which a collection does not have to look at. So it costs little, and is not
// worth as much memory again as the cache takes, which is what Go gives it.
const roomForGarbage = 64 << 20

// gcPercent is how much garbage there may be for live bytes in use, in percent of them: less the more there is in use.
func gcPercent(live uint64) int {
	if live <= roomForGarbage {
		return 100
	}
	return int(min(100, 100*(roomForGarbage+live/4)/live))
}

// paceCollector keeps the garbage collector of the process at gcPercent until ctx ends. A GOGC in the environment is left
// alone.
func paceCollector(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	for now := 100; ; {
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
