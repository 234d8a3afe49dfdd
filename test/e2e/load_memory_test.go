package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// memory is what a process has in memory, in bytes. Own is what it has asked for, mapped what of
// its files is there: the program, and the database of etcd.
type memory struct{ own, mapped int64 }

func (m memory) least(other memory) memory {
	return memory{min(m.own, other.own), min(m.mapped, other.mapped)}
}

func (m memory) String() string {
	return fmt.Sprintf("%.1f MB of its own and %.1f MB of files", float64(m.own)/1e6, float64(m.mapped)/1e6)
}

// leastMemory is the least that the server had in each of some windows, of a sixtieth of the load
// each. Memory comes and goes with the garbage, and with what raft keeps until its next snapshot.
func (l *load) leastMemory(t *testing.T, until time.Time) (windows []memory) {
	t.Helper()
	for begin := time.Now(); len(windows) == 0 || begin.Before(until); begin = time.Now() {
		least := memoryOf(t, l.server.Cmd.Process.Pid)
		for time.Since(begin) < *loadFor/60 {
			time.Sleep(*loadFor / 6000)
			least = least.least(memoryOf(t, l.server.Cmd.Process.Pid))
		}
		windows = append(windows, least)
	}
	return windows
}

// grown is by which part of it the memory of its own grows an hour. It is the median of the slopes
// between any two windows (Theil and Sen), which a few moments with more to do don't bend.
func grown(windows []memory) float64 {
	var slopes []float64
	for i := range windows {
		for j := range i {
			slopes = append(slopes, float64(windows[i].own-windows[j].own)/float64(i-j))
		}
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2] / float64(windows[0].own) / (*loadFor / 60).Hours()
}

func memoryOf(t *testing.T, pid int) memory {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	line := func(name string) int64 {
		_, after, _ := strings.Cut(string(data), name+":")
		var kilobytes int64
		if _, err := fmt.Sscan(after, &kilobytes); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return kilobytes << 10
	}
	return memory{line("RssAnon"), line("RssFile")}
}
